// Lighthouse's scores of the payment page. `cargo xtask bench lighthouse` measures the performance score.

import { expect } from "vitest";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { scorePage } from "../src/lighthouse.ts";
import { test } from "../src/test.ts";

/** Out of 100. */
const POINTS_MIN = 99;

test("the payment page is accessible and follows best practices", async ({ service }) => {
  const scores = await scorePage(await paymentPage(service, ALL_FIELDS), ["accessibility", "best-practices"]);
  expect([...scores.keys()].sort()).toEqual(["accessibility", "best-practices"]);
  for (const [category, { points, lost }] of scores) {
    expect(points, `${category}: ${lost.join("; ")}`).toBeGreaterThanOrEqual(POINTS_MIN);
  }
});
