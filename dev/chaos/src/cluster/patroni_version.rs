//! Which Patroni may lead a cluster that keeps payments.

use std::process::Command;

use anyhow::{Result, ensure};
use harness::companion::output_of;

/// Patroni 3.0.2 writes the leader's key at etcd without comparing its holder, so a primary that stood still takes the lead
/// back from the next one, and charges that the next one confirmed are lost (docs/reliability.md#a-primary-that-dies).
/// 4.1.5 compares first.
const MAJOR_MIN: u32 = 4;

/// Refuses a Patroni that can lose confirmed charges.
pub(super) fn check_patroni() -> Result<()> {
    let said = output_of(Command::new("patroni").arg("--version"))?;
    ensure!(
        major(&said).is_some_and(|major| major >= MAJOR_MIN),
        "`{said}` is not {MAJOR_MIN} or newer, and loses charges when a primary stood still. A newer one for every user, and \
         first on the path: `python3 -m venv /opt/patroni`, then `/opt/patroni/bin/pip install 'patroni[etcd3,psycopg3]'`"
    );
    Ok(())
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
