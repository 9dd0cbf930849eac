// Builds the operator's page into `dist/operator/` at the root of the repository. The server shows it at `/operator`.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/operator/",
  build: {
    outDir: fileURLToPath(new URL("../dist/operator", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The first versions with light-dark(), in which the colors are written.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The page's policy does not allow inline scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
