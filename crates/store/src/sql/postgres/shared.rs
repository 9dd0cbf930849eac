//! Statements that callers share: who waits at the same time is served by one statement, with one round trip and one
//! commit for all.
//!
//! The first caller starts a task that runs statements as long as somebody waits. While a statement runs, others queue
//! for the next one, and before it begins, those come who are about to. Nobody waits for anybody else, and the busier the
//! service is, the more callers share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::SqlError;
use super::PostgresPool;
use crate::who_comes::until_nobody_comes;

/// The most callers of one statement.
const CALLERS_MAX: usize = 64;
/// After this time the next statement begins, although the last one has not ended: it may wait for a row that somebody
/// else holds, and the callers after it need not.
const NEXT_AFTER: Duration = Duration::from_millis(20);

/// What one statement does for many.
pub(crate) trait ForMany: Send + Sync + 'static {
    /// What a caller wants.
    type Wish: Send + Sync;
    /// What a caller gets.
    type Answer: Send;

    /// Runs the statement. The answers are in the order of the wishes.
    fn run(
        &self,
        pool: &PostgresPool,
        wishes: &[Self::Wish],
    ) -> impl Future<Output = Result<Vec<Self::Answer>, SqlError>> + Send;
}

/// The queue for a statement. Cheap to clone; all copies share it.
pub(crate) struct SharedStatement<S: ForMany> {
    pool: PostgresPool,
    statement: Arc<S>,
    queue: Arc<Mutex<Queue<S>>>,
}

struct Queue<S: ForMany> {
    waiting: Vec<SharingCaller<S>>,
    /// Whether a task serves those who wait.
    is_served: bool,
}

struct SharingCaller<S: ForMany> {
    wish: S::Wish,
    answer: oneshot::Sender<Result<S::Answer, SqlError>>,
}

impl<S: ForMany> SharedStatement<S> {
    pub(crate) fn new(pool: &PostgresPool, statement: S) -> Self {
        Self {
            pool: pool.clone(),
            statement: Arc::new(statement),
            queue: Arc::new(Mutex::new(Queue {
                waiting: Vec::new(),
                is_served: false,
            })),
        }
    }

    /// Has the next statement do this, too. It goes on even if the caller does not wait for the answer any more.
    pub(crate) async fn run(&self, wish: S::Wish) -> Result<S::Answer, SqlError> {
        let (sender, answer) = oneshot::channel();
        let caller = SharingCaller { wish, answer: sender };
        let is_served = {
            let mut queue = self.queue();
            queue.waiting.push(caller);
            std::mem::replace(&mut queue.is_served, true)
        };
        if !is_served {
            tokio::spawn(self.clone().serve());
        }
        answer.await.map_err(|_| SqlError::Thread)?
    }

    /// Runs statements until nobody waits.
    async fn serve(self) {
        loop {
            until_nobody_comes(|| self.queue().waiting.len()).await;
            let Some(callers) = self.next() else { return };
            // In a task of its own: it goes on when its time is over, and a panic in it ends no other statement.
            let running = tokio::spawn(run_for(self.pool.clone(), Arc::clone(&self.statement), callers));
            let _ = timeout(NEXT_AFTER, running).await;
        }
    }

    /// The callers of the next statement. Without any, the queue is not served any more.
    fn next(&self) -> Option<Vec<SharingCaller<S>>> {
        let mut queue = self.queue();
        if queue.waiting.is_empty() {
            queue.is_served = false;
            return None;
        }
        let callers = queue.waiting.len().min(CALLERS_MAX);
        Some(queue.waiting.drain(..callers).collect())
    }

    fn queue(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a statement and tells each caller. Who does not wait any more is not told.
async fn run_for<S: ForMany>(pool: PostgresPool, statement: Arc<S>, callers: Vec<SharingCaller<S>>) {
    let (wishes, answers): (Vec<_>, Vec<_>) = callers
        .into_iter()
        .map(|caller| (caller.wish, caller.answer))
        .unzip();
    match statement.run(&pool, &wishes).await {
        Ok(got) => {
            for (answer, got) in answers.into_iter().zip(got) {
                let _ = answer.send(Ok(got));
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            for answer in answers {
                let _ = answer.send(Err(SqlError::Shared(Arc::clone(&error))));
            }
        }
    }
}

impl<S: ForMany> Clone for SharedStatement<S> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            statement: Arc::clone(&self.statement),
            queue: Arc::clone(&self.queue),
        }
    }
}

impl<S: ForMany> fmt::Debug for SharedStatement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStatement").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use harness::postgres::{Durability, Postgres};

    use super::super::super::work::WorkCounter;
    use super::*;

    /// Panics if somebody wishes so.
    struct PanicMany;

    impl ForMany for PanicMany {
        type Wish = bool;
        type Answer = ();

        async fn run(&self, _: &PostgresPool, wishes: &[bool]) -> Result<Vec<()>, SqlError> {
            assert!(!wishes.contains(&true), "as was wished");
            Ok(wishes.iter().map(|_| ()).collect())
        }
    }

    #[tokio::test]
    async fn after_a_panic_others_are_served() {
        let server = Postgres::start(Durability::None).unwrap();
        let url = server.new_database().unwrap().parse().unwrap();
        let pool = PostgresPool::connect(&url, 1, WorkCounter::default())
            .await
            .unwrap();
        let statement = SharedStatement::new(&pool, PanicMany);
        assert!(matches!(statement.run(true).await, Err(SqlError::Thread)));
        let next = timeout(Duration::from_secs(10), statement.run(false)).await;
        next.unwrap().unwrap();
    }
}
