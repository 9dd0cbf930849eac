// How many of Lighthouse's 100 points the payment page loses, on an emulated phone with slow 4G.

import { paymentPage } from "../src/form-page.ts";
import { type Category, scorePage } from "../src/lighthouse.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";

const CATEGORIES: readonly Category[] = ["performance", "accessibility", "best-practices"];
const POINTS = 100;
const LOST_MAX = 1;
/** The median of the runs counts, because a short pause of the machine costs a run some points. */
const RUNS = 3;

const service = await startService();
try {
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    // Each run has a new charge, so no run opens a page for the second time.
    runs.push(await scorePage(await paymentPage(service), CATEGORIES));
  }
  for (const category of CATEGORIES) {
    const points = runs.map((run) => run.get(category)?.points ?? 0).sort((a, b) => a - b);
    print({
      name: `payment page, Lighthouse's points short of ${POINTS}: ${category}`,
      measured: POINTS - (points[Math.floor(RUNS / 2)] ?? 0),
      unit: "points",
      measured_max: LOST_MAX,
    });
  }
} finally {
  await service.stop();
}
