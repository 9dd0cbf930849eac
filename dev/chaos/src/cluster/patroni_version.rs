//! Which Patroni may lead a cluster that keeps payments.

use std::process::Command;

use harness::TrialError;

/// Patroni 3.0.2 writes the leader's key at etcd whoever holds it, so a primary that stood still takes it back from the
/// next one, and what that one confirmed is lost (docs/reliability.md#a-primary-that-dies). 4.1.5 compares first.
const MAJOR_MIN: u32 = 4;

/// Refuses a Patroni that can lose what was confirmed.
pub(super) fn check_patroni() -> Result<(), TrialError> {
    let said = Command::new("patroni")
        .arg("--version")
        .output()
        .map_err(|cause| TrialError::Start("patroni".to_owned(), cause))?;
    let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    match major(&said) {
        Some(major) if major >= MAJOR_MIN => Ok(()),
        _ => Err(TrialError::NotReady(
            "patroni".to_owned(),
            format!(
                "`{said}` is not {MAJOR_MIN} or newer: a primary that stood still takes the lead back with it, and charges are \
                 lost. A newer one for every user, and first on the path: `python3 -m venv /opt/patroni`, then \
                 `/opt/patroni/bin/pip install 'patroni[etcd3,psycopg3]'`"
            ),
        )),
    }
}

/// Of `patroni 4.1.5` the 4.
fn major(said: &str) -> Option<u32> {
    let version = said.strip_prefix("patroni ")?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read() {
        assert_eq!(major("patroni 3.0.2"), Some(3));
        assert_eq!(major("patroni 4.1.5"), Some(4));
        assert_eq!(major("command not found"), None);
    }
}
