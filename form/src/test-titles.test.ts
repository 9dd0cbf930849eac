// Titles of TypeScript tests are short, so that a failed test's subject and outcome are read at one glance.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "../..");
const FOLDERS = ["form/src", "sdk", "demo/src", "operator/src", "e2e"];
const LONGEST = 69;
/** The title of a test or a group, also after `.each(…)` and the like with brackets of one or two levels. */
const TITLE =
  /\b(?:describe|it|test)(?:\.\w+)*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*(["`])((?:\\.|(?!\1).)*)\1/g;

test("test titles have fewer than 70 characters", () => {
  const titles: { file: string; title: string }[] = [];
  for (const folder of FOLDERS) {
    for (const path of readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })) {
      if (/\.test\.tsx?$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path)) {
        const file = join(folder, path);
        const text = readFileSync(join(REPOSITORY, file), "utf8");
        titles.push(...[...text.matchAll(TITLE)].map(([, , title = ""]) => ({ file, title })));
      }
    }
  }
  expect(titles.length).toBeGreaterThan(700);
  const long = titles.filter(({ title }) => title.length > LONGEST);
  expect(long.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
});
