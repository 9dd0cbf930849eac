// Builds the modules in the npm package. They are minified like the served script, because a merchant's bundler would
// minify them less.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import { minifiedFurther } from "../../form/quick-script.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [minifiedFurther()],
  build: {
    outDir: here("dist"),
    emptyOutDir: true,
    target: "es2022",
    minify: "terser",
    terserOptions: { module: true, ecma: 2020, compress: { passes: 3 } },
    modulePreload: false,
    lib: { entry: here("src/index.ts"), formats: ["es"], fileName: () => "index.js" },
    rolldownOptions: { output: { chunkFileNames: "[name].js", minify: true } },
  },
});
