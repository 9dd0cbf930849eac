// Builds what `npm pack` puts into the package: the SDK as modules, minified as the served script is, since a merchant's
// bundler finds less.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

import { minifiedFurther } from "../../form/smallest-script.ts";

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
