//! The engines that run React on the server: JavaScript contexts on their own threads, with limits of number, memory
//! and time. An engine that fails or hangs is replaced; the page is then rendered in the browser.

use std::fmt::Display;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rquickjs::{CatchResultExt, Context, Function, Module, Runtime};
use thiserror::Error;
use tokio::sync::oneshot;

/// The limits of the engines.
#[derive(Debug, Clone, Copy)]
pub struct RenderLimits {
    /// How many engines, each on its own thread.
    pub engines: usize,
    /// How long one page may take, including waiting. With zero, every page is rendered in the browser.
    pub time: Duration,
    /// The memory limit of one engine in bytes; React and the page need about 8 MiB.
    pub memory_bytes_max: usize,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self {
            engines: 2,
            time: Duration::from_millis(500),
            memory_bytes_max: 64 * 1024 * 1024,
        }
    }
}

/// The C stack that one engine may use, in bytes. React's tree is shallow; endless recursion stops here.
const STACK_BYTES_MAX: usize = 512 * 1024;
/// The stack of an engine's thread: the engine's own, and space for its callers.
const THREAD_STACK_BYTES: usize = 2 * 1024 * 1024;
/// How many pages may wait for each engine; further ones are rendered in the browser.
const WAITING_PER_ENGINE_MAX: usize = 32;

/// Parts of a browser that React expects and an engine does not have. None of them is called while a page is rendered
/// to a string.
const STAND_INS: &str = r"
    globalThis.console = { log() {}, warn() {}, error() {}, info() {}, debug() {} };
    globalThis.performance = { now: () => 0 };
    globalThis.setTimeout = () => 0;
    globalThis.clearTimeout = () => {};
    globalThis.MessageChannel = class { constructor() { this.port1 = {}; this.port2 = { postMessage() {} }; } };
    globalThis.TextEncoder = class { encode() { return new Uint8Array(0); } };
";

/// Why a page was not rendered on the server.
#[derive(Debug, Error)]
pub enum RenderError {
    /// Every engine is busy and the queue is full.
    #[error("every render engine is busy")]
    Busy,
    /// It took longer than [`RenderLimits::time`].
    #[error("rendering took too long")]
    TimedOut,
    /// The page's script failed: the JavaScript error, which names no data of the page.
    #[error("rendering failed: {0}")]
    Failed(String),
}

impl RenderError {
    fn of(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }
}

struct RenderJob {
    page: String,
    deadline: Instant,
    answer: oneshot::Sender<Result<String, RenderError>>,
}

/// A handle to the engines; cheap to clone.
#[derive(Clone)]
pub struct Renderer {
    jobs: SyncSender<RenderJob>,
    time: Duration,
}

impl Renderer {
    /// Starts the engines, each of which loads `script`, an ES module that exports `render(json)`.
    pub fn start(script: &Arc<str>, limits: RenderLimits) -> Self {
        let (jobs, waiting) = sync_channel(limits.engines * WAITING_PER_ENGINE_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..limits.engines {
            let (script, waiting) = (Arc::clone(script), Arc::clone(&waiting));
            thread::Builder::new()
                .name(format!("render-{number}"))
                .stack_size(THREAD_STACK_BYTES)
                .spawn(move || work(&script, &waiting, limits))
                .expect("a thread for a render engine");
        }
        Self {
            jobs,
            time: limits.time,
        }
    }

    /// The HTML of the page that `page`, a [`protocol::Page`] as JSON, describes.
    pub async fn render(&self, page: String) -> Result<String, RenderError> {
        let (answer, rendered) = oneshot::channel();
        let job = RenderJob {
            page,
            deadline: Instant::now() + self.time,
            answer,
        };
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => RenderError::Busy,
            TrySendError::Disconnected(_) => RenderError::Failed("every render engine has ended".into()),
        })?;
        match tokio::time::timeout(self.time, rendered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(RenderError::Failed("the render engine ended".into())),
            Err(_) => Err(RenderError::TimedOut),
        }
    }
}

/// The loop of an engine's thread: renders pages, with a new engine after each failure.
fn work(script: &str, waiting: &Mutex<Receiver<RenderJob>>, limits: RenderLimits) {
    let mut engine = None;
    loop {
        // The lock is held while waiting, so the next job goes to the engine that holds it.
        let next = waiting
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .recv();
        let Ok(job) = next else { return };
        if job.answer.is_closed() {
            continue;
        }
        let loaded = engine.take();
        let result = loaded
            .map_or_else(|| RenderEngine::load(script, limits), Ok)
            .and_then(|loaded| {
                let html = loaded.render(&job.page, job.deadline)?;
                engine = Some(loaded);
                Ok(html)
            });
        // If it took too long, the request does not wait any more.
        let _ = job.answer.send(result);
    }
}

struct RenderEngine {
    runtime: Runtime,
    context: Context,
}

impl RenderEngine {
    fn load(script: &str, limits: RenderLimits) -> Result<Self, RenderError> {
        let runtime = Runtime::new().map_err(RenderError::of)?;
        runtime.set_memory_limit(limits.memory_bytes_max);
        runtime.set_max_stack_size(STACK_BYTES_MAX);
        let context = Context::full(&runtime).map_err(RenderError::of)?;
        context.with(|ctx| -> Result<(), RenderError> {
            let load = || -> rquickjs::Result<()> {
                ctx.eval::<(), _>(STAND_INS)?;
                let (module, loaded) = Module::declare(ctx.clone(), "server.js", script)?.eval()?;
                loaded.finish::<()>()?;
                ctx.globals().set("render", module.get::<_, Function>("render")?)
            };
            load().catch(&ctx).map_err(RenderError::of)
        })?;
        Ok(Self { runtime, context })
    }

    fn render(&self, page: &str, deadline: Instant) -> Result<String, RenderError> {
        self.runtime
            .set_interrupt_handler(Some(Box::new(move || Instant::now() >= deadline)));
        let rendered = self.context.with(|ctx| {
            let call = || ctx.globals().get::<_, Function>("render")?.call((page,));
            call().catch(&ctx).map_err(RenderError::of)
        });
        if Instant::now() >= deadline {
            Err(RenderError::TimedOut)
        } else {
            rendered
        }
    }
}

#[cfg(test)]
mod tests;
