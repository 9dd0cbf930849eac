// Makes the page's script small, and lets the browser compile it during the download, because every shopper waits for it. A
// change of these settings changes the script's name, because browsers cache a name for a year.

import { createRequire } from "node:module";

import { type CompressOptions, minify } from "terser";
import type { Plugin } from "vite";

/** The combination with the smallest script in brotli. */
const COMPRESS: CompressOptions = {
  passes: 3,
  ecma: 2020,
  booleans: false,
  inline: 1,
  join_vars: false,
  keep_fargs: false,
  pure_getters: true,
  unsafe_arrows: true,
};
/** With this line some browsers compile every function during the download, and not at the first call. */
const COMPILED_WHILE_COMING = "//# allFunctionsCalledOnLoad";
const PASSES: readonly CompressOptions[] = [
  {},
  { hoist_vars: true, unsafe_proto: true },
  { unsafe_methods: true },
  { unsafe_methods: true },
];
const TERSER_VERSION: string = createRequire(import.meta.url)("terser/package.json").version;

/**
 * Minifies the output of Vite's minifier once more: each finds different things, and both together give the smallest
 * script. Hoisting declarations makes it smaller only near the end. The script with React, half of whose functions run at
 * once, asks the browser to compile it on another thread.
 */
export function quickScripts(): Plugin {
  return {
    name: "cardform-quick-scripts",
    enforce: "post",
    augmentChunkHash: () => JSON.stringify([TERSER_VERSION, COMPILED_WHILE_COMING, COMPRESS, PASSES]),
    async generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") {
          const hasReact = chunk.moduleIds.some((id) => id.includes("/react-dom/"));
          const code = await minifiedFurther(chunk.code);
          chunk.code = hasReact ? `${COMPILED_WHILE_COMING}\n${code}` : code;
        }
      }
    },
  };
}

async function minifiedFurther(script: string): Promise<string> {
  let code = script;
  for (const further of PASSES) {
    const compress = { ...COMPRESS, ...further };
    code = (await minify(code, { module: true, ecma: 2020, compress })).code ?? code;
  }
  return code;
}

/**
 * Replaces Vite's helper, which loads styles of late scripts: ours have none. If a late script cannot be loaded,
 * `preload-error` is raised on the window (docs/form.md#scripts-that-fail).
 */
export function lateScripts(): Plugin {
  const HELPER = "\0vite/preload-helper.js";
  const LATE =
    'export const __vitePreload = (load) => load().catch((error) => { dispatchEvent(new Event("preload-error")); throw error; });';
  return {
    name: "cardform-late-scripts",
    enforce: "pre",
    load: (id) => (id === HELPER ? LATE : null),
  };
}
