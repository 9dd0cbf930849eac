//! `cardform init`: a folder with everything that `cardform serve` needs, in test mode or with Stripe (docs/operating.md#from-nothing).

use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::Args;
use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id, new_operator_key, new_secret_key};
use serde_json::{Value, json};
use store::{Database, Partner, Store};

use super::operator_name::system_actor;
use super::{Failure, Output};
use crate::config::{CONFIG_FILE, DATA_FOLDER, database};

/// `cardform init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder to make.
    #[arg(long, value_name = "DIR", default_value = DATA_FOLDER)]
    pub folder: PathBuf,
    /// The first merchant's name.
    #[arg(long, default_value = "My shop")]
    pub name: String,
    /// The URL of an empty database, as for `serve` [default: a SQLite file in the folder].
    #[arg(long, value_name = "URL", env = "CARDFORM_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// The payment provider: test, without real money, or stripe.
    #[arg(long, value_name = "NAME", default_value = "test", value_parser = ["test", "stripe"])]
    pub provider: String,
    /// The file with Stripe's secret key.
    #[arg(long, value_name = "FILE", required_if_eq("provider", "stripe"))]
    pub provider_key_file: Option<PathBuf>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: std::net::SocketAddr,
}

const VAULT_KEY_FILE: &str = "vault-key";
const OPERATOR_KEY_FILE: &str = "operator-key";
const MERCHANT_FILE: &str = "merchant.json";
/// The SQLite file, if no other database is named.
const DATABASE: &str = "cardform.db";

/// What the merchant needs to know.
struct Made {
    partner_id: String,
    secret_key: String,
}

