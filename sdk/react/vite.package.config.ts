// Builds what `npm pack` puts into the package: the component as a module, without React and without `@cardform/js`.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  build: {
    outDir: here("dist"),
    emptyOutDir: true,
    target: "es2022",
    minify: false,
    lib: { entry: here("src/index.tsx"), formats: ["es"], fileName: () => "index.js" },
    rolldownOptions: {
      external: [/^react/, "@cardform/js"],
      // Where components run on the server by default, this one runs in the browser, too.
      output: { banner: '"use client";' },
    },
  },
});
