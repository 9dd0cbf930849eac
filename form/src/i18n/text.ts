// The page's texts: one message set, compiled by the build, its placeholders filled in here.

import format, { type CompiledMessage } from "icu-minify/format";

import type englishMessages from "../../../locales/en-US.json";

/** A key of the message files; the English file says which there are. */
export type MessageKey = keyof typeof englishMessages;

/** A language that the page can speak. The page's context is one. */
export interface Language {
  /** The locale: "in-ID". */
  readonly locale: string;
  /** What its texts are written in: "id-ID". */
  readonly iso: string;
  readonly dir: string;
  /** The amount as this language writes it; absent where the page's own text of it holds. */
  readonly amount?: string | null;
  /** The compiled messages by key. */
  readonly messages: Readonly<Record<string, unknown>>;
}

/** What is put into a text. A number chooses the plural form and is written as the locale writes it. */
export type TextValues = Readonly<Record<string, string | number>>;

/** Puts `values` into the placeholders (`{amount}`) of the text of `key`; a missing text shows its key. */
export type Text = (key: MessageKey, values?: TextValues) => string;

/**
 * The engine on the server has no `Intl`; no text of the first render needs it. Numbers have the digits that are on the
 * card and in the messages of banks, in Arabic and Burmese, too.
 */
const FORMATTERS = {
  formatters: {
    getPluralRules: (...args: ConstructorParameters<typeof Intl.PluralRules>) =>
      new Intl.PluralRules(...args),
    getNumberFormat: (locales?: string | string[], options?: Intl.NumberFormatOptions) =>
      new Intl.NumberFormat(locales, { ...options, numberingSystem: "latn" }),
    getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
      new Intl.DateTimeFormat(...args),
  },
};

/** The text function of a language. */
export function textOf({ iso, dir, messages }: Language): Text {
  return (key, values = {}) => {
    const message = messages[key] as CompiledMessage | undefined;
    if (message === undefined) {
      return key;
    }
    const inserted = dir === "rtl" ? isolated(values) : values;
    return format(message, iso, inserted, FORMATTERS) as string;
  };
}

/** In right-to-left text an inserted value keeps its own direction and leaves the words around it theirs. */
function isolated(values: TextValues): TextValues {
  const isolate = (value: string | number) => (typeof value === "string" ? `\u2068${value}\u2069` : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]));
}
