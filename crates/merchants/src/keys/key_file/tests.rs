//! Who owns a key file.

use std::os::unix::fs::{PermissionsExt, chown};

use super::*;

#[test]
fn a_key_file_of_another_user_is_too_open() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("vault-keys");
    std::fs::write(&file, "keys").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    // Only root can give a file away. Another user owns it already, and is not root.
    let _ = chown(&file, Some(4_711), None);
    let owner = std::fs::metadata(&file).unwrap().uid();
    let found = |service_user| too_open("vault_key_file", &file, service_user);

    assert_eq!(found(Some(owner)), None);
    let open = found(Some(owner + 1)).unwrap();
    assert_eq!((&open.file, open.owner), (&file, Some(owner)));
    assert_eq!(
        open.to_string(),
        format!(
            "{} of the setting vault_key_file is open to others on this machine (owner {owner}): \
             chown it to root or to the service's user",
            file.display()
        )
    );
    // The doctor does not know which user runs the service.
    assert_eq!(found(None), None);
}
