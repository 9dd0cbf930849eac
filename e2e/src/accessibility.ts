// What axe finds wrong with a document for people who use a screen reader, a keyboard or large text.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each rule that is broken in the document, and where: WCAG 2.2 AA, contrast and targets' sizes included, and the rest. */
export async function violations(place: Page | Frame): Promise<string[]> {
  // The page's policy forbids foreign scripts; code that the debugger runs is exempt.
  if (!(await place.evaluate(() => "axe" in window))) {
    await place.evaluate(AXE);
  }
  const results = await place.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      // The one rule of WCAG 2.2 that axe leaves out by itself.
      rules: { "target-size": { enabled: true } },
      // Only violations are returned, not the rules that passed.
      resultTypes: ["violations"],
    }),
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
