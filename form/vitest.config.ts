// How the form's unit tests run: in Node, without a browser. What needs a browser is tested in `e2e/`.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "test/*.test.ts"],
    // In the page a later script brings these.
    setupFiles: ["src/card/late-steps.ts"],
  },
});
