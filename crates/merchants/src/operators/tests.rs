use std::path::Path;

use protocol::Sensitive;

use super::key_files::{KEY_CHARACTERS_MAX, KEY_CHARACTERS_MIN};
use super::*;

const KEY: &str = "0123456789abcdefghijklmnopqrstuv";

fn open(key: &str) -> Result<Operators, OperatorKeyError> {
    let key = SecretSource::Setting(Sensitive::new(key.to_owned()));
    Operators::open(Some(key), None, Clock::system())
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn open_files(path: &Path) -> Result<Operators, OperatorKeyError> {
    Operators::open(None, Some(path), Clock::system())
}

fn file(key: char, name: &str, more: &str) -> String {
    let key = key.to_string().repeat(KEY_CHARACTERS_MIN);
    format!("key = \"{key}\"\nname = \"{name}\"\n{more}\n")
}

#[test]
fn a_key_has_a_minimum_length_and_visible_characters() {
    assert!(open(&"k".repeat(KEY_CHARACTERS_MIN)).is_ok());
    assert!(open(&"k".repeat(KEY_CHARACTERS_MAX)).is_ok());
    for wrong in [
        "k".repeat(KEY_CHARACTERS_MIN - 1),
        "k".repeat(KEY_CHARACTERS_MAX + 1),
        format!("{} k", "k".repeat(KEY_CHARACTERS_MIN)),
        "é".repeat(KEY_CHARACTERS_MIN),
    ] {
        assert!(matches!(open(&wrong), Err(OperatorKeyError::Form)), "{wrong}");
    }
}

#[test]
fn only_the_exact_key_is_accepted() {
    let operators = open(KEY).unwrap();
    let operator = operators.with_key(KEY).unwrap();
    assert_eq!(
        (operator.name.as_str(), operator.role),
        ("operator", OperatorRole::Admin)
    );
    for wrong in ["", "0", &KEY[1..], &format!("{KEY}0"), &KEY.to_uppercase()] {
        assert!(operators.with_key(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn the_key_files_line_end_is_not_part_of_the_key() {
    let dir = folder(&[("key", &format!("{KEY}\n"))]);
    let open = |name: &str| {
        let source = SecretSource::File(dir.path().join(name));
        Operators::open(Some(source), None, Clock::system())
    };
    assert!(open("key").unwrap().with_key(KEY).is_some());
    assert!(matches!(open("none"), Err(OperatorKeyError::File(..))));
}

#[test]
fn each_person_of_a_folder_has_a_key_a_role_and_merchants() {
    let dir = folder(&[
        (
            "ana.toml",
            &file('a', "Ana", "role = \"support\"\nmerchants = [\"shop-1\"]"),
        ),
        ("ben", &file('b', " Ben ", "role = \"reader\"")),
        (".hidden", "no key"),
    ]);
    std::fs::create_dir(dir.path().join("..data")).unwrap();
    let operators = open_files(dir.path()).unwrap();
    let ana = operators.with_key(&"a".repeat(KEY_CHARACTERS_MIN)).unwrap();
    assert_eq!((ana.name.as_str(), ana.role), ("Ana", OperatorRole::Support));
    assert!(ana.sees("shop-1") && !ana.sees("shop-2"));
    assert_eq!(ana.actor(1).actor, "operator Ana");
    let ben = operators.with_key(&"b".repeat(KEY_CHARACTERS_MIN)).unwrap();
    assert_eq!((ben.name.as_str(), ben.role), ("Ben", OperatorRole::Reader));
    assert!(ben.sees("shop-2"));
    // One file works as well.
    let one = open_files(&dir.path().join("ben")).unwrap();
    assert!(one.with_key(&"b".repeat(KEY_CHARACTERS_MIN)).is_some());
}

#[test]
fn a_wrong_file_is_refused_without_repeating_its_key() {
    const ADMIN: &str = "role = \"admin\"";
    for (text, told) in [
        (file('a', "Ana", "role = \"boss\""), "line 3"),
        (file('a', "Ana", ""), "role"),
        (file('a', "Ana", "role = \"admin\"\nrights = 1"), "line 4"),
        (
            format!("key = {}\nname = \"Ana\"\n{ADMIN}", "a".repeat(40)),
            "line 1",
        ),
        (file('a', "", ADMIN), "name"),
        (file('a', "Ben", ADMIN), "name"),
        (file('b', "Ana", ADMIN), "another operator has this key"),
        (
            file('a', "Ana", "role = \"admin\"\nmerchants = []"),
            "at least one",
        ),
        (format!("key = \"short\"\nname = \"Ana\"\n{ADMIN}"), "32 to 255"),
    ] {
        let dir = folder(&[("a", &file('b', "Ben", ADMIN)), ("b", &text)]);
        let error = open_files(dir.path()).err().map(|error| error.to_string());
        let error = error.unwrap_or_else(|| panic!("{text}"));
        assert!(error.contains(told) && !error.contains("aaaa"), "{text}: {error}");
    }
    let empty = open_files(folder(&[]).path()).err().unwrap();
    assert!(matches!(empty, OperatorKeyError::Empty(_)));
}
