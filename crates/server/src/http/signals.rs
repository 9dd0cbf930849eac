//! What the process is asked by signals. They are listened to before the process says that it is ready: until then the
//! system's own way with them is to kill it.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that a service knows.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Listens from now on; what comes before anybody waits is kept.
    pub(crate) fn listen() -> Result<Self, io::Error> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns when the process is asked to end, by SIGTERM or SIGINT; SIGHUP has it `reload` meanwhile.
    pub(crate) async fn end_or(&mut self, reload: impl Fn()) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => reload(),
            }
        }
    }

    /// Returns when the process is asked to end.
    pub(crate) async fn end(&mut self) {
        self.end_or(|| ()).await;
    }
}
