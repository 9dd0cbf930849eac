//! The rooms of a crate, which are the modules that its `lib.rs` names: none imports another in a circle, and those of the
//! server stand in floors, of which each imports only from those below.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::source::Source;

/// The crate whose rooms stand in floors: `lib.rs` names them from the lowest up, with a blank line between two floors.
const WITH_FLOORS: &str = "server";

/// Every room that imports from its own floor or one above, and every circle of rooms.
pub(super) fn none_runs_up(sources: &[Source]) -> Vec<Finding> {
    let crates = sources.iter().filter_map(|source| {
        let name = source.path.strip_prefix("crates/")?.strip_suffix("/src/lib.rs")?;
        Some((name, source))
    });
    crates
        .flat_map(|(name, lib)| {
            let rooms = CrateRooms::read(name, lib);
            let imports = rooms.imports(sources);
            if name == WITH_FLOORS {
                imports.iter().filter_map(|import| rooms.up(import)).collect()
            } else {
                circles(&imports)
            }
        })
        .collect()
}

/// The rooms of one crate.
struct CrateRooms<'a> {
    /// Where they are: `crates/server/src/`.
    folder: String,
    /// Each room's floor, from 0.
    floors: BTreeMap<String, usize>,
    /// What `lib.rs` takes out of a room, by the name that others know it by.
    given_out: BTreeMap<String, String>,
    lib: &'a Source,
}

/// A room that imports another.
struct Import<'a> {
    from: String,
    to: String,
    source: &'a Source,
    /// From 1.
    line: usize,
}

impl<'a> CrateRooms<'a> {
    fn read(name: &str, lib: &'a Source) -> Self {
        let code = lib.code();
        let mut floors = BTreeMap::new();
        let mut floor = 0;
        for line in code.lines().map(str::trim) {
            let named = line.strip_prefix("pub ").unwrap_or(line);
            match named.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                Some(room) => {
                    floors.insert(room.to_owned(), floor);
                }
                None if line.is_empty() => floor += 1,
                None => {}
            }
        }
        let mut given_out = BTreeMap::new();
        for statement in code.split(';').map(str::trim) {
            let used = statement.rsplit("use ").next().unwrap_or_default();
            let Some((room, names)) = used.split_once("::") else {
                continue;
            };
            if floors.contains_key(room) {
                for name in words(names) {
                    given_out.insert(name.to_owned(), room.to_owned());
                }
            }
        }
        Self {
            folder: format!("crates/{name}/src/"),
            floors,
            given_out,
            lib,
        }
    }

    /// What each room imports from other rooms, outside its tests.
    fn imports<'s>(&self, sources: &'s [Source]) -> Vec<Import<'s>> {
        let mut found = Vec::new();
        for source in sources {
            let Some(inner) = source.path.strip_prefix(&self.folder) else {
                continue;
            };
            let room = inner.split(['/', '.']).next().unwrap_or_default();
            if source.path == self.lib.path || source.is_test() || !self.floors.contains_key(room) {
                continue;
            }
            let until = source.tests_from().unwrap_or(usize::MAX);
            for (line, name) in names_at_the_root(&source.code(), inner.split('/').count()) {
                let given_out = self.given_out.get(&name);
                let target = if self.floors.contains_key(&name) {
                    Some(&name)
                } else {
                    given_out
                };
                if let Some(to) = target.filter(|to| *to != room && line < until) {
                    found.push(Import {
                        from: room.to_owned(),
                        to: to.clone(),
                        source,
                        line,
                    });
                }
            }
        }
        found
    }

    /// Why the import is none that a floor may have.
    fn up(&self, import: &Import<'_>) -> Option<Finding> {
        let (from, to) = (self.floors[&import.from], self.floors[&import.to]);
        (to >= from).then(|| {
            let what = format!(
                "`{}` imports `{}`, which stands on its floor or above it in {}",
                import.from, import.to, self.lib.path
            );
            import.source.finding("rooms", import.line, what)
        })
    }
}

/// The imports that are part of a circle.
fn circles(imports: &[Import<'_>]) -> Vec<Finding> {
    let mut targets: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for import in imports {
        targets.entry(&import.from).or_default().insert(&import.to);
    }
    let leads_to = |from: &str, to: &str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(room) = open.pop() {
            for next in targets.get(room).into_iter().flatten() {
                if reached.insert(*next) {
                    open.push(next);
                }
            }
        }
        reached.contains(to)
    };
    let in_circle = imports.iter().filter(|import| leads_to(&import.to, &import.from));
    in_circle
        .map(|import| {
            let what = format!(
                "`{}` imports `{}`, which leads back to it",
                import.from, import.to
            );
            import.source.finding("rooms", import.line, what)
        })
        .collect()
}

