//! What may not be named where: the page's pure part knows no browser, its drawing part sends nothing, the rules have no
//! clock.

use super::Finding;
use super::source::{Source, names};

const RULE: &str = "names";

/// A room, and the words that its code may not contain.
struct Room {
    /// The beginning of the paths of its files.
    path: &'static str,
    words: &'static [&'static str],
    why: &'static str,
}

const ROOMS: [Room; 3] = [
    Room {
        path: "form/src/card/",
        words: &["window", "document", "fetch", "Date", "globalThis"],
        why: "the card room is pure: what it needs of the world is given to it",
    },
    Room {
        path: "form/src/view/",
        words: &["fetch", "postMessage"],
        why: "views draw the state and send events; only effects.ts turns an effect into I/O",
    },
    Room {
        path: "crates/rules/src/",
        words: &["SystemTime", "Instant", "TcpStream", "File"],
        why: "the rules have no clock and no I/O",
    },
];

/// Every word that stands in a room where it may not.
pub(super) fn forbidden_names(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let Some(room) = ROOMS.iter().find(|room| source.path.starts_with(room.path)) else {
            continue;
        };
        let tests_from = source.tests_from().unwrap_or(usize::MAX);
        for (index, line) in source.code().lines().enumerate().take(tests_from - 1) {
            let words = room.words.iter().filter(|word| names(line, word));
            found.extend(
                words.map(|word| source.finding(RULE, index + 1, format!("names `{word}`: {}", room.why))),
            );
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        let found = forbidden_names(&[Source::new(path.to_owned(), text.to_owned())]);
        found.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_card_room_names_nothing_of_the_browser() {
        for word in ["window", "document", "fetch", "Date", "globalThis"] {
            assert_eq!(
                check("form/src/card/expiry.ts", &format!("// {word}\nf({word});\n")),
                [2],
                "{word}"
            );
        }
        assert!(check("form/src/card/expiry.ts", "const s = \"window\"; toDate();").is_empty());
        assert!(check("form/src/effects.ts", "fetch(url);").is_empty());
    }

    #[test]
    fn tests_of_a_room_may_fix_the_world() {
        assert!(check("form/src/card/expiry.test.ts", "new Date(0);").is_empty());
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs::File;\n}\n";
        assert!(check("crates/rules/src/expiry.rs", text).is_empty());
    }

    #[test]
    fn views_send_nothing_themselves() {
        assert_eq!(check("form/src/view/app.tsx", "parent.postMessage(x);"), [1]);
        assert_eq!(check("form/src/view/app.tsx", "fetch(x);"), [1]);
    }

    #[test]
    fn the_rules_know_no_clock() {
        assert_eq!(check("crates/rules/src/expiry.rs", "SystemTime::now()"), [1]);
    }
}
