use super::*;

fn open(key: &str) -> Result<Operator, OperatorKeyError> {
    Operator::open(SecretSource::Setting(Sensitive::new(key.to_owned())))
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
    let key = "0123456789abcdefghijklmnopqrstuv";
    let operator = open(key).unwrap();
    assert!(operator.is_key(key));
    for wrong in ["", "0", &key[1..], &format!("{key}0"), &key.to_uppercase()] {
        assert!(!operator.is_key(wrong), "{wrong}");
    }
}

#[test]
fn the_key_files_line_end_is_not_part_of_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key");
    std::fs::write(&file, format!("{}\n", "k".repeat(KEY_CHARACTERS_MIN))).unwrap();
    assert!(Operator::open(SecretSource::File(file)).is_ok());
    let none = Operator::open(SecretSource::File(dir.path().join("none")));
    assert!(matches!(none, Err(OperatorKeyError::File(..))));
}
