// Finds the nearest locale of a language tag, as the service does (`crates/rules/src/locale/nearest.rs`), for a page that
// cannot ask the service. Both are tested with `cases/nearest-locale.json`.

/** The languages of the texts, where a locale's code is outdated or names another one. */
const WRITTEN_IN: Readonly<Record<string, string>> = { "in-ID": "id-ID", "ku-KZ": "ru-KZ" };
/** Languages without texts, and the locale that their readers get. */
const SERVED_BY: Readonly<Record<string, string>> = { kk: "ku-KZ", yue: "zh-HK" };
/** Countries whose readers get another country's locale instead of the language's first. */
const NEAREST_COUNTRY: readonly (readonly [language: string, countries: RegExp, code: string])[] = [
  ["es", /^(419|B[ORZ]|C[RU]|DO|EC|GT|HN|MX|NI|P[ARY]|SV|U[SY]|VE)$/, "es-CO"],
  ["zh", /^MO$/, "zh-HK"],
];
/** Chinese of these countries, or of none, is written in simplified characters. */
const SIMPLIFIED = /^(CN|MY|SG|undefined)$/;

/** The one of `codes` that is nearest to `tag`, such as "fr_CA"; undefined if none is in its language and script. */
export function nearestLocale(tag: string, codes: readonly string[]): string | undefined {
  const asked = read(tag);
  if (!asked) {
    return;
  }
  const { language, region } = asked;
  const isSame = (code: string) => {
    const own = read(code);
    return own?.language === language && own.region === region;
  };
  const code =
    codes.find((code) => isSame(code) || isSame(languageOf(code))) ??
    NEAREST_COUNTRY.find(([own, countries]) => own === language && countries.test(region ?? ""))?.[2] ??
    SERVED_BY[language] ??
    codes.find((code) => read(languageOf(code))?.language === language);
  return code && isReadable(asked, code) ? code : undefined;
}

/** The `lang` attribute of the locale's texts. */
export function languageOf(code: string): string {
  return WRITTEN_IN[code] ?? code;
}

/**
 * The parts of a tag, with one code for a language that has several; null if it is none. In "zh-yue" the second part is the
 * more exact code of the language.
 */
function read(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(
      tag
        .replace(/[.@].*/, "")
        .replaceAll("_", "-")
        .replace(/^zh-(?=yue$)/, ""),
    );
  } catch {
    return null;
  }
}

/** Whether the texts of `code` are in the script that is asked for, or that is usual where no country is named. */
function isReadable({ language, region, script }: Intl.Locale, code: string): boolean {
  const isSimplified = language === "zh" && SIMPLIFIED.test(`${region}`);
  const wanted = script ?? (isSimplified ? "Hans" : undefined);
  return !wanted || wanted === read(languageOf(code))?.maximize().script;
}
