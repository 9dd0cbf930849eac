// Makes the page's script quick to load, because every shopper waits for it: small, and compiled while it comes. What is
// done here changes a script's name, too, because browsers keep what is under a name for a year.

import { createRequire } from "node:module";

import { type CompressOptions, minify } from "terser";
import type { Plugin } from "vite";

const COMPRESS: CompressOptions = {
  passes: 3,
  ecma: 2020,
  inline: 1,
  keep_fargs: false,
  pure_getters: true,
  unsafe_arrows: true,
};
/** Browsers that know this line compile every function while the script still comes, and not when it is first called. */
const COMPILED_WHILE_COMING = "//# allFunctionsCalledOnLoad";
const PASSES: readonly CompressOptions[] = [{}, { hoist_vars: true, unsafe_proto: true }];
const TERSER_VERSION: string = createRequire(import.meta.url)("terser/package.json").version;

/**
 * Minifies further what Vite has minified: the two find different things, and together they leave less than either
 * alone. Gathering declarations repeats less, but only once all else is done.
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
 * Asks the browser to compile the script that every shopper needs while it still comes, on another thread than the page's:
 * the page runs half of its functions at once.
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
 * What stands in for Vite's helper, which loads the styles that a late script needs: ours need none. Whatever loads a
 * late script raises `preload-error` on the window when that fails (docs/form.md#scripts-that-fail).
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
