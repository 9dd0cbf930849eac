// Checks a document with axe: can people use it who use a screen reader, a keyboard or large text?

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Each rule of axe that the document breaks, and where. The rules include WCAG 2.2 AA with target sizes and, unless it is
 * left out, contrast, which takes half of the time.
 */
export async function axeViolations(place: Page | Frame, { contrast = true } = {}): Promise<string[]> {
  // The page's policy forbids scripts of others, but not code that `evaluate` runs.
  if (!(await place.evaluate(() => "axe" in window))) {
    await place.evaluate(AXE);
  }
  const results = await place.evaluate(
    (contrast) =>
      (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
        // The one WCAG 2.2 rule that axe does not check by default.
        rules: { "target-size": { enabled: true }, "color-contrast": { enabled: contrast } },
        resultTypes: ["violations"],
      }),
    contrast,
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
