// How values come into a text: plural forms, numbers, and their own direction in right-to-left text.

import { expect, test, vi } from "vitest";

import { compiled, language } from "../../compile-messages.ts";
import { LOCALES } from "../../generated/locales.ts";
import { type MessageKey, textOf } from "./text.ts";

function speak(code: string) {
  const locale = LOCALES.find((one) => one.code === code);
  if (locale === undefined) {
    throw new Error(`no locale ${code}`);
  }
  return textOf(language(locale));
}

test("a number chooses the form of its language", () => {
  expect(speak("en-US")("too_many_tries", { minutes: 1 })).toBe("Too many attempts. Try again in 1 minute.");
  expect(speak("en-US")("too_many_tries", { minutes: 5 })).toBe("Too many attempts. Try again in 5 minutes.");
  expect(speak("pl-PL")("too_many_tries", { minutes: 1 })).toContain("za 1 minutę.");
  expect(speak("pl-PL")("too_many_tries", { minutes: 3 })).toContain("za 3 minuty.");
  expect(speak("pl-PL")("too_many_tries", { minutes: 12 })).toContain("za 12 minut.");
  expect(speak("ar-AE")("too_many_tries", { minutes: 2 })).toContain("دقيقتين");
  expect(speak("ro-RO")("too_many_tries", { minutes: 20 })).toContain("peste 20 de minute.");
});

test("numbers have the digits of the card in every language", () => {
  for (const { code } of LOCALES) {
    const text = speak(code)("too_many_tries", { minutes: 37 });
    expect(text, code).toContain("37");
    expect(text.match(/\p{Nd}/gu), code).toEqual(["3", "7"]);
  }
});

test("a catalogue may spell an error id in its other way", () => {
  const spelt = compiled({ CardHolderName_NonSymbolAndSNumber: "Letters only." });
  const text = textOf({ locale: "en-US", iso: "en-US", dir: "ltr", messages: spelt });
  expect(text("CardHolderName_NonSymbolAndNumber")).toBe("Letters only.");
});

test("an inserted value is isolated in right-to-left text only", () => {
  expect(speak("en-US")("pay", { amount: "$12.50" })).toBe("Pay $12.50");
  expect(speak("ar-SA")("pay", { amount: "$12.50" })).toBe("ادفع \u2068$12.50\u2069");
  expect(speak("ar-SA")("saved_card_name", { brand: "Visa", last_four: "4242" })).toBe(
    "\u2068Visa\u2069، تنتهي بالأرقام \u20684242\u2069",
  );
});

test("a missing text shows its key and is reported", () => {
  const report = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(speak("en-US")("nothing_like_it" as MessageKey)).toBe("nothing_like_it");
  expect(report.mock.calls).toEqual([["Cardform: there is no text for nothing_like_it."]]);
  report.mockRestore();
});

test("values are never read as a pattern", () => {
  const text = speak("en-US");
  expect(text("pay", { amount: "{amount} $& <b>" })).toBe("Pay {amount} $& <b>");
});
