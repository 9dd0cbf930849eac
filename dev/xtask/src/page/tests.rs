use super::*;

#[test]
fn a_page_that_was_just_built_is_not_built_again() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    std::fs::create_dir_all(root.join("sdk/js/src")).unwrap();
    std::fs::write(root.join("sdk/js/src/index.ts"), "export {};").unwrap();
    let before = inputs_hash(root).unwrap();
    std::fs::write(root.join("sdk/js/LICENSE-MIT"), "the build puts it here").unwrap();
    assert_eq!(inputs_hash(root).unwrap(), before);
    std::fs::write(root.join("sdk/js/src/index.ts"), "export const a = 1;").unwrap();
    assert_ne!(inputs_hash(root).unwrap(), before);
}
