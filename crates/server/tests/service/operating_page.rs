//! Runs the commands of docs/operating.md, and checks that everything it names exists.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory as _;
use harness::postgres::{Durability, Postgres};
use reqwest::Client;
use serde_json::Value;
use server::commands::Cli;

use crate::process::{Process, binary};
use crate::world::{new_charge, send};

const PAGE: &str = include_str!("../../../../docs/operating.md");
/// The source of the answers of `/readyz`.
const READINESS: &str = include_str!("../../src/service/readiness.rs");
/// Commands that are not run here, because they change the machine.
const OF_A_MACHINE: [&str; 7] = [
    "chown",
    "docker-compose",
    "install",
    "kubectl",
    "openssl",
    "systemctl",
    "systemd-sysusers",
];

/// The code blocks with this mark below the heading, or of the whole page.
fn blocks(heading: Option<&str>, mark: &str) -> Vec<&'static str> {
    let text = heading.map_or(PAGE, |heading| {
        let (_, text) = PAGE.split_once(&format!("\n## {heading}\n")).unwrap();
        text.split_once("\n## ").map_or(text, |(text, _)| text)
    });
    text.split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix(mark)?.strip_prefix('\n'))
        .collect()
}

/// The code spans of the page.
fn spans() -> BTreeSet<&'static str> {
    let plain = PAGE.split("```").step_by(2);
    plain
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

/// The machine of an operator: its folders and programs are in a folder of the test's.
struct OperatorMachine {
    dir: tempfile::TempDir,
    postgres: Postgres,
}

impl OperatorMachine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["bin", "backups"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        symlink(binary(), dir.path().join("bin/cardform")).unwrap();
        symlink(repository().join("ops"), dir.path().join("ops")).unwrap();
        let postgres = Postgres::start(Durability::None).unwrap();
        let created = postgres.program("createdb").arg("cardform").status().unwrap();
        assert!(created.success());
        Self { dir, postgres }
    }

    fn etc(&self) -> PathBuf {
        self.dir.path().join("etc")
    }

    /// Runs a block as a shell does, with the paths of this machine.
    fn run(&self, block: &str, url: &str, variables: &[(&str, &str)]) {
        let path = |name: &str| self.dir.path().join(name).display().to_string();
        let script = block
            .replace("/etc/cardform", &path("etc"))
            .replace("/var/backups", &path("backups"))
            .replace("https://pay.example", url);
        let pg_dump = self.postgres.program("pg_dump");
        let programs = Path::new(pg_dump.get_program()).parent().unwrap();
        let ran = Command::new("/bin/sh")
            .args(["-eu", "-c", &script])
            .current_dir(self.dir.path())
            .env_clear()
            .env(
                "PATH",
                format!("{}:{}:/usr/bin:/bin", path("bin"), programs.display()),
            )
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{block}\n{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }

    /// Edits the settings as the page says, for this machine.
    fn edit_settings(&self, provider: &str) {
        let file = self.etc().join("cardform.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let kept = text.lines().filter(|line| {
            !["public_url", "database", "provider", "drain_ms"]
                .iter()
                .any(|name| line.starts_with(name))
        });
        let kept = kept.collect::<Vec<_>>().join("\n");
        let own = format!(
            "database = \"{}\"\nprovider_url = \"{provider}\"\nlisten = \"127.0.0.1:0\"\n",
            self.postgres.url("cardform")
        );
        let kept = kept.replace("/etc/cardform", &self.etc().display().to_string());
        std::fs::write(file, own + &kept).unwrap();
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

#[tokio::test]
async fn every_command_of_the_page_works() {
    let operator = OperatorMachine::new();
    let dir = operator.dir.path();
    let simulator = Process::start(dir, &["simulator", "--listen", "127.0.0.1:0"], "warn");
    let installation = blocks(Some("Install"), "sh");
    let [keys, merchants] = installation.as_slice() else {
        panic!("the installation has a block for the keys and one for the merchant");
    };
    operator.run(keys, "", &[]);
    operator.edit_settings(simulator.url());
    operator.run(merchants, "", &[]);
    let config = operator.etc().join("cardform.toml").display().to_string();
    let service = Process::start(dir, &["serve", "--config", &config], "warn");

    let added = crate::process::run(
        dir,
        &["merchant", "add", "--config", &config, "--name", "Shop", "--json"],
    );
    let merchant: Value = serde_json::from_slice(&added.stdout).unwrap();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let http = Client::builder().no_proxy().build().unwrap();
    let charge = http
        .post(format!("{}/v1/charges", service.url()))
        .json(&new_charge());
    let charge = send(charge.bearer_auth(text(&merchant, "secret_key"))).await.body;
    let page = text(&charge, "url");
    let variables = [
        ("PARTNER", text(&merchant, "partner_id")),
        ("PAGE", page.split('#').next().unwrap().to_owned()),
    ];
    let variables = [("PARTNER", &*variables[0].1), ("PAGE", &*variables[1].1)];
    let blocks: Vec<_> = blocks(None, "sh")
        .into_iter()
        .filter(|block| !installation.contains(block))
        .collect();
    // The blocks of a page are one session at a shell: later ones use the variables of earlier ones.
    operator.run(&blocks.join("\n"), service.url(), &variables);
}

#[test]
fn every_metric_of_the_page_is_registered() {
    let source = rust_below(&repository().join("crates"));
    let words = spans().into_iter().flat_map(|span| span.split(['(', '{', ' ']));
    let metrics: BTreeSet<_> = words.filter_map(|word| word.strip_prefix("cardform_")).collect();
    assert!(metrics.len() > 5, "{metrics:?}");
    for metric in metrics {
        let name = metric.trim_end_matches("_total");
        assert!(source.contains(&format!("\"{name}\",")), "cardform_{metric}");
    }
}

/// All Rust below a folder.
fn rust_below(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| {
        if path.is_dir() {
            rust_below(&path)
        } else {
            std::fs::read_to_string(path).unwrap_or_default()
        }
    });
    texts.collect()
}

#[test]
fn every_command_that_the_page_names_exists() {
    let mut cardform = Cli::command();
    cardform.build();
    let named: Vec<_> = spans()
        .into_iter()
        .filter_map(|span| span.strip_prefix("cardform "))
        .collect();
    assert!(named.len() > 5, "{named:?}");
    for span in named {
        let mut command = &cardform;
        for word in span.split_whitespace() {
            if let Some(flag) = word.strip_prefix("--") {
                let has = command
                    .get_arguments()
                    .any(|argument| argument.get_long() == Some(flag));
                assert!(has, "`cardform {span}`: --{flag}");
            } else {
                let found = command.find_subcommand(word);
                command = found.unwrap_or_else(|| panic!("`cardform {span}`: {word}"));
            }
        }
    }
    let of_a_machine = blocks(None, "shell");
    for line in of_a_machine.iter().flat_map(|block| block.lines()) {
        let program = line.split(' ').next().unwrap();
        assert!(OF_A_MACHINE.contains(&program), "{line}: should it be run?");
        for path in line
            .split_whitespace()
            .filter(|word| word.starts_with("ops/") && !word.contains("/secrets/"))
        {
            assert!(repository().join(path).exists(), "{path}");
        }
    }
}

#[test]
fn every_verdict_of_readyz_is_explained() {
    let (_, table) = PAGE.split_once("| `/readyz` says |").unwrap();
    let table = table.split_once("\n\n").unwrap().0;
    let explained: BTreeSet<_> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let said: BTreeSet<_> = READINESS
        .split("Err(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .chain(["ready"])
        .collect();
    assert_eq!(explained, said);
}
