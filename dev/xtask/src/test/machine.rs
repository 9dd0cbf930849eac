//! The programs that the tests need. As root on Debian they are installed; otherwise the error names them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::failure::Failure;
use crate::process;

/// Names under which Chromium is installed.
const CHROMIUM: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// Chromium without tabs and windows, which needs half of the processor time for the same tests. If it is missing and cannot be
/// installed, the tests use the whole Chromium.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// Packages of fonts, each with one of its languages. If that language can be drawn, the package is installed. Without the fonts
/// a browser draws boxes, which have another width.
const FONTS: [(&str, &str); 2] = [("fonts-noto-core", ":lang=th"), ("fonts-noto-cjk", ":lang=ja")];

/// Names under which Firefox is installed.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Firefox's driver, a package of cargo, because Debian has none. It is built without optimisation, because it only forwards
/// messages. The build takes two minutes on two idle cores.
const GECKODRIVER: (&str, &str) = ("geckodriver", "0.37.1");

/// Every browser and its driver, installed first where that is allowed: the variables that tell the browser tests their paths.
pub(crate) fn browsers_installed(root: &Path) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let missing = missing_packages()?;
    if !missing.is_empty() {
        install(&missing)?;
    }
    if headless_shell().is_none() && may_install() {
        // An older Debian has no such package.
        let _ = install(&[HEADLESS_SHELL]);
    }
    let there = |program: Option<PathBuf>, package| program.ok_or_else(|| not_there(&[package]));
    let mut paths = vec![
        ("CHROMIUM", there(chromium(), "chromium")?),
        ("FIREFOX", there(firefox(), "firefox-esr")?),
        ("WEBKIT_DRIVER", there(webkit_driver(), "webkit2gtk-driver")?),
        ("GECKODRIVER", geckodriver(root)?),
    ];
    paths.extend(headless_shell().map(|shell| ("CHROMIUM_HEADLESS_SHELL", shell)));
    Ok(paths)
}

/// The path of Chromium, installed first where that is allowed.
pub(crate) fn installed_chromium() -> Result<PathBuf, Failure> {
    if chromium().is_none() {
        install(&["chromium"])?;
    }
    chromium().ok_or_else(|| not_there(&["chromium"]))
}

/// Installs nginx if it is missing.
pub(crate) fn yardsticks_installed() -> Result<(), Failure> {
    installed(&[("nginx", "nginx-light")])
}

/// Installs the programs of a PostgreSQL cluster that are missing.
pub(crate) fn cluster_installed() -> Result<(), Failure> {
    installed(&[
        ("/usr/sbin/haproxy", "haproxy"),
        ("/usr/bin/patroni", "patroni"),
        ("/usr/bin/etcd", "etcd-server"),
        ("/usr/bin/openssl", "openssl"),
    ])
}

/// Installs the library that changes a process's clock and the program that formats a disk, if they are missing.
pub(crate) fn faults_installed() -> Result<(), Failure> {
    let faketime = format!(
        "/usr/lib/{}-linux-gnu/faketime/libfaketime.so.1",
        std::env::consts::ARCH
    );
    installed(&[
        (faketime.as_str(), "libfaketime"),
        ("/sbin/mkfs.ext4", "e2fsprogs"),
    ])
}

/// Installs the programs that are missing, each from its Debian package. A program is a name that the shell finds, or the path of
/// a file, because some users do not have the folders of servers on their path.
pub(super) fn installed(programs: &[(&str, &'static str)]) -> Result<(), Failure> {
    let is_missing = |program: &str| {
        let is_file = program.starts_with('/') && Path::new(program).is_file();
        !is_file && process::on_path(program).is_none()
    };
    let missing = programs.iter().filter(|(program, _)| is_missing(program));
    let missing: Vec<_> = missing.map(|(_, package)| *package).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        install(&missing)
    }
}

/// The program that the variable names, or the one that the shell finds.
fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let given = process::environment(variable).map(PathBuf::from);
    given.or_else(|| names.iter().find_map(|name| process::on_path(name)))
}

fn chromium() -> Option<PathBuf> {
    program("CHROMIUM", &CHROMIUM)
}

fn headless_shell() -> Option<PathBuf> {
    program("CHROMIUM_HEADLESS_SHELL", &[HEADLESS_SHELL])
}

fn firefox() -> Option<PathBuf> {
    program("FIREFOX", &FIREFOX)
}

fn webkit_driver() -> Option<PathBuf> {
    program("WEBKIT_DRIVER", &["WebKitWebDriver"])
}

/// Firefox's driver. If it is missing, cargo builds it, once for all checkouts of this user.
fn geckodriver(root: &Path) -> Result<PathBuf, Failure> {
    let (name, version) = GECKODRIVER;
    if let Some(found) = program("GECKODRIVER", &[name]) {
        return Ok(found);
    }
    let cache = process::environment("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::home_dir().unwrap_or_default().join(".cache");
    let folder = cache
        .unwrap_or_else(home)
        .join(format!("cardform/{name}-{version}"));
    let built = folder.join("bin").join(name);
    if !built.is_file() {
        eprintln!("building {name} {version}");
        let mut command = process::cargo(root);
        command.args([
            "install",
            name,
            "--version",
            version,
            "--locked",
            "--debug",
            "--root",
        ]);
        process::run(command.arg(&folder).env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
    }
    Ok(built)
}

/// The Debian packages of missing programs and fonts.
fn missing_packages() -> Result<Vec<&'static str>, Failure> {
    let mut missing = Vec::new();
    for (is_there, package) in [
        (chromium().is_some(), "chromium"),
        (firefox().is_some(), "firefox-esr"),
        (webkit_driver().is_some(), "webkit2gtk-driver"),
        // WebKit's browser needs a screen; this is a virtual one.
        (process::on_path("Xvfb").is_some(), "xvfb"),
        // The quick start and other pages of the documentation have commands with it.
        (process::on_path("curl").is_some(), "curl"),
        // The browser tests make a certificate.
        (process::on_path("openssl").is_some(), "openssl"),
    ] {
        if !is_there {
            missing.push(package);
        }
    }
    for (package, language) in FONTS {
        if !can_draw(language)? {
            missing.push(package);
        }
    }
    Ok(missing)
}

fn can_draw(language: &str) -> Result<bool, Failure> {
    if process::on_path("fc-list").is_none() {
        return Ok(false);
    }
    let fonts = process::capture(Command::new("fc-list").args([language, "family"]))?;
    Ok(!fonts.stdout.is_empty())
}

/// One thread at a time installs packages.
static INSTALLING: Mutex<()> = Mutex::new(());

pub(super) fn install(packages: &[&'static str]) -> Result<(), Failure> {
    let _held = INSTALLING.lock();
    if !may_install() {
        return Err(not_there(packages));
    }
    eprintln!("installing {}", packages.join(", "));
    process::run(&mut apt_get(&["update"]))?;
    process::run(apt_get(&["install", "-y", "--no-install-recommends"]).args(packages))
}

/// As root on Debian.
pub(super) fn may_install() -> bool {
    Path::new("/etc/debian_version").exists()
        && process::on_path("apt-get").is_some()
        && rustix::process::geteuid().is_root()
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command
        .args(["-o", "Dpkg::Options::=--force-confold"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
}

pub(super) fn not_there(packages: &[&str]) -> Failure {
    let remedy = format!("on Debian `apt-get install {}`", packages.join(" "));
    Failure::missing("a program of the tests", remedy)
}
