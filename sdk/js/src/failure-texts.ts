// The texts that shoppers read when the form cannot be shown, by locale: "try again later", "go back to the shop",
// "you may have paid", and the button that tries again. All but the last are copies from `locales/`; a test compares them.

import TEXTS from "./failure-texts.json";
import { nearestLocale } from "./nearest-locale.ts";

export const FAILURE_TEXTS: Readonly<Record<string, readonly string[]>> = TEXTS;

/** The locale nearest to the first of `tags` that has one, or English, and its texts. */
export function failureTexts(tags: readonly string[]): readonly [locale: string, texts: readonly string[]] {
  const codes = Object.keys(FAILURE_TEXTS);
  const [locale = "en-US"] = tags.flatMap((tag) => nearestLocale(tag, codes) ?? []);
  return [locale, FAILURE_TEXTS[locale] ?? TEXTS["en-US"]];
}
