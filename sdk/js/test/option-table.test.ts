// docs/options.md has a row for each option of a form, and no other.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The names of the fields of this interface. */
function fields(name: string): string[] {
  const [, body = ""] =
    read("sdk/js/src/options.ts").match(new RegExp(`export interface ${name} \\{\n(.*?)\n\\}`, "s")) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field);
}

/** The first cells of the tables' rows. */
function documented(page: string): string[] {
  return [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, option = ""]) => option);
}

test("each option has a row, and each row is an option", () => {
  const options = fields("CardformOptions");
  expect(options.length).toBeGreaterThan(12);
  expect(documented(read("docs/options.md")).sort()).toEqual(options.sort());
});

test("each option of mount has a row in the README", () => {
  const [, section = ""] = read("sdk/js/README.md").split("\n## Options\n");
  expect(documented(section.split("\n## ")[0] ?? "").sort()).toEqual(fields("MountOptions").sort());
});
