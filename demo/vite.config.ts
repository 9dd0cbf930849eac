// Builds the demo shop and the theme playground into `dist/demo/` at the root of the repository. The server shows them at
// `/demo`, `/demo/theme` and `/demo/plain`.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** `plain.html` is served as it stands, because merchants copy it. */
const plainPage: Plugin = {
  name: "plain-page",
  generateBundle() {
    const source = readFileSync(new URL("plain.html", import.meta.url), "utf8");
    this.emitFile({ type: "asset", fileName: "plain.html", source });
  },
};

export default defineConfig({
  plugins: [plainPage],
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
