// Makes the page's script as small as it gets: every shopper downloads it before anything can be paid.

import { minify } from "terser";
import type { Plugin } from "vite";

/**
 * Minifies once more what Vite has minified: the two find different things, and together they leave less than either
 * alone.
 */
export function minifiedTwice(): Plugin {
  return {
    name: "cardform-minified-twice",
    enforce: "post",
    async generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") {
          const { code } = await minify(chunk.code, {
            module: true,
            ecma: 2020,
            compress: { passes: 3, ecma: 2020, unsafe_arrows: true, pure_getters: true },
          });
          chunk.code = code ?? chunk.code;
        }
      }
    },
  };
}

/** Vite's helper loads the styles that a late script needs. Ours need none: there is one style, and it is there. */
export function withoutPreloadHelper(): Plugin {
  const HELPER = "\0vite/preload-helper.js";
  return {
    name: "cardform-without-preload-helper",
    enforce: "pre",
    load: (id) => (id === HELPER ? "export const __vitePreload = (load) => load();" : null),
  };
}
