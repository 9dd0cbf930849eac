// No type name stands twice in the TypeScript packages, so that each name means one thing.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "../..");
const FOLDERS = ["form/src", "form/generated", "sdk", "demo/src", "operator/src", "e2e"];
/** A declaration, not an import or an export of one. */
const DECLARATION =
  /^\s*(?:export )?(?:interface|class|enum|type) (\w+)(?=\s*(?:[<={]|extends\b|implements\b))/gm;
/** A file that adds to the browser's `Window` declares it. */
const SHARED = ["Window"];

test("each type name is declared in one file", () => {
  const files = new Map<string, Set<string>>();
  for (const folder of FOLDERS) {
    for (const path of readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })) {
      if (/\.tsx?$/.test(path) && !/(^|\/)(node_modules|dist|\.\w+)\//.test(path)) {
        const file = join(folder, path);
        for (const [, name = ""] of readFileSync(join(REPOSITORY, file), "utf8").matchAll(DECLARATION)) {
          files.set(name, (files.get(name) ?? new Set()).add(file));
        }
      }
    }
  }
  expect(files.size).toBeGreaterThan(200);
  const twice = [...files].filter(([name, places]) => places.size > 1 && !SHARED.includes(name));
  expect(twice.map(([name, places]) => `${name}: ${[...places].join(", ")}`)).toEqual([]);
});
