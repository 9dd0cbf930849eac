use super::super::sources;
use super::*;

fn check(map: &str) -> Vec<String> {
    untrue_places(&sources(&[
        (MAP, map),
        ("form/src/card/brand.ts", ""),
        ("crates/rules/src/lib.rs", ""),
        ("crates/server/src/store/charge.rs", ""),
        ("crates/server/src/main.rs", ""),
        ("crates/server/src/threads/tests.rs", ""),
    ]))
}

const TRUE: &str = "`form/` `crates/` `crates/rules/` `crates/server/` `crates/server/src/store/`\n";

#[test]
fn a_true_map_passes() {
    let more = "`text/html` `/v1/charges` `cargo xtask demo` `form/src/card/brand.ts` `@cardform/js`";
    assert_eq!(check(&format!("{TRUE}{more}")), Vec::<String>::new());
}

#[test]
fn a_room_that_is_not_on_the_map_is_found() {
    for room in ["crates/server/src/store", "form"] {
        let map = TRUE.replace(&format!("`{room}/`"), "");
        assert_eq!(
            check(&map),
            [format!("ARCHITECTURE.md:1: does not name `{room}/`")]
        );
    }
}

#[test]
fn a_room_that_does_not_exist_is_found() {
    for room in ["sdk/", "crates/server/src/events"] {
        let found = format!("ARCHITECTURE.md:2: names `{room}`, which does not exist");
        assert_eq!(check(&format!("{TRUE}`{room}`")), [found]);
    }
}
