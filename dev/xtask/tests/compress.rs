//! Compressed files beside the built ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::Path;
use std::process::Command;

fn node(arguments: &[&str]) -> String {
    let output = Command::new("node").args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn compressed(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/compress.mjs");
    node(&[script, folder.path().join("page").to_str().unwrap()]);
    folder
}

#[test]
fn a_browser_gets_back_what_was_built() {
    let content = "const form = document.querySelector('form');\n".repeat(40);
    let folder = compressed(&[("page/assets/a.js", &content)]);
    let path = |suffix| folder.path().join(format!("page/assets/a.js.{suffix}"));
    let unpack = "const [, br, gz] = process.argv; const { readFileSync } = require('node:fs'); \
         const zlib = require('node:zlib'); \
         process.stdout.write(zlib.brotliDecompressSync(readFileSync(br)) + '|' + zlib.gunzipSync(readFileSync(gz)))";
    let [br, gz] = ["br", "gz"].map(path);
    let unpacked = node(&["--eval", unpack, br.to_str().unwrap(), gz.to_str().unwrap()]);
    assert_eq!(unpacked, format!("{content}|{content}"));
    assert!(br.metadata().unwrap().len() < 100);
}

#[test]
fn only_served_text_that_gets_smaller_is_compressed() {
    let long = "body { color: black }\n".repeat(20);
    let folder = compressed(&[
        ("page/a.css", &long),
        ("page/tiny.js", "1"),
        ("page/logo.png", &long),
        ("page-server/server.js", &long),
    ]);
    let names = |below: &str| {
        let entries = std::fs::read_dir(folder.path().join(Path::new(below))).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names("page"),
        ["a.css", "a.css.br", "a.css.gz", "logo.png", "tiny.js"]
    );
    assert_eq!(names("page-server"), ["server.js"]);
}
