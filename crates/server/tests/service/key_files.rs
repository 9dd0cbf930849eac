//! Key files that other users of the machine can read are named at start, and refused if the operator wants that.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::cards::ring;
use crate::process::{Process, complaint, run};

const SERVE: [&str; 8] = [
    "serve",
    "--create",
    "--listen",
    "127.0.0.1:0",
    "--vault-key-file",
    "vault-keys",
    "--operator-key-file",
    "operator-key",
];
const KAFKA: [&str; 8] = [
    "--event-sink",
    "kafka",
    "--kafka-brokers",
    "127.0.0.1:9",
    "--kafka-user",
    "cardform",
    "--kafka-password-file",
    "kafka-password",
];
const PROVIDER: [&str; 6] = [
    "--provider",
    "stripe",
    "--provider-url",
    "http://127.0.0.1:9",
    "--provider-key-file",
    "provider-key",
];

fn write(dir: &Path, name: &str, text: &str) {
    std::fs::write(dir.join(name), text).unwrap();
    set_mode(dir, name, 0o600);
}

fn set_mode(dir: &Path, name: &str, mode: u32) {
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(dir.join(name), mode).unwrap();
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "vault-keys", &ring("key-1"));
    write(dir.path(), "operator-key", &"k".repeat(40));
    write(dir.path(), "provider-key", "sk_test_1");
    write(dir.path(), "kafka-password", "none");
    dir
}

/// The lines about open key files in the log of a start.
fn said(dir: &Path) -> String {
    let service = Process::start(dir, &[&SERVE[..], &PROVIDER, &KAFKA].concat(), "info");
    service.terminate();
    let log = std::fs::read_to_string(dir.join("cardform.log")).unwrap();
    std::fs::remove_file(dir.join("cardform.log")).unwrap();
    log.lines()
        .filter(|line| line.contains("is open to others"))
        .collect()
}

#[test]
fn key_files_that_others_can_read_are_named_at_start() {
    let dir = folder();
    assert_eq!(said(dir.path()), "");
    for (name, setting, mode) in [
        ("vault-keys", "vault_key_file", 0o604),
        ("operator-key", "operator_key_file", 0o644),
        ("provider-key", "provider_key_file", 0o660),
        ("kafka-password", "kafka_password_file", 0o644),
    ] {
        set_mode(dir.path(), name, mode);
        let said = said(dir.path());
        assert!(said.contains(name) && said.contains(setting), "{said}");
        // A mounted secret belongs to a group that may read it.
        set_mode(dir.path(), name, 0o640);
    }
    assert_eq!(said(dir.path()), "");
}

#[test]
fn strict_permissions_refuse_a_key_file_that_others_can_read() {
    for name in [
        "vault-keys",
        "operator-key",
        "provider-key",
        "kafka-password",
        "tls-key",
    ] {
        let dir = folder();
        write(dir.path(), "tls-key", "none");
        set_mode(dir.path(), name, 0o644);
        let tls = ["--tls-certificate", "certificate", "--tls-key", "tls-key"];
        let strict = [&SERVE[..], &PROVIDER, &KAFKA, &tls, &["--strict-permissions"]].concat();
        let refused = complaint(&run(dir.path(), &strict));
        assert!(
            refused.contains(name) && refused.contains("strict_permissions"),
            "{refused}"
        );
    }
}

