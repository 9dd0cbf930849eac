//! Which setting wins, which values are refused, and whether the reference of settings is complete.

use super::*;

fn file(text: &str) -> (tempfile::TempDir, Settings) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cardform.toml");
    std::fs::write(&path, text).unwrap();
    let settings = Settings {
        config: Some(path),
        ..Settings::default()
    };
    (dir, settings)
}

#[test]
fn a_flag_precedes_the_file_which_precedes_the_default() {
    let (_dir, mut settings) = file("listen = \"127.0.0.1:1\"\nprovider_timeout_ms = 5\n");
    settings.listen = Some("127.0.0.1:2".parse().unwrap());
    let config = settings.resolve().unwrap();
    assert_eq!(config.listen.port(), 2);
    assert_eq!(config.charges.provider_timeout, Duration::from_millis(5));
    assert_eq!(config.client_secret_lifetime, Duration::from_hours(1));
}

#[test]
fn an_unknown_setting_stops_the_start_and_names_the_line() {
    let (_dir, settings) = file("# settings\n\nlisten = \"127.0.0.1:1\"\nlissten = 1\n");
    let message = settings.resolve().unwrap_err().to_string();
    assert!(message.contains("line 4: unknown field `lissten`"), "{message}");
    assert_eq!(message.lines().count(), 1);
}

/// The reference of all settings: each is in it as a comment, with its default.
const REFERENCE: &str = include_str!("../../cardform.default.toml");

#[test]
fn the_reference_names_every_setting_with_its_default() {
    let set: Vec<_> = REFERENCE
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| {
            line.split_once(" = ")
                .is_some_and(|(name, _)| !name.contains(' '))
        })
        .collect();
    let set = set.join("\n");
    let mut given: Settings = toml::from_str(&set).unwrap();
    // The folder and the file must exist.
    given.charge_export = None;
    given.card_networks_file = None;
    let command = <Settings as clap::Args>::augment_args(clap::Command::new("settings"));
    let names: Vec<_> = command
        .get_arguments()
        .map(|argument| argument.get_id().as_str())
        .collect();
    for name in names.into_iter().filter(|name| *name != "config") {
        assert!(set.contains(&format!("{name} = ")), "{name} is missing");
    }
    let (given, default) = (given.check().unwrap(), Settings::default().check().unwrap());
    assert_eq!(
        (given.listen, &given.database),
        (default.listen, &default.database)
    );
    assert_eq!(given.charges.provider_timeout, default.charges.provider_timeout);
    assert_eq!(given.charges.provider_grace, default.charges.provider_grace);
    assert_eq!(
        given.charges.reconcile_interval,
        default.charges.reconcile_interval
    );
    assert_eq!(given.client_secret_lifetime, default.client_secret_lifetime);
    assert_eq!(given.charges.lifetime, default.charges.lifetime);
    assert_eq!(given.features.interval, default.features.interval);
    assert_eq!(given.render.engines, default.render.engines);
    assert_eq!(given.render.time, default.render.time);
}

#[test]
fn a_bad_value_names_its_setting() {
    let bad = |settings: Settings| settings.resolve().unwrap_err().to_string();
    for database in [
        "mysql://localhost/cardform",
        "postgres://[",
        "sqlite::memory:",
        "cardform.db",
    ] {
        let message = bad(Settings {
            database: Some(database.into()),
            ..Settings::default()
        });
        assert!(message.contains("database"), "{message}");
    }
    for url in ["pay.example", "https://pay.example/path", "ftp://pay.example"] {
        let message = bad(Settings {
            public_url: Some(url.into()),
            ..Settings::default()
        });
        assert!(message.contains("public_url"), "{message}");
    }
    for suffix in [
        "",
        "com",
        ".dev.example",
        "dev.example.",
        "https://dev.example",
        "dev.example:8092",
        "*.example",
    ] {
        let message = bad(Settings {
            dynamic_environment_suffix: Some(suffix.into()),
            ..Settings::default()
        });
        assert!(message.contains("dynamic_environment_suffix"), "{message}");
    }
    for threads in [0, 1025] {
        let message = bad(Settings {
            threads: Some(threads),
            ..Settings::default()
        });
        assert!(message.contains("threads must be 1 to 1024"), "{message}");
    }
    let (_dir, settings) = file("\nlisten = \"here\"\n");
    assert!(bad(settings).contains("line 2"));
}

#[test]
fn a_root_redirect_to_a_missing_page_stops_the_start() {
    let leads = |strategy: &str, path: &str| {
        let settings = Settings {
            locale_strategy: Some(strategy.into()),
            root_redirect: Some(path.into()),
            ..Settings::default()
        };
        settings.resolve().map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(leads("prefix_and_default", "/ja-JP").is_ok());
    assert!(leads("prefix_except_default", "/ja-JP").is_ok());
    for (strategy, path) in [("no_prefix", "/ja-JP"), ("prefix_except_default", "/en-US")] {
        assert!(
            leads(strategy, path)
                .unwrap_err()
                .contains("root_redirect leads to a language")
        );
    }
}
