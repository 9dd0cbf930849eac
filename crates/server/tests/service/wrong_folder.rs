//! A command that runs in another folder than the service finds no database. It says so and does not create one: only
//! `migrate`, `demo` and `serve --create` do.

use clap::CommandFactory as _;
use server::commands::Cli;

use crate::process::{complaint, run};

/// Every command that uses the database, with its required arguments.
const WITH_DATABASE: [&str; 25] = [
    "serve --listen 127.0.0.1:0 --provider-url http://127.0.0.1:9",
    "merchant add --name Shop",
    "merchant set --partner-id partner_1 --name Shop",
    "merchant list",
    "merchant key roll --partner-id partner_1",
    "merchant key revoke --partner-id partner_1 --key-id key_1",
    "merchant key list --partner-id partner_1",
    "charge create --partner-id partner_1 --item-code a --item-name A --amount-value 1.00 --amount-currency USD \
     --partner-reference r",
    "charge show ch_1",
    "backup copy.db",
    "reconcile --provider-url http://127.0.0.1:9",
    "payments close",
    "key rotate --signing",
    "key revoke --signing --key-id sig_1",
    "key list",
    "webhook set --partner-id partner_1 --url https://shop.example/hook",
    "webhook remove --partner-id partner_1",
    "webhook list --partner-id partner_1",
    "webhook show --partner-id partner_1",
    "trigger charge.failed --partner-id partner_1",
    "webhook replay --event evt_1",
    "audit list",
    "vault export --recipient cert.asc",
    "vault import cards.pgp --key own.asc",
    "evidence verify http://127.0.0.1:9/?payload=x",
];

/// The commands that create a database, and those that do not use one.
const OTHERS: [&str; 11] = [
    "init",
    "demo",
    "doctor",
    "migrate",
    "restore",
    "simulator",
    "simulator scenarios",
    "key generate",
    "webhook listen",
    "experiment explain",
    "evidence components",
];

/// The full name of `command`, or of each of its subcommands that can be run.
fn names(command: &clap::Command, before: &str) -> Vec<String> {
    let below = command.get_subcommands();
    let mut names: Vec<_> = below
        .flat_map(|one| names(one, &format!("{before} {}", one.get_name())))
        .collect();
    if names.is_empty() {
        names.push(before.trim().to_owned());
    }
    names
}

#[test]
fn every_command_is_known_to_use_a_database_or_not_to() {
    for name in names(&Cli::command(), "") {
        let is_with = WITH_DATABASE.iter().any(|line| line.starts_with(&name));
        assert!(
            is_with != OTHERS.contains(&&*name),
            "`{name}` must stand in one of the two lists"
        );
    }
}

#[test]
fn a_command_in_another_folder_creates_no_database() {
    for line in WITH_DATABASE {
        let dir = tempfile::tempdir().unwrap();
        let output = run(dir.path(), &line.split_whitespace().collect::<Vec<_>>());
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
        assert!(left.is_empty(), "{line}: left {left:?}");
        let said = complaint(&output);
        if line.starts_with("evidence") {
            // Its error is about the page, which does not exist either.
            continue;
        }
        assert!(
            said.contains("there is no database of cardform"),
            "{line}: {said}"
        );
        assert!(said.contains("`cardform migrate` makes one"), "{line}: {said}");
    }
}

/// A file of another program, or an empty file, is not used as a database.
#[test]
fn a_file_without_our_tables_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cardform.db");
    std::fs::write(&file, "").unwrap();
    let said = complaint(&run(
        dir.path(),
        &["webhook", "remove", "--partner-id", "partner_1"],
    ));
    assert!(said.contains("there is no database of cardform"), "{said}");
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
}
