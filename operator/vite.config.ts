// Builds the operator's page, `dist/operator/` at the root of the repository, which the server shows at `/operator`.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/operator/",
  build: {
    outDir: fileURLToPath(new URL("../dist/operator", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The colors are written with light-dark(), which these have.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The page's policy allows no inline script, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
