//! `cargo xtask dev`: the demo shop, rebuilt, restarted and reloaded in the browser whenever a source changes, until Ctrl-C.

mod reload;

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::failure::Failure;
use crate::{build, files, generate, npm, page, prerequisites, process};

/// How often sources are checked. Files are polled, because polling works the same in every container, and a few hundred files
/// take a few milliseconds.
const POLL: Duration = Duration::from_millis(300);
/// Not the demo's own address, because pages in the browser's cache of that address do not reload.
const LISTEN: &str = "127.0.0.1:8090";
/// How long a server may take to finish its work.
const END_MAX: Duration = Duration::from_secs(5);

/// Sources that are built together.
struct Part {
    sources: &'static [&'static str],
    /// The npm workspaces to build after a change.
    workspaces: &'static [&'static str],
}

const GENERATED: &str = "form/generated";
const PAGE: [Part; 5] = [
    Part {
        sources: &[GENERATED],
        workspaces: &["form", "sdk/js", "sdk/react", "sdk/testing", "demo", "operator"],
    },
    Part {
        sources: &["form", "locales"],
        workspaces: &["form"],
    },
    Part {
        sources: &["sdk"],
        workspaces: &["sdk/js", "sdk/react", "sdk/testing", "demo"],
    },
    Part {
        sources: &["demo"],
        workspaces: &["demo"],
    },
    Part {
        sources: &["operator"],
        workspaces: &["operator"],
    },
];
const RUST: Part = Part {
    sources: &["crates", "dev/generate", "Cargo.toml", "Cargo.lock"],
    workspaces: &[],
};

impl Part {
    /// A hash of the sources' names, sizes and times. It changes with each of them.
    fn state(&self, root: &Path) -> Result<u64, Failure> {
        let mut hasher = DefaultHasher::new();
        for path in files::list(root, self.sources)? {
            let is_of_other_part = path.starts_with(GENERATED) && self.sources != [GENERATED];
            if path.contains(".test.") || is_of_other_part {
                continue;
            }
            // A file that an editor removes for a moment counts as changed.
            let file = std::fs::metadata(root.join(&path)).ok();
            let state = file.map(|file| (file.modified().ok(), file.len()));
            (path, state).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

/// Builds, starts `cardform demo` with the given arguments, and follows the sources.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    prerequisites::for_building()?;
    npm::install(root)?;
    // A compressed file beside one that is rebuilt would be served in its place.
    page::build_uncompressed(root)?;
    let states = || {
        PAGE.iter()
            .chain([&RUST])
            .map(|part| part.state(root))
            .collect::<Result<Vec<_>, _>>()
    };
    let mut seen = states()?;
    process::run(&mut build::demo_command(root))?;
    let mut server = start(root, arguments)?;
    for build in 1.. {
        let mut now = states()?;
        while now == seen {
            sleep(POLL);
            now = states()?;
        }
        let changed = |index: usize| now[index] != seen[index];
        match rebuild(root, &changed) {
            Ok(()) => {
                end(&mut server);
                reload::announce(root, build)?;
                server = start(root, arguments)?;
            }
            // The compiler has printed the error; the old server keeps running until it is corrected.
            Err(failure) => eprintln!("dev: {failure}"),
        }
        seen = now;
    }
    Ok(())
}

fn rebuild(root: &Path, changed: &dyn Fn(usize) -> bool) -> Result<(), Failure> {
    if changed(PAGE.len()) {
        // A change of the generated files counts as a change of the page.
        generate::run(root)?;
        process::run(&mut build::demo_command(root))?;
    }
    let parts = PAGE.iter().enumerate().filter(|(index, _)| changed(*index));
    let workspaces: Vec<_> = parts.flat_map(|(_, part)| part.workspaces).copied().collect();
    if workspaces.is_empty() {
        return Ok(());
    }
    npm::build(root, &workspaces)
}

fn start(root: &Path, arguments: &[OsString]) -> Result<Child, Failure> {
    let mut command = Command::new(build::demo_binary(root));
    command.current_dir(root).arg("demo");
    let names_address = |argument: &OsString| argument.to_string_lossy().starts_with("--listen");
    if !arguments.iter().any(names_address) {
        command.args(["--listen", LISTEN]);
    }
    process::spawn(command.args(arguments))
}

/// Asks the server to end, and ends it if it does not.
fn end(server: &mut Child) {
    // It may have ended by itself; the reason is in its log.
    let _ = kill_process(Pid::from_child(server), Signal::TERM);
    let deadline = Instant::now() + END_MAX;
    while server.try_wait().is_ok_and(|status| status.is_none()) && Instant::now() < deadline {
        sleep(Duration::from_millis(20));
    }
    let _ = server.kill();
    let _ = server.wait();
}

#[cfg(test)]
mod tests;
