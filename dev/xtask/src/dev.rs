//! `cargo xtask dev`: the demo shop on a debug build, rebuilt, restarted and reloaded in the browser whenever a source
//! changes, until Ctrl-C.

mod reload;
mod server;
mod watch;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use server::DevServer;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use watch::{SourceChange, Watch};

use crate::failure::Failure;
use crate::{npm, page, prerequisites, process};

/// How often sources are looked at.
const POLL: Duration = Duration::from_millis(300);

/// Builds, starts `cardform demo` with the given arguments, and follows the sources. Files are polled: that is the same
/// on every machine and in every container, and a few hundred files cost a few milliseconds.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let stop = stop_flag()?;
    prerequisites::for_building()?;
    npm::install(root)?;
    // A compressed file beside one that is rebuilt would be served in its place.
    page::build_plain(root)?;
    let mut build = 0;
    reload::announce(root, build)?;
    let mut watch = Watch::new(root)?;
    build_server(root)?;
    let mut server = DevServer::start(root, arguments)?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(POLL);
        if let Some(status) = server.ended()? {
            // It has logged the reason; the next change may correct it.
            eprintln!("dev: the server ended ({status}); waiting for a change");
        }
        let changes = watch.changes(root)?;
        if changes.is_empty() || stop.load(Ordering::Relaxed) {
            continue;
        }
        match rebuild(root, &changes) {
            Ok(()) => {
                server.stop()?;
                build += 1;
                reload::announce(root, build)?;
                server = DevServer::start(root, arguments)?;
            }
            // The compiler has printed the error; the old server keeps running until it is corrected.
            Err(failure) => eprintln!("dev: {failure}"),
        }
    }
    server.stop()
}

/// A flag that is set when the process is asked to end. A second request ends it at once.
fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let second = signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop));
        let first = second.and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
        first.map_err(|cause| Failure::Start {
            command: "dev".to_owned(),
            cause,
        })?;
    }
    Ok(stop)
}

fn rebuild(root: &Path, changes: &[SourceChange]) -> Result<(), Failure> {
    let has = |change: SourceChange| changes.contains(&change);
    if has(SourceChange::Mirrored) {
        // In a process of its own, since this one was built from the older crates.
        process::run(process::cargo(root).args(["run", "--quiet", "--package", "xtask", "--", "generate"]))?;
    }
    let mut workspaces = Vec::new();
    if has(SourceChange::Form) || has(SourceChange::Mirrored) {
        workspaces.push("form");
    }
    if has(SourceChange::Sdk) || has(SourceChange::Mirrored) {
        workspaces.extend(["sdk/js", "sdk/react", "sdk/testing"]);
    }
    if has(SourceChange::Sdk) || has(SourceChange::Demo) || has(SourceChange::Mirrored) {
        workspaces.push("demo");
    }
    if has(SourceChange::Operator) || has(SourceChange::Mirrored) {
        workspaces.push("operator");
    }
    if !workspaces.is_empty() {
        npm::build(root, &workspaces)?;
    }
    if has(SourceChange::Rust) || has(SourceChange::Mirrored) {
        build_server(root)?;
    }
    Ok(())
}

fn build_server(root: &Path) -> Result<(), Failure> {
    let mut cargo = process::cargo(root);
    cargo.args(["build", "--package", "server", "--target-dir"]);
    process::run(cargo.arg(process::target_folder(root)))
}
