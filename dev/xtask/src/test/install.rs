//! Installs a release in a bare Debian without a network, once with the installer and once from the package, and pays a charge
//! with the folder that `cardform init` makes. It needs root, because it starts programs in another root folder.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::machine;
use super::report::Tests;
use crate::failure::Failure;
use crate::release::ReleaseArguments;
use crate::{files, process, release};

/// The programs that the tests start, and their Debian packages.
const PROGRAMS: [(&str, &str); 5] = [
    ("curl", "curl"),
    ("/usr/sbin/debootstrap", "debootstrap"),
    ("ip", "iproute2"),
    ("nsenter", "util-linux"),
    ("unshare", "util-linux"),
];
/// Debian 12, as small as Debian gets.
const SUITE: &str = "bookworm";
/// From the start of `cardform init` to the paid charge.
const SECONDS_MAX: f64 = 60.0;
/// The release's place in the bare root.
const RELEASE: &str = "release";
/// The folder in which the service is started.
const FOLDER: &str = "var/lib/cardform";
/// Starts the script `$1` in the root folder `$0`.
const IN_ROOT: &str = "ip link set lo up && exec chroot \"$0\" /usr/bin/env --ignore-environment \
                       PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin /bin/sh -euc \"$1\"";

/// A way to install: its name, the script that installs, and the words before each command of the service.
type Way = (&'static str, &'static str, &'static str);
const WAYS: [Way; 2] = [
    (
        "the_installer",
        "sh /release/install.sh --from /release && mkdir /var/lib/cardform",
        "",
    ),
    (
        "the_debian_package",
        "dpkg --install /release/*.deb && install --directory --owner cardform --mode 700 /var/lib/cardform && \
         test \"$(stat --format '%U:%G %a' /etc/cardform)\" = 'root:cardform 750'",
        "setpriv --reuid cardform --regid cardform --clear-groups",
    ),
];

/// Installs the programs that are missing.
pub(super) fn installed() -> Result<(), Failure> {
    if !rustix::process::geteuid().is_root() {
        return Err(Failure::missing(
            "root",
            "the test starts programs in another root folder; run it as root",
        ));
    }
    machine::installed(&PROGRAMS)
}

/// Makes a release of this binary, installs it in each way, and pays.
pub(super) fn tested(root: &Path, binary: &Path) -> Result<Tests, Failure> {
    let target = process::target_folder(root);
    let work = target.join("install-test");
    files::empty_folder(&work)?;
    let debian = bare_debian(&target)?;
    let folder = work.join(RELEASE);
    release::run(root, &ReleaseArguments::of_binary(binary, &folder))?;
    let mut tests = Tests::NONE;
    for way in WAYS {
        match paid_after(way, &debian, &folder, &work) {
            Ok(seconds) => {
                eprintln!(
                    "test {} ... ok, {seconds:.1} s from `cardform init` to the paid charge",
                    way.0
                );
                tests.passed += 1;
            }
            Err(failure) => {
                eprintln!("test {} ... FAILED: {failure}", way.0);
                tests.failed += 1;
                tests.failures.push(format!("{}\n  {failure}", way.0));
            }
        }
    }
    Ok(tests)
}

/// The folder of a bare Debian, which is made once.
fn bare_debian(target: &Path) -> Result<PathBuf, Failure> {
    let parent = target.join("bare-debian");
    let (debian, stamp) = (parent.join(SUITE), parent.join("complete"));
    if !files::is_stamped(&stamp, SUITE) {
        eprintln!("fetching a bare Debian (debootstrap)");
        files::empty_folder(&parent)?;
        let mut debootstrap = Command::new("/usr/sbin/debootstrap");
        process::run_quietly(debootstrap.args(["--variant=minbase", SUITE]).arg(&debian))?;
        files::write_stamp(&stamp, SUITE)?;
    }
    Ok(debian)
}

/// Installs in a copy of the bare Debian and pays. Returns the seconds from `cardform init` to the paid charge.
fn paid_after(way: Way, debian: &Path, folder: &Path, work: &Path) -> Result<f64, Failure> {
    let (name, install, user) = way;
    let bare = work.join(name);
    process::run(
        Command::new("cp")
            .args(["--archive", "--reflink=auto"])
            .arg(debian)
            .arg(&bare),
    )?;
    process::run(
        Command::new("cp")
            .arg("--recursive")
            .arg(folder)
            .arg(bare.join(RELEASE)),
    )?;
    process::run(&mut in_root(&bare, install))?;
    let begun = Instant::now();
    process::run(&mut in_root(
        &bare,
        &format!("cd /{FOLDER} && {user} cardform init"),
    ))?;
    let merchant = files::json(&bare.join(FOLDER).join("cardform-data/merchant.json"))?;
    let mut serve = in_root(
        &bare,
        &format!("cd /{FOLDER} && exec {user} cardform serve --json"),
    );
    let mut service = Service(process::spawn(serve.stdout(Stdio::piped()))?);
    let line = process::first_line(&serve, &mut service.0)?;
    let ready: Value = serde_json::from_str(&line)
        .map_err(|_| Failure::unusable("`cardform serve` is not ready", line.clone()))?;
    let status = service.pay(text(&ready, "listening"), &merchant)?;
    let seconds = begun.elapsed().as_secs_f64();
    Failure::unless(status == "succeeded", || format!("the charge is {status}"))?;
    Failure::unless(seconds < SECONDS_MAX, || {
        format!("the first payment took {seconds:.1} s")
    })?;
    components_are_listed(&bare, folder)?;
    Ok(seconds)
}

/// The release's list of components is the one that the program has.
fn components_are_listed(bare: &Path, folder: &Path) -> Result<(), Failure> {
    let mut evidence = in_root(bare, "cardform evidence components");
    let output = process::capture(&mut evidence)?;
    process::expect_success(&evidence, output.status)?;
    let own: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let listed = files::json(&folder.join(format!("cardform-{}.cdx.json", env!("CARGO_PKG_VERSION"))))?;
    Failure::unless(own == Some(listed), || {
        "the program lists other components than the release".to_owned()
    })
}

/// A script in this root folder, without a network. The process becomes the last command of the script.
fn in_root(bare: &Path, script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount"]);
    command.arg(format!("--mount-proc={}", bare.join("proc").display()));
    command.args(["sh", "-c", IN_ROOT]).arg(bare).arg(script);
    command.stdin(Stdio::null());
    command
}

/// A running service, which is killed when it is dropped.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

impl Service {
    /// Creates a charge and pays it as the page does. Returns the charge's state.
    fn pay(&self, url: &str, merchant: &Value) -> Result<String, Failure> {
        let key = text(merchant, "secret_key");
        let order = json!({
            "item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD",
            "partner_reference": "order-1",
        });
        let charge = self.call(&format!("{url}/v1/charges"), key, &[], Some(&order))?;
        let partner = format!("partner-id: {}", text(merchant, "partner_id"));
        let headers = [partner.as_str(), "idempotency-key: press-1"];
        let press = press(order, &charge);
        let secret = text(&charge, "client_secret");
        self.call(
            &format!("{url}/v1/pub/direct/charges"),
            secret,
            &headers,
            Some(&press),
        )?;
        let charge = format!("{url}/v1/charges/{}", text(&charge, "id"));
        Ok(text(&self.call(&charge, key, &[], None)?, "status").to_owned())
    }

    /// A request in the service's network; a POST if there is a body.
    fn call(&self, url: &str, key: &str, headers: &[&str], body: Option<&Value>) -> Result<Value, Failure> {
        let mut curl = Command::new("nsenter");
        curl.arg("--target").arg(self.0.id().to_string());
        curl.args(["--net", "curl", "--silent", "--show-error", "--noproxy", "*"]);
        curl.arg("--header").arg(format!("authorization: Bearer {key}"));
        for header in headers {
            curl.args(["--header", header]);
        }
        if let Some(body) = body {
            curl.args(["--header", "content-type: application/json", "--data"]);
            curl.arg(body.to_string());
        }
        let output = process::capture(curl.args(["--fail-with-body", url]))?;
        let said = String::from_utf8_lossy(&output.stdout);
        Failure::unless(output.status.success(), || {
            format!("{url}: {said}{}", String::from_utf8_lossy(&output.stderr))
        })?;
        serde_json::from_str(&said).map_err(|cause| Failure::unusable(url, cause.to_string()))
    }
}

/// What the page sends when the shopper pays with a new card.
fn press(order: Value, charge: &Value) -> Value {
    // A card that is valid in the charge's time.
    let year: u16 = text(charge, "expires_at")
        .chars()
        .take(4)
        .collect::<String>()
        .parse()
        .unwrap_or_default();
    let mut press = order;
    press["charge_id"] = charge["id"].clone();
    press["shopper_agent"] = json!({
        "ip_address": "203.0.113.7", "user_agent": "test", "timezone": 0, "screen_height": 800, "screen_width": 400,
        "color_depth": 24, "accept_header": "text/html", "fraud_metadata": {"fraud_token": ""},
        "device_metadata": {"session_id": null},
    });
    press["setting"] = json!({
        "default_language": "en",
        "card": {"capture_grace_period": 0, "three_ds_challenge_window_size": "390x400"},
    });
    press["tax"] = json!({"tax_code": "CD010001"});
    press["partner_custom_data"] = json!({
        "merchant_id": null, "merchant_name": null, "merchant_email": null, "merchant_user_id": null, "mno_id": null,
    });
    press["payment_method"] = json!({
        "type": "card", "save_payment_method": false,
        "card": {
            "country_code": "US", "number": "4242424242424242", "holder_name": "Ana", "expiration_month": "12",
            "expiration_year": (year + 3).to_string(), "security_code": "123",
        },
        "shopper": {"partner_shopper_id": "", "zip_code": "", "email": "ana@example.com"},
    });
    press
}

/// A text of this JSON object, or nothing.
fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}
