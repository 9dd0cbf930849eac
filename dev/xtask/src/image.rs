//! `cargo xtask image`: an OCI image from scratch with the release binary, put together by buildah. No base image is fetched,
//! and the same binary and libraries give the same image, byte for byte.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;
use crate::metadata::metadata;
use crate::{build, process};

/// Where the recipe is, and the small files of the image.
const RECIPE: &str = "ops/image";
/// The files of the recipe's folder that go into the image, and where to.
const SMALL_FILES: [(&str, &str); 3] = [
    ("passwd", "etc/passwd"),
    ("group", "etc/group"),
    ("nsswitch.conf", "etc/nsswitch.conf"),
];
/// The binary's place in the image.
pub(crate) const BINARY: &str = "usr/bin/cardform";
/// The only folder that is the service's own.
const DATA: &str = "var/lib/cardform";
/// Whom calls to providers, merchants' webhooks and the features document believe; Debian's package `ca-certificates`.
const ROOT_CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Below the target folder.
const FOLDER: &str = "image";

/// An image, as a folder in OCI's layout and as one file.
pub(crate) struct Image {
    pub(crate) layout: PathBuf,
    pub(crate) archive: PathBuf,
    /// What registries know it by: `sha256:…`.
    pub(crate) digest: String,
}

/// Builds the release binary, or takes the named one, and makes the image.
pub(crate) fn run(root: &Path, arguments: &[OsString]) -> Result<(), Failure> {
    let named = match arguments {
        [] => None,
        [flag, binary] if flag == "--binary" => Some(PathBuf::from(binary)),
        _ => {
            return Err(Failure::Usage(
                "`image` takes nothing, or `--binary FILE` with a release binary".to_owned(),
            ));
        }
    };
    // Before a build of minutes.
    tools_are_there()?;
    let binary = named.map_or_else(|| build::release(root), Ok)?;
    let image = make(root, &binary, &process::target_folder(root).join(FOLDER))?;
    println!("{}\n{}", image.archive.display(), image.digest);
    Ok(())
}

fn tools_are_there() -> Result<(), Failure> {
    let missing = |what, remedy: &str| Failure::Missing {
        what,
        remedy: remedy.to_owned(),
    };
    if process::on_path("buildah").is_none() {
        let remedy = "on Debian `apt-get install buildah`; or lay the files out yourself as ops/image/Containerfile says";
        return Err(missing("buildah, which makes the image,", remedy));
    }
    if !Path::new(ROOT_CERTIFICATES).is_file() {
        return Err(missing(
            "the file of root certificates",
            "on Debian `apt-get install ca-certificates`",
        ));
    }
    Ok(())
}

/// Makes the image of this binary in `folder`, whose content is replaced.
pub(crate) fn make(root: &Path, binary: &Path, folder: &Path) -> Result<Image, Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(Failure::file(folder))?;
    }
    lay_out(root, binary, &folder.join("context"))?;
    let version = version(root)?;
    let layout = folder.join("layout");
    let mut buildah = Command::new("buildah");
    // A store of its own without layers of the file system: it works in a container, too, and leaves nothing behind.
    buildah.args(["--storage-driver", "vfs", "--root"]);
    buildah.arg(folder.join("store")).arg("--runroot");
    buildah.arg(folder.join("store-of-run"));
    buildah.args(["build", "--quiet", "--isolation", "chroot", "--timestamp", "0"]);
    buildah.args(["--identity-label=false", "--build-arg"]);
    buildah.arg(format!("VERSION={version}")).arg("--file");
    buildah.arg(root.join(RECIPE).join("Containerfile")).arg("--tag");
    buildah.arg(format!("oci:{}:{version}", layout.display()));
    process::run_quietly(buildah.arg(folder.join("context")))?;
    for left in ["store", "store-of-run", "context"] {
        let left = folder.join(left);
        // They are only in the way; the image is made.
        let _ = std::fs::remove_dir_all(left);
    }
    let archive = folder.join(format!("cardform-{version}.tar"));
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
    let digest = index(&layout)?["manifests"][0]["digest"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    Ok(Image {
        layout,
        archive,
        digest,
    })
}

