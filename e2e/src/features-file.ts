// A file with the operator's features document, for a service that is started with it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Start } from "./test.ts";

/** A fixture: the path of a file with this document, which is removed after the file's tests. */
export function featuresFileWith(features: object): Start<string> {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are asked for.
  return async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "cardform-features-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "features.json");
    writeFileSync(file, JSON.stringify({ features }));
    return file;
  };
}
