//! The signals that end or reload the process. They are registered before the process reports that it is ready, because the
//! operating system kills a process that has not registered them.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that the service handles.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Registers the signals. A signal that arrives before [`Self::reload_until_end`] is kept.
    pub fn listen() -> Result<Self, io::Error> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Calls `reload` at each SIGHUP, and returns at SIGTERM or SIGINT.
    pub async fn reload_until_end(&mut self, reload: impl Fn()) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => reload(),
            }
        }
    }

    /// Returns at SIGTERM or SIGINT.
    pub async fn end(&mut self) {
        self.reload_until_end(|| ()).await;
    }
}
