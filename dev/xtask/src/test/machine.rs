//! The programs that the tests need, installed automatically as root on Debian, otherwise named in the error.

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

/// The name of Chromium without what is around a page, which does the same tests with half of the work. Where it is
/// neither there nor may be installed, the tests take the whole Chromium.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// Fonts by the package that has them, each with a language by which to tell: where it can be drawn, the others of the
/// package can, too. Without them a text of the page is as wide as boxes are.
const FONTS: [(&str, &str); 2] = [("fonts-noto-core", ":lang=th"), ("fonts-noto-cjk", ":lang=ja")];

/// Names under which Firefox is installed.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Firefox's driver is in no Debian package; it is a package of cargo's. Built without optimisation: it only passes
/// messages on, and takes two minutes on two idle cores.
const GECKODRIVER: (&str, &str) = ("geckodriver", "0.37.1");

/// The programs that the browser tests start.
pub(crate) struct Browsers {
    chromium: PathBuf,
    headless_shell: Option<PathBuf>,
    firefox: PathBuf,
    geckodriver: PathBuf,
    webkit_driver: PathBuf,
}

impl Browsers {
    /// Every browser and its driver, installed first where it may be.
    pub(crate) fn installed(root: &Path) -> Result<Self, Failure> {
        let missing = missing_packages()?;
        if !missing.is_empty() {
            install(&missing)?;
        }
        if headless_shell().is_none() && may_install() {
            // An older Debian has no such package.
            let _ = install(&[HEADLESS_SHELL]);
        }
        Ok(Self {
            chromium: chromium().ok_or_else(|| not_there(&["chromium"]))?,
            headless_shell: headless_shell(),
            firefox: firefox().ok_or_else(|| not_there(&["firefox-esr"]))?,
            webkit_driver: webkit_driver().ok_or_else(|| not_there(&["webkit2gtk-driver"]))?,
            geckodriver: geckodriver(root)?,
        })
    }

    /// Tells the tests where the programs are.
    pub(crate) fn tell(&self, command: &mut Command) {
        command.env("CHROMIUM", &self.chromium);
        if let Some(shell) = &self.headless_shell {
            command.env("CHROMIUM_HEADLESS_SHELL", shell);
        }
        command.env("FIREFOX", &self.firefox);
        command.env("GECKODRIVER", &self.geckodriver);
        command.env("WEBKIT_DRIVER", &self.webkit_driver);
    }
}

/// The path of Chromium, installed first where it may be, for what needs no other browser.
pub(crate) fn installed_chromium() -> Result<PathBuf, Failure> {
    if chromium().is_none() {
        install(&["chromium"])?;
    }
    chromium().ok_or_else(|| not_there(&["chromium"]))
}

/// nginx, installed first where it may be.
pub(crate) fn yardsticks_installed() -> Result<(), Failure> {
    installed(&[("nginx", "nginx-light")])
}

/// What a cluster of PostgreSQL needs, installed first where it may be.
pub(crate) fn cluster_installed() -> Result<(), Failure> {
    installed(&[
        ("/usr/sbin/haproxy", "haproxy"),
        ("/usr/bin/patroni", "patroni"),
        ("/usr/bin/etcd", "etcd-server"),
        ("/usr/bin/openssl", "openssl"),
    ])
}

/// What gives a process another time, and a database a disk of its own, installed first where they may be.
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

/// These programs are there, each with its Debian package, installed first where they may be. A program has a name that the
/// shell finds, or a file: not every user has the folders of servers on the path.
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

/// A program where the environment says it is, or where the shell finds it.
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

/// Firefox's driver, built by cargo where there is none, once for all checkouts of this user.
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

/// The Debian packages of what is not there.
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
    Failure::Missing {
        what: "what the tests need",
        remedy: format!("on Debian `apt-get install {}`", packages.join(" ")),
    }
}
