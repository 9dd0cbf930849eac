use super::super::sources;
use super::*;

#[test]
fn a_sleep_in_a_test_is_found_unless_a_comment_allows_it() {
    let code = "fn retry() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    std::thread::sleep(x);\n\
                // sleep(\n    // tidy-allow sleep: the clock stands still\n    sleep(x);\n}\n";
    let found = all(&sources(&[
        ("a/src/b.rs", code),
        ("a/tests/c.rs", "yield_now();"),
    ]));
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("a/src/b.rs:4: ") && found[1].starts_with("a/tests/c.rs:1: "));
}
