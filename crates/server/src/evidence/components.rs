//! The components of this build, in the format of `CycloneDX`. `build.rs` makes the list from the lock files.

/// A `CycloneDX` 1.6 document in JSON.
pub const COMPONENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/components.cdx.json"));

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    fn is_hash(algorithm: &str, content: &str) -> bool {
        let digits = match algorithm {
            "SHA-1" => 40,
            "SHA-256" => 64,
            "SHA-384" => 96,
            "SHA-512" => 128,
            _ => return false,
        };
        content.len() == digits && content.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// What the JSON schema of `CycloneDX` 1.6 requires of the parts that we use: required fields, allowed words,
    /// patterns.
    #[test]
    fn the_list_of_components_has_cyclonedx_format() {
        let list: Value = serde_json::from_str(COMPONENTS).unwrap();
        let names: HashSet<&str> = list.as_object().unwrap().keys().map(String::as_str).collect();
        let known = [
            "$schema",
            "bomFormat",
            "specVersion",
            "version",
            "metadata",
            "components",
        ];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
        assert_eq!(list["$schema"], "http://cyclonedx.org/schema/bom-1.6.schema.json");
        assert_eq!(
            (&list["bomFormat"], &list["specVersion"]),
            (&"CycloneDX".into(), &"1.6".into())
        );
        assert!(list["version"].as_u64().unwrap() >= 1);
        assert_eq!(list["metadata"]["component"]["type"], "application");
        let mut refs = HashSet::new();
        for component in list["components"].as_array().unwrap() {
            let text = |name: &str| {
                component[name]
                    .as_str()
                    .unwrap_or_else(|| panic!("{name} of {component}"))
            };
            assert_eq!(text("type"), "library");
            assert!(!text("name").is_empty() && !text("version").is_empty());
            assert!(["required", "optional", "excluded"].contains(&text("scope")));
            let purl = text("purl");
            assert!(
                purl.starts_with("pkg:cargo/") || purl.starts_with("pkg:npm/"),
                "{purl}"
            );
            assert!(
                purl.contains(&format!("@{}", text("version").replace('+', "%2B"))),
                "{purl}"
            );
            assert!(refs.insert(text("bom-ref").to_owned()), "{purl} is there twice");
            for hash in component["hashes"].as_array().into_iter().flatten() {
                let [algorithm, content] = ["alg", "content"].map(|name| hash[name].as_str().unwrap());
                assert!(is_hash(algorithm, content), "{hash} of {purl}");
            }
            for licence in component["licenses"].as_array().into_iter().flatten() {
                assert!(!licence["expression"].as_str().unwrap().is_empty(), "{purl}");
            }
        }
    }

    #[test]
    fn crates_and_npm_packages_are_listed_with_their_hashes() {
        let list: Value = serde_json::from_str(COMPONENTS).unwrap();
        let components = list["components"].as_array().unwrap();
        let of = |start: &str| {
            components
                .iter()
                .find(|component| component["purl"].as_str().unwrap().starts_with(start))
                .unwrap_or_else(|| panic!("no {start}"))
        };
        assert_eq!(of("pkg:cargo/axum@")["hashes"][0]["alg"], "SHA-256");
        assert_eq!(of("pkg:npm/react@")["hashes"][0]["alg"], "SHA-512");
        assert_eq!(of("pkg:npm/react@")["scope"], "required");
        assert_eq!(of("pkg:npm/vitest@")["scope"], "excluded", "no shopper gets it");
        assert!(
            components.iter().all(|component| component["name"] != "server"),
            "our own"
        );
    }
}
