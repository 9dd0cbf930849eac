// Builds the modules in the npm package: the component with the SDK, without React. They are minified like the SDK's. Its
// modes are the SDK's: `package` and, for the card page, `package-cards`.

import { defineConfig, mergeConfig, type Plugin } from "vite";

import sdk from "../js/vite.config.ts";

/** In frameworks where components run on the server by default, this one must run in the browser. The minifiers drop the line. */
function runsInTheBrowser(): Plugin {
  return {
    name: "cardform-runs-in-the-browser",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk" && chunk.isEntry) {
          chunk.code = `"use client";\n${chunk.code}`;
        }
      }
    },
  };
}

export default defineConfig((environment) =>
  mergeConfig(sdk(environment), {
    plugins: [runsInTheBrowser()],
    // The SDK is taken from its sources, so that nothing has to be built before.
    resolve: { tsconfigPaths: true },
    build: {
      lib: { entry: environment.mode === "package-cards" ? "src/cards.tsx" : "src/index.tsx" },
      rolldownOptions: { external: [/^react/] },
    },
  }),
);
