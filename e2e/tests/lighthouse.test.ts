// What Lighthouse finds in the payment page. Its performance is a measurement: `cargo xtask bench lighthouse`.

import { expect } from "vitest";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { scorePage } from "../src/lighthouse.ts";
import { test } from "../src/test.ts";

/** Of 100. */
const POINTS_MIN = 99;

test("the payment page is accessible and keeps to what is good practice", async ({ service }) => {
  const verdicts = await scorePage(await paymentPage(service, ALL_FIELDS), [
    "accessibility",
    "best-practices",
  ]);
  expect([...verdicts.keys()].sort()).toEqual(["accessibility", "best-practices"]);
  for (const [category, { points, lost }] of verdicts) {
    expect(points, `${category}: ${lost.join("; ")}`).toBeGreaterThanOrEqual(POINTS_MIN);
  }
});
