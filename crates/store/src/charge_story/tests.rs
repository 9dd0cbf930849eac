use protocol::ids::{IdKind, new_id_at};

use super::*;

#[test]
fn ids_of_the_audit_log_are_found_by_their_time() {
    let now = 1_784_116_800_000;
    let id = new_id_at(IdKind::AuditLine, now);
    assert!(first_audit_id(now) <= id && id < first_audit_id(now + 1));
}
