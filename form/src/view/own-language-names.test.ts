// The names in the language menu.

import { expect, test } from "vitest";

import { LOCALES } from "../../generated/locales.ts";
import { OWN_LANGUAGE_NAMES } from "./own-language-names.ts";

test("each locale has one name, in the language of its texts", () => {
  const rows = OWN_LANGUAGE_NAMES.map(([code, , lang = code]) => `${code} ${lang}`);
  expect(rows.sort()).toEqual(LOCALES.map(({ code, iso }) => `${code} ${iso}`).sort());
});

test("names are sorted, and none is there twice", () => {
  const names = OWN_LANGUAGE_NAMES.map(([, name]) => name);
  expect(names).toEqual([...new Set(names)].sort(new Intl.Collator("en").compare));
});

test("a country stands only where two locales share a language", () => {
  const languages = OWN_LANGUAGE_NAMES.map(([code, , lang = code]) => lang.slice(0, 2));
  for (const [index, [code, name]] of OWN_LANGUAGE_NAMES.entries()) {
    const shared = languages.filter((language) => language === languages[index]).length > 1;
    expect(/[(（]/u.test(name), code).toBe(shared);
  }
});
