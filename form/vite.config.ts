// Builds the page twice: for the browser (dist/page), and for the server's embedded engine (dist/page-server).

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig(({ isSsrBuild }) => ({
  base: "/",
  publicDir: false,
  plugins: [react()],
  // The engine is no Node: everything is put into the one file, in production mode.
  ssr: { noExternal: true, target: "webworker" },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: isSsrBuild ? "../dist/page-server" : "../dist/page",
    emptyOutDir: true,
    manifest: !isSsrBuild,
    modulePreload: false,
    // A logo inside the script would be downloaded by shoppers who never see it.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Slower than Vite's own and smaller: every shopper downloads this.
    minify: isSsrBuild ? false : "terser",
    terserOptions: { module: true, ecma: 2020, compress: { passes: 3 } },
    rolldownOptions: {
      input: isSsrBuild ? "src/server.tsx" : ["src/browser.tsx", "src/challenge-return.ts"],
      output: isSsrBuild ? { entryFileNames: "server.js", format: "es" } : {},
    },
  },
}));
