//! The processor time that a process has used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Linux shows these times in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// The time in user and system mode, in seconds. It includes threads that have ended.
pub(crate) fn processor_seconds(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The program's name, which may have spaces, ends with the last parenthesis.
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    match fields.get(11..13) {
        Some([user, system]) => Ok((user + system) / TICKS_PER_SECOND),
        _ => bail!("no processor time in /proc"),
    }
}

/// A load of the processor, until it is dropped.
pub(crate) struct ProcessorLoad(Arc<AtomicBool>);

/// How often the load pauses.
const LOAD_TURN: Duration = Duration::from_millis(2);

impl ProcessorLoad {
    /// Uses this many processors: 0.5 is half of one.
    pub(crate) fn start(cores: f64) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let mut left = cores;
        while left > 0.0 {
            let busy = LOAD_TURN.mul_f64(left.min(1.0));
            let is_stopped = Arc::clone(&stopped);
            std::thread::spawn(move || {
                while !is_stopped.load(Ordering::Relaxed) {
                    let turn = Instant::now();
                    while turn.elapsed() < busy {
                        std::hint::spin_loop();
                    }
                    std::thread::sleep(LOAD_TURN.saturating_sub(turn.elapsed()));
                }
            });
            left -= 1.0;
        }
        Self(stopped)
    }
}

impl Drop for ProcessorLoad {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
