//! Notes for the merchant's developer: which options, texts and keys of a theme have no effect, and which were meant. The page
//! writes them to the browser's console.

use protocol::{ColorMode, FormOptions, ThemeReport};
use rules::locale;
use serde_json::{Map, Value};

use super::language::Language;
use super::options::{self, GIVEN, snake_case};
use super::query::FormQuery;

/// The most notes of one kind. More would be one mistake told many times.
pub(crate) const NOTES_MAX: usize = 10;
/// Longer names are cut in a note.
const NAME_CHARS_MAX: usize = 80;

/// The options of a form, in the SDK's spelling.
const OPTIONS: &str = "cookieId experimentToken showCardholderName showCardholderEmail cardholderEmail cardholderName \
     cardholderEmailReadOnly showPostalCode postalCode preferredNetworks \
     hideTitle texts locale siteId variant contrast colorMode \
     hostBackground tracking eventAttributes features";
/// What the SDK's `mount` takes, and the React component.
const OF_MOUNT: &str = "url payload clientSecret options locale customStyle title onChallenge";
const OF_COMPONENT: &str = "disabled id className onLoad onReadyChange onChargeChange onResult onSubmitRequest onFieldAction \
     onResize onChange onError";
/// The first keys of a theme.
const OF_THEME: &str = "padding backgroundColor fonts children";

/// The notes on the options, the language and the theme of a page.
pub(crate) fn notes(
    query: &FormQuery,
    read: &FormOptions,
    language: &Language,
    theme: &ThemeReport,
) -> Vec<String> {
    let given = options::parsed(&query.options).unwrap_or_default();
    let mut notes = of_options(&given);
    notes.extend(of_texts(&given, language));
    if read
        .locale
        .as_deref()
        .is_some_and(|tag| locale::nearest(tag).is_none())
    {
        let shown = language.locale.code;
        notes.push(format!(
            "there are no texts for the locale of the options; the page is in {shown}."
        ));
    }
    if read.color_mode == Some(ColorMode::System) {
        let why = "light and dark can be forced. System cannot: the shopper's preference counts.";
        notes.push(why.to_owned());
    }
    notes.extend(of_theme(theme));
    notes
}

fn of_options(given: &Map<String, Value>) -> Vec<String> {
    let of_options = given.iter().filter_map(|(name, value)| {
        let snake = snake_case(name);
        if words(OPTIONS).any(|known| snake_case(known) == snake) {
            return (!options::fits(&snake, value)).then(|| {
                format!(
                    "options.{} has a value that it cannot have, and is left out.",
                    cut(name)
                )
            });
        }
        if name == GIVEN {
            return None;
        }
        Some(if words(OF_MOUNT).any(|known| known == name) {
            format!("options.{name} has no effect: pass `{name}` beside `options`.")
        } else {
            unknown("options.", name, words(OPTIONS))
        })
    });
    let beside = given.get(GIVEN).and_then(Value::as_array).into_iter().flatten();
    let beside = beside.filter_map(Value::as_str).filter_map(|name| {
        let mut known = words(OF_MOUNT).chain(words(OF_COMPONENT));
        if known.any(|known| known == name) {
            None
        } else if words(OPTIONS).any(|known| known == name) {
            Some(format!("`{name}` has no effect: pass it in `options`."))
        } else if words(OF_THEME).any(|known| known == name) {
            Some(format!("`{name}` has no effect: pass it in `customStyle`."))
        } else {
            Some(unknown("", name, words(OF_MOUNT).chain(words(OF_COMPONENT))))
        }
    });
    of_options.chain(beside).take(NOTES_MAX).collect()
}

fn of_texts(given: &Map<String, Value>, language: &Language) -> Vec<String> {
    let Some(Value::Object(texts)) = given.get("texts") else {
        return Vec::new();
    };
    let keys: Map<String, Value> = serde_json::from_str(language.all_texts.json.get()).unwrap_or_default();
    let of_text = |path: &str, key: &str, text: &Value| {
        if !keys.contains_key(key) {
            Some(unknown(path, key, keys.keys().map(String::as_str)))
        } else if protocol::is_own_text(text) {
            None
        } else {
            Some(format!("{path}{key} is no usable text, and is left out."))
        }
    };
    let notes = texts.iter().flat_map(|(name, value)| match value {
        Value::Object(inner) => {
            let tags = || locale::TABLE.iter().flat_map(|locale| [locale.code, locale.iso]);
            let path = format!("options.texts.{}.", cut(name));
            let mut notes: Vec<_> = inner
                .iter()
                .filter_map(|(key, text)| of_text(&path, key, text))
                .collect();
            if !tags().any(|tag| tag == name) {
                let near = locale::nearest(name).map(|locale| locale.code);
                notes.push(match near {
                    Some(near) => format!(
                        "options.texts.{}: no language has this tag. Is it {near}?",
                        cut(name)
                    ),
                    None => unknown("options.texts.", name, tags()),
                });
            }
            notes
        }
        text => of_text("options.texts.", name, text).into_iter().collect(),
    });
    notes.take(NOTES_MAX).collect()
}

fn of_theme(
    ThemeReport {
        unusable,
        dropped,
        notes,
        repaired,
    }: &ThemeReport,
) -> Vec<String> {
    let mut of_theme = Vec::new();
    if *unusable {
        of_theme.push("customStyle is no JSON object; the default theme is shown.".to_owned());
    }
    of_theme.extend(
        dropped
            .iter()
            .map(|key| format!("customStyle.{key} has a value that it cannot have, and is left out.")),
    );
    of_theme.extend(notes.iter().cloned());
    if !repaired.is_empty() {
        let changes: Vec<_> = repaired
            .iter()
            .map(|color| format!("{}: {} → {}", color.key, color.from, color.to))
            .collect();
        let changes = changes.join("\n");
        of_theme.push(format!(
            "colors that contrast too little were changed.\n{changes}"
        ));
    }
    of_theme
}

/// A note on an unknown name, with the known name that looks most like it.
pub(crate) fn unknown<'a>(path: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let scored = known.filter_map(|known| Some((likeness(name, known)?, known)));
    let meant = scored
        .min()
        .map_or_else(String::new, |(_, known)| format!(" Is it {known}?"));
    format!("{path}{} is not known.{meant}", cut(name))
}

/// How much `name` looks like a known one, the less the more alike; `None` if it looks like another word.
pub(crate) fn likeness(name: &str, known: &str) -> Option<(usize, usize)> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let (name, known) = (plain(&cut(name)), plain(known));
    let length = name.chars().count();
    let contains = known.contains(&name) || name.contains(&known);
    // At least as many letters differ as one name is longer. So a long name costs nothing.
    let longer = known.chars().count().abs_diff(length);
    let distance = match contains {
        true => 1,
        false if longer * 2 > length => return None,
        false => distance(&name, &known),
    };
    (length > 2 && distance * 2 <= length).then_some((distance, longer))
}

/// How many characters must be inserted, removed or replaced to make one text the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (place, known) in other.iter().enumerate() {
            let replaced = before + usize::from(letter != *known);
            before = row[place + 1];
            row[place + 1] = replaced.min(before + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

pub(crate) fn cut(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests;
