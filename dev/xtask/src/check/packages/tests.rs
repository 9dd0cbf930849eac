use serde_json::json;

use super::*;

#[test]
fn npm_packages_with_other_licences_are_refused() {
    let lock = json!({"packages": {
        "form": {},
        "node_modules/@cardform/form": {"link": true},
        "node_modules/a": {"license": "MIT"},
        "node_modules/a/node_modules/b": {"license": "GPL-3.0-only"},
        "node_modules/c": {},
        "node_modules/d": {"license": "MPL-2.0"},
        "node_modules/lightningcss-linux-x64-gnu": {"license": "MPL-2.0"},
    }});
    assert_eq!(
        refused(&lock),
        ["b (GPL-3.0-only)", "c (no licence)", "d (MPL-2.0)"]
    );
}
