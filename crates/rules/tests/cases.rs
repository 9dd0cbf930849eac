//! Runs the cases of `cases/*.json` through the Rust rules. The form's TypeScript runs the same cases.

use std::collections::HashSet;
use std::path::PathBuf;

use rules::{
    AllowedOrigin, Brand, Context, ErrorId, Field, Month, PostalCountry, RuleExperiments, Verdict, brand,
    judge, locale,
};
use serde_json::Value;

const FIELDS: &[(&str, &str, Field)] = &[
    ("card-number", "cardNumber", Field::CardNumber),
    ("expiry", "expiry", Field::Expiry),
    ("security-code", "security", Field::SecurityCode),
    ("holder-name", "cardHolderName", Field::HolderName),
    ("postal-code", "cardPostalCode", Field::PostalCode),
    ("holder-email", "cardHolderEmail", Field::HolderEmail),
];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn read(name: &str) -> Value {
    let path = directory().join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rows<'a>(file: &'a Value, key: &str) -> &'a [Value] {
    let rows = file[key].as_array().expect("a list of cases");
    assert!(!rows.is_empty());
    rows
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

/// The file's context with the changes of the case.
fn context(file: &Value, case: &Value) -> Context {
    let base = &file["context"];
    let on = |name: &str| {
        let changed = case["experiments"][name].as_bool();
        changed.unwrap_or_else(|| base["experiments"][name].as_bool().expect("an experiment"))
    };
    let number = |name: &str| base["today"][name].as_u64().expect("a number");
    Context {
        experiments: RuleExperiments {
            luhn: on("luhn"),
            security_code_length: on("securityCodeLength"),
            expiry_limit: on("expiryLimit"),
        },
        today: Month {
            year: u16::try_from(number("year")).expect("a year"),
            month: u8::try_from(number("month")).expect("a month"),
        },
        brand: case["brand"]
            .as_str()
            .map(|name| Brand::from_name(name).expect("a brand")),
        postal_country: case["country"].as_str().and_then(PostalCountry::from_code),
    }
}

fn expected(case: &Value) -> Verdict {
    let id = || serde_json::from_value::<ErrorId>(case["error"].clone()).expect("an error id");
    match text(case, "verdict") {
        "valid" => Verdict::Valid,
        "empty" => Verdict::Empty(id()),
        "incomplete" => Verdict::Incomplete(id()),
        "wrong" => Verdict::Wrong(id()),
        other => panic!("no verdict: {other}"),
    }
}

#[test]
fn every_field_agrees_with_its_cases() {
    for &(name, wire_name, field) in FIELDS {
        let file = read(name);
        assert_eq!(text(&file, "field"), wire_name);
        for case in rows(&file, "cases") {
            let verdict = judge(field, text(case, "text"), context(&file, case));
            assert_eq!(verdict, expected(case), "{name}: {case}");
        }
    }
}

#[test]
fn every_error_id_has_a_case() {
    let files: Vec<_> = FIELDS.iter().map(|(name, _, _)| read(name)).collect();
    let proven: HashSet<_> = files
        .iter()
        .flat_map(|file| rows(file, "cases"))
        .filter_map(|case| case["error"].as_str())
        .collect();
    let ids: HashSet<_> = ErrorId::ALL.iter().map(|id| id.as_str()).collect();
    assert_eq!(proven, ids);
}

#[test]
fn the_table_of_brands_equals_the_cases() {
    let file = read("brand");
    let rows = rows(&file, "table");
    assert_eq!(rows.len(), brand::TABLE.len());
    for (row, case) in brand::TABLE.iter().zip(rows) {
        assert_eq!(row.name, text(case, "brand"));
        assert_eq!(serde_json::json!(row.lengths), case["lengths"], "{case}");
        assert_eq!(serde_json::json!(row.usual_length), case["usualLength"], "{case}");
        assert_eq!(
            serde_json::json!(row.security_code_length),
            case["securityCodeLength"],
            "{case}"
        );
    }
}

#[test]
fn a_number_is_valid_only_in_the_lengths_of_its_brand() {
    for case in rows(&read("brand"), "table") {
        let Some(prefix) = case["prefix"].as_str() else {
            continue;
        };
        for length in 4..=20_usize {
            let number = format!("{prefix:0<length$}");
            let valid = rules::number::verdict(&number, false) == Verdict::Valid;
            let allowed = case["lengths"].as_array().unwrap().contains(&length.into());
            assert_eq!(valid, allowed, "{} with {length} digits", text(case, "brand"));
        }
    }
}

#[test]
fn four_digits_identify_the_brand() {
    for case in rows(&read("brand"), "detection") {
        let found = Brand::detect(text(case, "text")).map(Brand::name);
        assert_eq!(found, case["brand"].as_str(), "{case}");
    }
}

#[test]
fn four_digits_decide_the_usual_length() {
    for case in rows(&read("brand"), "usualLength") {
        let length = brand::usual_length(text(case, "text"));
        assert_eq!(serde_json::json!(length), case["length"], "{case}");
    }
}

#[test]
fn the_locales_equal_the_cases() {
    let file = read("locale");
    let rows = rows(&file, "table");
    assert_eq!(rows.len(), 31);
    assert_eq!(rows.len(), locale::TABLE.len());
    for (locale, case) in locale::TABLE.iter().zip(rows) {
        assert_eq!(locale.code, text(case, "code"));
        assert_eq!(locale.iso, text(case, "iso"), "{case}");
        assert_eq!(locale.dir.as_str(), text(case, "dir"), "{case}");
        assert_eq!(locale.language(), text(case, "language"), "{case}");
        assert_eq!(locale.file, text(case, "file"), "{case}");
    }
}

#[test]
fn an_origin_is_read_as_browsers_write_it() {
    let file = read("origins");
    for case in rows(&file, "valid") {
        assert!(AllowedOrigin::parse(text(case, "text")).is_some(), "{case}");
    }
    for case in rows(&file, "invalid") {
        assert_eq!(AllowedOrigin::parse(text(case, "text")), None, "{case}");
    }
}

#[test]
fn an_origin_covers_what_a_policy_allows() {
    let file = read("origins");
    for case in rows(&file, "covers") {
        let origin = AllowedOrigin::parse(text(case, "origin")).expect("an origin");
        let allowed = AllowedOrigin::parse(text(case, "allowed"));
        let is_covered = allowed.is_some_and(|allowed| allowed.covers(origin));
        assert_eq!(Some(is_covered), case["covers"].as_bool(), "{case}");
    }
}

#[test]
fn every_file_of_cases_is_run_and_every_case_names_its_rule() {
    let known: HashSet<_> = FIELDS
        .iter()
        .map(|(name, _, _)| *name)
        .chain(["brand", "locale", "nearest-locale", "origins"])
        .collect();
    for entry in std::fs::read_dir(directory()).expect("cases/") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(known.contains(name), "{name} is not run");
        let file = read(name);
        assert!(text(&file, "docs").starts_with("docs/"), "{name}");
        let lists = file
            .as_object()
            .expect("an object")
            .values()
            .filter_map(Value::as_array);
        for case in lists.flatten() {
            assert!(!text(case, "rule").is_empty(), "{name}: {case}");
        }
    }
}
