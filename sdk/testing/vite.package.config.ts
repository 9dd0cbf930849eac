// Builds the module in the npm package. It runs in Node and is not minified, so that its errors are easy to follow.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  build: {
    outDir: here("dist"),
    emptyOutDir: true,
    target: "es2022",
    minify: false,
    lib: { entry: here("src/index.ts"), formats: ["es"], fileName: () => "index.js" },
  },
});
