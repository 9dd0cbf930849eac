use super::*;

#[test]
fn node_is_as_new_as_vite_needs() {
    for version in ["20.19.0", "20.20.2", "22.12.0", "23.0.0", "24.1.0"] {
        assert!(is_new_enough(version), "{version}");
    }
    for version in ["18.20.0", "20.18.3", "21.7.0", "22.11.0", "", "garbage"] {
        assert!(!is_new_enough(version), "{version}");
    }
}
