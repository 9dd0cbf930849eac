// Holds the page's language, which can change while the page is open
// (docs/languages.md#changing-it-in-the-open-form).

import { type Language, type Text, textOf } from "./text.ts";

export interface LanguageStore {
  readonly current: () => Language;
  /** The text function of the current language. */
  readonly text: () => Text;
  /** Calls `listener` after each change. The returned function stops that. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly set: (language: Language) => void;
}

/** A store that begins with the language `initial`. `drawn` draws the view at once. */
export function createLanguageStore(
  initial: Language,
  drawn: (change: () => void) => void = (change) => change(),
): LanguageStore {
  let language = initial;
  let text = textOf(initial);
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
      text = textOf(next);
      drawn(() => {
        for (const listener of listeners) {
          listener();
        }
      });
    },
  };
}
