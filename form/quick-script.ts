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
 * script. Hoisting declarations makes it smaller only near the end.
 */
export function minifiedFurther(): Plugin {
  return {
    name: "cardform-minified-further",
    enforce: "post",
    augmentChunkHash: () => `${TERSER_VERSION} ${JSON.stringify([COMPRESS, PASSES])}`,
    async generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") {
          for (const further of PASSES) {
            const compress = { ...COMPRESS, ...further };
            const { code } = await minify(chunk.code, { module: true, ecma: 2020, compress });
            chunk.code = code ?? chunk.code;
          }
        }
      }
    },
  };
}

/**
 * Asks the browser to compile the first script during the download, on another thread than the page's, because the page
 * runs half of its functions at once.
 */
export function compiledWhileComing(): Plugin {
  return {
    name: "cardform-compiled-while-coming",
    enforce: "post",
    augmentChunkHash: (chunk) => (hasReact(chunk) ? COMPILED_WHILE_COMING : undefined),
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk" && hasReact(chunk)) {
          chunk.code = `${COMPILED_WHILE_COMING}\n${chunk.code}`;
        }
      }
    },
  };
}

function hasReact({ moduleIds }: { readonly moduleIds: readonly string[] }): boolean {
  return moduleIds.some((id) => id.includes("/react-dom/"));
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
