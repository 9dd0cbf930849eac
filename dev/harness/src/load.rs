//! Many requests at the same time.

use anyhow::{Context, Result};
use tokio::task::JoinSet;

/// How many shoppers or merchants there are at once.
pub const AT_ONCE: usize = 32;

/// Runs `work` for each number up to `count`, several at the same time; a missing answer stops it.
pub async fn at_once<T, F>(count: usize, work: impl Fn(usize) -> F) -> Result<Vec<T>>
where
    T: Send + 'static,
    F: Future<Output = Option<T>> + Send + 'static,
{
    let mut running = JoinSet::new();
    let mut next = 0;
    let mut done = Vec::with_capacity(count);
    while done.len() < count {
        while next < count && running.len() < AT_ONCE {
            running.spawn(work(next));
            next += 1;
        }
        let answer = running.join_next().await.transpose()?.flatten();
        done.push(answer.context("the service did not answer")?);
    }
    Ok(done)
}
