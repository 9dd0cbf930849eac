// The language that the page speaks now, and how it comes to speak another
// (docs/languages.md#changing-it-in-the-open-form).

import { type Language, type Text, textOf } from "./text.ts";

export interface LanguageStore {
  readonly current: () => Language;
  /** The text function of the current language. */
  readonly text: () => Text;
  /** Calls `listener` after each change; returns the way to stop. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly set: (language: Language) => void;
}

/** A store that speaks `initial`. `drawn` has the view drawn at once. */
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
