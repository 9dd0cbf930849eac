//! How tests wait: always with a limit. When the limit ends, the test fails and names the missing event. Only here a
//! test polls.

use std::fmt::Display;
use std::future::Future;
use std::process::{Child, ExitStatus};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longer than every step takes on a busy machine. No test proves anything by a duration.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60);
/// The pause between two polls.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for `thing`, named by `what`.
pub(crate) async fn in_time<T>(what: impl Display, thing: impl Future<Output = T>) -> T {
    let came = tokio::time::timeout(WAIT_MAX, thing).await;
    came.unwrap_or_else(|_| panic!("waited {WAIT_MAX:?} in vain: {what}"))
}

/// Polls until `look` returns a value.
pub(crate) async fn found<T>(what: impl Display, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    in_time(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            // tidy-allow sleep: the one place where tests poll, with a limit
            tokio::time::sleep(PAUSE).await;
        }
    })
    .await
}

/// Polls until the condition holds.
pub(crate) async fn holds(what: impl Display, mut condition: impl AsyncFnMut() -> bool) {
    found(what, async || condition().await.then_some(())).await;
}

/// Waits until the process has ended. Kills it after the limit.
pub(crate) fn ended(what: impl Display, child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + WAIT_MAX;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("waited {WAIT_MAX:?} in vain: {what} does not end");
        }
        // tidy-allow sleep: the end of a process, with a limit
        std::thread::sleep(PAUSE);
    }
}

/// Runs `read`, which reads the output of the process with this id. Kills the process if that takes too long, which
/// ends `read`, too.
pub(crate) fn said<T>(id: u32, read: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(WAIT_MAX) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = std::process::Command::new("kill")
                .args(["-KILL", &id.to_string()])
                .status();
        }
    });
    let read = read();
    drop(done);
    watch.join().unwrap();
    read
}
