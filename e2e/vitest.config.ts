// The settings of the browser tests. Four workers run the test files, one file each at a time. The files of a worker share
// a service and a browser, which `src/test.ts` starts.

import { defineConfig } from "vitest/config";

export default defineConfig({
  // `@cardform/testing` is read from its sources, so that it need not be built first.
  resolve: { tsconfigPaths: true },
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["src/check-page-errors.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 4,
    // All files of a worker use the same modules, so they can share the service and the browser.
    isolate: false,
    // On a busy machine the page may need this long.
    expect: { poll: { timeout: 15_000 } },
  },
});
