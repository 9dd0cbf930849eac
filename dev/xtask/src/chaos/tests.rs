use std::ffi::OsString;

use super::{USUAL, drills};

#[test]
fn the_first_argument_names_a_drill() {
    for (given, names, rest) in [
        ("", &USUAL[..], ""),
        ("--seed 7", &USUAL[..], "--seed 7"),
        ("restore", &["restore"], ""),
        ("cluster --seed 7", &["cluster"], "--seed 7"),
        ("--cluster --seed 7", &["cluster"], "--seed 7"),
    ] {
        let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        let given = words(given);
        let (found, left) = drills(&given);
        assert_eq!(
            (found, left),
            (names.iter().map(AsRef::as_ref).collect(), &words(rest)[..])
        );
    }
}
