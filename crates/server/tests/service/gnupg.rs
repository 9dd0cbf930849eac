//! Files of `cardform vault` and of GnuPG, which most processors use, are the same.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::cards::{SHOPPER, id, ring};
use crate::moved_cards::{GOOD, Installation, json_of};
use crate::world::PARTNER_ID;

/// GnuPG with a folder of its own, whose agent ends with it.
struct GnuPg(TempDir);

impl GnuPg {
    fn run(&self, arguments: &[&str]) -> Output {
        let output = self
            .command("gpg")
            .args(["--batch", "--pinentry-mode", "loopback"])
            .args(arguments)
            .output();
        let output = output.expect("gpg: on Debian `apt-get install gnupg`");
        assert!(output.status.success(), "{output:?}");
        output
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("GNUPGHOME", self.0.path()).stdin(Stdio::null());
        command
    }
}

impl Drop for GnuPg {
    fn drop(&mut self) {
        let _ = self.command("gpgconf").args(["--kill", "all"]).output();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn gnupg_reads_an_export_and_writes_an_import() {
    let gnupg = GnuPg(tempfile::tempdir().unwrap());
    // By default a passphrase is hashed for so long that a build without optimisation needs many seconds.
    std::fs::write(gnupg.0.path().join("gpg-agent.conf"), "s2k-count 65536\n").unwrap();
    let shop = Installation::new(&ring("one")).await;
    for (name, kind) in [("curve", "future-default"), ("rsa", "rsa2048")] {
        let person = format!("{name}@shop.example");
        gnupg.run(&[
            "--passphrase",
            "hunter2",
            "--quick-gen-key",
            &person,
            kind,
            "default",
            "never",
        ]);
        if name == "rsa" {
            let listed = gnupg.run(&["--list-keys", "--with-colons", &person]).stdout;
            let listed = String::from_utf8(listed).unwrap();
            let fingerprint = listed.lines().find_map(|line| line.strip_prefix("fpr:::::::::"));
            let fingerprint = fingerprint.unwrap().trim_end_matches(':');
            gnupg.run(&[
                "--passphrase",
                "hunter2",
                "--quick-add-key",
                fingerprint,
                "rsa2048",
                "encr",
            ]);
        }
        shop.write("passphrase", "hunter2");
        shop.write("public.asc", gnupg.run(&["--export", &person]).stdout);
        shop.write(
            "own.asc",
            gnupg
                .run(&[
                    "--passphrase",
                    "hunter2",
                    "--armor",
                    "--export-secret-keys",
                    &person,
                ])
                .stdout,
        );

        let shopper = format!("{SHOPPER}-{name}");
        let card = shop.world.save(&shopper, GOOD).await;
        shop.export(&[]);
        let exported = shop.path("cards.pgp");
        let clear = gnupg
            .run(&["--passphrase", "hunter2", "--decrypt", text(&exported)])
            .stdout;
        let clear = String::from_utf8(clear).unwrap();
        assert!(
            clear.starts_with("payment_method_id,partner_id,shopper_id,card_number,"),
            "{clear}"
        );
        let row = format!("{},{PARTNER_ID},{shopper},{GOOD},12,2030,", id(&card));
        assert!(clear.contains(&row), "{clear}");
        std::fs::remove_file(exported).unwrap();

        // GnuPG compresses, and a processor may send text. The rows are of another shopper, with other ids.
        let of_shopper = |(place, line): &(usize, &str)| *place == 0 || line.contains(&shopper);
        let rows = clear.lines().enumerate().filter(of_shopper);
        let rows: Vec<&str> = rows.map(|(_, line)| line).collect();
        let rows = rows.join("\n");
        let rows = rows
            .replace(&shopper, &format!("{shopper}-2"))
            .replace("pm_", "pm_2");
        let clear_file = gnupg.0.path().join("rows.csv");
        std::fs::write(&clear_file, rows).unwrap();
        for armor in ["--armor", "--no-armor"] {
            let file = shop.path("theirs.pgp");
            let encrypt = [
                "--yes",
                "--trust-model",
                "always",
                armor,
                "--recipient",
                &person,
                "--output",
            ];
            gnupg.run(&[&encrypt[..], &[text(&file), "--encrypt", text(&clear_file)]].concat());
            json_of(&shop.import(&file, &["--passphrase-file", "passphrase"]));
        }
        assert_eq!(shop.world.cards_of(&format!("{shopper}-2")).await.len(), 1);
    }
}