pub(super) async fn run(args: InitArgs, output: Output) -> Result<(), Failure> {
    let folder = std::path::absolute(&args.folder)?;
    let config = folder.join(CONFIG_FILE);
    if config.exists() {
        let made = read_merchant(&folder)?;
        return tell(
            &folder,
            &made,
            "this folder is ready already; nothing was changed",
            output,
        );
    }
    if folder.read_dir().is_ok_and(|mut files| files.next().is_some()) {
        return Err(format!(
            "{}: this folder is not empty; nothing was written",
            folder.display()
        )
        .into());
    }
    let provider_key = args.provider_key_file.as_deref().map(readable).transpose()?;
    let database_url = named_database(args.database.as_deref()).await?;
    let parent = folder.parent().unwrap_or(Path::new("/"));
    let refused = |cause: std::io::Error| format!("{}: {cause}", folder.display());
    std::fs::create_dir_all(parent).map_err(refused)?;
    // The folder gets its name once it is complete.
    let part = tempfile::Builder::new()
        .prefix(".cardform-init-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir_in(parent)
        .map_err(refused)?;
    write(part.path(), VAULT_KEY_FILE, &vault::generate_key("key-1")?)?;
    write(part.path(), OPERATOR_KEY_FILE, &new_operator_key()?)?;
    write(
        part.path(),
        CONFIG_FILE,
        &settings(&args, &folder, database_url.as_deref(), provider_key.as_deref()),
    )?;
    let database = match &database_url {
        None => Database::Sqlite(part.path().join(DATABASE)),
        Some(url) => database(url)?,
    };
    let clock = Clock::system();
    let made = Made {
        partner_id: new_id(IdKind::Partner, &clock),
        secret_key: new_secret_key()?,
    };
    let merchant = json!({ "partner_id": made.partner_id, "secret_key": made.secret_key });
    write(part.path(), MERCHANT_FILE, &format!("{merchant:#}\n"))?;
    add_merchant(&database, args.name, &made, &clock).await?;
    // The database has the merchant now, so the files with its key must stay.
    let part = part.keep();
    std::fs::rename(&part, &folder).map_err(|cause| {
        format!(
            "{}: {cause}; its files are in {}",
            folder.display(),
            part.display()
        )
    })?;
    tell(&folder, &made, "made", output)
}

/// The absolute path of a file that can be read.
fn readable(file: &Path) -> Result<PathBuf, Failure> {
    let about = |cause: std::io::Error| format!("{}: {cause}", file.display());
    std::fs::File::open(file).map_err(about)?;
    Ok(std::path::absolute(file).map_err(about)?)
}

/// Writes a file that only its owner can read.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let file = folder.join(name);
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(&file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    Ok(written.map_err(|cause| format!("{}: {cause}", file.display()))?)
}

/// The database's URL with an absolute path. Fails if the database is in use: it has keys and merchants of its own.
async fn named_database(url: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(url) = url else { return Ok(None) };
    let named = database(url)?;
    let is_in_use = named.has_merchants().await;
    if is_in_use.map_err(|cause| format!("{named}: {cause}"))? {
        return Err(format!("{named}: this database has merchants already; name an empty one").into());
    }
    Ok(Some(match named {
        Database::Sqlite(file) => format!("sqlite:{}", std::path::absolute(file)?.display()),
        Database::Postgres(_) => url.to_owned(),
    }))
}

/// Makes the database with the first merchant.
async fn add_merchant(database: &Database, name: String, made: &Made, clock: &Clock) -> Result<(), Failure> {
    super::merchant::check_name(&name)?;
    let store = Store::connect(database).await?;
    let partner = Partner {
        id: made.partner_id.clone(),
        name,
        allowed_origins: Vec::new(),
        site_ids: Vec::new(),
        active: true,
        created_at: clock.now_ms(),
    };
    store
        .put_partner_by(&partner, &made.secret_key, &system_actor(clock))
        .await?;
    store.close().await;
    Ok(())
}

fn read_merchant(folder: &Path) -> Result<Made, Failure> {
    let file = folder.join(MERCHANT_FILE);
    let about = |cause: &dyn std::fmt::Display| format!("{}: {cause}", file.display());
    let text = std::fs::read_to_string(&file).map_err(|cause| about(&cause))?;
    let known: Value = serde_json::from_str(&text).map_err(|cause| about(&cause))?;
    let part = |name: &str| known[name].as_str().unwrap_or_default().to_owned();
    Ok(Made {
        partner_id: part("partner_id"),
        secret_key: part("secret_key"),
    })
}

/// The settings file. Paths are absolute, so that the service can be started from any folder.
fn settings(
    args: &InitArgs,
    folder: &Path,
    database_url: Option<&str>,
    provider_key: Option<&Path>,
) -> String {
    let own_database = || format!("sqlite:{}", folder.join(DATABASE).display());
    let path = |name: &str| toml_text(&folder.join(name).display().to_string());
    let provider = match provider_key {
        None => format!(
            "# Test mode: no real money. The simulator in the service takes the payments (docs/testing.md). For real ones use \
             provider = \"stripe\"\n# and provider_key_file (docs/going-live.md).\nprovider = \"test\"\n\
             provider_test_folder = {}\n",
            path("simulator")
        ),
        Some(file) => format!(
            "# Payments go to Stripe, with the key in this file (docs/going-live.md).\nprovider = \"stripe\"\n\
             provider_key_file = {}\n",
            toml_text(&file.display().to_string())
        ),
    };
    format!(
        "# Made by `cardform init`. `cardform serve --help` lists every setting.\n\n\
         # The address to listen on. A proxy with https stands in front (docs/operating.md).\nlisten = \"{}\"\n\n\
         # The origin under which shoppers reach this service.\n# public_url = \"https://pay.example\"\n\n\
         # Charges, cards and merchants.\ndatabase = {}\n\n\
         # The keys that seal saved cards. Without this file the cards are lost: keep a copy elsewhere (docs/vault-keys.md).\n\
         vault_key_file = {}\n\n\
         # The key of the operator's page, /operator.\noperator_key_file = {}\n\n{provider}",
        args.listen,
        toml_text(&database_url.map_or_else(own_database, str::to_owned)),
        path(VAULT_KEY_FILE),
        path(OPERATOR_KEY_FILE),
    )
}

/// A text in TOML.
fn toml_text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn tell(folder: &Path, made: &Made, what: &str, output: Output) -> Result<(), Failure> {
    let (config, operator) = (folder.join(CONFIG_FILE), folder.join(OPERATOR_KEY_FILE));
    let Made {
        partner_id,
        secret_key,
    } = made;
    let next = format!("cardform serve --config {}", config.display());
    output.print(
        &json!({
            "folder": folder.display().to_string(), "config": config.display().to_string(), "partner_id": partner_id,
            "secret_key": secret_key, "operator_key_file": operator.display().to_string(), "next": next,
        }),
        &format!(
            "{}: {what}\n\npartner id    {partner_id}\nsecret key    {secret_key}\noperator key  in {}\n\n\
             Next: {next}",
            folder.display(),
            operator.display()
        ),
    )
}
