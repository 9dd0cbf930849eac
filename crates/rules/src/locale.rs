//! The 31 locales (docs/languages.md#the-locales).

mod nearest;

pub use nearest::nearest;

/// The direction of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Left to right.
    Ltr,
    /// Right to left.
    Rtl,
}

impl Direction {
    /// The value of the page's `dir` attribute.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ltr => "ltr",
            Self::Rtl => "rtl",
        }
    }
}

/// A locale that the page has texts for (docs/languages.md#the-locales).
#[derive(Debug, PartialEq, Eq)]
pub struct Locale {
    /// The locale's name in paths, options, messages and the cookie: `in-ID`.
    pub code: &'static str,
    /// The language of the texts, for the page's `lang` attribute: `id-ID`. It differs from the code if the code is
    /// outdated (`in`) or the texts are in another language (`ku-KZ`).
    pub iso: &'static str,
    /// The direction of the texts.
    pub dir: Direction,
    /// The file with the texts, in `locales/`.
    pub file: &'static str,
}

impl Locale {
    /// The language part of the code: `in`.
    pub fn language(&self) -> &'static str {
        language(self.code)
    }
}

const fn ltr(code: &'static str, file: &'static str) -> Locale {
    Locale {
        code,
        iso: code,
        dir: Direction::Ltr,
        file,
    }
}

const fn rtl(code: &'static str, file: &'static str) -> Locale {
    Locale {
        code,
        iso: code,
        dir: Direction::Rtl,
        file,
    }
}

/// Every locale; the first is the default (docs/languages.md#the-locales).
pub const TABLE: &[Locale] = &[
    ltr("en-US", "en-US.json"),
    ltr("th-TH", "th-TH.json"),
    rtl("ar-SA", "ar-SA.json"),
    rtl("ar-AE", "ar-AE.json"),
    Locale {
        iso: "id-ID",
        ..ltr("in-ID", "in-ID.json")
    },
    ltr("ja-JP", "ja-JP.json"),
    ltr("es-ES", "es-ES.json"),
    ltr("es-AR", "es-AR.json"),
    ltr("es-CL", "es-CL.json"),
    ltr("es-CO", "es-CO.json"),
    ltr("es-PE", "es-PE.json"),
    ltr("zh-TW", "zh-TW.json"),
    ltr("zh-HK", "zh-HK.json"),
    ltr("tl-PH", "tl-PH.json"),
    ltr("km-KH", "km-KH.json"),
    ltr("de-DE", "de-DE.json"),
    ltr("fr-FR", "fr-FR.json"),
    ltr("ru-RU", "ru-RU.json"),
    ltr("my-MM", "my-MM.json"),
    ltr("vi-VN", "vi-VN.json"),
    ltr("lo-LA", "lo-LA.json"),
    ltr("it-IT", "it-IT.json"),
    ltr("ro-RO", "ro-RO.json"),
    ltr("hu-HU", "hu-HU.json"),
    ltr("nl-NL", "nl-NL.json"),
    ltr("pl-PL", "pl-PL.json"),
    ltr("pt-PT", "pt-PT.json"),
    ltr("ko-KR", "ko-KR.json"),
    ltr("cs-CZ", "cs-CZ.json"),
    Locale {
        iso: "ru-KZ",
        ..ltr("ku-KZ", "ru-KZ.json")
    },
    ltr("sk-SK", "sk-SK.json"),
];

/// The default locale (docs/languages.md#which-one-a-shopper-gets).
pub fn default() -> &'static Locale {
    &TABLE[0]
}

/// The locale with exactly this code, in upper or lower case.
pub fn by_code(code: &str) -> Option<&'static Locale> {
    TABLE.iter().find(|locale| locale.code.eq_ignore_ascii_case(code))
}

/// The locale of a charge's language, which has no country. `zh` alone means simplified characters elsewhere; a charge has it
/// from a page in traditional ones.
pub fn of_language(language: &str) -> Option<&'static Locale> {
    let same = || TABLE.iter().find(|locale| locale.language() == language);
    nearest(language).or_else(same)
}

fn language(tag: &str) -> &str {
    tag.split_once('-').map_or(tag, |(language, _)| language)
}
