// What axe finds wrong with a document for people who use it by ear, by key or with weak eyes.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Frame } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each rule that is broken in the document, and where. */
export async function violations(frame: Frame): Promise<string[]> {
  // The page's policy forbids scripts that others put in; the debugger's evaluation is above it.
  await frame.evaluate(AXE);
  const results = await frame.evaluate(() =>
    (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
