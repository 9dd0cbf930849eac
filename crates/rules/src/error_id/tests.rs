use super::*;

#[test]
fn an_alias_is_read_as_its_id() {
    for (alias, id) in ALIASES {
        let read: ErrorId = serde_json::from_value(serde_json::json!(alias)).unwrap();
        assert_eq!(read.as_str(), *id);
        assert_eq!(serde_json::to_value(read).unwrap(), *id);
    }
}
