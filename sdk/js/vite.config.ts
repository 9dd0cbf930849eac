// Builds the SDK's single file, `dist/sdk/cardform.js` at the root of the repository.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import { minifiedFurther } from "../../form/quick-script.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [minifiedFurther()],
  build: {
    outDir: here("../../dist/sdk"),
    emptyOutDir: true,
    target: "es2022",
    minify: "terser",
    terserOptions: { module: true, ecma: 2020, compress: { passes: 3 } },
    modulePreload: false,
    lib: { entry: here("src/served.ts"), formats: ["es"], fileName: () => "cardform.js" },
    rolldownOptions: { output: { minify: true } },
  },
});
