// The browser tests: two workers run the files, two side by side. The files of a worker share a service and a browser,
// which `src/test.ts` starts.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["src/no-troubles.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // The modules stay, and with them what the files share.
    isolate: false,
    // A busy machine takes its time; what is waited for comes all the same.
    expect: { poll: { timeout: 15_000 } },
  },
});
