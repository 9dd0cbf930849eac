// Builds the modules in the npm package. They are minified like the served script, because a merchant's bundler would
// minify them less. With `--mode cards` builds the card page's module, which shares no file with the others.

import { defineConfig } from "vite";

import { quickScripts } from "../../form/quick-script.ts";
import { TERSER_OPTIONS } from "./terser-options.ts";

export default defineConfig(({ mode }) => ({
  plugins: [quickScripts()],
  build: {
    outDir: "dist",
    emptyOutDir: mode !== "cards",
    target: "es2022",
    minify: "terser",
    terserOptions: TERSER_OPTIONS,
    modulePreload: false,
    lib:
      mode === "cards"
        ? { entry: "src/cards.ts", formats: ["es"], fileName: () => "cards.js" }
        : { entry: "src/index.ts", formats: ["es"], fileName: () => "index.js" },
    rolldownOptions: { output: { chunkFileNames: "[name].js", minify: true } },
  },
}));
