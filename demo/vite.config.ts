// Builds the demo shop and the theme playground into `dist/demo/` at the root of the repository. The server shows them at
// `/demo` and `/demo/theme`.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  // The SDK is read from its sources, so that it need not be built first.
  resolve: { tsconfigPaths: true },
  base: "/demo/",
  build: {
    outDir: fileURLToPath(new URL("../dist/demo", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The first versions with light-dark(), in which the colors are written.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The page's policy does not allow inline scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "theme.html"] },
  },
});
