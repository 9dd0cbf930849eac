// Builds the page twice: for the browser (dist/page), and for the server's embedded engine (dist/page-server).

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

import { compiledMessages } from "./compile-messages.ts";
import { compiledWhileComing, lateScripts, minifiedFurther, shortReactNames } from "./quick-script.ts";
import { reactAsModules } from "./react-modules.ts";
import { withoutUnusedReact } from "./react-parts.ts";

export default defineConfig(({ isSsrBuild }) => ({
  base: "/",
  publicDir: false,
  plugins: [
    react(),
    ...(isSsrBuild
      ? []
      : [
          reactAsModules(),
          withoutUnusedReact(),
          compiledMessages(),
          lateScripts(),
          minifiedFurther(),
          shortReactNames(),
          compiledWhileComing(),
        ]),
  ],
  // The engine is not Node: everything goes into one file, in production mode.
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
    minify: !isSsrBuild,
    rolldownOptions: {
      input: isSsrBuild ? "src/server.tsx" : ["src/browser.tsx", "src/challenge-return.ts"],
      output: isSsrBuild ? { entryFileNames: "server.js", format: "es", codeSplitting: false } : {},
    },
  },
}));
