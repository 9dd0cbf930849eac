//! Starts the image as a container runtime does: with its own read-only file system, files of secrets, one writable folder, a user
//! that is not root, no capabilities and no environment. It uses this machine's network, because its database and provider are
//! here.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use harness::certificate::certify;
use harness::companion::run;
use harness::postgres::Postgres;
use harness::postgres_programs::is_root;
use harness::process::Program;
use harness::shop::TrialMerchant;
use harness::test_cards::GOOD_CARD;
use harness::waiting::happens_within;

/// The binary's path in the image.
const BINARY: &str = "usr/bin/cardform";
/// The image's user, which has no account on this machine.
const USER: &str = "65532";
/// The folders of secrets and of state, as in ops/kubernetes and ops/compose.
const SECRETS: &str = "/etc/cardform";
const STATE: &str = "/var/lib/cardform";
const SETTINGS: &str = "/etc/cardform/cardform.toml";
/// The database's TLS settings in ops/cardform.toml.
const DATABASE_TLS: &str = "sslmode=verify-full&sslrootcert=/etc/cardform/postgres-root.pem";
/// The file of host names, which a container runtime provides.
const HOSTS: &str = "/etc/hosts";
/// How long `/readyz` answers 503 before the service closes.
const DRAIN_MS: &str = "1500";
/// How long a start or an end may take on a busy machine.
const TIME_MAX: Duration = Duration::from_mins(1);

/// Migrates, adds a merchant, serves, pays and ends, with the commands of docs/operating.md. `binary` is in the unpacked image,
/// `settings` is the file in ops/.
pub async fn drill(binary: &Path, settings: &Path, dir: &Path) -> Result<()> {
    let unpacked = binary.ancestors().nth(Path::new(BINARY).components().count());
    let unpacked = unpacked.context("the binary is not at usr/bin/cardform")?;
    for path in ["bin", "sbin", "usr/sbin", "usr/bin/sh", "usr/bin/env"] {
        ensure!(!unpacked.join(path).exists(), "the image has /{path}");
    }
    // A copy for the image's user, who may have no access to the folder of the checkout.
    let root = dir.join("root");
    run(&format!("cp --archive {} {}", unpacked.display(), root.display()))?;
    let (secrets, state) = (dir.join("secrets"), dir.join("state"));
    let (certificate, key) = prepare(dir, &root, settings)?;
    let image = started_in(&root, &secrets, &state, dir);
    let postgres = Postgres::start_encrypted(&certificate, &key)?;
    let database = format!("{}?{DATABASE_TLS}", postgres.new_database_at_port()?);

    for path in ["/etc/cardform.db", "/cardform.db", "/tmp/cardform.db"] {
        let made = image.run(&format!("migrate --database sqlite:{path}"));
        ensure!(made.is_err(), "{path} could be written in the image");
    }
    let settings = format!("--config {SETTINGS} --database {database}");
    image.run(&format!("migrate {settings}"))?;
    let merchant = image.run(&format!("merchant add --name Shop {settings}"))?;
    let merchant = TrialMerchant::new(&merchant)?;
    // With the unchanged settings Stripe is the provider. Its connector starts only with root certificates.
    let service = image.serve(&format!("serve {settings}"))?;
    is_answered(&merchant, &format!("{}/readyz", service.url), 200).await?;
    drop(service);

    let simulator = image.serve("simulator")?;
    let service = image.serve(&format!(
        "serve {settings} --strict-permissions --drain-ms {DRAIN_MS} --provider simulator \
         --provider-url {}",
        simulator.url
    ))?;
    let charge = merchant
        .create(&service.url, "order-1")
        .await
        .context("no charge")?;
    let page = format!("{}/?payload={}", service.url, charge.payload);
    let page = merchant.text(&page).await?;
    ensure!(page.contains("id=\"card-number\""), "a page without a form");
    let paid = merchant.press(&service.url, &charge, "press-1", GOOD_CARD).await;
    let paid = paid.context("the press got no answer")?;
    ensure!(
        paid.status == 201 && paid.body["status_code"] == "succeeded",
        "{paid:?}"
    );

    // After SIGTERM `/readyz` answers 503 and all else is still answered; then the process ends with success.
    let ready = format!("{}/readyz", service.url);
    is_answered(&merchant, &ready, 200).await?;
    service.ask_to_end();
    is_answered(&merchant, &ready, 503).await?;
    is_answered(&merchant, &format!("{}/healthz", service.url), 200).await?;
    service.ended().await?;
    println!("the image: migrated, served a page, took a payment and ended after its last request");
    Ok(())
}

