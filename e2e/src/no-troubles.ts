// After every browser test: no page threw, logged an error, or did what its policy forbids.

import { afterEach, expect } from "vitest";

import { takeTroubles } from "./watch.ts";

afterEach(async () => {
  expect(await takeTroubles()).toEqual([]);
});
