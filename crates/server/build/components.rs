//! The components of the build as a `CycloneDX` 1.6 document, from `Cargo.lock` and `package-lock.json`. The same files give
//! the same bytes: there is no time and no random number in it.

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The document.
pub(crate) fn list(crates: &str, packages: &str, version: &str) -> String {
    let mut components = of_cargo(crates);
    components.extend(of_npm(packages));
    components.sort_by_key(|component| component["bom-ref"].as_str().unwrap_or_default().to_owned());
    components.dedup_by(|one, other| one["bom-ref"] == other["bom-ref"]);
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": "cardform", "name": "cardform", "version": version},
        },
        "components": components,
    });
    document.to_string()
}

/// Crates from the registry; those without a source are our own. The lock file does not tell which of them only tests
/// need.
fn of_cargo(lock: &str) -> Vec<Value> {
    let lock: toml::Table = toml::from_str(lock).expect("Cargo.lock is TOML");
    let packages = lock["package"].as_array().expect("Cargo.lock lists packages");
    let from_registry = packages.iter().filter(|package| package.get("source").is_some());
    from_registry
        .map(|package| {
            let text = |name: &str| {
                package
                    .get(name)
                    .and_then(toml::Value::as_str)
                    .unwrap_or_default()
            };
            let hash = text("checksum");
            component(
                "cargo",
                text("name"),
                text("version"),
                "required",
                ("SHA-256", hash),
                "",
            )
        })
        .collect()
}

/// Packages that are installed, but for our own, which are links. What only the build and the tests need is `excluded`: no
/// shopper gets it.
fn of_npm(lock: &str) -> Vec<Value> {
    let lock: Value = serde_json::from_str(lock).expect("package-lock.json is JSON");
    let packages = lock["packages"]
        .as_object()
        .expect("package-lock.json lists packages");
    let installed = packages
        .iter()
        .filter(|(path, package)| path.contains("node_modules/") && package["link"] != true);
    installed
        .map(|(path, package)| {
            let folder = path.rsplit_once("node_modules/").map_or("", |(_, name)| name);
            let name = package["name"].as_str().unwrap_or(folder);
            let flag = |name: &str| package[name] == true;
            let scope = if flag("dev") || flag("devOptional") {
                "excluded"
            } else if flag("optional") || flag("peer") {
                "optional"
            } else {
                "required"
            };
            let integrity = package["integrity"].as_str().unwrap_or_default();
            let hash = integrity
                .strip_prefix("sha512-")
                .map(hexadecimal)
                .unwrap_or_default();
            let version = package["version"].as_str().unwrap_or_default();
            let licence = package["license"].as_str().unwrap_or_default();
            component("npm", name, version, scope, ("SHA-512", &hash), licence)
        })
        .collect()
}

fn component(
    registry: &str,
    name: &str,
    version: &str,
    scope: &str,
    (algorithm, hash): (&str, &str),
    licence: &str,
) -> Value {
    let escaped = |text: &str| text.replace('@', "%40").replace('+', "%2B");
    let purl = format!("pkg:{registry}/{}@{}", escaped(name), escaped(version));
    let mut fields = Map::new();
    fields.insert("type".into(), "library".into());
    fields.insert("bom-ref".into(), purl.clone().into());
    fields.insert("name".into(), name.into());
    fields.insert("version".into(), version.into());
    fields.insert("scope".into(), scope.into());
    if !hash.is_empty() {
        fields.insert("hashes".into(), json!([{"alg": algorithm, "content": hash}]));
    }
    if !licence.is_empty() {
        fields.insert("licenses".into(), json!([{"expression": licence}]));
    }
    fields.insert("purl".into(), purl.into());
    Value::Object(fields)
}

/// Base64 as hexadecimal.
fn hexadecimal(base64: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = base64
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let mut bits = 0_u32;
    let mut count = 0;
    let mut text = String::new();
    for value in values {
        bits = bits << 6 | u32::try_from(value).unwrap_or_default();
        count += 6;
        if count >= 8 {
            count -= 8;
            let _ = write!(text, "{:02x}", bits >> count & 0xff);
        }
    }
    text
}
