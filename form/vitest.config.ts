// How the form's unit tests run: in Node, without a browser. What needs a browser is tested in `e2e/`.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