fn version(root: &Path) -> Result<String, Failure> {
    let said = metadata(root, &["--no-deps"])?;
    let server = said["packages"].as_array().into_iter().flatten();
    let version = server
        .filter(|package| package["name"] == "server")
        .find_map(|package| package["version"].as_str());
    version.map(str::to_owned).ok_or_else(|| Failure::Unusable {
        what: "cargo metadata".to_owned(),
        problem: "it names no version of the server".to_owned(),
    })
}

fn index(layout: &Path) -> Result<Value, Failure> {
    json(&layout.join("index.json"))
}

impl Image {
    /// What the image says of itself: its user, what it starts, its labels.
    pub(crate) fn config(&self) -> Result<Value, Failure> {
        json(&self.blob(&self.manifest()?["config"]))
    }

    /// Unpacks the image's file system into `to`, as whoever runs it does.
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
        json(&self.blob(&index(&self.layout)?["manifests"][0]))
    }

    fn blob(&self, descriptor: &Value) -> PathBuf {
        let digest = descriptor["digest"].as_str().unwrap_or_default();
        self.layout.join("blobs").join(digest.replace(':', "/"))
    }
}

fn json(path: &Path) -> Result<Value, Failure> {
    let text = std::fs::read(path).map_err(Failure::file(path))?;
    serde_json::from_slice(&text).map_err(|cause| Failure::Unusable {
        what: path.display().to_string(),
        problem: cause.to_string(),
    })
}

/// Puts every file of the image where it will be, readable by everybody and writable by nobody but root.
fn lay_out(root: &Path, binary: &Path, context: &Path) -> Result<(), Failure> {
    let files = context.join("files");
    let place = |from: &Path, to: &str, mode: u32| -> Result<(), Failure> {
        let to = files.join(to);
        let folder = to.parent().unwrap_or(&files);
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        std::fs::copy(from, &to).map_err(Failure::file(from))?;
        std::fs::set_permissions(&to, Permissions::from_mode(mode)).map_err(Failure::file(&to))
    };
    place(binary, BINARY, 0o755)?;
    for library in libraries(binary)? {
        let to = library.strip_prefix("/").unwrap_or(&library);
        place(&library, &to.to_string_lossy(), 0o755)?;
    }
    place(Path::new(ROOT_CERTIFICATES), &ROOT_CERTIFICATES[1..], 0o644)?;
    for (name, to) in SMALL_FILES {
        place(&root.join(RECIPE).join(name), to, 0o644)?;
    }
    let above_data = files.join(DATA).with_file_name("");
    let data = context
        .join("data")
        .join(Path::new(DATA).file_name().unwrap_or_default());
    for folder in [&above_data, &data] {
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    }
    for folder in folders(&files)? {
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).map_err(Failure::file(&folder))?;
    }
    std::fs::set_permissions(&data, Permissions::from_mode(0o700)).map_err(Failure::file(&data))
}

/// `top` and every folder below it.
fn folders(top: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = vec![top.to_owned()];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        for entry in std::fs::read_dir(&folder).map_err(Failure::file(&folder))? {
            let path = entry.map_err(Failure::file(&folder))?.path();
            if path.is_dir() {
                found.push(path);
            }
        }
        next += 1;
    }
    Ok(found)
}

/// The shared libraries that the binary needs, with the loader. glibc has files and DNS for host names in itself, so
/// that nothing else is loaded later.
fn libraries(binary: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut ldd = Command::new("ldd");
    ldd.arg(binary);
    let output = process::capture(&mut ldd)?;
    process::expect_success(&ldd, output.status)?;
    named_libraries(&String::from_utf8_lossy(&output.stdout)).map_err(|library| Failure::Unusable {
        what: binary.display().to_string(),
        problem: format!("it needs {library}, which is not on this machine"),
    })
}

/// The paths in what `ldd` said, or the library that it did not find.
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
mod tests {
    use super::*;

    #[test]
    fn every_library_with_a_file_is_copied() {
        let said = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let found = named_libraries(said).unwrap();
        assert_eq!(
            found,
            [
                PathBuf::from("/lib/x86_64-linux-gnu/libm.so.6"),
                PathBuf::from("/lib64/ld-linux-x86-64.so.2")
            ]
        );
    }

    #[test]
    fn a_library_that_is_not_there_stops_the_image() {
        assert_eq!(named_libraries("\tlibm.so.6 => not found\n"), Err("libm.so.6"));
    }

    #[test]
    fn a_static_binary_needs_no_library() {
        assert!(named_libraries("\tstatically linked\n").unwrap().is_empty());
    }
}
