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
