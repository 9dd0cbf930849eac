//! What the browser tests need of the machine, installed where it may be (as root on Debian) and named where not.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process;

/// Names under which Chromium is installed.
const CHROMIUM: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// A language whose letters are in few fonts: where it can be drawn, the others can, too.
const FONT_PROBE: &str = ":lang=th";

/// The path of Chromium, installed first where it may be.
pub(super) fn browser() -> Result<PathBuf, Failure> {
    let missing = missing_packages()?;
    if !missing.is_empty() {
        install(&missing)?;
    }
    chromium().ok_or_else(|| not_there(&["chromium"]))
}

/// Chromium where the environment says it is, or where the shell finds it.
fn chromium() -> Option<PathBuf> {
    let named = process::environment("CHROMIUM").map(PathBuf::from);
    named.or_else(|| CHROMIUM.iter().find_map(|name| process::on_path(name)))
}

/// The Debian packages of what is not there.
fn missing_packages() -> Result<Vec<&'static str>, Failure> {
    let mut missing = Vec::new();
    if chromium().is_none() {
        missing.push("chromium");
    }
    if !can_draw_every_script()? {
        missing.push("fonts-noto-core");
    }
    Ok(missing)
}

fn can_draw_every_script() -> Result<bool, Failure> {
    if process::on_path("fc-list").is_none() {
        return Ok(false);
    }
    let fonts = process::capture(Command::new("fc-list").args([FONT_PROBE, "family"]))?;
    Ok(!fonts.stdout.is_empty())
}

fn install(packages: &[&'static str]) -> Result<(), Failure> {
    let may_install = Path::new("/etc/debian_version").exists()
        && process::on_path("apt-get").is_some()
        && rustix::process::geteuid().is_root();
    if !may_install {
        return Err(not_there(packages));
    }
    eprintln!("installing {}", packages.join(", "));
    process::run(&mut apt_get(&["update"]))?;
    let mut command = apt_get(&["install", "-y", "--no-install-recommends"]);
    process::run(command.args(packages))
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn not_there(packages: &[&str]) -> Failure {
    Failure::Missing {
        what: "what the browser tests need",
        remedy: format!("on Debian `apt-get install {}`", packages.join(" ")),
    }
}
