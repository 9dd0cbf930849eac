// What shoppers read when the form cannot speak are the texts of the message files, in the language nearest to theirs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOCALES } from "../../../form/generated/locales.ts";
import { FAILURE_TEXTS, failureTexts } from "../src/failure-texts.ts";
import { languageOf, nearestLocale } from "../src/nearest-locale.ts";

const FOLDER = join(import.meta.dirname, "../../../locales");
const CASES = JSON.parse(readFileSync(join(FOLDER, "../cases/nearest-locale.json"), "utf8")) as {
  nearest: Record<string, string[]>;
  none: Record<string, string[]>;
};
const CODES = LOCALES.map(({ code }) => code);

test("each locale has the texts of its message file, and no other has any", () => {
  const texts = LOCALES.map(({ code, file }) => {
    const all = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
    return [code, [all.try_again_later, all.secret_invalid, all.may_have_paid]];
  });
  const here = Object.entries(FAILURE_TEXTS).map(([code, texts]) => [code, texts.slice(0, 3)]);
  expect(Object.fromEntries(here)).toEqual(Object.fromEntries(texts));
  // What nothing but a button of the SDK says stands here alone.
  expect(Object.values(FAILURE_TEXTS).every(([, , , tryAgain = ""]) => tryAgain.length > 2)).toBe(true);
});

test("a tag gets the locale that the service finds", () => {
  for (const { code, iso } of LOCALES) {
    expect([nearestLocale(code, CODES), nearestLocale(iso, CODES), languageOf(code)]).toEqual([
      code,
      code,
      iso,
    ]);
  }
  for (const [code, tags] of Object.entries(CASES.nearest)) {
    for (const tag of tags) {
      expect(nearestLocale(tag, CODES), tag).toBe(code);
    }
  }
  for (const tag of Object.values(CASES.none).flat()) {
    expect(nearestLocale(tag, CODES), tag).toBeUndefined();
  }
});

test("the first language with texts is taken, and English at last", () => {
  expect(failureTexts(["sv-SE", "fr_CA", "de"])).toEqual(["fr-FR", FAILURE_TEXTS["fr-FR"]]);
  expect(failureTexts(["zh-CN"])).toEqual(["en-US", FAILURE_TEXTS["en-US"]]);
  expect(failureTexts([])).toEqual(["en-US", FAILURE_TEXTS["en-US"]]);
});
