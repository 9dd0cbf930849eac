// The browser tests: each file has a service and a browser of its own, and two files run side by side.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["src/no-troubles.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // A busy machine takes its time; what is waited for comes all the same.
    expect: { poll: { timeout: 15_000 } },
  },
});
