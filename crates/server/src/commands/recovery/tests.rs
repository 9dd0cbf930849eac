use super::*;

#[test]
fn a_backup_in_a_folder_is_named_after_the_time() {
    let at = read_time("2026-11-22T03:04:05.678Z").unwrap();
    assert_eq!(named_after(at, "db"), "cardform-20261122T030405Z.db");
    assert!(read_time("yesterday").is_err());
}
