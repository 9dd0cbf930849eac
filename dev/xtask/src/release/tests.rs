use std::collections::BTreeMap;
use std::io::Read;
use std::process::Command;

use flate2::read::GzDecoder;
use minisign::{KeyPair, SecretKey};
use tempfile::TempDir;
use yaml_rust2::YamlLoader;

use super::*;

mod installer;

/// A small program for this machine.
const PROGRAM: &str = "/bin/true";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Writes a release of these binaries, without images, into a new folder.
fn release_of(binaries: &[TargetBinary], key: Option<&SecretKey>) -> TempDir {
    let packages = tempfile::tempdir().unwrap();
    for name in PACKAGE_NAMES {
        write(&packages.path().join(format!("{name}.tgz")), name).unwrap();
    }
    let source = Source {
        commit: COMMIT.to_owned(),
        has_changes: false,
        rustc: "rustc 1.2.3".to_owned(),
    };
    let release = Release {
        root: &crate::root(),
        binaries,
        packages: packages.path(),
        source: &source,
        address: PLACEHOLDER,
    };
    let out = tempfile::tempdir().unwrap();
    release.write(out.path()).unwrap();
    sums::write(out.path(), key).unwrap();
    out
}

fn release(key: Option<&SecretKey>) -> TempDir {
    release_of(&[program()], key)
}

fn program() -> TargetBinary {
    TargetBinary::read(Path::new(PROGRAM)).unwrap()
}

/// A file whose header says that it is for this kind of machine.
fn program_for(machine: u16, folder: &Path) -> PathBuf {
    let mut bytes = read(Path::new(PROGRAM)).unwrap();
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    let path = folder.join("program");
    write(&path, &bytes).unwrap();
    path
}

fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, read(&path).unwrap())
        })
        .collect()
}

/// The files of an archive: name, permissions, time, text.
fn unpacked(archive: impl Read) -> Vec<(String, u32, u64, String)> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
        let path = entry.path().unwrap().display().to_string();
        let text = String::from_utf8_lossy(&content).into_owned();
        (path, header.mode().unwrap(), header.mtime().unwrap(), text)
    });
    entries.collect()
}