/// The names that a file takes from the root of its crate, with their lines: `crate::NAME`, or as many `super::` as the
/// file is deep.
fn names_at_the_root(code: &str, depth: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let above = "super::".repeat(depth);
    for way in ["crate::", above.as_str()] {
        for (at, _) in code.match_indices(way) {
            let before = code[..at].chars().next_back();
            // `$crate`, `other_crate`, and `super::super::` where one `super::` is meant.
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':')) {
                continue;
            }
            let line = 1 + code[..at].matches('\n').count();
            let rest = &code[at + way.len()..];
            found.extend(first_words(rest).into_iter().map(|name| (line, name)));
        }
    }
    found
}

/// The name that a path begins with, or those of a group's paths: `a::b` or `{a::b, c}`.
fn first_words(path: &str) -> Vec<String> {
    let Some(group) = path.trim_start().strip_prefix('{') else {
        return words(path).next().map(str::to_owned).into_iter().collect();
    };
    let (mut depth, mut begins, mut found) = (0_usize, true, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && depth == 0 && (c.is_alphabetic() || c == '_') => {
                found.extend(words(&group[at..]).next().map(str::to_owned));
                begins = false;
            }
            _ => {}
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::new((*path).to_owned(), (*text).to_owned()))
            .collect();
        none_runs_up(&sources)
            .into_iter()
            .map(|finding| format!("{}:{}: {}", finding.path, finding.line, finding.what))
            .collect()
    }

    const FLOORS: &str = "mod http;\n\npub mod charges;\npub mod events;\n\npub mod service;\n";

    #[test]
    fn a_room_of_the_server_imports_from_the_floors_below() {
        let fine = "use crate::http::listener;\nuse super::state::Charges;\n";
        let files = [
            ("crates/server/src/lib.rs", FLOORS),
            ("crates/server/src/charges/press.rs", fine),
            (
                "crates/server/src/service.rs",
                "use crate::{charges::Charges, events};\n",
            ),
        ];
        assert_eq!(check(&files), Vec::<String>::new());
    }

    #[test]
    fn an_import_from_the_same_floor_or_above_is_named_with_its_line() {
        let up = "crates/server/src/charges/press.rs:2: `charges` imports `service`, which stands on its floor or above it in \
                  crates/server/src/lib.rs";
        for import in [
            "use crate::service::App;",
            "use super::super::service::App;",
            "fn f(_: &crate::service::App) {}",
            "use crate::{\n    http::listener,\n    service::App,\n};",
        ] {
            let text = format!("\n{import}\n");
            let files = [
                ("crates/server/src/lib.rs", FLOORS),
                ("crates/server/src/charges/press.rs", text.as_str()),
            ];
            assert_eq!(check(&files), [up], "{import}");
        }
        let beside = [
            ("crates/server/src/lib.rs", FLOORS),
            ("crates/server/src/charges.rs", "use super::events::Events;\n"),
        ];
        assert_eq!(check(&beside).len(), 1);
    }

    #[test]
    fn tests_comments_and_strings_may_name_any_room() {
        let text = "// crate::service\nconst A: &str = \"crate::service\";\n#[cfg(test)]\nmod tests {\n    use crate::service::App;\n}\n";
        let files = [
            ("crates/server/src/lib.rs", FLOORS),
            ("crates/server/src/charges.rs", text),
        ];
        assert_eq!(check(&files), Vec::<String>::new());
    }

    #[test]
    fn rooms_of_other_crates_form_no_circle() {
        let lib = "mod html;\nmod language;\nmod templates;\n\npub use html::{Document, escape};\n";
        let files = [
            ("crates/page/src/lib.rs", lib),
            ("crates/page/src/html.rs", "use crate::templates::Body;\n"),
            ("crates/page/src/language.rs", "use crate::html::escape;\n"),
            ("crates/page/src/templates.rs", "use crate::escape;\n"),
        ];
        assert_eq!(
            check(&files),
            [
                "crates/page/src/html.rs:1: `html` imports `templates`, which leads back to it",
                "crates/page/src/templates.rs:1: `templates` imports `html`, which leads back to it"
            ]
        );
    }
}
