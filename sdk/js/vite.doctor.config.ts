// Builds the script for merchants' developers, `dist/sdk/doctor.js` at the root of the repository.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  build: {
    outDir: here("../../dist/sdk"),
    // The SDK is there already.
    emptyOutDir: false,
    target: "es2022",
    lib: {
      entry: here("src/doctor/doctor.ts"),
      // A classic script knows its own address, also when it is added to a page by hand.
      formats: ["iife"],
      name: "cardformDoctor",
      fileName: () => "doctor.js",
    },
  },
});
