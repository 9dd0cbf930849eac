//! Checks which crate uses which: dependencies go one way, and a crate that must not know HTTP, SQL or the clock has no
//! library for it. Reads the metadata of cargo.

use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::metadata::metadata;

/// A crate of the house.
struct Crate {
    name: &'static str,
    /// The crates of the house that it may use.
    may_use: &'static [&'static str],
    /// The libraries that it may not use, and what that keeps true.
    without: &'static [&'static str],
    why: &'static str,
}

const HTTP: [&str; 5] = ["axum", "http", "hyper", "reqwest", "tower-http"];
const CRATES: [Crate; 15] = [
    Crate {
        name: "rules",
        may_use: &[],
        without: &["tokio", "reqwest", "rusqlite", "tokio-postgres", "axum"],
        why: "the rules have no clock and no I/O",
    },
    Crate {
        name: "wire",
        may_use: &["rules"],
        without: &["tokio", "reqwest", "rusqlite", "tokio-postgres", "axum"],
        why: "wire holds shapes only",
    },
    Crate {
        name: "vault",
        may_use: &["rules"],
        without: &["rusqlite", "tokio-postgres", "axum", "http", "hyper", "reqwest"],
        why: "the vault knows no SQL and no HTTP",
    },
    Crate {
        name: "model",
        may_use: &["rules", "wire"],
        without: &["tokio", "reqwest", "rusqlite", "tokio-postgres", "axum"],
        why: "the model has no I/O",
    },
    Crate {
        name: "store",
        may_use: &["rules", "wire", "model"],
        without: &HTTP,
        why: "the store knows no HTTP",
    },
    Crate {
        name: "providers",
        may_use: &["rules", "wire", "vault", "model"],
        without: &["rusqlite", "tokio-postgres", "axum"],
        why: "providers are reached over HTTP and know no SQL",
    },
    Crate {
        name: "page",
        may_use: &["rules", "wire", "model"],
        without: &["rusqlite", "tokio-postgres", "reqwest"],
        why: "the page renders, and asks no database and no provider",
    },
    Crate {
        name: "manual",
        may_use: &[],
        without: &["tokio", "reqwest", "rusqlite", "tokio-postgres", "axum"],
        why: "it renders the documentation while the server is built",
    },
    Crate {
        name: "server",
        may_use: &[
            "rules",
            "wire",
            "vault",
            "model",
            "store",
            "providers",
            "page",
            "manual",
        ],
        without: &["rusqlite", "tokio-postgres"],
        why: "SQL stands in the store",
    },
    Crate {
        name: "generate",
        may_use: &["rules", "wire"],
        without: &["tokio", "reqwest", "rusqlite", "tokio-postgres", "axum"],
        why: "it writes TypeScript, and no more",
    },
    Crate {
        name: "shop",
        may_use: &[],
        without: &[],
        why: "a merchant has none of our crates",
    },
    Crate {
        name: HARNESS,
        may_use: &[],
        without: &[],
        why: "",
    },
    Crate {
        name: CHAOS,
        may_use: &[HARNESS],
        without: &[],
        why: "",
    },
    Crate {
        name: "bench",
        may_use: &[HARNESS],
        without: &[],
        why: "",
    },
    Crate {
        name: "xtask",
        may_use: &[],
        without: &["serde", "serde_derive", "thiserror", "clap", "ts-rs", "brotli"],
        why: "xtask is built before anything else, so it depends on little",
    },
];

/// The crates that start the service from outside: any crate's tests may use them, but no crate itself.
const HARNESS: &str = "harness";
const CHAOS: &str = "chaos";

/// Every dependency that breaks the order, one line each.
pub(super) fn findings(root: &Path) -> Result<Vec<String>, Failure> {
    Ok(judge(&metadata(root, &["--no-deps"])?))
}

fn judge(metadata: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(known) = CRATES.iter().find(|known| known.name == name) else {
            found.push(format!(
                "crates/{name}: say in dev/xtask/src/tidy/crates.rs what it may use"
            ));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_of_tests = dependency["kind"] == "dev";
            let is_house = CRATES.iter().any(|other| other.name == used);
            let is_outside = is_of_tests && [HARNESS, CHAOS].contains(&used);
            if is_house && !is_outside && !known.may_use.contains(&used) {
                found.push(format!("crates/{name}/Cargo.toml: `{name}` may not use `{used}`"));
            }
            if !is_of_tests && known.without.contains(&used) {
                found.push(format!("crates/{name}/Cargo.toml: uses `{used}`: {}", known.why));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, dependencies: &[(&str, Option<&str>)]) -> Vec<String> {
        let dependencies: Vec<_> = dependencies
            .iter()
            .map(|(name, kind)| json!({"name": name, "kind": kind}))
            .collect();
        judge(&json!({"packages": [{"name": name, "dependencies": dependencies}]}))
    }

    #[test]
    fn crates_use_only_those_before_them() {
        assert_eq!(
            check("page", &[("rules", None), ("vault", None), ("serde", None)]),
            ["crates/page/Cargo.toml: `page` may not use `vault`"]
        );
        assert_eq!(
            check("wire", &[("server", Some("dev"))]),
            ["crates/wire/Cargo.toml: `wire` may not use `server`"]
        );
        assert!(check("store", &[("harness", Some("dev")), ("model", None)]).is_empty());
        assert_eq!(check("store", &[("harness", None)]).len(), 1);
    }

    #[test]
    fn the_store_has_no_library_for_http_outside_its_tests() {
        assert_eq!(
            check("store", &[("axum", None)]),
            ["crates/store/Cargo.toml: uses `axum`: the store knows no HTTP"]
        );
        assert!(check("store", &[("axum", Some("dev"))]).is_empty());
        assert_eq!(check("server", &[("rusqlite", None)]).len(), 1);
    }

    #[test]
    fn what_is_built_first_has_no_crate_of_the_house_and_derives_nothing() {
        assert!(check("xtask", &[("serde_json", None)]).is_empty());
        assert_eq!(
            check("xtask", &[("rules", None), ("thiserror", None)]),
            [
                "crates/xtask/Cargo.toml: `xtask` may not use `rules`",
                "crates/xtask/Cargo.toml: uses `thiserror`: xtask is built before anything else, so it depends on little"
            ]
        );
    }

    #[test]
    fn a_crate_without_a_place_in_the_order_is_named() {
        assert_eq!(check("other", &[]).len(), 1);
    }
}
