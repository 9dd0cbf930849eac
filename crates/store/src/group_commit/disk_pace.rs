//! Whether the disk is so quick that waiting for it takes less than handing the wait to another thread.

use std::time::Duration;

use tokio::runtime::Handle;

/// A commit that takes no longer is quick. Handing it to another thread and back takes a tenth of a millisecond, in which
/// nobody else can write.
const QUICK_MAX: Duration = Duration::from_millis(1);
/// With fewer threads, nobody runs requests while one of them waits.
const WORKERS_MIN: usize = 2;

/// How long the disk took for the last commit that wrote something.
#[derive(Debug, Default)]
pub(super) struct DiskPace {
    last: Option<Duration>,
}

impl DiskPace {
    /// Notes how long a commit took.
    pub(super) fn note(&mut self, took: Duration) {
        self.last = Some(took);
    }

    /// Whether the next commit is likely to be quick, and other threads run requests meanwhile.
    pub(super) fn is_quick(&self) -> bool {
        self.is_quick_beside(Handle::current().metrics().num_workers())
    }

    /// The same if so many threads run requests.
    pub(super) fn is_quick_beside(&self, workers: usize) -> bool {
        workers >= WORKERS_MIN && self.last.is_some_and(|last| last <= QUICK_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the next commit is quick, on so many threads.
    fn is_quick_after(commits: &[Duration], workers: usize) -> bool {
        let mut pace = DiskPace::default();
        for took in commits {
            pace.note(*took);
        }
        pace.is_quick_beside(workers)
    }

    #[test]
    fn a_disk_is_as_quick_as_it_was_the_last_time() {
        let (quick, slow) = (QUICK_MAX, QUICK_MAX + Duration::from_micros(1));
        assert!(is_quick_after(&[slow, quick], 2));
        assert!(!is_quick_after(&[quick, slow], 2));
    }

    #[test]
    fn nobody_waits_for_a_disk_that_is_not_known() {
        assert!(!is_quick_after(&[], 2));
    }

    #[test]
    fn the_only_thread_never_waits() {
        assert!(!is_quick_after(&[QUICK_MAX], 1));
    }
}
