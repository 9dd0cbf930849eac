// Builds the rules of the fields alone (dist/page-server/rules.js), for the test that compares them with the Rust rules.

import { defineConfig } from "vite";

export default defineConfig({
  publicDir: false,
  ssr: { noExternal: true, target: "webworker" },
  build: {
    target: "es2022",
    outDir: "../dist/page-server",
    // The same folder has the page's own script for the engine.
    emptyOutDir: false,
    ssr: "src/rules.ts",
    minify: false,
    rolldownOptions: { output: { entryFileNames: "rules.js", format: "es" } },
  },
});
