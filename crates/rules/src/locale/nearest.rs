//! Finds the nearest locale of a language tag: the same locale, otherwise the nearest locale of the same language. If a
//! language has several locales, Unicode's CLDR decides (docs/languages.md#the-nearest-language).

use super::{Locale, TABLE, language as language_of};

/// Languages with two codes: the code in a tag, and the code in the names of our locales.
const SAME_LANGUAGE: &[(&str, &str)] = &[("fil", "tl"), ("id", "in"), ("mo", "ro"), ("cmn", "zh")];

/// Languages without texts, and the locale that their readers get. Readers of Kazakh get the Russian of Kazakhstan, and
/// readers of Cantonese the Chinese of Hong Kong.
const SERVED_BY: &[(&str, &str)] = &[("kk", "ku-KZ"), ("yue", "zh-HK")];

/// Countries without a locale, whose readers get another country's locale instead of the language's first: the Spanish
/// of Latin America (CLDR's `es-419`), and the Chinese of Macao.
const NEAREST_COUNTRY: &[(&str, &[&str], &str)] = &[
    (
        "es",
        &[
            "419", "BO", "BR", "BZ", "CR", "CU", "DO", "EC", "GT", "HN", "MX", "NI", "PA", "PR", "PY", "SV",
            "US", "UY", "VE",
        ],
        "es-CO",
    ),
    ("zh", &["MO"], "zh-HK"),
];

/// The scripts of languages that are not written in Latin letters. A reader never gets a script that the tag does not
/// name.
const SCRIPTS: &[(&str, &[&str])] = &[
    ("ar", &["Arab"]),
    ("ja", &["Jpan"]),
    ("km", &["Khmr"]),
    ("ko", &["Kore", "Hang"]),
    ("lo", &["Laoo"]),
    ("my", &["Mymr"]),
    ("ru", &["Cyrl"]),
    ("th", &["Thai"]),
    ("zh", &["Hant"]),
];

/// Countries that write Chinese in simplified characters, according to CLDR's likely subtags. Chinese without a country
/// is simplified, too.
const SIMPLIFIED_CHINESE: &[&str] = &["CN", "MY", "SG"];

/// The nearest locale of a language tag such as `es-MX`, `zh-Hant-HK` or `fr_CA`; `None` if no texts are in the tag's
/// language and script.
pub fn nearest(tag: &str) -> Option<&'static Locale> {
    let tag = Tag::read(tag)?;
    let is_readable = |locale: &&Locale| tag.script().is_none_or(|script| is_written_in(locale, script));
    let same = || TABLE.iter().find(|locale| tag.names(locale));
    let country = || by_country(&tag).or_else(|| served_by(tag.language));
    let language = || {
        TABLE
            .iter()
            .find(|locale| is_same_language(tag.language, language_of(locale.iso)))
    };
    same().or_else(country).or_else(language).filter(is_readable)
}

/// The language, script and country in a tag.
struct Tag<'a> {
    language: &'a str,
    script: Option<&'a str>,
    country: Option<&'a str>,
}

impl<'a> Tag<'a> {
    /// Reads a BCP 47 tag. It may have underscores instead of hyphens and a character set at its end, as in
    /// `fr_FR.UTF-8`. Parts after the country are ignored.
    fn read(tag: &'a str) -> Option<Self> {
        let mut parts = tag.split(['.', '@']).next()?.split(['-', '_']).peekable();
        let mut language = parts.next().filter(|part| is_letters(part, 2..=8))?;
        // In "zh-yue" the second part is the more exact code of the language.
        if let Some(exact) = parts.next_if(|part| is_letters(part, 3..=3)) {
            language = exact;
        }
        let script = parts.next_if(|part| is_letters(part, 4..=4));
        let is_country = |part: &&str| {
            is_letters(part, 2..=2) || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        Some(Self {
            language,
            script,
            country: parts.next_if(is_country),
        })
    }

    /// The script that the tag names, or the script of its country.
    fn script(&self) -> Option<&'a str> {
        let is_simplified = |country: &str| {
            SIMPLIFIED_CHINESE
                .iter()
                .any(|one| one.eq_ignore_ascii_case(country))
        };
        let is_usual = is_same_language(self.language, "zh") && self.country.is_none_or(is_simplified);
        self.script.or_else(|| is_usual.then_some("Hans"))
    }

    /// Whether the tag has the language and country of the locale's code, or of the locale's texts.
    fn names(&self, locale: &Locale) -> bool {
        [locale.code, locale.iso].into_iter().any(|code| {
            let (language, country) = code.split_once('-').unwrap_or((code, ""));
            self.country.is_some_and(|own| own.eq_ignore_ascii_case(country))
                && is_same_language(self.language, language)
        })
    }
}

fn by_country(tag: &Tag) -> Option<&'static Locale> {
    let country = tag.country?;
    let (.., code) = NEAREST_COUNTRY.iter().find(|(language, countries, _)| {
        is_same_language(tag.language, language)
            && countries.iter().any(|one| one.eq_ignore_ascii_case(country))
    })?;
    super::by_code(code)
}

fn served_by(language: &str) -> Option<&'static Locale> {
    let (_, code) = SERVED_BY
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(language))?;
    super::by_code(code)
}

fn is_same_language(tag: &str, locale: &str) -> bool {
    our_code(tag).eq_ignore_ascii_case(our_code(locale))
}

/// The code of a language in the names of our locales.
fn our_code(language: &str) -> &str {
    SAME_LANGUAGE
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(language))
        .map_or(language, |(_, ours)| ours)
}

/// Whether the texts of `locale` are in `script`.
fn is_written_in(locale: &Locale, script: &str) -> bool {
    let language = language_of(locale.iso);
    let own = SCRIPTS.iter().find(|(other, _)| *other == language);
    own.map_or(&["Latn"][..], |(_, scripts)| scripts)
        .iter()
        .any(|one| one.eq_ignore_ascii_case(script))
}

fn is_letters(part: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
}
