// Lighthouse's scores of a page on an emulated mid-range phone with slow 4G.

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

import { ARGUMENTS, chromiumOnPath } from "./browser.ts";

/** The categories that Lighthouse scores. */
export type Category = "performance" | "accessibility" | "best-practices";

/** A category's points, out of 100, and the audits that cost points. */
export interface CategoryScore {
  readonly points: number;
  readonly lost: readonly string[];
}

const POINTS = 100;

/** Opens the page in a new Chromium and returns its score in each category. */
export async function scorePage(
  url: string,
  categories: readonly Category[],
): Promise<ReadonlyMap<string, CategoryScore>> {
  const chrome = await launch({
    chromePath: chromiumOnPath(),
    chromeFlags: ["--headless=new", ...ARGUMENTS],
    logLevel: "silent",
  });
  try {
    const run = await lighthouse(url, {
      port: chrome.port,
      onlyCategories: [...categories],
      logLevel: "silent",
    });
    const report = run?.lhr;
    if (report === undefined || report.runtimeError !== undefined) {
      throw new Error(`Lighthouse could not score the page: ${report?.runtimeError?.message}`);
    }
    return new Map(
      Object.values(report.categories).map(({ id, score, auditRefs }) => {
        const audits = auditRefs.filter(({ weight }) => weight > 0).map((ref) => report.audits[ref.id]);
        const lost = audits.filter((audit) => audit?.score !== null && (audit?.score ?? 0) < 1);
        return [
          id,
          { points: (score ?? 0) * POINTS, lost: lost.map((audit) => `${audit?.id}: ${audit?.title}`) },
        ];
      }),
    );
  } finally {
    chrome.kill();
  }
}
