//! Finds sources that changed since the last check. Looking is ours and not the library notify: that needs ten more
//! crates in what a newcomer builds first, tells nothing of folders that a container shares with its host, and the
//! ignored and the generated would have to be told apart all the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::failure::Failure;
use crate::files;

/// What must be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceChange {
    /// The crates whose types and tables are mirrored in TypeScript.
    Mirrored,
    Form,
    Sdk,
    Demo,
    Operator,
    /// The server and what it is made of.
    Rust,
}

/// Where sources are.
const SOURCES: [&str; 9] = [
    "form",
    "sdk",
    "demo",
    "operator",
    "locales",
    "crates",
    "dev",
    "Cargo.toml",
    "Cargo.lock",
];

/// The state of a file: when it was written, and its length.
type Look = (Option<SystemTime>, u64);

/// The state of every source at the last check.
pub(super) struct Watch {
    seen: BTreeMap<String, Look>,
}

impl Watch {
    pub(super) fn new(root: &Path) -> Result<Self, Failure> {
        Ok(Self { seen: look(root)? })
    }

    /// What has to be built again since the last call, without repetition.
    pub(super) fn changes(&mut self, root: &Path) -> Result<Vec<SourceChange>, Failure> {
        let now = look(root)?;
        let mut changes: Vec<_> = differing(&self.seen, &now).filter_map(change).collect();
        self.seen = now;
        changes.sort_unstable();
        changes.dedup();
        Ok(changes)
    }
}

fn look(root: &Path) -> Result<BTreeMap<String, Look>, Failure> {
    let paths = files::list(root, &SOURCES)?;
    Ok(paths
        .into_iter()
        .map(|path| {
            // A file that an editor removes for a moment counts as changed.
            let look = std::fs::metadata(root.join(&path))
                .map_or((None, 0), |file| (file.modified().ok(), file.len()));
            (path, look)
        })
        .collect())
}

/// The paths that are new, gone or different.
fn differing<'a>(
    before: &'a BTreeMap<String, Look>,
    now: &'a BTreeMap<String, Look>,
) -> impl Iterator<Item = &'a str> {
    let new_or_different = now.iter().filter(|(path, look)| before.get(*path) != Some(look));
    let gone = before.iter().filter(|(path, _)| !now.contains_key(*path));
    new_or_different.chain(gone).map(|(path, _)| path.as_str())
}

/// What must be rebuilt after a change of the file at `path`; `None` for a test of the page.
fn change(path: &str) -> Option<SourceChange> {
    if path.contains(".test.") {
        return None;
    }
    match path.split('/').collect::<Vec<_>>()[..] {
        ["crates", "rules" | "wire", "src", ..] | ["dev", "generate", ..] => Some(SourceChange::Mirrored),
        ["dev", ..] => None,
        ["form" | "locales", ..] => Some(SourceChange::Form),
        ["sdk", ..] => Some(SourceChange::Sdk),
        ["demo", ..] => Some(SourceChange::Demo),
        ["operator", ..] => Some(SourceChange::Operator),
        _ => Some(SourceChange::Rust),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_asks_for_what_is_made_of_the_file() {
        for (path, expect) in [
            ("form/src/view/app.tsx", Some(SourceChange::Form)),
            ("locales/en-US.json", Some(SourceChange::Form)),
            ("form/src/card/brand.test.ts", None),
            ("sdk/js/src/mount.ts", Some(SourceChange::Sdk)),
            ("demo/src/shop.tsx", Some(SourceChange::Demo)),
            ("operator/src/bar.tsx", Some(SourceChange::Operator)),
            ("crates/rules/src/brand.rs", Some(SourceChange::Mirrored)),
            ("crates/wire/src/intent.rs", Some(SourceChange::Mirrored)),
            ("dev/generate/src/wire.rs", Some(SourceChange::Mirrored)),
            ("crates/wire/proto/charge_intent.proto", Some(SourceChange::Rust)),
            ("crates/server/src/main.rs", Some(SourceChange::Rust)),
            ("dev/xtask/src/dev.rs", None),
            ("Cargo.lock", Some(SourceChange::Rust)),
        ] {
            assert_eq!(change(path), expect, "{path}");
        }
    }

    #[test]
    fn files_that_come_go_or_differ_are_changes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("form/src/a.ts", "1");
        write("sdk/js/src/a.ts", "1");
        let mut watch = Watch::new(root).unwrap();
        assert_eq!(watch.changes(root).unwrap(), []);

        write("form/src/a.ts", "12");
        write("form/src/b.ts", "1");
        assert_eq!(watch.changes(root).unwrap(), [SourceChange::Form]);

        std::fs::remove_file(root.join("sdk/js/src/a.ts")).unwrap();
        assert_eq!(watch.changes(root).unwrap(), [SourceChange::Sdk]);
        assert_eq!(watch.changes(root).unwrap(), []);
    }
}
