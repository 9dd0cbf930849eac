// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** A locale in which the page can speak (docs/languages.md#the-locales). */
export interface Locale {
  readonly code: string;
  /** What its texts are written in, for the page's `lang` attribute. */
  readonly iso: string;
  readonly dir: "ltr" | "rtl";
  /** The language part of its code. */
  readonly language: string;
  /** The file with its texts. */
  readonly file: string;
}

/** Every locale; the first is the default (docs/languages.md#the-locales). */
export const LOCALES: readonly Locale[] = [
  { code: "en-US", iso: "en-US", dir: "ltr", language: "en", file: "en-US.json" },
  { code: "th-TH", iso: "th-TH", dir: "ltr", language: "th", file: "th-TH.json" },
  { code: "ar-SA", iso: "ar-SA", dir: "rtl", language: "ar", file: "ar-SA.json" },
  { code: "ar-AE", iso: "ar-AE", dir: "rtl", language: "ar", file: "ar-AE.json" },
  { code: "in-ID", iso: "id-ID", dir: "ltr", language: "in", file: "in-ID.json" },
  { code: "ja-JP", iso: "ja-JP", dir: "ltr", language: "ja", file: "ja-JP.json" },
  { code: "es-ES", iso: "es-ES", dir: "ltr", language: "es", file: "es-ES.json" },
  { code: "es-AR", iso: "es-AR", dir: "ltr", language: "es", file: "es-AR.json" },
  { code: "es-CL", iso: "es-CL", dir: "ltr", language: "es", file: "es-CL.json" },
  { code: "es-CO", iso: "es-CO", dir: "ltr", language: "es", file: "es-CO.json" },
  { code: "es-PE", iso: "es-PE", dir: "ltr", language: "es", file: "es-PE.json" },
  { code: "zh-TW", iso: "zh-TW", dir: "ltr", language: "zh", file: "zh-TW.json" },
  { code: "zh-HK", iso: "zh-HK", dir: "ltr", language: "zh", file: "zh-HK.json" },
  { code: "tl-PH", iso: "tl-PH", dir: "ltr", language: "tl", file: "tl-PH.json" },
  { code: "km-KH", iso: "km-KH", dir: "ltr", language: "km", file: "km-KH.json" },
  { code: "de-DE", iso: "de-DE", dir: "ltr", language: "de", file: "de-DE.json" },
  { code: "fr-FR", iso: "fr-FR", dir: "ltr", language: "fr", file: "fr-FR.json" },
  { code: "ru-RU", iso: "ru-RU", dir: "ltr", language: "ru", file: "ru-RU.json" },
  { code: "my-MM", iso: "my-MM", dir: "ltr", language: "my", file: "my-MM.json" },
  { code: "vi-VN", iso: "vi-VN", dir: "ltr", language: "vi", file: "vi-VN.json" },
  { code: "lo-LA", iso: "lo-LA", dir: "ltr", language: "lo", file: "lo-LA.json" },
  { code: "it-IT", iso: "it-IT", dir: "ltr", language: "it", file: "it-IT.json" },
  { code: "ro-RO", iso: "ro-RO", dir: "ltr", language: "ro", file: "ro-RO.json" },
  { code: "hu-HU", iso: "hu-HU", dir: "ltr", language: "hu", file: "hu-HU.json" },
  { code: "nl-NL", iso: "nl-NL", dir: "ltr", language: "nl", file: "nl-NL.json" },
  { code: "pl-PL", iso: "pl-PL", dir: "ltr", language: "pl", file: "pl-PL.json" },
  { code: "pt-PT", iso: "pt-PT", dir: "ltr", language: "pt", file: "pt-PT.json" },
  { code: "ko-KR", iso: "ko-KR", dir: "ltr", language: "ko", file: "ko-KR.json" },
  { code: "cs-CZ", iso: "cs-CZ", dir: "ltr", language: "cs", file: "cs-CZ.json" },
  { code: "ku-KZ", iso: "ru-KZ", dir: "ltr", language: "ku", file: "ru-KZ.json" },
  { code: "sk-SK", iso: "sk-SK", dir: "ltr", language: "sk", file: "sk-SK.json" },
];
