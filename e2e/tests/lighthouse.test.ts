// What Lighthouse finds in the payment page. Its performance is a measurement: `cargo xtask bench lighthouse`.

import { afterAll, beforeAll, expect, test } from "vitest";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { judge } from "../src/lighthouse.ts";
import { type Service, startService } from "../src/service.ts";

/** Of 100. */
const POINTS_MIN = 99;

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service?.stop();
});

test("the payment page is accessible and keeps to what is good practice", async () => {
  const verdicts = await judge(await paymentPage(service, ALL_FIELDS), ["accessibility", "best-practices"]);
  expect([...verdicts.keys()].sort()).toEqual(["accessibility", "best-practices"]);
  for (const [category, { points, lost }] of verdicts) {
    expect(points, `${category}: ${lost.join("; ")}`).toBeGreaterThanOrEqual(POINTS_MIN);
  }
});
