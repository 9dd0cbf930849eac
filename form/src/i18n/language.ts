// Holds the page's language, which can change while the page is open
// (docs/languages.md#changing-it-in-the-open-form).

import { type Language, type MessageKey, type OwnTexts, ownText, textOf } from "./text.ts";

export type LanguageStore = ReturnType<typeof createLanguageStore>;

/** A store that begins with the language `initial`. `drawn` draws the view at once. */
export function createLanguageStore(
  initial: Language,
  drawn: (change: () => void) => void = (change) => change(),
  own?: OwnTexts,
) {
  let language = initial;
  let text = textOf(initial, own);
  const listeners = new Set<() => void>();
  return {
    current: () => language,
    text: () => text,
    /** Whether the merchant's page replaced the words of `key`. */
    isOwn: (key: MessageKey) => ownText(language, key, own) !== undefined,
    /** Calls `listener` after each change. The returned function stops that. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set: (next: Language) => {
      language = next;
      change();
    },
    /** Adds the texts that the current language lacks. Nothing is drawn again, because no missing text is shown yet. */
    complete: ({ locale, messages }: Language) => {
      if (language.locale === locale) {
        // Into the same object, so that every text function in use has them.
        Object.assign(language.messages, messages);
      }
    },
    setOwnTexts: (next?: OwnTexts) => {
      own = next;
      change();
    },
  };

  function change(): void {
    text = textOf(language, own);
    drawn(() => {
      for (const listener of listeners) {
        listener();
      }
    });
  }
}
