//! Installs a release in a bare Debian without a network, once with the installer and once from the package, and pays a charge
//! with the folder that `cardform init` makes. With the folder of the release before it, an upgrade is tried, too. It needs
//! root, because it starts programs in another root folder.

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
/// Names the folder of the release before this one.
const RELEASE_BEFORE: &str = "CARDFORM_RELEASE_BEFORE";
/// The release's place in the bare root.
const RELEASE: &str = "release";
/// The place of the release before it.
const BEFORE: &str = "before";
/// The folder in which the service is started.
const FOLDER: &str = "var/lib/cardform";
/// Starts the script `$1` in the root folder `$0`.
const IN_ROOT: &str = "ip link set lo up && exec chroot \"$0\" /usr/bin/env --ignore-environment \
                       PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin /bin/sh -euc \"$1\"";

/// A way to install.
struct Way {
    name: &'static str,
    /// A script that installs the release in the folder `$RELEASE`, also over an older one.
    install: &'static str,
    /// The words before each command of the service.
    user: &'static str,
    /// A script that removes the program.
    remove: &'static str,
}

const WAYS: [Way; 2] = [
    Way {
        name: "the_installer",
        install: "sh $RELEASE/install.sh --from $RELEASE && mkdir -p /var/lib/cardform",
        user: "",
        remove: "rm /usr/local/bin/cardform",
    },
    Way {
        name: "the_debian_package",
        install: "dpkg --install $RELEASE/*.deb && \
                  install --directory --owner cardform --mode 700 /var/lib/cardform && \
                  test \"$(stat --format '%U:%G %a' /etc/cardform)\" = 'root:cardform 2750'",
        user: "setpriv --reuid cardform --regid cardform --clear-groups",
        remove: "dpkg --purge cardform",
    },
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
    let before = process::environment(RELEASE_BEFORE).map(PathBuf::from);
    let mut tests = Tests::NONE;
    for way in &WAYS {
        let installed = || {
            let bare = way.bare_root(way.name.to_owned(), &debian, &work)?;
            let seconds = bare.pays(&folder)?;
            Ok(format!("{seconds:.1} s from `cardform init` to the paid charge"))
        };
        noted(&mut tests, way.name, installed());
        if let Some(before) = &before {
            let name = format!("an_upgrade_with_{}", way.name);
            let upgraded = || {
                let bare = way.bare_root(name.clone(), &debian, &work)?;
                let seconds = bare.upgrades(before, &folder)?;
                Ok(format!(
                    "{seconds:.1} s from the end of the old service to a paid charge"
                ))
            };
            noted(&mut tests, &name, upgraded());
        }
    }
    if before.is_none() {
        eprintln!("no upgrade was tried: name the folder of the release before in {RELEASE_BEFORE}");
    }
    Ok(tests)
}

/// Prints and counts how a test ended.
fn noted(tests: &mut Tests, name: &str, end: Result<String, Failure>) {
    match end {
        Ok(time) => {
            eprintln!("test {name} ... ok, {time}");
            tests.passed += 1;
        }
        Err(failure) => {
            eprintln!("test {name} ... FAILED: {failure}");
            tests.failed += 1;
            tests.failures.push(format!("{name}\n  {failure}"));
        }
    }
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

impl Way {
    /// A copy of the bare Debian.
    fn bare_root(&self, name: String, debian: &Path, work: &Path) -> Result<BareRoot<'_>, Failure> {
        let path = work.join(name);
        let mut copy = Command::new("cp");
        process::run(copy.args(["--archive", "--reflink=auto"]).arg(debian).arg(&path))?;
        Ok(BareRoot { way: self, path })
    }
}

/// A root folder in which releases are installed.
struct BareRoot<'a> {
    way: &'a Way,
    path: PathBuf,
}

