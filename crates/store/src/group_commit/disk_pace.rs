//! Whether the disk is so quick that waiting for it takes less than handing the wait to another thread.

use std::time::Duration;

/// A commit that takes no longer is quick. Handing it to another thread and back takes a tenth of a millisecond, in which
/// nobody else can write.
const QUICK_MAX: Duration = Duration::from_millis(1);

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

    /// Whether the next commit is likely to be quick.
    pub(super) fn is_quick(&self) -> bool {
        self.last.is_some_and(|last| last <= QUICK_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the next commit is likely to be quick after these.
    fn is_quick_after(commits: &[Duration]) -> bool {
        let mut pace = DiskPace::default();
        for took in commits {
            pace.note(*took);
        }
        pace.is_quick()
    }

    #[test]
    fn a_disk_is_as_quick_as_it_was_the_last_time() {
        let (quick, slow) = (QUICK_MAX, QUICK_MAX + Duration::from_micros(1));
        assert!(is_quick_after(&[slow, quick]));
        assert!(!is_quick_after(&[quick, slow]));
    }

    #[test]
    fn a_disk_that_is_not_known_is_not_quick() {
        assert!(!is_quick_after(&[]));
    }
}
