// Fails a browser test if one of its pages threw an exception, logged an error or violated its policy.

import { afterEach, expect } from "vitest";

import { takePageErrors } from "./page-errors.ts";

afterEach(async () => {
  expect(await takePageErrors()).toEqual([]);
});
