//! `cargo xtask release`: one folder with everything that is published, and the check of such a folder
//! (docs/releasing.md). The same binary, packages and commit give the same bytes, except for the signature.

mod archive;
mod chart;
#[path = "../../../crates/server/build/components.rs"]
mod components;
mod debian;
mod formula;
mod provenance;
mod sums;
mod target;

use std::path::{Path, PathBuf};

use archive::{Entry, read, tar_gz, write};
use provenance::Source;
use target::{Target, TargetBinary};

use crate::failure::Failure;
use crate::{files, image, npm, page, prerequisites, process};

/// Every crate and package of this repository has this version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Below this address users find `<version>/<file>`. The owner gives the real one with `--address`.
const PLACEHOLDER: &str = "https://releases.example/cardform";
/// The npm packages, below the folder of the built page. The service serves the same files.
const PACKAGES: &str = "sdk";
const PACKAGE_NAMES: [&str; 3] = ["cardform-js", "cardform-react", "cardform-testing"];
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The command line.
#[derive(clap::Args)]
pub(crate) struct ReleaseArguments {
    /// Build for this machine: `x86_64-unknown-linux-gnu` or `aarch64-unknown-linux-gnu`; can be repeated
    #[arg(long, value_parser = Target::named)]
    target: Vec<&'static Target>,
    /// Take this release binary instead of building one; can be repeated for a second kind of machine
    #[arg(long, value_name = "FILE")]
    binary: Vec<PathBuf>,
    /// Sign the sums with this secret key of minisign, which must have no password
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Write into this folder; a release in it is replaced [default: target/published/<version>]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Users find the folder at <URL>/<version>; the Homebrew formula has this address
    #[arg(long, value_name = "URL", default_value = PLACEHOLDER)]
    address: String,
    /// Check the release in this folder instead of making one
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["target", "binary", "key", "out", "address"])]
    verify: Option<PathBuf>,
    /// With `--verify`: the signature must be there and be made with this key of minisign
    #[arg(long, value_name = "FILE", requires = "verify")]
    public_key: Option<PathBuf>,
}

impl ReleaseArguments {
    /// A release of this binary in this folder, without a signature.
    pub(crate) fn of_binary(binary: &Path, out: &Path) -> Self {
        Self {
            target: Vec::new(),
            binary: vec![binary.to_owned()],
            key: None,
            out: Some(out.to_owned()),
            address: PLACEHOLDER.to_owned(),
            verify: None,
            public_key: None,
        }
    }
}

/// Makes a release, or checks one.
pub(crate) fn run(root: &Path, arguments: &ReleaseArguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.verify {
        let key = arguments
            .public_key
            .as_deref()
            .map(sums::public_key)
            .transpose()?;
        let count = sums::verify(folder, key.as_ref())?;
        if key.is_none() {
            eprintln!("the signature was not checked: give `--public-key`");
        }
        println!("{count} files are as they were published");
        return Ok(());
    }
    let target_folder = process::target_folder(root);
    let default = target_folder.join("published").join(VERSION);
    let out = arguments.out.clone().unwrap_or(default);
    // Everything that can be missing is missed before the build, which takes minutes.
    let key = arguments.key.as_deref().map(sums::secret_key).transpose()?;
    may_be_replaced(&out)?;
    image::tools_are_there()?;
    debian::tool_is_there()?;
    let source = Source::of(root)?;
    let binaries = binaries(root, arguments)?;
    prerequisites::for_building()?;
    npm::install(root)?;
    page::build_if_changed(root)?;
    let release = Release {
        root,
        binaries: &binaries,
        packages: &root.join(page::DIST).join(PACKAGES),
        source: &source,
        address: &arguments.address,
    };
    files::empty_folder(&out)?;
    release.write(&out)?;
    for binary in &binaries {
        images(root, binary, &target_folder, &out)?;
    }
    sums::write(&out, key.as_ref())?;
    if key.is_none() {
        eprintln!("the release is not signed: give `--key` (docs/releasing.md)");
    }
    if source.has_changes {
        eprintln!(
            "the release is not of a commit: there are uncommitted changes, and provenance.json says so"
        );
    }
    println!("{}", out.display());
    Ok(())
}

/// The given binaries, or else those that are built for the wanted targets.
fn binaries(root: &Path, arguments: &ReleaseArguments) -> Result<Vec<TargetBinary>, Failure> {
    let wanted = &arguments.target;
    let mut found: Vec<TargetBinary> = Vec::new();
    if arguments.binary.is_empty() {
        let wanted = if wanted.is_empty() {
            vec![Target::default()]
        } else {
            wanted.clone()
        };
        for target in &wanted {
            target.can_be_built(root)?;
        }
        for target in wanted {
            found.push(TargetBinary::read(&target.build(root)?)?);
        }
        return Ok(found);
    }
    for path in &arguments.binary {
        let binary = TargetBinary::read(path)?;
        if !wanted.is_empty() && !wanted.contains(&binary.target) {
            return Err(Failure::unusable(
                path.display().to_string(),
                format!("it is for {}, which no `--target` names", binary.target.triple),
            ));
        }
        if found.iter().any(|other| other.target == binary.target) {
            let problem = format!("there is another one for {}", binary.target.triple);
            return Err(Failure::unusable(path.display().to_string(), problem));
        }
        found.push(binary);
    }
    Ok(found)
}

