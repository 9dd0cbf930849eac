//! npm: installs the page's packages when the lock file changed, and runs the packages' scripts.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::{files, process};

/// Records which lock file `node_modules` was made from.
const STAMP: &str = "node_modules/.cardform-lock-hash";
const LOCK: &str = "package-lock.json";

/// `npm` in the repository at `root`.
pub(crate) fn npm(root: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root);
    command
}

/// Installs exactly what the lock file names, unless that has been done.
pub(crate) fn install(root: &Path) -> Result<(), Failure> {
    let hash = files::hash(root, &[LOCK.to_owned()])?;
    if files::is_stamped(&root.join(STAMP), &hash) {
        return Ok(());
    }
    eprintln!("installing the page's packages (npm ci)");
    let mut command = npm(root);
    command.arg("ci");
    // No package script runs at installation: none of ours needs one, and malicious packages use such scripts.
    command.args(["--ignore-scripts", "--no-audit", "--no-fund"]);
    // npm's default is to retry for more than a minute. Three tries in ten seconds are enough.
    command.args(["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"]);
    let output = process::capture(&mut command)?;
    if !output.status.success() {
        let reason = reason(&String::from_utf8_lossy(&output.stderr));
        return Err(Failure::unusable("`npm ci` failed", reason));
    }
    files::write_stamp(&root.join(STAMP), &hash)
}

/// Runs `npm run build` in the given workspaces (folders), or in all.
pub(crate) fn build(root: &Path, workspaces: &[&str]) -> Result<(), Failure> {
    let mut command = npm(root);
    command.args(["run", "build", "--if-present"]);
    if workspaces.is_empty() {
        command.arg("--workspaces");
    }
    for workspace in workspaces {
        command.args(["--workspace", workspace]);
    }
    process::run_quietly(&mut command)
}

/// The lock file.
pub(crate) fn lock(root: &Path) -> Result<Value, Failure> {
    files::json(&root.join(LOCK))
}

/// The folders of the npm workspaces.
pub(crate) fn workspaces(root: &Path) -> Result<Vec<String>, Failure> {
    let package = files::json(&root.join("package.json"))?;
    let folders = package["workspaces"].as_array().into_iter().flatten();
    Ok(folders.filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The reason in npm's output: the first error that is not only a code.
fn reason(output: &str) -> String {
    let errors = output.lines().filter_map(|line| line.strip_prefix("npm error "));
    let mut reasons = errors.filter(|line| {
        let is_code = ["code ", "syscall ", "errno ", "path "]
            .iter()
            .any(|word| line.starts_with(word));
        !line.trim().is_empty() && !is_code
    });
    reasons.next().unwrap_or("npm gave no reason").to_owned()
}

#[cfg(test)]
mod tests;
