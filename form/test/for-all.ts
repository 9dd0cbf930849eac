// Tests of a property with random inputs. A seed with which a property failed is kept in failed-seeds.json and is tried
// first in later runs, so that a fault is not lost.

import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";

/** A seed that failed, and the test that it failed in. */
interface FailedSeed {
  readonly test: string;
  readonly seed: number;
}

const FILE = new URL("../failed-seeds.json", import.meta.url);

/** Fails unless the property holds for the seeds that failed before, and for new random inputs. */
export function forAll<T>(property: fc.IProperty<T>, options: { readonly numRuns?: number } = {}): void {
  forAllWith(FILE, property, options);
}

/** Like `forAll`, with seeds in another file. */
export function forAllWith<T>(
  file: URL,
  property: fc.IProperty<T>,
  options: { readonly numRuns?: number } = {},
): void {
  const test = expect.getState().currentTestName ?? "";
  const kept = JSON.parse(readFileSync(file, "utf8")) as readonly FailedSeed[];
  for (const failed of kept.filter((failed) => failed.test === test)) {
    fc.assert(property, { ...options, seed: failed.seed });
  }
  const tried = fc.check(property, options);
  if (tried.failed) {
    const all = [...kept, { test, seed: tried.seed }];
    writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
    const kind = "its seed is kept in form/failed-seeds.json; commit it with what mends the fault";
    throw new Error(`${kind}\n${fc.defaultReportMessage(tried)}`);
  }
}