/// Only an old release or an empty folder is replaced, so that a wrong `--out` costs no files.
fn may_be_replaced(out: &Path) -> Result<(), Failure> {
    let is_empty = match std::fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => true,
        Err(cause) => return Err(Failure::file(out)(cause)),
    };
    if is_empty || out.join(sums::FILE).is_file() {
        return Ok(());
    }
    let problem = "it has files and is no release; nothing was written";
    Err(Failure::unusable(out.display().to_string(), problem))
}

/// The image has the libraries of the machine on which it is made, so it is made only for machines of the same kind.
fn images(root: &Path, binary: &TargetBinary, target_folder: &Path, out: &Path) -> Result<(), Failure> {
    let target = binary.target;
    if target.machine != std::env::consts::ARCH {
        eprintln!("no image for {}: make it on such a machine", target.machine);
        return Ok(());
    }
    let image = image::make(root, &binary.path, &target_folder.join("image"))?;
    let to = out.join(format!("cardform-{VERSION}-{}-oci.tar", target.machine));
    std::fs::copy(&image.archive, &to).map_err(Failure::file(&to))?;
    Ok(())
}

/// The content of a release, except for the images and the sums.
struct Release<'a> {
    root: &'a Path,
    binaries: &'a [TargetBinary],
    /// The folder of the npm packages.
    packages: &'a Path,
    source: &'a Source,
    address: &'a str,
}

impl Release<'_> {
    /// Writes the files into this folder, which must be empty.
    fn write(&self, out: &Path) -> Result<(), Failure> {
        for binary in self.binaries {
            let name = tarball_name(binary.target);
            tar_gz(&out.join(format!("{name}.tar.gz")), &self.tarball(binary, &name)?)?;
            debian::package(self.root, binary, out)?;
        }
        write(
            &out.join("cardform.rb"),
            &formula::text(self.binaries, self.address, out)?,
        )?;
        let chart = chart::entries(self.root)?;
        tar_gz(&out.join(format!("cardform-chart-{VERSION}.tgz")), &chart)?;
        for name in PACKAGE_NAMES {
            let package = read(&self.packages.join(format!("{name}.tgz")))?;
            write(&out.join(format!("{name}-{VERSION}.tgz")), &package)?;
        }
        let lock = |name: &str| {
            let path = self.root.join(name);
            std::fs::read_to_string(&path).map_err(Failure::file(path))
        };
        let components = components::list(&lock("Cargo.lock")?, &lock("package-lock.json")?, VERSION);
        write(&out.join(format!("cardform-{VERSION}.cdx.json")), &components)?;
        for (name, path) in [
            ("install.sh", "ops/install.sh"),
            ("compose.yaml", "ops/compose/try.yaml"),
            ("compose-postgresql.yaml", "ops/compose/try-postgresql.yaml"),
        ] {
            write(&out.join(name), &read(&self.root.join(path))?)?;
        }
        let provenance = provenance::document(self.root, self.source, self.binaries)?;
        write(&out.join(provenance::FILE), &format!("{provenance:#}\n"))
    }

    fn tarball(&self, binary: &TargetBinary, folder: &str) -> Result<Vec<Entry>, Failure> {
        let mut entries = vec![Entry::program("cardform", binary.bytes.clone())];
        for licence in LICENCES {
            entries.push(Entry::file(licence, read(&self.root.join(licence))?));
        }
        entries.push(Entry::file("README.md", readme(binary)));
        for path in [
            "ops/cardform.toml",
            "ops/systemd/cardform.service",
            "ops/systemd/cardform.sysusers.conf",
        ] {
            entries.push(Entry::file(path, read(&self.root.join(path))?));
        }
        Ok(entries.into_iter().map(|entry| entry.below(folder)).collect())
    }
}

/// The tarball's name without its ending, and the only folder in it.
fn tarball_name(target: &Target) -> String {
    format!("cardform-{VERSION}-{}-linux", target.machine)
}

/// `ops/install.sh` shows the line that begins with `Needs` if the program does not start.
fn readme(binary: &TargetBinary) -> String {
    let glibc = binary.glibc.as_ref().map_or_else(
        || "no library of the system".to_owned(),
        |version| format!("glibc {version} or newer"),
    );
    let machine = binary.target.machine;
    format!(
        "# Cardform {VERSION}\n\nA card payment form that you host yourself.\n\n\
         Needs Linux on {machine} and {glibc}.\n\n\
         Copy `cardform` to a folder of your PATH. Next, in an empty folder:\n\n    \
         cardform init && cardform serve\n\n\
         This is test mode: no real money moves. `ops/` has the settings and the unit of a server. The running service has\n\
         the documentation, at `/docs`.\n"
    )
}

#[cfg(test)]
mod tests;
