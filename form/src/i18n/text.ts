// The page's texts: a message file that the build has compiled; this module fills in its placeholders.

import type englishMessages from "../../../locales/en-US.json";
import type { PageContext } from "../../generated/wire.ts";

/** A key of the message files, as the English file has them. */
export type MessageKey = keyof typeof englishMessages;

/** A language of the page and its texts. The page's context has one. */
export type Language = Pick<PageContext, "locale" | "iso" | "dir" | "messages">;

/** Values for a text's placeholders. A number chooses the plural form and is formatted for the locale. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The text of `key` with `values` in its placeholders. A missing text shows its key and is reported on the console. */
export type Text = (key: MessageKey, values?: TextValues) => string;

/** A compiled text: its words, its placeholders, plural forms of a number, and 0 where the form shows the number. */
export type CompiledText = string | readonly TextPart[];
type TextPart =
  | string
  | 0
  | readonly [name: string]
  | readonly [name: string, kind: number, forms: PluralForms];
type PluralForms = Readonly<Record<string, CompiledText>>;

/** A merchant's own texts by locale and key; those under the empty name are for every language. */
export type OwnTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The text function of a language. A merchant's own text is shown as it is, without placeholders. */
export function textOf({ locale, iso, dir, messages }: Language, own?: OwnTexts): Text {
  return (key, values = {}) => {
    const meant = ownText({ locale, iso }, key, own);
    if (meant !== undefined) {
      return meant;
    }
    const message = messages[key] as CompiledText | undefined;
    if (message === undefined) {
      // The engine on the server has no console.
      globalThis.console?.error(`Cardform: there is no text for ${key}.`);
      return key;
    }
    const inserted = dir === "rtl" ? isolated(values) : values;
    return filled(message, iso, inserted);
  };
}

/** The merchant's own text of `key` in a language, if there is one. */
export function ownText(
  { locale, iso }: Pick<Language, "locale" | "iso">,
  key: MessageKey,
  own?: OwnTexts,
): string | undefined {
  return own?.[locale]?.[key] ?? own?.[iso]?.[key] ?? own?.[""]?.[key];
}

/** The text with its values. `count` is the number whose plural form this is. */
function filled(text: CompiledText, iso: string, values: TextValues, count?: number): string {
  if (typeof text === "string") {
    return text;
  }
  return text
    .map((part) => {
      if (typeof part !== "object") {
        return part === 0 ? count : part;
      }
      const [name, , forms] = part;
      const value = values[name];
      // The engine on the server has no `Intl`, and draws no text with plural forms.
      return forms === undefined
        ? value
        : filled(forms[new Intl.PluralRules(iso).select(Number(value))] ?? "", iso, values, Number(value));
    })
    .join("");
}

/** Isolates values in right-to-left text, so that they do not change the direction of the words around them. */
function isolated(values: TextValues): TextValues {
  const isolate = (value: string | number) => (typeof value === "string" ? `\u2068${value}\u2069` : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolate(value)]));
}
