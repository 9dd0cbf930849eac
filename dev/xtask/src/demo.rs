//! `cargo xtask demo`: builds what has changed and starts the demo shop, also from a fresh clone.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::{build, npm, page, prerequisites, process};

/// Builds what changed, then becomes `cardform demo` with the given arguments.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    prerequisites::for_building()?;
    if !build::demo_binary(root).is_file() {
        eprintln!(
            "building the page and the server: the first time this takes about four minutes on two cores"
        );
    }
    // The server is built beside the page, which it reads from the disk when it starts. Cargo shows its own progress.
    let mut cargo = build::demo_command(root);
    cargo.stdin(Stdio::null()).stdout(std::io::stderr());
    let mut building = process::spawn(&mut cargo)?;
    let page = npm::install(root).and_then(|()| page::build_if_changed(root));
    if page.is_err() {
        // It may have ended already.
        let _ = building.kill();
    }
    let status = building.wait().map_err(process::start(&cargo))?;
    page?;
    process::expect_success(&cargo, status)?;
    let mut server = Command::new(build::demo_binary(root));
    server.arg("demo").args(arguments);
    Err(process::become_program(&mut server))
}
