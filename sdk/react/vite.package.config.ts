// Builds the module in the npm package: the component, without React and without `@cardform/js`.

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
      // In frameworks where components run on the server by default, this one must run in the browser.
      output: { banner: '"use client";' },
    },
  },
});
