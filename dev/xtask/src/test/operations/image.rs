//! The image: reproducible, bare, and started as a container starts it.

use std::path::PathBuf;
use std::process::Command;

use super::Operations;
use crate::failure::Failure;
use crate::image::{BINARY, make};
use crate::page::DIST;
use crate::process;

/// All files of the image, without the libraries.
const FILES: [&str; 5] = [
    "etc/group",
    "etc/nsswitch.conf",
    "etc/passwd",
    "etc/ssl/certs/ca-certificates.crt",
    BINARY,
];
/// The folders of libraries.
const LIBRARIES: [&str; 3] = ["lib/", "lib64/", "usr/lib/"];

pub(super) fn is_reproducible(operations: &Operations<'_>) -> Result<(), Failure> {
    let made = |name: &str| make(operations.root, operations.binary, &operations.work.join(name));
    let (one, another) = (made("image")?, made("place/of/another-image")?);
    let bytes = |path: &PathBuf| std::fs::read(path).map_err(Failure::file(path));
    if one.digest != another.digest || bytes(&one.archive)? != bytes(&another.archive)? {
        let problem = format!(
            "it differs at its second making: {}, {}",
            one.digest, another.digest
        );
        return Err(Failure::unusable("the image", problem));
    }
    one.unpack(&unpacked(operations))
}

fn unpacked(operations: &Operations<'_>) -> PathBuf {
    operations.work.join("root")
}

pub(super) fn is_bare(operations: &Operations<'_>) -> Result<(), Failure> {
    let image = make(operations.root, operations.binary, &operations.work.join("image"))?;
    let config = &image.config()?["config"];
    for (name, value) in [
        ("User", "65532:65532"),
        ("WorkingDir", "/var/lib/cardform"),
        ("StopSignal", "SIGTERM"),
    ] {
        if config[name] != value {
            return Err(Failure::unusable(
                "the image",
                format!("{name} is {}, not {value}", config[name]),
            ));
        }
    }
    let version = &config["Labels"]["org.opencontainers.image.version"];
    if version.as_str().is_none_or(str::is_empty) {
        return Err(Failure::unusable("the image", "it has no label with its version"));
    }
    let root = unpacked(operations);
    for name in crate::files::list(&root, &["."])? {
        let is_library = LIBRARIES.iter().any(|folder| name.starts_with(folder));
        if !is_library && !FILES.contains(&name.as_str()) {
            return Err(Failure::unusable(
                "the image",
                format!("{name} does not belong in it"),
            ));
        }
    }
    Ok(())
}

pub(super) fn is_started(operations: &Operations<'_>) -> Result<(), Failure> {
    // A debug build reads the page from `crates/page/../../dist` of the checkout, so the container gets it at that place.
    let place = unpacked(operations).join(operations.root.strip_prefix("/").unwrap_or(operations.root));
    let from = place.join("crates/page");
    std::fs::create_dir_all(&from).map_err(Failure::file(&from))?;
    let mut copy = Command::new("cp");
    process::run(copy.arg("-a").arg(operations.root.join(DIST)).arg(&place))?;
    let mut drill = Command::new(process::target_folder(operations.root).join("debug/chaos"));
    drill.current_dir(operations.root).arg("--binary");
    drill.arg(unpacked(operations).join(BINARY)).arg("image");
    process::run(drill.args(["--settings", "ops/cardform.toml"]))
}
