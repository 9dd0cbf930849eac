//! The package for Debian and its relatives, packed by `dpkg-deb`.

use std::path::Path;
use std::process::Command;

use super::archive::{Entry, TIME, read};
use super::target::TargetBinary;
use super::{LICENCES, VERSION};
use crate::failure::Failure;
use crate::process;

/// The scripts that dpkg runs.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Fails if `dpkg-deb` is missing.
pub(super) fn tool_is_there() -> Result<(), Failure> {
    process::on_path("dpkg-deb").map(drop).ok_or_else(|| {
        Failure::missing(
            "dpkg-deb, which packs the package for Debian,",
            "install the package `dpkg`",
        )
    })
}

/// Writes the package with this binary into `out`.
pub(super) fn package(root: &Path, binary: &TargetBinary, out: &Path) -> Result<(), Failure> {
    let name = format!("cardform_{VERSION}_{}", binary.target.debian);
    let tree = out.join(&name);
    std::fs::create_dir(&tree).map_err(Failure::file(&tree))?;
    for entry in entries(root, binary)? {
        entry.lay_out(&tree)?;
    }
    let mut dpkg = Command::new("dpkg-deb");
    // dpkg-deb sorts the files, and this time is an upper limit for those of the files.
    dpkg.env("SOURCE_DATE_EPOCH", TIME.to_string());
    dpkg.args(["--root-owner-group", "-Zgzip", "--build"]);
    process::run_quietly(dpkg.arg(&tree).arg(out.join(format!("{name}.deb"))))?;
    std::fs::remove_dir_all(&tree).map_err(Failure::file(&tree))
}

fn entries(root: &Path, binary: &TargetBinary) -> Result<Vec<Entry>, Failure> {
    let unit = root.join("ops/systemd/cardform.service");
    let unit = std::fs::read_to_string(&unit).map_err(Failure::file(unit))?;
    let mut entries = vec![
        Entry::file("DEBIAN/control", control(binary)),
        Entry::file("DEBIAN/conffiles", "/etc/cardform/cardform.toml\n"),
        // Keys are in it. The script `postinst` gives it to the service's group, which later files then get, too.
        Entry::with_mode("etc/cardform/", 0o2750, ""),
        Entry::with_mode(
            "etc/cardform/cardform.toml",
            0o640,
            read(&root.join("ops/cardform.toml"))?,
        ),
        Entry::program("usr/bin/cardform", binary.bytes.clone()),
        Entry::file(
            "usr/lib/systemd/system/cardform.service",
            unit.replace("/usr/local/bin/cardform", "/usr/bin/cardform"),
        ),
        Entry::file(
            "usr/lib/sysusers.d/cardform.conf",
            read(&root.join("ops/systemd/cardform.sysusers.conf"))?,
        ),
    ];
    for script in SCRIPTS {
        let path = format!("DEBIAN/{script}");
        entries.push(Entry::program(path, read(&root.join("ops/debian").join(script))?));
    }
    let mut copyright = b"Cardform: MIT or Apache-2.0, as you choose.\n".to_vec();
    for licence in LICENCES {
        copyright.extend(b"\n");
        copyright.extend(read(&root.join(licence))?);
    }
    entries.push(Entry::file("usr/share/doc/cardform/copyright", copyright));
    Ok(entries)
}

fn control(binary: &TargetBinary) -> String {
    let libc = (binary.glibc.as_ref()).map_or_else(String::new, |version| format!("libc6 (>= {version}), "));
    // A hyphen would begin Debian's own revision, and a tilde sorts before the final version.
    let version = VERSION.replace('-', "~");
    let kilobytes = binary.bytes.len().div_ceil(1024);
    format!(
        "Package: cardform\nVersion: {version}\nArchitecture: {}\nMaintainer: Cardform <cardform@example.invalid>\n\
         Installed-Size: {kilobytes}\nDepends: {libc}libgcc-s1, passwd\nRecommends: ca-certificates\nSection: net\n\
         Priority: optional\nDescription: card payment form that you host yourself\n \
         The form's page, the payment service and the merchant API in one program.\n",
        binary.target.debian
    )
}
