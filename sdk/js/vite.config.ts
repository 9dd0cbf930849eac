// Builds the SDK's single file, `dist/sdk/cardform.js` at the root of the repository. With `--mode cards` builds the card page's,
// `cards.js` beside it.

import { defineConfig } from "vite";

import { quickScripts } from "../../form/quick-script.ts";
import { TERSER_OPTIONS } from "./terser-options.ts";

export default defineConfig(({ mode }) => ({
  plugins: [quickScripts()],
  build: {
    outDir: "../../dist/sdk",
    emptyOutDir: mode !== "cards",
    target: "es2022",
    minify: "terser",
    terserOptions: TERSER_OPTIONS,
    modulePreload: false,
    lib:
      mode === "cards"
        ? { entry: "src/served-cards.ts", formats: ["es"], fileName: () => "cards.js" }
        : { entry: "src/served.ts", formats: ["es"], fileName: () => "cardform.js" },
    rolldownOptions: { output: { minify: true } },
  },
}));
