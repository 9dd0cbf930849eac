// Builds the SDK's single file, `dist/sdk/cardform.js` at the root of the repository.

import { defineConfig } from "vite";

import { quickScripts } from "../../form/quick-script.ts";
import { TERSER_OPTIONS } from "./terser-options.ts";

export default defineConfig({
  plugins: [quickScripts()],
  build: {
    outDir: "../../dist/sdk",
    emptyOutDir: true,
    target: "es2022",
    minify: "terser",
    terserOptions: TERSER_OPTIONS,
    modulePreload: false,
    lib: { entry: "src/served.ts", formats: ["es"], fileName: () => "cardform.js" },
    rolldownOptions: { output: { minify: true } },
  },
});
