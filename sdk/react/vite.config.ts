// Builds the React wrapper's single file, without React and without the SDK it wraps.

import { defineConfig } from "vite";

export default defineConfig({
  // The SDK's packages are taken from their sources, so that nothing has to be built before.
  resolve: { tsconfigPaths: true },
  build: {
    outDir: "../../dist/sdk-react",
    emptyOutDir: true,
    target: "es2022",
    minify: true,
    lib: { entry: "src/index.tsx", formats: ["es"], fileName: () => "cardform-react.js" },
    rolldownOptions: { external: ["react", "@cardform/js"], output: { minify: true } },
  },
});