/// Writes the secrets as Kubernetes does, owned by root and readable by the image's group, and makes the mount points. Returns the
/// database's certificate, which the image trusts, and its key.
fn prepare(dir: &Path, root: &Path, settings: &Path) -> Result<(PathBuf, PathBuf)> {
    let (secrets, state) = (dir.join("secrets"), dir.join("state"));
    for place in ["/proc", "/dev", SECRETS, STATE] {
        std::fs::create_dir_all(root.join(place.trim_start_matches('/')))?;
    }
    std::fs::write(root.join(HOSTS.trim_start_matches('/')), "")?;
    std::fs::create_dir(&secrets)?;
    std::fs::create_dir(&state)?;
    let [certificate, key] = ["postgres.pem", "postgres-key.pem"].map(|name| dir.join(name));
    certify(&certificate, &key)?;
    Program::new(&root.join(BINARY), dir).write_vault_key("secrets/vault-keys")?;
    std::fs::copy(&certificate, secrets.join("postgres-root.pem"))?;
    std::fs::copy(settings, secrets.join("cardform.toml"))?;
    for (name, content) in [
        ("provider-key", "sk_test_0123456789abcdef"),
        ("operator-key", "0123456789abcdefghijklmnopqrstuv"),
    ] {
        std::fs::write(secrets.join(name), content)?;
    }
    for entry in std::fs::read_dir(&secrets)? {
        std::fs::set_permissions(entry?.path(), Permissions::from_mode(0o440))?;
    }
    for (path, mode) in [(dir, 0o755), (&secrets, 0o755), (&state, 0o700)] {
        std::fs::set_permissions(path, Permissions::from_mode(mode))?;
    }
    if is_root() {
        run(&format!("chown --recursive {USER}:{USER} {}", state.display()))?;
        run(&format!("chown --recursive root:{USER} {}", secrets.display()))?;
    }
    Ok((certificate, key))
}

/// The image's binary in the image's file system.
fn started_in(root: &Path, secrets: &Path, state: &Path, dir: &Path) -> Program {
    let [root, secrets, state] = [root, secrets, state].map(Path::display);
    let user = if is_root() {
        format!("setpriv --reuid {USER} --regid {USER} --clear-groups")
    } else {
        String::new()
    };
    let words = format!(
        "{user} bwrap --ro-bind {root} / --ro-bind {secrets} {SECRETS} --bind {state} {STATE} --proc /proc --dev /dev \
         --ro-bind {HOSTS} {HOSTS} --unshare-user --unshare-pid --as-pid-1 --uid {USER} --gid {USER} --cap-drop ALL \
         --die-with-parent --clearenv --chdir {STATE}"
    );
    let words = words.split_whitespace().map(str::to_owned).collect();
    Program::new(&Path::new("/").join(BINARY), dir).started_by(words)
}

/// Waits until `url` is answered with this status.
async fn is_answered(merchant: &TrialMerchant, url: &str, status: u16) -> Result<()> {
    let is_answered = async || {
        let answer = merchant.http.get(url).send().await;
        Ok(answer.is_ok_and(|answer| answer.status() == status))
    };
    ensure!(
        happens_within(TIME_MAX, is_answered).await?,
        "{url} is not answered {status}"
    );
    Ok(())
}
