use protocol::Sensitive;

use super::*;

const RECORD: CardRecord<'_> = CardRecord {
    partner_id: "partner_1",
    shopper_id: "sam",
    id: "pm_1",
};

#[test]
fn a_changed_key_file_is_used_at_once_unless_it_is_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys");
    let (old, new) = (
        vault::generate_key("old").unwrap(),
        vault::generate_key("new").unwrap(),
    );
    std::fs::write(&path, old.as_bytes()).unwrap();
    let vault = CardVault::open(SecretSource::File(path.clone())).unwrap();
    let pan = Pan::parse("4242424242424242").unwrap();
    let (before, _) = vault.seal(&pan, RECORD).unwrap();
    assert_eq!(before.key_id, "old");

    std::fs::write(&path, format!("{}\n{}\n", *new, *old)).unwrap();
    assert_eq!(vault.seal(&pan, RECORD).unwrap().0.key_id, "new");
    assert!(vault.unseal(&before, RECORD).is_ok());

    std::fs::write(&path, "nonsense").unwrap();
    assert_eq!(vault.seal(&pan, RECORD).unwrap().0.key_id, "new");
}

#[test]
fn an_unusable_key_source_is_reported_without_the_key() {
    let message = |source| CardVault::open(source).unwrap_err().to_string();
    let setting = message(SecretSource::Setting(Sensitive::new("id:c2VjcmV0".to_owned())));
    let missing = message(SecretSource::File("no-such-file".into()));
    for text in [&setting, &missing] {
        assert!(!text.contains("c2VjcmV0") && text.lines().count() == 1, "{text}");
    }
    assert!(setting.contains("vault_keys") && missing.contains("no-such-file"));
}