fn unpacked_gz(folder: &Path, name: &str) -> Vec<(String, u32, u64, String)> {
    unpacked(GzDecoder::new(std::fs::File::open(folder.join(name)).unwrap()))
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
    let text = result.unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn the_same_input_twice_gives_the_same_files() {
    let (one, other) = (release(None), release(None));
    let files = files_of(one.path());
    assert_eq!(files, files_of(other.path()));
    let names: Vec<_> = files.keys().map(|name| name.replace(VERSION, "V")).collect();
    assert_eq!(
        names,
        [
            "SHA256SUMS",
            "cardform-V-x86_64-linux.tar.gz",
            "cardform-V.cdx.json",
            "cardform-chart-V.tgz",
            "cardform-js-V.tgz",
            "cardform-react-V.tgz",
            "cardform-testing-V.tgz",
            "cardform.rb",
            "cardform_V_amd64.deb",
            "compose-postgresql.yaml",
            "compose.yaml",
            "install.sh",
            "provenance.json",
        ]
    );
    assert_eq!(sums::verify(one.path(), None).unwrap(), names.len() - 1);
}

#[test]
fn one_changed_byte_is_refused_and_its_file_is_named() {
    let keys = KeyPair::generate_unencrypted_keypair().unwrap();
    let folder = release(Some(&keys.sk));
    let verified = || sums::verify(folder.path(), Some(&keys.pk));
    let count = verified().unwrap();
    for (name, content) in files_of(folder.path()) {
        let path = folder.path().join(&name);
        let mut changed = content.clone();
        // In the second half: the first line of a signature is a comment that is not signed.
        let place = changed.len() / 2;
        changed[place] ^= 1;
        write(&path, &changed).unwrap();
        let expected = match name.as_str() {
            sums::FILE | sums::SIGNATURE => {
                "SHA256SUMS.minisig: it is not this key's signature of SHA256SUMS".to_owned()
            }
            _ => format!("{name}: it differs from its sum in SHA256SUMS"),
        };
        assert_eq!(refusal(verified()), expected);
        if name == sums::FILE {
            assert!(sums::verify(folder.path(), None).is_err());
        }
        write(&path, &content).unwrap();
    }
    assert_eq!(verified().unwrap(), count);
}

#[test]
fn a_file_too_many_or_too_few_is_refused() {
    let folder = release(None);
    let verified = || sums::verify(folder.path(), None);
    write(&folder.path().join("more.txt"), "more").unwrap();
    assert_eq!(refusal(verified()), "more.txt: SHA256SUMS does not name it");
    std::fs::remove_file(folder.path().join("more.txt")).unwrap();
    std::fs::create_dir(folder.path().join("more")).unwrap();
    assert_eq!(
        refusal(verified()),
        "more: it is no file, and a release has only files"
    );
    std::fs::remove_dir(folder.path().join("more")).unwrap();
    verified().unwrap();
    std::fs::remove_file(folder.path().join("cardform.rb")).unwrap();
    assert_eq!(
        refusal(verified()),
        "cardform.rb: SHA256SUMS names it, and it is missing"
    );
    std::fs::remove_file(folder.path().join(sums::FILE)).unwrap();
    assert!(refusal(verified()).contains("SHA256SUMS: No such file"));
}

#[test]
fn a_public_key_wants_its_own_signature() {
    let [keys, others] = [(); 2].map(|()| KeyPair::generate_unencrypted_keypair().unwrap());
    let unsigned = release(None);
    assert_eq!(
        refusal(sums::verify(unsigned.path(), Some(&keys.pk))),
        "SHA256SUMS.minisig: it is missing: the release is not signed"
    );
    sums::write(unsigned.path(), Some(&others.sk)).unwrap();
    assert_eq!(
        refusal(sums::verify(unsigned.path(), Some(&keys.pk))),
        "SHA256SUMS.minisig: it is not this key's signature of SHA256SUMS"
    );
}

#[test]
fn keys_are_read_as_the_program_minisign_writes_them() {
    let dir = tempfile::tempdir().unwrap();
    let keys = KeyPair::generate_unencrypted_keypair().unwrap();
    let path = dir.path().join("key");
    let text = |bytes: &[u8]| {
        use base64::Engine as _;
        let line = base64::engine::general_purpose::STANDARD.encode(bytes);
        format!("untrusted comment: a secret key\n{line}\n")
    };
    let mut bytes = keys.sk.to_bytes();
    // The program leaves the checksum empty.
    let end = bytes.len();
    bytes[end - 32..].fill(0);
    write(&path, &text(&bytes)).unwrap();
    let signed = release(Some(&sums::secret_key(&path).unwrap()));
    sums::verify(signed.path(), Some(&keys.pk)).unwrap();

    // Encrypted with a password.
    bytes[2..4].copy_from_slice(b"Sc");
    for text in [text(&bytes), "no key".to_owned()] {
        write(&path, &text).unwrap();
        let said = refusal(sums::secret_key(&path).map(drop));
        assert!(said.ends_with("it is no secret key of minisign without a password (`minisign -G -W`)"));
    }
    let said = refusal(sums::public_key(&path).map(drop));
    assert!(said.ends_with("it is no public key of minisign"), "{said}");
}

#[test]
fn a_release_without_its_commit_is_refused() {
    let folder = release(None);
    let path = folder.path().join(provenance::FILE);
    let text = String::from_utf8(read(&path).unwrap()).unwrap();
    write(&path, &text.replace(COMMIT, "main")).unwrap();
    sums::write(folder.path(), None).unwrap();
    assert_eq!(
        refusal(sums::verify(folder.path(), None)),
        "provenance.json: `commit` is not 40 hexadecimal digits"
    );
}

#[test]
fn the_provenance_names_the_source_and_the_needed_glibc() {
    let folder = release(None);
    let document = files::json(&folder.path().join(provenance::FILE)).unwrap();
    assert_eq!(document["commit"], COMMIT);
    assert_eq!(document["rustc"], "rustc 1.2.3");
    assert_eq!(document["uncommitted_changes"], false);
    let binary = &document["binaries"][0];
    assert_eq!(binary["target"], "x86_64-unknown-linux-gnu");
    assert!(binary["glibc"].as_str().unwrap().starts_with("2."), "{document}");
    let lock = read(&crate::root().join("Cargo.lock")).unwrap();
    assert_eq!(document["sha256_of_lock_files"]["Cargo.lock"], sums::of(&lock));
}

#[test]
fn the_tarball_has_the_program_and_what_a_server_needs() {
    let folder = release(None);
    let name = tarball_name(Target::default());
    let found = unpacked_gz(folder.path(), &format!("{name}.tar.gz"));
    let listed: Vec<_> = found
        .iter()
        .map(|(path, mode, time, _)| {
            assert_eq!(*time, archive::TIME);
            (path.strip_prefix(&format!("{name}/")).unwrap(), *mode)
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("cardform", 0o755),
            ("LICENSE-APACHE", 0o644),
            ("LICENSE-MIT", 0o644),
            ("README.md", 0o644),
            ("ops/cardform.toml", 0o644),
            ("ops/systemd/cardform.service", 0o644),
            ("ops/systemd/cardform.sysusers.conf", 0o644),
        ]
    );
    let (_, _, _, readme) = &found[3];
    let needs = format!(
        "\nNeeds Linux on x86_64 and glibc {} or newer.\n",
        program().glibc.unwrap()
    );
    assert!(
        readme.contains(&needs) && readme.contains("cardform init && cardform serve"),
        "{readme}"
    );
}

#[test]
fn the_debian_package_has_unit_user_and_settings() {
    let folder = release(None);
    let package = folder.path().join(format!("cardform_{VERSION}_amd64.deb"));
    let asked = |arguments: &[&str]| {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg(arguments[0]).arg(&package).args(&arguments[1..]);
        process::capture(&mut dpkg).unwrap().stdout
    };
    let depends = String::from_utf8(asked(&["--field", "Depends"])).unwrap();
    assert_eq!(
        depends.trim(),
        format!("libc6 (>= {}), libgcc-s1, passwd", program().glibc.unwrap())
    );
    let files = unpacked(asked(&["--fsys-tarfile"]).as_slice());
    let of = |wanted: &str| {
        let found = files.iter().find(|(path, ..)| path == wanted);
        found.unwrap_or_else(|| panic!("{wanted} is not among {files:?}"))
    };
    for (path, mode) in [
        ("./etc/cardform/", 0o2750),
        ("./etc/cardform/cardform.toml", 0o640),
        ("./usr/bin/cardform", 0o755),
        ("./usr/lib/sysusers.d/cardform.conf", 0o644),
        ("./usr/share/doc/cardform/copyright", 0o644),
    ] {
        assert_eq!((of(path).1, of(path).2), (mode, archive::TIME), "{path}");
    }
    let (_, _, _, unit) = of("./usr/lib/systemd/system/cardform.service");
    assert!(unit.contains("\nExecStart=/usr/bin/cardform serve --config /etc/cardform/cardform.toml"));
    assert!(unit.contains("\nProtectSystem=strict\n"), "{unit}");
    assert!(unit.contains("\nStartLimitIntervalSec=0\n"), "{unit}");
}

#[test]
fn the_chart_with_its_defaults_is_the_manifests() {
    let folder = release(None);
    let name = format!("cardform-chart-{VERSION}.tgz");
    let files: BTreeMap<_, _> = unpacked_gz(folder.path(), &name)
        .into_iter()
        .map(|(path, _, _, text)| (path, text))
        .collect();
    let yaml = |text: &str| YamlLoader::load_from_str(text).unwrap().remove(0);
    let chart = yaml(&files["cardform/Chart.yaml"]);
    assert_eq!(chart["version"].as_str(), Some(VERSION));
    let values = yaml(&files["cardform/values.yaml"]);
    let mut used = 0;
    for (path, text) in &files {
        let Some(name) = path.strip_prefix("cardform/templates/") else {
            continue;
        };
        let mut rendered = text.replace("{{ .Chart.AppVersion }}", chart["appVersion"].as_str().unwrap());
        for (key, value) in values.as_hash().unwrap() {
            let value = value
                .as_str()
                .map_or_else(|| value.as_i64().unwrap().to_string(), str::to_owned);
            let place = format!("{{{{ .Values.{} }}}}", key.as_str().unwrap());
            used += rendered.matches(&place).count();
            rendered = rendered.replace(&place, &value);
        }
        assert!(!rendered.contains("{{"), "{name}: {rendered}");
        yaml(&rendered);
        let hook: String = rendered
            .lines()
            .filter(|line| line.contains("helm.sh/"))
            .collect();
        if name == "migrate.yaml" {
            assert!(
                hook.contains("helm.sh/hook: pre-install,pre-upgrade"),
                "{rendered}"
            );
        } else {
            let manifest = crate::root().join("ops/kubernetes").join(name);
            assert_eq!(rendered.as_bytes(), read(&manifest).unwrap());
        }
    }
    assert!(used > 6, "{used} values are used");
}

#[test]
fn a_manifest_without_a_replaced_value_is_named() {
    let said = refusal(chart::template(
        "ops/x.yaml",
        "a: 1\n".to_owned(),
        &[("b: 2", "b: 3")],
    ));
    assert_eq!(said, "ops/x.yaml: it has no `b: 2`");
}

#[test]
fn two_kinds_of_machines_share_a_release() {
    let dir = tempfile::tempdir().unwrap();
    let arm = TargetBinary::read(&program_for(elf::abi::EM_AARCH64, dir.path())).unwrap();
    let folder = release_of(&[program(), arm], None);
    let files = files_of(folder.path());
    let formula = String::from_utf8_lossy(&files["cardform.rb"]);
    for (machine, brew, debian) in [("x86_64", "intel", "amd64"), ("aarch64", "arm", "arm64")] {
        let tarball = format!("cardform-{VERSION}-{machine}-linux.tar.gz");
        let wanted = format!(
            "on_{brew} do\n      url \"{PLACEHOLDER}/{VERSION}/{tarball}\"\n      sha256 \"{}\"\n",
            sums::of(&files[&tarball])
        );
        assert!(formula.contains(&wanted), "{formula}");
        assert!(files.contains_key(&format!("cardform_{VERSION}_{debian}.deb")));
    }
}

#[test]
fn only_programs_for_known_machines_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let said = |path: &Path| refusal(TargetBinary::read(path));
    let riscv = program_for(elf::abi::EM_RISCV, dir.path());
    assert!(said(&riscv).ends_with("it is for a kind of machine without releases"));
    write(&riscv, "a text").unwrap();
    assert!(said(&riscv).ends_with("it is no program for Linux"));

    let arguments = |target: &[&'static Target], binary: &[&Path]| ReleaseArguments {
        target: target.to_vec(),
        binary: binary.iter().map(|path| path.to_path_buf()).collect(),
        ..ReleaseArguments::of_binary(Path::new(PROGRAM), dir.path())
    };
    let arm = Target::named("aarch64-unknown-linux-gnu").unwrap();
    let program = Path::new(PROGRAM);
    let refused = |arguments| refusal(binaries(&crate::root(), &arguments));
    assert_eq!(
        refused(arguments(&[arm], &[program])),
        "/bin/true: it is for x86_64-unknown-linux-gnu, which no `--target` names"
    );
    assert_eq!(
        refused(arguments(&[], &[program, program])),
        "/bin/true: there is another one for x86_64-unknown-linux-gnu"
    );
    assert_eq!(
        Target::named("sparc").unwrap_err(),
        "releases are for x86_64-unknown-linux-gnu and aarch64-unknown-linux-gnu"
    );
}

#[test]
fn only_a_release_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    may_be_replaced(&dir.path().join("new")).unwrap();
    may_be_replaced(dir.path()).unwrap();
    let file = dir.path().join("mine.txt");
    write(&file, "mine").unwrap();
    assert_eq!(
        refusal(may_be_replaced(dir.path())),
        format!(
            "{}: it has files and is no release; nothing was written",
            dir.path().display()
        )
    );
    write(&dir.path().join(sums::FILE), "").unwrap();
    may_be_replaced(dir.path()).unwrap();
}
