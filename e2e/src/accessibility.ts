// What axe finds wrong with a document for people who use it by ear, by key or with weak eyes.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each rule that is broken in the document, and where: WCAG 2.2 AA, contrast and targets' sizes included, and the rest. */
export async function violations(place: Page | Frame): Promise<string[]> {
  // The page's policy forbids scripts that others put in; the debugger's evaluation is above it.
  if (!(await place.evaluate(() => "axe" in window))) {
    await place.evaluate(AXE);
  }
  const results = await place.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      // The one rule of WCAG 2.2 that axe leaves out by itself.
      rules: { "target-size": { enabled: true } },
      // Of what is as it should be nothing is listed.
      resultTypes: ["violations"],
    }),
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
