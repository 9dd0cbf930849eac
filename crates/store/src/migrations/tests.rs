//! The rules for migrations, and the released ones.

mod additive;

use std::slice;

use super::*;

/// The checksums are those of the databases of released versions, the first ones written by the library that
/// applied them before.
#[test]
fn a_released_migration_never_changes() {
    let released: Vec<(&str, &str)> = include_str!("released.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    assert!(released.len() >= 17, "{released:?}");
    for (checksum, name) in released {
        let kept = FILES.iter().find(|(kept, _)| *kept == name);
        let kept = kept.unwrap_or_else(|| panic!("{name} is gone"));
        assert_eq!(Migration::of(*kept).checksum(), checksum, "{name}");
    }
}

#[test]
fn every_file_of_the_folder_is_listed_in_order() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, FILES.map(|(name, _)| name));
}

#[test]
fn a_changed_or_unknown_migration_is_an_error() {
    let first = Migration::of(FILES[0]);
    let applied = (1, first.checksum());
    assert_eq!(
        plan(slice::from_ref(&applied)).unwrap().missing.len(),
        FILES.len() - 1
    );
    assert!(plan(&[(1, "00".to_owned())]).is_err());
    // The numbers 4 to 9 were never used.
    assert!(plan(&[applied.clone(), (5, first.checksum())]).is_err());
    let newer = plan(&[applied, (9_999, first.checksum()), (9_998, first.checksum())]).unwrap();
    assert_eq!(newer.newer, Some(9_999));
}

#[test]
fn a_newer_schema_is_served_if_it_says_that_this_program_can() {
    assert!(accept_newer(9_999, Some(1)).is_ok());
    assert!(accept_newer(9_999, Some(newest_known())).is_ok());
    let refused = accept_newer(9_999, Some(newest_known() + 1))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("too old"), "{refused}");
    assert!(accept_newer(9_999, None).is_err());
}
