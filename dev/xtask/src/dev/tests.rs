use super::*;

#[test]
fn files_that_are_new_gone_or_different_are_changes_of_their_part() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let states = || PAGE.each_ref().map(|part| part.state(root).unwrap());
    write("form/generated/a.ts", "1");
    write("form/src/a.ts", "1");
    let first = states();
    assert_eq!(states(), first);
    write("form/src/a.test.ts", "1");
    assert_eq!(states(), first);

    write("form/src/a.ts", "12");
    let second = states();
    assert_eq!(second[0], first[0]);
    assert_ne!(second[1], first[1]);

    std::fs::remove_file(root.join("form/generated/a.ts")).unwrap();
    let third = states();
    assert_ne!(third[0], second[0]);
    assert_eq!(third[1..], second[1..]);
}
