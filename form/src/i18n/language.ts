// Holds the page's language, which can change while the page is open
// (docs/languages.md#changing-it-in-the-open-form).

import { type Language, type OwnTexts, type Text, textOf } from "./text.ts";

export interface LanguageStore {
  readonly current: () => Language;
  /** The text function of the current language. */
  readonly text: () => Text;
  /** Calls `listener` after each change. The returned function stops that. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly set: (language: Language) => void;
  /**
   * Gives the current language the texts of `language`, if it is the same one: it had only some of them. Nothing is drawn
   * anew, because no text that was missing is shown.
   */
  readonly complete: (language: Language) => void;
  /** Changes the merchant's own texts. */
  readonly setOwnTexts: (own: OwnTexts | undefined) => void;
}

/** A store that begins with the language `initial`. `drawn` draws the view at once. */
export function createLanguageStore(
  initial: Language,
  drawn: (change: () => void) => void = (change) => change(),
  initialTexts?: OwnTexts,
): LanguageStore {
  let language = initial;
  let own = initialTexts;
  let text = textOf(initial, own);
  const listeners = new Set<() => void>();
  return {
    current: () => language,
    text: () => text,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (next) => {
      language = next;
      change();
    },
    complete: ({ locale, messages }) => {
      if (language.locale === locale) {
        // Into the same object, so that every text function in use has them.
        Object.assign(language.messages, messages);
      }
    },
    setOwnTexts: (next) => {
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
