//! `cargo xtask image`: an OCI image from scratch with the release binary, put together by buildah. No base image is fetched,
//! and the same binary and libraries give the same image, byte for byte.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::{build, files, process};

/// The folder of the recipe and of the image's small files.
const RECIPE: &str = "ops/image";
/// The small files, and their paths in the image.
const SMALL_FILES: [(&str, &str); 3] = [
    ("passwd", "etc/passwd"),
    ("group", "etc/group"),
    ("nsswitch.conf", "etc/nsswitch.conf"),
];
/// The binary's place in the image.
pub(crate) const BINARY: &str = "usr/bin/cardform";
/// The only folder that belongs to the service's user.
const DATA: &str = "var/lib/cardform";
/// The root certificates for all calls of the service; Debian's package `ca-certificates`.
const ROOT_CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Every crate and package of this repository has this version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Below the target folder.
const FOLDER: &str = "image";

/// An image, as a folder in OCI's layout and as one file.
pub(crate) struct Image {
    pub(crate) layout: PathBuf,
    pub(crate) archive: PathBuf,
    /// Its name in registries: `sha256:…`.
    pub(crate) digest: String,
}

/// Makes the image of this binary, or else of a new release binary.
pub(crate) fn run(root: &Path, binary: Option<PathBuf>) -> Result<(), Failure> {
    // Checked before the build, which takes minutes.
    tools_are_there()?;
    let binary = binary.map_or_else(|| build::release(root), Ok)?;
    let image = make(root, &binary, &process::target_folder(root).join(FOLDER))?;
    println!("{}\n{}", image.archive.display(), image.digest);
    Ok(())
}

/// Fails if something that the image is made with is missing.
pub(crate) fn tools_are_there() -> Result<(), Failure> {
    if process::on_path("buildah").is_none() {
        let remedy = "on Debian `apt-get install buildah`; or lay the files out yourself as ops/image/Containerfile says";
        return Err(Failure::missing("buildah, which makes the image,", remedy));
    }
    if !Path::new(ROOT_CERTIFICATES).is_file() {
        return Err(Failure::missing(
            "the file of root certificates",
            "on Debian `apt-get install ca-certificates`",
        ));
    }
    Ok(())
}

/// Makes the image of this binary in `folder`, whose content is replaced.
pub(crate) fn make(root: &Path, binary: &Path, folder: &Path) -> Result<Image, Failure> {
    files::empty_folder(folder)?;
    lay_out(root, binary, &folder.join("context"))?;
    let layout = folder.join("layout");
    let mut buildah = Command::new("buildah");
    // A store of its own without layers of the file system: it works in a container, too, and leaves nothing behind.
    buildah.args(["--storage-driver", "vfs", "--root"]);
    buildah.arg(folder.join("store")).arg("--runroot");
    buildah.arg(folder.join("store-of-run"));
    buildah.args(["build", "--quiet", "--isolation", "chroot", "--timestamp", "0"]);
    buildah.args(["--identity-label=false", "--build-arg"]);
    buildah.arg(format!("VERSION={VERSION}")).arg("--file");
    buildah.arg(root.join(RECIPE).join("Containerfile")).arg("--tag");
    buildah.arg(format!("oci:{}:{VERSION}", layout.display()));
    process::run_quietly(buildah.arg(folder.join("context")))?;
    for left in ["store", "store-of-run", "context"] {
        let left = folder.join(left);
        // The image is complete without them.
        let _ = std::fs::remove_dir_all(left);
    }
    let archive = folder.join(format!("cardform-{VERSION}.tar"));
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    tar.args(["--mode=u=rwX,go=rX", "--directory"])
        .arg(&layout)
        .arg("--file");
    process::run_quietly(tar.arg(&archive).arg("."))?;
    let digest = files::json(&layout.join("index.json"))?["manifests"][0]["digest"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    Ok(Image {
        layout,
        archive,
        digest,
    })
}

impl Image {
    /// The image's own description: its user, its command, its labels.
    pub(crate) fn config(&self) -> Result<Value, Failure> {
        files::json(&self.blob(&self.manifest()?["config"]))
    }

    /// Unpacks the image's file system into `to`, as a container runtime does.
    pub(crate) fn unpack(&self, to: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(to).map_err(Failure::file(to))?;
        let manifest = self.manifest()?;
        for layer in manifest["layers"].as_array().into_iter().flatten() {
            let mut tar = Command::new("tar");
            tar.args(["--extract", "--same-owner", "--same-permissions", "--file"]);
            tar.arg(self.blob(layer)).arg("--directory").arg(to);
            process::run_quietly(&mut tar)?;
        }
        Ok(())
    }

    fn manifest(&self) -> Result<Value, Failure> {
        files::json(&self.blob(&files::json(&self.layout.join("index.json"))?["manifests"][0]))
    }

    fn blob(&self, descriptor: &Value) -> PathBuf {
        let digest = descriptor["digest"].as_str().unwrap_or_default();
        self.layout.join("blobs").join(digest.replace(':', "/"))
    }
}

/// Puts every file of the image into `context/files`, and the service's own folder into `context/data`.
fn lay_out(root: &Path, binary: &Path, context: &Path) -> Result<(), Failure> {
    let folder = context.join("files");
    let place = |from: &Path, to: &str, mode: &str| {
        let mut install = Command::new("install");
        install
            .args(["-D", "--mode", mode])
            .arg(from)
            .arg(folder.join(to));
        process::run(&mut install)
    };
    place(binary, BINARY, "755")?;
    for library in libraries(binary)? {
        place(&library, library.to_string_lossy().trim_start_matches('/'), "755")?;
    }
    place(Path::new(ROOT_CERTIFICATES), &ROOT_CERTIFICATES[1..], "644")?;
    for (name, to) in SMALL_FILES {
        place(&root.join(RECIPE).join(name), to, "644")?;
    }
    let parent = Path::new(DATA).parent().unwrap_or(Path::new("."));
    let own = Path::new("data").join(Path::new(DATA).file_name().unwrap_or_default());
    for (path, mode) in [(folder.join(parent), "755"), (context.join(own), "700")] {
        process::run(
            Command::new("install")
                .args(["--directory", "--mode", mode])
                .arg(path),
        )?;
    }
    // Whatever this user's umask is, the image's user can read all files and write none.
    process::run(
        Command::new("chmod")
            .args(["--recursive", "u=rwX,go=rX"])
            .arg(&folder),
    )
}

/// The shared libraries that the binary needs, with the loader. glibc itself looks up host names in files and by DNS, so it
/// loads nothing else later.
fn libraries(binary: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut ldd = Command::new("ldd");
    ldd.arg(binary);
    let output = process::capture(&mut ldd)?;
    process::expect_success(&ldd, output.status)?;
    named_libraries(&String::from_utf8_lossy(&output.stdout)).map_err(|library| {
        let problem = format!("it needs {library}, which is not on this machine");
        Failure::unusable(binary.display().to_string(), problem)
    })
}

/// The paths in the output of `ldd`, or the library that `ldd` did not find.
fn named_libraries(said: &str) -> Result<Vec<PathBuf>, &str> {
    let mut found = Vec::new();
    for line in said.lines().map(str::trim) {
        if let Some((library, "not found")) = line.split_once(" => ") {
            return Err(library);
        }
        let path = line.rsplit_once(" (").map_or(line, |(path, _address)| path);
        let path = path.split_once(" => ").map_or(path, |(_, path)| path);
        // The kernel's own library has no file.
        if path.starts_with('/') {
            found.push(PathBuf::from(path));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
