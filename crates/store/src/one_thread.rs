//! A single thread runs all tasks. It waits for a quick disk itself, and a stand-in runs the tasks if that takes longer.
//!
//! Handing a wait to another thread and back takes longer than a quick disk does. But a thread that waits runs no tasks, and a disk
//! that was quick may hang. So the thread leaves tokio's runtime before it waits, where another thread can then enter. That is the
//! stand-in: while there are waits, it looks now and then whether one goes on for long, and runs the tasks until that one ends.

use std::cell::RefCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{mpsc, oneshot, watch};

use super::sql::SqlError;
use super::sql::sqlite::blocking;

/// The pause between two looks of the stand-in. A wait stops all tasks for at most twice as long.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// What the thread does outside of the runtime.
type Wait = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Takes what the single thread shall wait for. The stand-in has none: while it runs tasks, the single thread waits already.
    static WAITS: RefCell<Option<mpsc::UnboundedSender<Wait>>> = const { RefCell::new(None) };
}

/// Runs this and all tasks that it spawns on the calling thread. What may block runs on others.
///
/// # Errors
/// The runtime or the stand-in could not be started.
pub fn run_on_one_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (asked, mut asking) = mpsc::unbounded_channel();
    let absence = Absence::default();
    WAITS.set(Some(asked));
    let done = thread::scope(|scope| {
        let (begins, begun) = sync_channel(1);
        let stand_in = thread::Builder::new().name("stand-in".to_owned());
        stand_in.spawn_scoped(scope, || absence.stand_in(&runtime, begun))?;
        let mut work = runtime.spawn(work);
        loop {
            let next = runtime.block_on(async {
                tokio::select! {
                    done = &mut work => Err(done),
                    Some(wait) = asking.recv() => Ok(wait),
                }
            });
            match next {
                Ok(wait) => absence.during(wait, &begins),
                Err(done) => return io::Result::Ok(done),
            }
        }
    });
    WAITS.set(None);
    // The runtime ends later, so it cannot have ended the work.
    Ok(done?.unwrap_or_else(|error| resume_unwind(error.into_panic())))
}

/// Since when the single thread is outside of the runtime.
#[derive(Debug, Default)]
struct Absence(watch::Sender<Option<Instant>>);

impl Absence {
    /// Waits, and tells the stand-in when it begins.
    fn during(&self, wait: Wait, begins: &SyncSender<()>) {
        self.0.send_replace(Some(Instant::now()));
        // If there is no room, the stand-in has not yet looked after an earlier one, and will.
        let _ = begins.try_send(());
        // Whoever asked for it gets no answer after a panic.
        let _ = catch_unwind(AssertUnwindSafe(wait));
        self.0.send_replace(None);
    }

    /// Runs the tasks during waits that take long, until there can be no more waits.
    fn stand_in(&self, runtime: &Runtime, begun: Receiver<()>) {
        let mut absence = self.0.subscribe();
        for () in begun {
            let since = *absence.borrow();
            thread::sleep(LOOK_PAUSE);
            if since.is_some() && *absence.borrow() == since {
                // The sender is still there.
                let _ = runtime.block_on(absence.wait_for(|now| *now != since));
            }
        }
    }
}

/// Does what waits about as long as handing it to another thread takes: at once if other threads run tasks meanwhile or a stand-in
/// can, otherwise on a thread that may block.
pub(crate) async fn briefly<T: Send + 'static>(
    wait: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SqlError> {
    let Some(waits) = WAITS.with_borrow(Clone::clone) else {
        return if Handle::current().metrics().num_workers() > 1 {
            Ok(wait())
        } else {
            blocking(wait).await
        };
    };
    let (answer, answered) = oneshot::channel();
    let wait = move || {
        // If nobody wants the answer any more, it is dropped.
        let _ = answer.send(wait());
    };
    waits.send(Box::new(wait)).map_err(|_| SqlError::Thread)?;
    answered.await.map_err(|_| SqlError::Thread)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::ThreadId;

    use tokio::time::error::Elapsed;

    use super::*;

    /// The longest that a test waits.
    const DEADLINE: Duration = Duration::from_secs(20);

    async fn thread_that_waits() -> ThreadId {
        briefly(|| thread::current().id()).await.unwrap()
    }

    /// Tries until this thread waits. On a busy machine the stand-in may have begun.
    async fn waits_itself(thread: ThreadId) -> Result<(), Elapsed> {
        let until_it_does = async { while thread_that_waits().await != thread {} };
        tokio::time::timeout(DEADLINE, until_it_does).await
    }

    #[test]
    fn the_single_thread_waits_itself() {
        let here = thread::current().id();
        run_on_one_thread(waits_itself(here)).unwrap().unwrap();
    }

    #[test]
    fn a_long_wait_stops_no_other_task() {
        let here = thread::current().id();
        let (end, ended) = channel();
        let (begins, begun) = oneshot::channel();
        let work = async move {
            let others = tokio::spawn(async move {
                begun.await.unwrap();
                // Timers go on, too.
                tokio::time::timeout(Duration::from_millis(1), std::future::pending::<()>())
                    .await
                    .unwrap_err();
                let other = thread_that_waits().await;
                end.send(()).unwrap();
                (thread::current().id(), other)
            });
            let has_ended = briefly(move || {
                begins.send(()).unwrap();
                ended.recv_timeout(DEADLINE)
            });
            let has_ended = has_ended.await.unwrap();
            (has_ended, others.await.unwrap(), waits_itself(here).await)
        };
        let (has_ended, (stand_in, other), again) = run_on_one_thread(work).unwrap();
        assert_eq!(has_ended, Ok(()));
        assert!(![here, other].contains(&stand_in));
        // Who waits already is not asked, and later is again.
        assert_ne!(other, here);
        again.unwrap();
    }

    #[test]
    fn after_a_panic_the_single_thread_goes_on() {
        let here = thread::current().id();
        let work = async move {
            let panicked = briefly(|| assert!(std::env::args().count() == 0)).await;
            (panicked, waits_itself(here).await)
        };
        let (panicked, again) = run_on_one_thread(work).unwrap();
        assert!(matches!(panicked, Err(SqlError::Thread)));
        again.unwrap();
    }

    #[test]
    fn the_panic_of_the_work_is_the_callers() {
        let run = || run_on_one_thread(async { assert!(std::env::args().count() == 0) });
        assert!(catch_unwind(run).is_err());
    }

    #[test]
    fn with_several_threads_the_thread_of_the_task_waits() {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let task = async { (thread::current().id(), thread_that_waits().await) };
        let (own, waits) = runtime.block_on(task);
        assert_eq!(own, waits);
    }

    #[tokio::test]
    async fn without_a_stand_in_another_thread_waits() {
        assert_ne!(thread_that_waits().await, thread::current().id());
    }
}
