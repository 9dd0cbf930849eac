// Loads the texts that the form's document leaves out (`form/late-texts.ts`). The file has all texts of the language.

import type { PageContext } from "../../generated/wire.ts";
import type { LanguageStore } from "./language.ts";
import type { Language } from "./text.ts";

/** Completes the texts of `language`. Rejects if they cannot be loaded. */
export async function loadLateTexts(
  { build_id, locale }: PageContext,
  { complete }: LanguageStore,
): Promise<void> {
  const response = await fetch(`/locales/${build_id}/${locale}.json`);
  if (!response.ok) {
    throw new Error(`status ${response.status}`);
  }
  complete((await response.json()) as Language);
}
