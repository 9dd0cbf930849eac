// A text that nobody shows is translated 31 times for nothing: each key is named by the page or by what serves it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import english from "../../../locales/en-US.json" with { type: "json" };

const REPOSITORY = join(import.meta.dirname, "../../..");
/** Where texts are shown: the page, the declines and error ids that it mirrors, and the server's error pages. */
const SHOWN_IN = ["form/src", "form/generated", "crates"];
const CODE = /^(?!.*\btests\b).*(?<!\.test)\.(ts|tsx|rs)$/;

test("every text is named where texts are shown", () => {
  const code = SHOWN_IN.flatMap(sources).join("\n");
  expect(Object.keys(english).filter((key) => !code.includes(`"${key}"`))).toEqual([]);
});

function sources(folder: string): string[] {
  const path = join(REPOSITORY, folder);
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  return files.filter((file) => CODE.test(file)).map((file) => readFileSync(join(path, file), "utf8"));
}
