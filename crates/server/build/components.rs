//! The components of the build as a `CycloneDX` 1.6 document, from `Cargo.lock` and `package-lock.json`. The same files give
//! the same bytes, because the document has no time and no random number.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

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

/// Crates from the registry. A crate without a source is our own. The lock file does not separate crates for tests only.
fn of_cargo(lock: &str) -> Vec<Value> {
    let lock: toml::Table = toml::from_str(lock).expect("Cargo.lock is TOML");
    let packages = lock["package"].as_array().expect("Cargo.lock lists packages");
    let from_registry = packages.iter().filter(|package| package.get("source").is_some());
    from_registry
        .map(|package| {
            let text = |name: &str| {
                package
                    .get(name)
                    .map_or("", |value| value.as_str().unwrap_or_default())
            };
            let hash = ("SHA-256", text("checksum"));
            component("cargo", text("name"), text("version"), "required", hash, "")
        })
        .collect()
}

/// Installed packages except our own, which are links. A package that only the build and the tests need is `excluded`,
/// because no shopper gets it.
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
    let mut component = json!({
        "type": "library", "bom-ref": purl, "name": name, "version": version, "scope": scope, "purl": purl,
    });
    if !hash.is_empty() {
        component["hashes"] = json!([{"alg": algorithm, "content": hash}]);
    }
    if !licence.is_empty() {
        component["licenses"] = json!([{"expression": licence}]);
    }
    component
}

/// Base64 as hexadecimal.
fn hexadecimal(base64: &str) -> String {
    let bytes = STANDARD
        .decode(base64)
        .expect("package-lock.json has hashes in base64");
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
