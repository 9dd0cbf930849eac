// Compiles the message files of `locales/` for the page and for the server that renders it: one file per locale.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import compile from "icu-minify/compile";
import type { Plugin } from "vite";

import { LOCALES, type Locale } from "./generated/locales.ts";
import { ERROR_ID_ALIASES } from "./generated/rules.ts";
import { LATE_TEXTS } from "./late-texts.ts";
import type { CompiledText } from "./src/i18n/text.ts";

const FOLDER = join(import.meta.dirname, "../locales");

/** Writes `locales/{code}.json` beside the page and, for the server, the keys of the texts that a form's document leaves out. */
export function compiledMessages(): Plugin {
  return {
    name: "cardform-messages",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "late-texts.json", source: JSON.stringify(LATE_TEXTS) });
      for (const locale of LOCALES) {
        this.emitFile({
          type: "asset",
          fileName: `locales/${locale.code}.json`,
          source: JSON.stringify(language(locale)),
        });
      }
    },
  };
}

/** The content of a locale's file. */
export function language({ code, iso, dir, file }: Locale) {
  const texts = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Record<string, string>;
  return { locale: code, iso, dir, messages: compiled(texts) };
}

/** The compiled texts of a catalogue, which may have another spelling of an error id (docs/rules.md#error-ids). */
export function compiled(texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [ERROR_ID_ALIASES[key] ?? key, compiledText(text)]),
  );
}

/** Throws for dates, choices, and forms for one exact number, because the page does not fill them in. */
function compiledText(text: string): CompiledText {
  if (/\{\s*\w+\s*,(?!\s*plural\b)|=\d\s*\{/.test(text)) {
    throw new Error(`only placeholders and plural forms can be in a text: ${text}`);
  }
  return compile(text) as CompiledText;
}
