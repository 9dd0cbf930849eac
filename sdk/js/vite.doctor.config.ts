// Builds the script for merchants' developers, `dist/sdk/doctor.js` at the root of the repository.

import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../../dist/sdk",
    // The SDK is there already.
    emptyOutDir: false,
    target: "es2022",
    lib: {
      entry: "src/doctor/doctor.ts",
      // A classic script knows its own address, also when it is added to a page by hand.
      formats: ["iife"],
      name: "cardformDoctor",
      fileName: () => "doctor.js",
    },
  },
});
