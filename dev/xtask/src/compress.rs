//! Writes `.br` and `.gz` beside what is served, so that the server compresses nothing while it answers. Node packs: it is
//! there for the page anyway, and this crate is built before anything else, so it depends on little.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::files;
use crate::process::{self, Stream};

/// The folders of `dist/` that a browser fetches from.
const SERVED: [&str; 4] = ["page", "sdk", "demo", "operator"];

/// What compresses well. Images and fonts are compressed in themselves.
const TEXT: [&str; 9] = [
    "js",
    "mjs",
    "css",
    "html",
    "svg",
    "json",
    "map",
    "txt",
    "webmanifest",
];

/// The script that packs.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/compress.mjs");

/// Writes `x.br` and `x.gz` beside every text file `x` that is served from `dist`, where it is the smaller one.
pub(crate) fn beside(dist: &Path) -> Result<(), Failure> {
    let served = files::list(dist, &SERVED)?.into_iter();
    let text = served.map(|name| dist.join(name)).filter(|path| {
        path.extension()
            .is_some_and(|kind| TEXT.iter().any(|text| kind == *text))
    });
    process::run(&mut script("beside", &text.collect::<Vec<_>>()))
}

/// What a file takes on its way to a browser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Bytes in the Brotli format.
    pub(crate) brotli: usize,
    /// Bytes in the gzip format.
    pub(crate) gzip: usize,
}

/// What each of these files takes, in their order.
pub(crate) fn sizes(files: &[PathBuf]) -> Result<Vec<Packed>, Failure> {
    let mut command = script("sizes", files);
    let mut sizes = Vec::new();
    let status = process::each_line(&mut command, Stream::Out, |line| sizes.push(packed(line)))?;
    process::expect_success(&command, status)?;
    sizes.into_iter().collect()
}

fn packed(line: &str) -> Result<Packed, Failure> {
    let read = || {
        let (brotli, gzip) = line.split_once(' ')?;
        Some(Packed {
            brotli: brotli.parse().ok()?,
            gzip: gzip.parse().ok()?,
        })
    };
    read().ok_or_else(|| Failure::Unusable {
        what: "the sizes of packed files".to_owned(),
        problem: format!("`{line}` is not two numbers"),
    })
}

fn script(command: &str, files: &[PathBuf]) -> Command {
    let mut node = Command::new("node");
    node.arg(SCRIPT).arg(command).args(files);
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, content) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        folder
    }

    #[test]
    fn a_browser_gets_back_what_was_built() {
        let content = "const form = document.querySelector('form');\n".repeat(40);
        let folder = folder(&[("page/a.js", &content)]);
        let dist = folder.path();
        beside(dist).unwrap();
        let unpack = "const [, br, gz] = process.argv; const { readFileSync } = require('node:fs'); \
             const zlib = require('node:zlib'); \
             process.stdout.write(zlib.brotliDecompressSync(readFileSync(br)) + '|' + zlib.gunzipSync(readFileSync(gz)))";
        let mut node = Command::new("node");
        node.args(["--eval", unpack]);
        node.args(["br", "gz"].map(|suffix| dist.join(format!("page/a.js.{suffix}"))));
        let output = process::capture(&mut node).unwrap();
        let packed = sizes(&[dist.join("page/a.js")]).unwrap();
        let written = |suffix| {
            let file = std::fs::metadata(dist.join(format!("page/a.js.{suffix}"))).unwrap();
            usize::try_from(file.len()).unwrap()
        };
        let (brotli, gzip) = (written("br"), written("gz"));
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{content}|{content}")
        );
        assert_eq!(packed, [Packed { brotli, gzip }]);
        assert!(brotli < 100, "{brotli}");
    }

    #[test]
    fn only_served_text_that_gets_smaller_is_compressed() {
        let long = "body { color: black }\n".repeat(20);
        let folder = folder(&[
            ("page/a.css", &long),
            ("page/tiny.js", "1"),
            ("page/logo.png", &long),
            ("page-server/server.js", &long),
        ]);
        beside(folder.path()).unwrap();
        let found = files::list(folder.path(), &["."]).unwrap();
        assert_eq!(
            found,
            [
                "page-server/server.js",
                "page/a.css",
                "page/a.css.br",
                "page/a.css.gz",
                "page/logo.png",
                "page/tiny.js"
            ]
        );
    }
}
