//! The tables in `docs/` are the same as those of the code.

use std::path::PathBuf;

use rules::{Brand, ErrorId, brand, locale};
use serde_json::Value;

fn read(path: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The text below the heading of this name.
fn section(document: &str, heading: &str) -> String {
    let text = read(document);
    let start = format!("## {heading}\n");
    let (_, after) = text.split_once(&start).unwrap_or_else(|| panic!("no {heading}"));
    after.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The cells of each row whose first cell is code, without its backticks.
fn rows(section: &str) -> Vec<Vec<&str>> {
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| {
            let cells = line.trim_matches('|').split('|').map(str::trim);
            cells.map(|cell| cell.trim_matches('`')).collect()
        })
        .collect()
}

fn list(numbers: &[usize]) -> String {
    let texts: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

#[test]
fn the_documented_brands_equal_the_table() {
    let section = section("docs/rules.md", "Brands");
    let rows = rows(&section);
    assert_eq!(rows.len(), brand::TABLE.len());
    for (row, known) in rows.iter().zip(brand::TABLE) {
        let ranges = known.prefixes.iter().map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}–{last}")
            }
        });
        let expected = [
            known.name.to_owned(),
            list(known.lengths),
            known.usual_length.to_string(),
            known.security_code_length.to_string(),
            ranges.collect::<Vec<_>>().join(", "),
        ];
        assert_eq!(row[..], expected);
    }
    assert_eq!(brand::DEFAULT_AVAILABLE, [Brand::Visa, Brand::Mastercard]);
}

#[test]
fn the_documented_errors_have_their_english_texts() {
    let section = section("docs/rules.md", "Error ids");
    let texts: Value = serde_json::from_str(&read("locales/en-US.json")).expect("texts");
    let expected: Vec<_> = ErrorId::ALL
        .iter()
        .map(|id| vec![id.as_str(), texts[id.as_str()].as_str().expect("a text")])
        .collect();
    assert_eq!(rows(&section), expected);
}

#[test]
fn the_documented_locales_equal_the_table() {
    let section = section("docs/languages.md", "The locales");
    let list = section.trim().split("\n\n").next().expect("a list");
    let documented: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    let known: Vec<_> = locale::TABLE.iter().map(|locale| locale.code).collect();
    assert_eq!(documented, known);
}

#[test]
fn the_documented_currencies_are_those_that_are_accepted() {
    let page = read("docs/currencies.md");
    let (table, _) = page.split_once("## With Stripe").expect("a section");
    let mut documented = std::collections::BTreeMap::new();
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(2) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let places: u16 = cells[0].parse().expect("a number of places");
        documented.extend(cells[1].split(' ').map(|code| (code.to_owned(), places)));
    }
    let letters = || b'A'..=b'Z';
    let codes = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| [a, b, c])));
    let accepted = codes.filter_map(|code| {
        let code = String::from_utf8(code.to_vec()).expect("letters");
        let amount = rules::amount::parse("1", &code).ok()?;
        Some((code, amount.exponent))
    });
    assert_eq!(documented, accepted.collect());
}
