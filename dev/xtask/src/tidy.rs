//! Rules of the repository that no other tool checks: the map and the citations are true, and no Rust test sleeps.

mod architecture;
mod citations;
mod sleeping_tests;

use std::path::Path;

use crate::failure::Failure;
use crate::files;

/// A file of the repository.
struct Source {
    /// From the root, with `/` between.
    path: String,
    text: String,
}

impl Source {
    /// The part of the name after its last dot.
    fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, kind)| kind)
    }

    /// A finding at this line, counted from 1.
    fn finding(&self, line: usize, problem: &str) -> String {
        format!("{}:{line}: {problem}", self.path)
    }
}

/// Prints every place that breaks a rule, one line each, and fails if there is one.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for path in files::list(root, &["."])? {
        let file = root.join(&path);
        let bytes = std::fs::read(&file).map_err(Failure::file(&file))?;
        // Images and other binary files have a name and no text.
        let text = String::from_utf8(bytes).unwrap_or_default();
        sources.push(Source { path, text });
    }
    let rules = [
        architecture::untrue_places,
        citations::broken,
        sleeping_tests::all,
    ];
    let found: Vec<_> = rules.iter().flat_map(|rule| rule(&sources)).collect();
    for finding in &found {
        eprintln!("{finding}");
    }
    Failure::unless(found.is_empty(), || format!("{} findings", found.len()))
}

#[cfg(test)]
fn sources(files: &[(&str, &str)]) -> Vec<Source> {
    let source = |(path, text): &(&str, &str)| Source {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    files.iter().map(source).collect()
}
