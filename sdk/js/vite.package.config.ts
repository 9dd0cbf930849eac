// Builds the modules in the npm package. They are minified like the served script, because a merchant's bundler would
// minify them less.

import { defineConfig } from "vite";

import { quickScripts } from "../../form/quick-script.ts";
import { TERSER_OPTIONS } from "./terser-options.ts";

export default defineConfig({
  plugins: [quickScripts()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    minify: "terser",
    terserOptions: TERSER_OPTIONS,
    modulePreload: false,
    lib: { entry: "src/index.ts", formats: ["es"], fileName: () => "index.js" },
    rolldownOptions: { output: { chunkFileNames: "[name].js", minify: true } },
  },
});
