use super::*;

#[test]
fn every_library_with_a_file_is_copied() {
    let said = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\
                \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
    let found = named_libraries(said).unwrap();
    assert_eq!(
        found,
        [
            PathBuf::from("/lib/x86_64-linux-gnu/libm.so.6"),
            PathBuf::from("/lib64/ld-linux-x86-64.so.2")
        ]
    );
}

#[test]
fn a_library_that_is_not_there_stops_the_image() {
    assert_eq!(named_libraries("\tlibm.so.6 => not found\n"), Err("libm.so.6"));
}

#[test]
fn a_static_binary_needs_no_library() {
    assert!(named_libraries("\tstatically linked\n").unwrap().is_empty());
}
