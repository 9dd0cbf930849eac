// Builds the demo shop, `dist/demo/` at the root of the repository, which the server shows at `/demo`.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  // The SDK's packages are taken from their sources, so that nothing has to be built before.
  resolve: { tsconfigPaths: true },
  base: "/demo/",
  build: {
    outDir: fileURLToPath(new URL("../dist/demo", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The colors are written with light-dark(), which these have.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The page's policy allows no inline script and images from data: only where they are small, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
