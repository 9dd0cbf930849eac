//! npm: installs the page's packages when the lock file changed, and runs the packages' scripts.

use std::path::Path;
use std::process::Command;

use crate::failure::Failure;
use crate::{files, process};

/// Records which lock file `node_modules` was made from.
const STAMP: &str = "node_modules/.cardform-lock-hash";

/// `npm` in the repository at `root`.
pub(crate) fn npm(root: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root);
    command
}

/// Installs exactly what the lock file names, unless that has been done.
pub(crate) fn install(root: &Path) -> Result<(), Failure> {
    if is_installed(root)? {
        return Ok(());
    }
    eprintln!("installing the page's packages (npm ci)");
    install_packages(root)
}

/// Whether what the lock file names is installed.
pub(crate) fn is_installed(root: &Path) -> Result<bool, Failure> {
    Ok(files::is_stamped(&root.join(STAMP), &lock_hash(root)?))
}

fn lock_hash(root: &Path) -> Result<String, Failure> {
    files::hash(root, &["package-lock.json".to_owned()])
}

/// Installs exactly what the lock file names.
pub(crate) fn install_packages(root: &Path) -> Result<(), Failure> {
    let mut command = npm(root);
    command.arg("ci");
    // No package script runs at installation: none of ours needs one, and malicious packages use such scripts.
    command.args(["--ignore-scripts", "--no-audit", "--no-fund"]);
    // npm would wait over a minute; a registry that three tries in ten seconds do not reach is down.
    command.args(["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"]);
    let output = process::capture(&mut command)?;
    if !output.status.success() {
        return Err(Failure::Npm {
            command: "npm ci".to_owned(),
            line: reason(&String::from_utf8_lossy(&output.stderr)),
        });
    }
    files::write_stamp(&root.join(STAMP), &lock_hash(root)?)
}

/// Runs `npm run build` in the given workspaces (folders), or in all that have one.
pub(crate) fn build(root: &Path, workspaces: &[&str]) -> Result<(), Failure> {
    process::run(&mut build_command(root, workspaces))
}

/// What [`build`] runs.
pub(crate) fn build_command(root: &Path, workspaces: &[&str]) -> Command {
    let mut command = npm(root);
    command.args(["run", "build", "--if-present"]);
    if workspaces.is_empty() {
        command.arg("--workspaces");
    }
    for workspace in workspaces {
        command.args(["--workspace", workspace]);
    }
    command
}

/// The line of npm's output that says why: the first error that is neither a bare code nor npm's advice.
fn reason(output: &str) -> String {
    output
        .lines()
        .filter_map(|line| {
            line.strip_prefix("npm error")
                .or_else(|| line.strip_prefix("npm ERR!"))
        })
        .map(str::trim)
        .find(|line| {
            let is_code = ["code ", "syscall ", "errno ", "path "]
                .iter()
                .any(|word| line.starts_with(word));
            !line.is_empty() && !is_code
        })
        .unwrap_or("npm gave no reason")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_registry_is_the_reason_given() {
        let output = "npm warn something\nnpm error code ECONNREFUSED\nnpm error syscall connect\n\
                      npm error errno ECONNREFUSED\nnpm error FetchError: request to http://registry/vite failed\n\
                      npm error     at ClientRequest.<anonymous> (index.js:130:14)\nnpm error\n\
                      npm error If you are behind a proxy, please make sure\n";
        assert_eq!(
            reason(output),
            "FetchError: request to http://registry/vite failed"
        );
    }

    #[test]
    fn empty_output_of_npm_is_reported_as_no_reason() {
        assert_eq!(reason(""), "npm gave no reason");
    }
}