/// What a start with `strict_permissions` says. It has no provider, so it ends in any case.
fn strict_start(dir: &Path, arguments: &[&str]) -> String {
    let serve = [
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--strict-permissions",
    ];
    let ended = run(dir, &[&serve[..], arguments].concat());
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn strict_permissions_refuse_a_settings_file_with_keys_that_others_can_read() {
    let dir = folder();
    let dir = dir.path();
    let vault_keys = format!("vault_keys = \"{}\"", ring("key-1"));
    for (text, is_refused) in [
        ("docs = false", false),
        ("database = \"postgres://cardform@127.0.0.1:9/cardform\"", false),
        (
            "database = \"postgres://cardform:secret@127.0.0.1:9/cardform\"",
            true,
        ),
        (
            "database = \"postgres://127.0.0.1:9/cardform?user=cardform&password=secret\"",
            true,
        ),
        (
            "operator_key = \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\"",
            true,
        ),
        (&vault_keys, true),
    ] {
        write(dir, "cardform.toml", text);
        set_mode(dir, "cardform.toml", 0o644);
        let said = strict_start(dir, &["--config", "cardform.toml"]);
        let names_it = said.contains("cardform.toml of the setting config");
        assert_eq!(names_it, is_refused, "{text}: {said}");
        set_mode(dir, "cardform.toml", 0o640);
        let said = strict_start(dir, &["--config", "cardform.toml"]);
        assert!(said.contains("there is no provider"), "{text}: {said}");
    }
}

#[test]
fn strict_permissions_refuse_an_operators_file_that_others_can_read() {
    let dir = folder();
    let dir = dir.path();
    std::fs::create_dir(dir.join("operators")).unwrap();
    let ana = format!(
        "key = \"{}\"\nname = \"Ana\"\nrole = \"reader\"\n",
        "a".repeat(40)
    );
    write(dir, "operators/ana", &ana);
    set_mode(dir, "operators/ana", 0o644);
    let said = strict_start(dir, &["--operator-keys", "operators"]);
    assert!(
        said.contains("operators/ana of the setting operator_keys"),
        "{said}"
    );
    set_mode(dir, "operators/ana", 0o640);
    let said = strict_start(dir, &["--operator-keys", "operators"]);
    assert!(said.contains("there is no provider"), "{said}");
}

#[test]
fn strict_permissions_refuse_a_key_in_a_folder_that_others_may_write() {
    let dir = folder();
    let dir = dir.path();
    for folder in ["open", "open/closed", "keys"] {
        std::fs::create_dir(dir.join(folder)).unwrap();
        set_mode(dir, folder, 0o755);
    }
    write(dir, "open/closed/vault-keys", &ring("key-1"));
    write(dir, "keys/vault-keys", &ring("key-1"));
    // The way to a link is checked, and the way to the file behind it.
    std::os::unix::fs::symlink("../open/closed/vault-keys", dir.join("keys/to-open")).unwrap();
    std::os::unix::fs::symlink("../keys/vault-keys", dir.join("open/to-closed")).unwrap();
    for (mode, is_refused) in [(0o777, true), (0o775, true), (0o1777, false), (0o755, false)] {
        set_mode(dir, "open", mode);
        for file in ["open/closed/vault-keys", "keys/to-open", "open/to-closed"] {
            let said = strict_start(dir, &["--vault-key-file", file]);
            let names_it = said.contains("/open of the setting vault_key_file");
            assert_eq!(names_it, is_refused, "{mode:o} {file}: {said}");
        }
    }
}

/// The files of a folder that others than their owner can read or write.
fn open_files(dir: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            open.push(format!("{} {mode:o}", entry.file_name().display()));
        }
    }
    open
}

#[test]
fn only_the_owner_can_read_files_of_demo_and_simulator() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, data) in [
        (&["demo", "--listen", "127.0.0.1:0"][..], ".cardform"),
        (
            &["simulator", "--listen", "127.0.0.1:0", "--data", "books"],
            "books",
        ),
    ] {
        let data = dir.path().join(data);
        for round in 0..2 {
            let process = Process::start(dir.path(), arguments, "info");
            assert_eq!(open_files(&data), [""; 0], "{arguments:?} {round}");
            process.terminate();
            // Permissions of earlier builds; the next start corrects them.
            for name in ["ledger.jsonl", "challenges.jsonl"] {
                set_mode(&data, name, 0o644);
            }
        }
    }
}
