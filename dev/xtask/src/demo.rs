//! `cargo xtask demo`: from a fresh clone to a running demo shop; with nothing changed, at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::failure::Failure;
use crate::progress::{News, Progress, Teller};
use crate::{build, cargo_build, npm, page, prerequisites, process};

/// What is done before the shop opens. The page and the server are built side by side.
const STEPS: [&str; 3] = [
    "installing the page's packages",
    "building the page",
    "building the server",
];
const PACKAGES: usize = 0;
const PAGE: usize = 1;
const SERVER: usize = 2;

/// Builds what changed, then becomes `cardform demo` with the given arguments.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    prerequisites::for_building()?;
    let binary = built(root)?;
    let mut server = Command::new(binary);
    server.arg("demo").args(arguments);
    Err(process::become_program(&mut server))
}

/// Builds page and server, as far as they changed, and returns the server's path.
fn built(root: &Path) -> Result<PathBuf, Failure> {
    let (to, news) = mpsc::channel();
    // Whichever fails ends the other, so that what is wrong is known before all else is built.
    let failed = AtomicBool::new(false);
    let noted = |result: Result<(), Failure>| result.inspect_err(|_| failed.store(true, Ordering::Relaxed));
    thread::scope(|scope| {
        scope.spawn(move || Progress::of(&STEPS).show(&news));
        let of_page = to.clone();
        let page = scope.spawn(move || noted(built_page(root, &of_page)));
        let server = Teller::of(SERVER, &to)
            .step(|teller| noted(cargo_build::run(&mut build::demo_command(root), teller, &failed)));
        drop(to);
        let page = page
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        page.and(server)
    })?;
    Ok(build::demo_binary(root))
}

/// Installs and builds what the browser gets, as far as that changed.
fn built_page(root: &Path, to: &Sender<News>) -> Result<(), Failure> {
    if !npm::is_installed(root)? {
        Teller::of(PACKAGES, to).step(|_| npm::install_packages(root))?;
    }
    if !page::is_built(root)? {
        Teller::of(PAGE, to).step(|_| page::build_quietly(root))?;
    }
    Ok(())
}