impl BareRoot<'_> {
    /// Installs the release, makes the service's folder and pays. Returns the seconds from `cardform init` to the paid
    /// charge.
    fn pays(&self, release: &Path) -> Result<f64, Failure> {
        self.install(release, RELEASE)?;
        let begun = Instant::now();
        let merchant = self.init()?;
        let service = self.serve()?;
        service.pay(&merchant)?;
        let seconds = begun.elapsed().as_secs_f64();
        Failure::unless(seconds < SECONDS_MAX, || {
            format!("the first payment took {seconds:.1} s")
        })?;
        components_are_listed(&self.path, release)?;
        service.end()?;
        self.remove()?;
        Ok(seconds)
    }

    /// Pays with the release before, installs the new one over it and gives the money back with it. Returns the seconds
    /// from the end of the old service to a new paid charge.
    fn upgrades(&self, before: &Path, release: &Path) -> Result<f64, Failure> {
        self.install(before, BEFORE)?;
        let merchant = self.init()?;
        let old = self.serve()?;
        let charge = old.pay(&merchant)?;
        let begun = Instant::now();
        old.end()?;
        self.install(release, RELEASE)?;
        let new = self.serve()?;
        new.pay(&merchant)?;
        let seconds = begun.elapsed().as_secs_f64();
        let key = text(&merchant, "secret_key");
        let address = format!("/v1/charges/{charge}");
        let known = new.call(&address, key, &[], None)?;
        Failure::unless(known["status"] == "succeeded", || {
            format!("after the upgrade the charge is {}", known["status"])
        })?;
        let refund = new.call(&format!("{address}/refunds"), key, &[], Some(&json!({})))?;
        Failure::unless(refund["status"] == "succeeded", || {
            format!("after the upgrade the refund is {}", refund["status"])
        })?;
        components_are_listed(&self.path, release)?;
        Ok(seconds)
    }

    /// Installs the release of this folder, which gets this place in the root.
    fn install(&self, release: &Path, place: &str) -> Result<(), Failure> {
        let mut copy = Command::new("cp");
        process::run(copy.arg("--recursive").arg(release).arg(self.path.join(place)))?;
        let script = format!("RELEASE=/{place}; {}", self.way.install);
        process::run(&mut in_root(&self.path, &script))
    }

    /// Removes the program. Keys and data stay.
    fn remove(&self) -> Result<(), Failure> {
        process::run(&mut in_root(&self.path, self.way.remove))?;
        let data = self.path.join(FOLDER).join("cardform-data");
        let stays = ["cardform.db", "vault-key", "merchant.json"]
            .iter()
            .all(|name| data.join(name).is_file());
        Failure::unless(stays, || "the program took its data with it".to_owned())?;
        let is_gone = process::run(&mut in_root(&self.path, "cardform --version")).is_err();
        Failure::unless(is_gone, || "the program is still there".to_owned())
    }

    /// Makes the service's folder. Returns its first merchant.
    fn init(&self) -> Result<Value, Failure> {
        let script = format!("cd /{FOLDER} && {} cardform init", self.way.user);
        process::run(&mut in_root(&self.path, &script))?;
        files::json(&self.path.join(FOLDER).join("cardform-data/merchant.json"))
    }

    /// Starts the service and waits until it is ready.
    fn serve(&self) -> Result<Service, Failure> {
        let script = format!("cd /{FOLDER} && exec {} cardform serve --json", self.way.user);
        let mut serve = in_root(&self.path, &script);
        let mut service = Service {
            process: process::spawn(serve.stdout(Stdio::piped()))?,
            url: String::new(),
        };
        let line = process::first_line(&serve, &mut service.process)?;
        let ready: Value = serde_json::from_str(&line)
            .map_err(|_| Failure::unusable("`cardform serve` is not ready", line.clone()))?;
        text(&ready, "listening").clone_into(&mut service.url);
        Ok(service)
    }
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
struct Service {
    process: Child,
    url: String,
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Service {
    /// Asks the service to end, and waits until it has.
    fn end(mut self) -> Result<(), Failure> {
        let mut kill = Command::new("kill");
        process::run(kill.arg(self.process.id().to_string()))?;
        let ended = self.process.wait();
        Failure::unless(ended.is_ok_and(|status| status.success()), || {
            "the service did not end well".to_owned()
        })
    }

    /// Creates a charge and pays it as the page does. Returns the id of the paid charge.
    fn pay(&self, merchant: &Value) -> Result<String, Failure> {
        let key = text(merchant, "secret_key");
        let order = json!({
            "item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD",
            "partner_reference": "order-1",
        });
        let charge = self.call("/v1/charges", key, &[], Some(&order))?;
        let partner = format!("partner-id: {}", text(merchant, "partner_id"));
        let headers = [partner.as_str(), "idempotency-key: press-1"];
        let press = press(order, &charge);
        let secret = text(&charge, "client_secret");
        self.call("/v1/pub/direct/charges", secret, &headers, Some(&press))?;
        let id = text(&charge, "id");
        let paid = self.call(&format!("/v1/charges/{id}"), key, &[], None)?;
        Failure::unless(paid["status"] == "succeeded", || {
            format!("the charge is {}", paid["status"])
        })?;
        Ok(id.to_owned())
    }

    /// A request in the service's network; a POST if there is a body.
    fn call(&self, path: &str, key: &str, headers: &[&str], body: Option<&Value>) -> Result<Value, Failure> {
        let url = format!("{}{path}", self.url);
        let mut curl = Command::new("nsenter");
        curl.arg("--target").arg(self.process.id().to_string());
        curl.args(["--net", "curl", "--silent", "--show-error", "--noproxy", "*"]);
        curl.arg("--header").arg(format!("authorization: Bearer {key}"));
        for header in headers {
            curl.args(["--header", header]);
        }
        if let Some(body) = body {
            curl.args(["--header", "content-type: application/json", "--data"]);
            curl.arg(body.to_string());
        }
        let output = process::capture(curl.args(["--fail-with-body", &url]))?;
        let said = String::from_utf8_lossy(&output.stdout);
        Failure::unless(output.status.success(), || {
            format!("{url}: {said}{}", String::from_utf8_lossy(&output.stderr))
        })?;
        serde_json::from_str(&said).map_err(|cause| Failure::unusable(&url, cause.to_string()))
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
