use super::*;

#[test]
fn each_script_watches_once_and_each_build_has_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let script = root.join("dist/page/assets/browser.js");
    std::fs::create_dir_all(script.parent().unwrap()).unwrap();
    std::fs::write(&script, "hydrate();").unwrap();

    let build = |count| {
        announce(root, count).unwrap();
        std::fs::read_to_string(script.with_file_name(BUILD_FILE)).unwrap()
    };
    assert_ne!(build(0), build(1));
    let text = std::fs::read_to_string(&script).unwrap();
    assert_eq!(text, format!("hydrate();{WATCH}"));
    assert!(WATCH.contains(BUILD_FILE));
}
