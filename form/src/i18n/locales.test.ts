// Every message file against the English one: complete, translated, in its own script and with its own punctuation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { language } from "../../compile-messages.ts";
import { LOCALES } from "../../generated/locales.ts";
import { type MessageKey, textOf } from "./text.ts";

const FOLDER = join(import.meta.dirname, "../../../locales");
const ENGLISH = read("en-US.json");
const KEYS = Object.keys(ENGLISH) as MessageKey[];
const OTHERS = LOCALES.filter(({ code }) => code !== "en-US");

/** Minutes that every language's plural forms can be told by. */
const MINUTES = [1, 2, 3, 5, 11, 21, 22, 25, 100] as const;

/** Texts that are the same in English, by their key and text: the word is the language's own, too. */
const SAME_AS_ENGLISH: Readonly<Record<string, { why: string; locales: readonly string[] }>> = {
  "card_security_code CVV": {
    why: "what it is called on the country's payment pages",
    locales: ["es-ES", "es-CL", "es-CO", "es-PE", "pt-PT", "tl-PH"],
  },
  "card_holder_email Email": {
    why: "the usual word of the language",
    locales: ["in-ID", "it-IT", "tl-PH", "vi-VN", "ku-KZ"],
  },
  "brand_detected {brand} card": { why: "Filipino says card", locales: ["tl-PH"] },
  "default_card Default": { why: "Filipino says default", locales: ["tl-PH"] },
};

/** The script of each language that is not written in Latin letters; Japanese has three. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u,
  km: /\p{Script=Khmer}/u,
  ko: /\p{Script=Hangul}/u,
  lo: /\p{Script=Lao}/u,
  my: /\p{Script=Myanmar}/u,
  ru: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  zh: /\p{Script=Han}/u,
};
/** Latin words that languages of other scripts write so. Russian in Kazakhstan says email. */
const LATIN_WORDS = /\b(CVV|CVC|JavaScript|[Ee]mail(?=[ .]|$))/gu;

/** What developers call it, in every language: shoppers know of no session. */
const SESSION =
  /sess?i[oó]n|sess[aã]o|sessi[oe]|sesi |sesiun|sitzung|sesj|rel[aá]c|munkamenet|phiên|сеанс|جلسة|セッション|세션|เซสชัน|វគ្គ/iu;

/** How a sentence ends; a full stop where nothing else is said. Thai has none. */
const SENTENCE_ENDS: Readonly<Record<string, string>> = { ja: "。", zh: "。", km: "។", my: "။", th: "" };
/** How a question ends, where not with a question mark. Thai and Burmese have none. */
const QUESTION_ENDS: Readonly<Record<string, string>> = { ar: "؟", ja: "？", zh: "？", my: "။", th: "" };
const ENDS = /[.。។။?？؟!！…]$/u;

test("there is a file for each locale and no other", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(LOCALES.map(({ file }) => file).sort());
});

test("an allowed likeness to English is one", () => {
  const used = OTHERS.flatMap(({ code, file }) =>
    KEYS.filter((key) => read(file)[key] === ENGLISH[key]).map((key) => `${code} ${key} ${ENGLISH[key]}`),
  );
  const allowed = Object.entries(SAME_AS_ENGLISH).flatMap(([text, { locales }]) =>
    locales.map((code) => `${code} ${text}`),
  );
  expect(used.sort()).toEqual(allowed.sort());
});

test.each(LOCALES)("$code has the English file's keys in order, and its placeholders", (locale) => {
  const messages = read(locale.file);
  expect(Object.keys(messages)).toEqual(KEYS);
  for (const key of KEYS) {
    expect(placeholders(messages[key]), key).toEqual(placeholders(ENGLISH[key]));
  }
});

test.each(LOCALES)("$code calls the security code what its label calls it", (locale) => {
  const messages = read(locale.file);
  const label = (messages.card_security_code ?? "").replace(/\u200b/g, "");
  const word = (label.match(/CV[VC]/)?.[0] ?? label.split(" ").at(-1) ?? "").toLowerCase();
  for (const key of KEYS.filter((key) => /security_?code/i.test(key))) {
    const text = (messages[key] ?? "").replace(/\u200b/g, "").toLowerCase();
    expect(text, `${key} of ${locale.code}`).toContain(word);
  }
});

test.each(LOCALES)("$code speaks of the time to pay and of no session", ({ file }) => {
  const messages = read(file);
  const sessions = KEYS.filter((key) => SESSION.test(messages[key] ?? ""));
  expect(sessions).toEqual([]);
});

test.each(LOCALES)("$code has a form for every number of minutes", (locale) => {
  const rules = new Intl.PluralRules(locale.iso);
  const forms = [...(read(locale.file).too_many_tries ?? "").matchAll(/(\w+) \{/g)].map(([, form]) => form);
  const wanted = new Set(Array.from({ length: 120 }, (_, minutes) => rules.select(minutes)));
  expect(forms).toEqual(expect.arrayContaining([...wanted]));
  for (const text of shown(locale).filter(({ key }) => key === "too_many_tries")) {
    expect(text.text).not.toMatch(/[{}#]|undefined/);
  }
});

test.each(LOCALES)("$code writes in its own script", (locale) => {
  const script = SCRIPTS[locale.iso.slice(0, 2)] ?? /\p{Script=Latin}/u;
  for (const { key, text } of shown(locale)) {
    const own = script.test("a") ? text : text.replace(LATIN_WORDS, "");
    const foreign = [...own].filter((letter) => /\p{L}/u.test(letter) && !script.test(letter));
    expect(foreign, `${key}: ${text}`).toEqual([]);
  }
});

test.each(LOCALES)("$code spaces and punctuates as its language does", (locale) => {
  const spoken = locale.iso.slice(0, 2);
  for (const { key, text } of shown(locale)) {
    const english = ENGLISH[key] ?? "";
    expect(text.trim(), key).toBe(text);
    expect(text, key).not.toMatch(/\s\s|'|\.\.|"|\s[.,。，]/u);
    if (english.endsWith("…")) {
      expect(text.endsWith("…"), `${key}: ${text}`).toBe(true);
    } else if (english.endsWith("?")) {
      expect(text.match(ENDS)?.[0] ?? "", `${key}: ${text}`).toBe(QUESTION_ENDS[spoken] ?? "?");
      expect(text.startsWith("¿"), key).toBe(spoken === "es");
    } else {
      const end = english.endsWith(".") ? (SENTENCE_ENDS[spoken] ?? ".") : "";
      expect(text.match(ENDS)?.[0] ?? "", `${key}: ${text}`).toBe(end);
    }
  }
});

function read(file: string): Record<string, string> {
  return JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
}

function placeholders(text = ""): string[] {
  return [...text.matchAll(/\{(\w+)(?=[},])/g)].map(([, name]) => name ?? "").sort();
}

/** Every text of a locale as the page shows it, values apart; the plural one with several numbers. */
function shown(locale: (typeof LOCALES)[number]): { key: MessageKey; text: string }[] {
  const text = textOf({ ...language(locale), dir: "ltr" });
  const values = { brand: "0", last_four: "0", card: "0", date: "0", amount: "0", path: "0" };
  return KEYS.flatMap((key) =>
    (key === "too_many_tries" ? MINUTES : [0]).map((minutes) => ({
      key,
      text: text(key, { ...values, minutes }),
    })),
  );
}
