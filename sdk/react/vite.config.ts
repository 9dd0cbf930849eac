// Builds the React wrapper's single file, without React and without the SDK it wraps.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // The SDK's packages are taken from their sources, so that nothing has to be built before.
  resolve: { tsconfigPaths: true },
  build: {
    outDir: here("../../dist/sdk-react"),
    emptyOutDir: true,
    target: "es2022",
    minify: true,
    lib: { entry: here("src/index.tsx"), formats: ["es"], fileName: () => "cardform-react.js" },
    rolldownOptions: { external: ["react", "@cardform/js"], output: { minify: true } },
  },
});
