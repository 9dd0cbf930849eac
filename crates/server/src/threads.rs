//! How many threads answer requests, and what runs on them.
//!
//! A thread takes little for a request or a payment. When a task on one of them wakes a task on another, the processors hand
//! over memory and wake each other, which takes more than that. So there is one thread less than there are processors: the
//! last one is for the disk, the network and what else is on the machine. A single thread needs no queues for others.

use std::io;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};

/// How many threads there are if nobody says otherwise.
pub(crate) fn default_threads() -> usize {
    threads_beside(available_parallelism().map_or(1, usize::from))
}

/// The same with so many processors.
fn threads_beside(processors: usize) -> usize {
    processors.saturating_sub(1).max(1)
}

/// Runs tasks on so many threads, and what may block on others.
pub(crate) fn runtime(threads: usize) -> io::Result<Runtime> {
    let mut builder = if threads == 1 {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    if threads > 1 {
        builder.worker_threads(threads);
    }
    builder.enable_all().build()
}

#[cfg(test)]
mod tests {
    use tokio::runtime::RuntimeFlavor;

    use super::*;

    #[test]
    fn a_processor_is_left_to_what_else_is_on_the_machine() {
        assert_eq!([1, 2, 3, 8].map(threads_beside), [1, 1, 2, 7]);
    }

    #[test]
    fn one_thread_has_no_queues_for_others() {
        let of = |threads| {
            let runtime = runtime(threads).unwrap();
            let handle = runtime.handle();
            (handle.runtime_flavor(), handle.metrics().num_workers())
        };
        assert_eq!(of(1), (RuntimeFlavor::CurrentThread, 1));
        assert_eq!(of(3), (RuntimeFlavor::MultiThread, 3));
    }
}
