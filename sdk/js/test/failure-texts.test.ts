// What shoppers read when the form cannot speak are the texts of the message files.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { FAILURE_TEXTS, failureTexts } from "../src/failure-texts.ts";

const FOLDER = join(import.meta.dirname, "../../../locales");

test("each message file has its texts here, and nobody else has", () => {
  const texts = readdirSync(FOLDER).map((file) => {
    const all = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
    return [file.replace(".json", ""), [all.try_again_later, all.secret_invalid]];
  });
  const here = Object.entries(FAILURE_TEXTS).map(([name, [later, never]]) => [name, [later, never]]);
  expect(Object.fromEntries(here)).toEqual(Object.fromEntries(texts));
  // What nothing but a button of the SDK says stands here alone.
  expect(Object.values(FAILURE_TEXTS).every(([, , tryAgain]) => tryAgain.length > 2)).toBe(true);
});

test.each([
  ["fr-FR", "fr-FR"],
  ["fr-CA", "fr-FR"],
  ["de", "de-DE"],
  ["sv-SE", "en-US"],
  ["", "en-US"],
])("%s reads %s", (tag, locale) => {
  expect(failureTexts(tag)).toBe(FAILURE_TEXTS[locale]);
});
