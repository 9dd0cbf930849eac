//! Checks the licences of all our dependencies: they must allow use inside a merchant's product. Ours and not
//! cargo-deny: it is 143 crates to build on each new machine, and does not know the packages that come from npm.

mod allowed;

use std::path::Path;

use allowed::{ALLOWED, EXCEPTIONS, Exception, Registry};
use serde_json::Value;
use spdx::{Expression, ParseMode};

use crate::failure::Failure;
use crate::metadata::metadata;

/// A third-party package with its licence.
struct Package {
    registry: Registry,
    name: String,
    version: String,
    /// Empty when it names none.
    licence: String,
}

/// Each package whose licence is not allowed, and each exception that no package needs any more.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>, Failure> {
    let mut packages = crates(root)?;
    packages.extend(npm_packages(root)?);
    Ok(judge(&packages, &EXCEPTIONS))
}

fn judge(packages: &[Package], exceptions: &[Exception]) -> Vec<String> {
    let mut found = Vec::new();
    let mut needed = vec![false; exceptions.len()];
    for package in packages {
        if is_allowed(&package.licence) {
            continue;
        }
        let exception = exceptions.iter().position(|exception| exception.covers(package));
        if let Some(index) = exception {
            needed[index] = true;
            continue;
        }
        let Package { name, version, .. } = package;
        let licence = match package.licence.as_str() {
            "" => "no licence",
            licence => licence,
        };
        found.push(format!(
            "{} package {name} {version}: {licence} is not on the list of allowed licences ({})",
            package.registry.name(),
            allowed::FILE
        ));
    }
    for (exception, needed) in exceptions.iter().zip(needed) {
        if !needed {
            found.push(format!(
                "{}: no package needs the exception for {}",
                allowed::FILE,
                exception.package
            ));
        }
    }
    found
}

/// Whether someone who accepts only the licences on the list may use what is offered under `expression`.
fn is_allowed(expression: &str) -> bool {
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|required| ALLOWED.contains(&required.to_string().as_str()))
    })
}

impl Exception {
    fn covers(&self, package: &Package) -> bool {
        let is_named = match self.package.strip_suffix('*') {
            Some(start) => package.name.starts_with(start),
            None => package.name == self.package,
        };
        is_named && self.registry == package.registry && self.licence == package.licence
    }
}

/// Every crate of others in the lock file, for every platform, with its licence.
fn crates(root: &Path) -> Result<Vec<Package>, Failure> {
    let metadata = metadata(root, &[])?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages
        // A package without a source is ours.
        .filter(|package| package["source"].is_string())
        .map(|package| Package {
            registry: Registry::Cargo,
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
        })
        .collect())
}

/// Every npm package of others in the lock file, with the licence that it or the installed package names.
fn npm_packages(root: &Path) -> Result<Vec<Package>, Failure> {
    let path = root.join("package-lock.json");
    let lock = json(
        &std::fs::read(&path).map_err(Failure::file(&path))?,
        "package-lock.json",
    )?;
    let entries = lock["packages"].as_object().into_iter().flatten();
    Ok(entries
        .filter(|(_, entry)| entry["link"] != true)
        .filter_map(|(place, entry)| {
            // A package outside `node_modules` is one of our workspaces.
            let (_, name) = place.rsplit_once("node_modules/")?;
            let mut licence = npm_licence(entry);
            if licence.is_empty() {
                licence = std::fs::read(root.join(place).join("package.json"))
                    .ok()
                    .and_then(|content| serde_json::from_slice(&content).ok())
                    .map_or_else(String::new, |package: Value| npm_licence(&package));
            }
            Some(Package {
                registry: Registry::Npm,
                name: name.to_owned(),
                version: text(&entry["version"]),
                licence,
            })
        })
        .collect())
}

/// The `license` of a package, or the older forms `{type}` and `licenses: [{type}]`.
fn npm_licence(package: &Value) -> String {
    let licence = &package["license"];
    if licence.is_object() {
        return text(&licence["type"]);
    }
    if let Some(several) = package["licenses"].as_array() {
        let types: Vec<_> = several.iter().map(|licence| text(&licence["type"])).collect();
        return types.join(" OR ");
    }
    text(licence)
}

fn json(bytes: &[u8], what: &str) -> Result<Value, Failure> {
    serde_json::from_slice(bytes).map_err(|cause| Failure::Unusable {
        what: what.to_owned(),
        problem: cause.to_string(),
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EXCEPTION: Exception = Exception {
        registry: Registry::Npm,
        package: "style-*",
        licence: "MPL-2.0",
        reason: "a test",
    };

    fn package(name: &str, licence: &str) -> Package {
        Package {
            registry: Registry::Npm,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
        }
    }

    #[test]
    fn expressions_are_read_as_spdx_says() {
        for (expression, verdict) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("MIT AND GPL-3.0-only", false),
            ("GPL-3.0-only/MIT", true),
            ("GPL-3.0-only OR MIT AND ISC", true),
            ("(GPL-3.0-only OR MIT) AND ISC", true),
            ("(GPL-3.0-only OR MIT) AND OpenSSL", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
            ("LGPL-2.1-only WITH LLVM-exception", false),
            ("", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT ISC", false),
            ("SEE LICENSE IN LICENSE.md", false),
        ] {
            assert_eq!(is_allowed(expression), verdict, "{expression}");
        }
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_named() {
        let found = judge(
            &[
                package("good", "MIT"),
                package("bad", "GPL-3.0-only"),
                package("mute", ""),
            ],
            &[],
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("npm package bad 1.0.0: GPL-3.0-only is not on the list"));
        assert!(found[1].starts_with("npm package mute 1.0.0: no licence is not on the list"));
    }

    #[test]
    fn an_exception_covers_its_package_under_its_licence_only() {
        assert!(judge(&[package("style-linux", "MPL-2.0")], &[EXCEPTION]).is_empty());
        assert_eq!(
            judge(&[package("style-linux", "GPL-2.0-only")], &[EXCEPTION]).len(),
            2
        );
        assert_eq!(judge(&[package("other", "MPL-2.0")], &[EXCEPTION]).len(), 2);
    }

    #[test]
    fn an_exception_that_nothing_needs_is_named() {
        let found = judge(&[package("good", "MIT")], &[EXCEPTION]);
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with("no package needs the exception for style-*"));
    }

    #[test]
    fn the_older_ways_to_name_a_licence_are_read() {
        assert_eq!(npm_licence(&json!({"license": "MIT"})), "MIT");
        assert_eq!(npm_licence(&json!({"license": {"type": "ISC"}})), "ISC");
        assert_eq!(
            npm_licence(&json!({"licenses": [{"type": "MIT"}, {"type": "GPL-2.0"}]})),
            "MIT OR GPL-2.0"
        );
        assert_eq!(npm_licence(&json!({})), "");
    }

    #[test]
    fn every_exception_gives_its_reason() {
        assert!(EXCEPTIONS.iter().all(|exception| exception.reason.len() > 20));
    }
}
