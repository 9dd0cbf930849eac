//! The runtime in which a command runs.

use std::io;

use tokio::runtime::Builder;

/// Runs the work and its tasks on this number of threads; without a number, on one for each processor.
pub(crate) fn run_on<T>(threads: Option<usize>, work: impl Future<Output = T>) -> io::Result<T> {
    let mut runtime = Builder::new_multi_thread();
    if let Some(threads) = threads {
        runtime.worker_threads(threads);
    }
    Ok(runtime.enable_all().build()?.block_on(work))
}

#[cfg(test)]
mod tests;
