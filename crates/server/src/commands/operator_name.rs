//! The name of a command's operator, for the audit log.

use std::os::unix::fs::MetadataExt;

use protocol::clock::Clock;
use store::Actor;

use crate::config::Config;

/// The person who runs this command, and the time now. The name is from the settings, otherwise from the system.
pub(super) fn current_actor(config: &Config, clock: &Clock) -> Actor {
    let mut person = system_actor(clock);
    if let Some(name) = &config.audit_name {
        person.actor = format!("operator {name}");
    }
    person
}

/// The person who runs this command, by the name that the system has, and the time now.
pub(super) fn system_actor(clock: &Clock) -> Actor {
    Actor {
        actor: format!("operator {}", system_name()),
        at: clock.now_ms(),
    }
}

/// `user@machine`, as far as the system knows them.
fn system_name() -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let user = std::fs::metadata("/proc/self")
        .map(|process| process.uid())
        .map_or_else(|_| "unknown".to_owned(), user_name);
    format!("{user}@{}", machine.trim())
}

/// The name of the user with this number. If the system has no name for it, as in a container without users, the
/// number.
fn user_name(number: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    named(&users, number).unwrap_or_else(|| format!("user {number}"))
}

/// Finds the name in lines of `name:password:number:…`.
fn named(users: &str, number: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut parts = line.split(':');
        let name = parts.next()?;
        (parts.nth(1)? == number.to_string()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests;
