// The document's texts are completed once the form can be used, whatever language it has by then.

import { expect, test } from "vitest";

import { language } from "../../compile-messages.ts";
import { LOCALES } from "../../generated/locales.ts";
import { LATE_TEXTS } from "../../late-texts.ts";
import { createLanguageStore } from "./language.ts";
import type { Language } from "./text.ts";

function whole(code: string): Language {
  const locale = LOCALES.find((one) => one.code === code);
  if (locale === undefined) {
    throw new Error(`no locale ${code}`);
  }
  return language(locale);
}

/** A language with the texts that a form's document has. */
function atFirst(code: string): Language {
  const { messages, ...rest } = whole(code);
  const late: readonly string[] = LATE_TEXTS;
  return {
    ...rest,
    messages: Object.fromEntries(Object.entries(messages).filter(([key]) => !late.includes(key))),
  };
}

test("late texts are there once loaded, and nothing is drawn anew", () => {
  const store = createLanguageStore(atFirst("fr-FR"));
  let changes = 0;
  store.subscribe(() => {
    changes += 1;
  });
  store.complete(whole("fr-FR"));
  expect(store.text()("outcome_succeeded")).toBe(whole("fr-FR").messages.outcome_succeeded);
  expect(changes).toBe(0);
});

test("late texts of a language that was changed meanwhile change nothing", () => {
  const store = createLanguageStore(atFirst("fr-FR"));
  store.set(whole("ja-JP"));
  store.complete(whole("fr-FR"));
  expect(store.current()).toEqual(whole("ja-JP"));
});

test("a merchant's own texts stay when the late ones come", () => {
  const store = createLanguageStore(atFirst("en-US"), undefined, { "": { outcome_succeeded: "Hooray" } });
  store.complete(whole("en-US"));
  expect(store.text()("outcome_succeeded")).toBe("Hooray");
  expect(store.text()("outcome_checking")).toBe("We are checking your payment");
});
