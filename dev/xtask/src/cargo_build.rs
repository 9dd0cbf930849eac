//! Runs `cargo build` and tells how many crates are left, which cargo itself shows on terminals alone.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::process;
use crate::progress::{StepPart, Teller};

/// First words of lines that say nothing besides how far cargo is.
const OF_PROGRESS: [&str; 8] = [
    "Adding",
    "Building",
    "Compiling",
    "Downloaded",
    "Downloading",
    "Finished",
    "Locking",
    "Updating",
];

/// Runs a build to its end, or to the moment when `ended` is set.
pub(crate) fn run(command: &mut Command, teller: &Teller, ended: &AtomicBool) -> Result<(), Failure> {
    command
        .env("CARGO_TERM_PROGRESS_WHEN", "always")
        .env("CARGO_TERM_PROGRESS_WIDTH", "120")
        .env("CARGO_TERM_COLOR", "never");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .stderr(Stdio::piped());
    let mut child = process::spawn(command)?;
    let mut pieces = child.stderr.take().map(OutputPieces::of);
    for piece in pieces.iter_mut().flatten() {
        if ended.load(Ordering::Relaxed) {
            // It may have ended by itself just now; either way it is gone after this.
            let _ = child.kill();
        }
        match CargoLine::of(&piece) {
            Some(CargoLine::Part(part)) => teller.part(part),
            Some(CargoLine::Line) => teller.line(piece),
            None => {}
        }
    }
    let status = child.wait().map_err(|cause| Failure::Start {
        command: process::name(command),
        cause,
    })?;
    process::expect_success(command, status)
}

/// What a piece of cargo's output is, if it is to be passed on.
#[derive(Debug, PartialEq, Eq)]
enum CargoLine {
    Part(StepPart),
    Line,
}

impl CargoLine {
    fn of(piece: &str) -> Option<Self> {
        let text = piece.trim();
        let first = text.split(' ').next()?;
        if !OF_PROGRESS.contains(&first) {
            return (!text.is_empty()).then_some(Self::Line);
        }
        // `Building [====>      ] 120/341: syn, serde`
        let (_, after) = text.strip_prefix("Building [")?.split_once("] ")?;
        let (done, all) = after.split(':').next()?.split_once('/')?;
        Some(Self::Part(StepPart {
            done: done.trim().parse().ok()?,
            all: all.trim().parse().ok()?,
        }))
    }
}

/// Output in pieces: a line that stays ends with a new line, one that is drawn over with a carriage return.
struct OutputPieces<R> {
    reader: BufReader<R>,
}

impl<R: Read> OutputPieces<R> {
    fn of(output: R) -> Self {
        Self {
            reader: BufReader::new(output),
        }
    }
}

impl<R: Read> Iterator for OutputPieces<R> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut piece = Vec::new();
        loop {
            let buffer = self.reader.fill_buf().ok()?;
            if buffer.is_empty() {
                return (!piece.is_empty()).then(|| cleaned(&piece));
            }
            let end = buffer.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            piece.extend_from_slice(&buffer[..end.unwrap_or(buffer.len())]);
            let read = end.map_or(buffer.len(), |end| end + 1);
            self.reader.consume(read);
            if end.is_some() {
                return Some(cleaned(&piece));
            }
        }
    }
}

/// Without the code that clears the rest of a terminal's line.
fn cleaned(piece: &[u8]) -> String {
    String::from_utf8_lossy(piece).replace("\x1b[K", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargos_own_bar_tells_how_many_crates_are_built() {
        let part = |done, all| Some(CargoLine::Part(StepPart { done, all }));
        assert_eq!(
            CargoLine::of("    Building [=====>      ] 120/341: syn, serde"),
            part(120, 341)
        );
        assert_eq!(CargoLine::of("    Building [            ] 0/9"), part(0, 9));
        assert_eq!(CargoLine::of("   Compiling serde v1.0.229"), None);
        assert_eq!(CargoLine::of("    Building a house"), None);
        assert_eq!(CargoLine::of("   "), None);
    }

    #[test]
    fn what_the_compiler_complains_of_is_passed_on() {
        for line in [
            "error[E0425]: cannot find value `x` in this scope",
            " --> crates/server/src/main.rs:3:5",
            "    Blocking waiting for file lock on build directory",
        ] {
            assert_eq!(CargoLine::of(line), Some(CargoLine::Line), "{line}");
        }
    }

    #[test]
    fn output_is_taken_apart_at_both_kinds_of_ends() {
        let output = "   Compiling a v1\n\x1b[K    Building [>] 1/2: a\r    Building [=] 2/2\rerror: x";
        let pieces: Vec<_> = OutputPieces::of(output.as_bytes()).collect();
        assert_eq!(
            pieces,
            [
                "   Compiling a v1",
                "    Building [>] 1/2: a",
                "    Building [=] 2/2",
                "error: x"
            ]
        );
    }
}
