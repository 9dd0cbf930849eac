use super::*;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "form/src/a.ts",
        "form/node_modules/x.js",
        "form/.hidden",
        "locales/en.json",
        "top.json",
    ] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file).unwrap();
    }
    folder
}

#[test]
fn installed_and_built_files_are_left_out() {
    let root = folder();
    let found = list(root.path(), &["form", "locales", "top.json", "absent"]).unwrap();
    assert_eq!(found, ["form/src/a.ts", "locales/en.json", "top.json"]);
}

#[test]
fn the_hash_changes_with_a_name_and_with_a_content() {
    let folder = folder();
    let root = folder.path();
    let paths = list(root, &["."]).unwrap();
    let first = hash(root, &paths).unwrap();
    assert_eq!(first, hash(root, &paths).unwrap());

    std::fs::write(root.join("top.json"), "other").unwrap();
    let second = hash(root, &paths).unwrap();
    assert_ne!(first, second);

    std::fs::rename(root.join("top.json"), root.join("toq.json")).unwrap();
    let third = hash(root, &list(root, &["."]).unwrap()).unwrap();
    assert_ne!(second, third);
}
