//! How many threads answer requests.
//!
//! A task that wakes a task on another thread also wakes its processor, which then fetches what the first one had in its cache.
//! With a thread for each of two processors that was an eighth of a charge's processor time. So there is one thread less than
//! there are processors: the last one is for the disk, the network and what else is on the machine. A single thread also does
//! without the queues from which threads take each other's tasks, and waits for a quick disk itself (`store::run_on_one_thread`).

use std::io;
use std::thread::available_parallelism;

use tokio::runtime::Builder;

/// How many threads there are if nobody says otherwise.
pub(crate) fn default_threads() -> usize {
    threads_for(available_parallelism().map_or(1, usize::from))
}

/// The default on a machine with so many processors.
fn threads_for(processors: usize) -> usize {
    processors.saturating_sub(1).max(1)
}

/// Runs this and all tasks that it spawns on so many threads. What may block runs on others.
pub(crate) fn run_on<T: Send + 'static>(
    threads: usize,
    work: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    if threads == 1 {
        return store::run_on_one_thread(work);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()?;
    Ok(runtime.block_on(work))
}

#[cfg(test)]
mod tests {
    use tokio::runtime::{Handle, RuntimeFlavor};

    use super::*;

    #[test]
    fn a_processor_is_left_to_what_else_is_on_the_machine() {
        assert_eq!([1, 2, 3, 8].map(threads_for), [1, 1, 2, 7]);
    }

    #[test]
    fn a_single_thread_has_the_runtime_for_one() {
        let of = |threads| {
            let runtime = async {
                let handle = Handle::current();
                (handle.runtime_flavor(), handle.metrics().num_workers())
            };
            run_on(threads, runtime).unwrap()
        };
        assert_eq!(of(1), (RuntimeFlavor::CurrentThread, 1));
        assert_eq!(of(3), (RuntimeFlavor::MultiThread, 3));
    }
}
