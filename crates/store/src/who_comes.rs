//! Before work begins that many share, those come who are about to.

use tokio::task::yield_now;

/// After so many rounds in which nobody came, nobody else is about to.
const QUIET_ROUNDS: usize = 2;
/// The most rounds, so that nobody waits for long while others keep coming.
const ROUNDS_MAX: usize = 16;

/// Lets every task that is ready run, round after round, until nobody new comes. `count` tells how many are there. A round
/// takes as long as the service's own work that is waiting, so without any it takes a few microseconds.
pub(crate) async fn until_nobody_comes(count: impl Fn() -> usize) {
    let (mut before, mut quiet) = (count(), 0);
    for _ in 0..ROUNDS_MAX {
        yield_now().await;
        let now = count();
        quiet = if now == before { quiet + 1 } else { 0 };
        if quiet == QUIET_ROUNDS {
            return;
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often it looks while somebody comes in each of the first rounds.
    async fn looks_while_coming(rounds: usize) -> usize {
        let looks = Cell::new(0);
        until_nobody_comes(|| {
            looks.set(looks.get() + 1);
            looks.get().min(rounds)
        })
        .await;
        looks.get()
    }

    #[tokio::test]
    async fn it_begins_soon_if_nobody_comes_and_in_the_end_in_any_case() {
        assert_eq!(looks_while_coming(0).await, 1 + QUIET_ROUNDS);
        assert_eq!(looks_while_coming(5).await, 5 + QUIET_ROUNDS);
        assert_eq!(looks_while_coming(usize::MAX).await, 1 + ROUNDS_MAX);
    }
}
