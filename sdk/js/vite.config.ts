// Builds the SDK's scripts: for the service in `dist/sdk` at the root of the repository, and with `--mode package` for the npm
// package. They are minified in both, because a merchant's bundler would minify them less. A `cards` mode builds the card
// page's script, which shares no file with the others.

import { defineConfig } from "vite";

import { quickScripts } from "../../form/quick-script.ts";
import { TERSER_OPTIONS } from "./terser-options.ts";

/** The source and the built file of each mode. */
const SCRIPTS: Readonly<Record<string, readonly [entry: string, file: string]>> = {
  cards: ["src/served-cards.ts", "cards.js"],
  package: ["src/index.ts", "index.js"],
  "package-cards": ["src/cards.ts", "cards.js"],
};

export default defineConfig(({ mode }) => {
  const isPackage = mode.startsWith("package");
  const [entry, file] = SCRIPTS[mode] ?? ["src/served.ts", "cardform.js"];
  return {
    plugins: [quickScripts()],
    build: {
      outDir: isPackage ? "dist" : "../../dist/sdk",
      // The card page's script is built last.
      emptyOutDir: !mode.endsWith("cards"),
      target: "es2022",
      minify: "terser",
      terserOptions: TERSER_OPTIONS,
      modulePreload: false,
      lib: { entry, formats: ["es"], fileName: () => file },
      rolldownOptions: { output: { ...(isPackage && { chunkFileNames: "[name].js" }), minify: true } },
    },
  };
});
