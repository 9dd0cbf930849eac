// Writes the operator's features document into a file, for a service that is started with it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Fixture } from "./test.ts";

/** A fixture: the path of a file with these features. The file is removed after the tests. */
export function featuresFileWith(features: object): Fixture<string> {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
  return async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "cardform-features-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "features.json");
    writeFileSync(file, JSON.stringify({ features }));
    return file;
  };
}
