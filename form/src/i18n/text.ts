// The page's texts: one message set, chosen on the server and handed over with the page.

import type englishMessages from "../../../locales/en-US.json";

/** A key of the message files; the English file says which there are. */
export type MessageKey = keyof typeof englishMessages;

/** The messages of one locale by key. */
export type Messages = Readonly<Record<string, string>>;

/** Puts `values` into the placeholders (`{amount}`) of the text of `key`; a missing text shows its key. */
export type Text = (key: MessageKey, values?: Readonly<Record<string, string>>) => string;

/** The text function of a message set. */
export function textOf(messages: Messages): Text {
  return (key, values = {}) =>
    (messages[key] ?? key).replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
