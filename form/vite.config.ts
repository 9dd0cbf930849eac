// Builds the page for the browser (dist/page). With `--ssr` builds one file for the server's embedded engine (dist/page-server):
// the page, or the rules of the fields, which a test compares with the Rust rules.

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

import { compiledMessages } from "./compile-messages.ts";
import { lateScripts, quickScripts } from "./quick-script.ts";

export default defineConfig(({ isSsrBuild }) => ({
  base: "/",
  publicDir: false,
  plugins: [react(), ...(isSsrBuild ? [] : [compiledMessages(), lateScripts(), quickScripts()])],
  // The engine is not Node: everything goes into one file, in production mode.
  ssr: { noExternal: true, target: "webworker" },
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
    // No developer tools for React on a page that takes cards.
    __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined",
  },
  build: {
    target: "es2022",
    outDir: isSsrBuild ? "../dist/page-server" : "../dist/page",
    emptyOutDir: !isSsrBuild,
    manifest: !isSsrBuild,
    modulePreload: false,
    // A logo inside the script would be downloaded by shoppers who never see it.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    minify: !isSsrBuild,
    rolldownOptions: {
      input: ["src/browser.tsx", "src/challenge-return.ts"],
      output: isSsrBuild
        ? { entryFileNames: "[name].js", format: "es", codeSplitting: false }
        : // One script until the form can be used: without this, what others import, too, is a file of its own.
          { codeSplitting: { groups: [{ name: "browser", test: /src\/browser\.tsx$/ }] } },
    },
  },
}));
