//! Shows whoever waits what is being done: the steps, how long each has taken, and what is left. On a terminal one line
//! that changes, elsewhere plain lines.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How often the line on a terminal is drawn again.
const REDRAW: Duration = Duration::from_secs(1);
/// How often a step that takes long says so where there is no terminal.
const REMINDER: Duration = Duration::from_secs(15);
/// Takes the cursor to the beginning of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// What is told of a step, by its place in the list of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    /// It has begun.
    Begun(usize),
    /// So much of it is done.
    Part(usize, StepPart),
    /// A line that must be seen, like a warning of the compiler.
    Line(String),
    /// It is done.
    Done(usize),
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepPart {
    pub(crate) done: usize,
    pub(crate) all: usize,
}

/// One step, and where it stands.
#[derive(Debug, Default)]
struct Step {
    name: &'static str,
    begun: Option<Duration>,
    part: Option<StepPart>,
    done: Option<Duration>,
    /// When it was last spoken of where there is no terminal.
    told: Duration,
}

/// All steps.
#[derive(Debug)]
pub(crate) struct Progress {
    steps: Vec<Step>,
}

impl Progress {
    /// Steps of these names, in the order of the list.
    pub(crate) fn of(names: &[&'static str]) -> Self {
        let step = |name: &&'static str| Step {
            name,
            ..Step::default()
        };
        Self {
            steps: names.iter().map(step).collect(),
        }
    }

    /// Shows on standard error what `news` tells, until nobody can tell any more.
    pub(crate) fn show(mut self, news: &Receiver<News>) {
        let start = Instant::now();
        let mut out = std::io::stderr();
        let is_terminal = out.is_terminal();
        loop {
            let one = match news.recv_timeout(REDRAW) {
                Ok(one) => Some(one),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let now = start.elapsed();
            let lines = self.lines(one, now);
            let shown = if is_terminal {
                self.redrawn(&lines, now)
            } else {
                lines
                    .into_iter()
                    .chain(self.reminders(now))
                    .map(|line| line + "\n")
                    .collect()
            };
            // A closed terminal must not end the build.
            let _ = out.write_all(shown.as_bytes());
        }
        if is_terminal {
            let _ = out.write_all(CLEAR.as_bytes());
        }
    }

    /// Takes the news in, and returns the lines that stay.
    fn lines(&mut self, news: Option<News>, now: Duration) -> Vec<String> {
        match news {
            Some(News::Begun(index)) => {
                let step = &mut self.steps[index];
                (step.begun, step.told) = (Some(now), now);
                vec![format!("{} {}", self.place(index), self.steps[index].name)]
            }
            Some(News::Part(index, part)) => {
                self.steps[index].part = Some(part);
                Vec::new()
            }
            Some(News::Line(line)) => vec![line],
            Some(News::Done(index)) => {
                let step = &mut self.steps[index];
                step.done = Some(now);
                let took = now.saturating_sub(step.begun.unwrap_or(now));
                vec![format!(
                    "{} {}: done in {}",
                    self.place(index),
                    self.steps[index].name,
                    clock(took)
                )]
            }
            None => Vec::new(),
        }
    }

    /// What is under way, on one line: `0:42  [1/3] page · [2/3] server, 120 of 341 done`.
    fn under_way(&self, now: Duration) -> String {
        let steps = self.steps.iter().enumerate();
        let running = steps.filter(|(_, step)| step.begun.is_some() && step.done.is_none());
        let texts: Vec<_> = running.map(|(index, _)| self.text(index)).collect();
        if texts.is_empty() {
            return String::new();
        }
        format!("{}  {}", clock(now), texts.join(" · "))
    }

    fn text(&self, index: usize) -> String {
        let step = &self.steps[index];
        let mut text = format!("{} {}", self.place(index), step.name);
        if let Some(StepPart { done, all }) = step.part {
            let _ = write!(text, ", {} of {all} left", all.saturating_sub(done));
        }
        text
    }

    fn place(&self, index: usize) -> String {
        format!("[{}/{}]", index + 1, self.steps.len())
    }

    /// What a terminal gets: the lines that stay, and below them the one that changes.
    fn redrawn(&self, lines: &[String], now: Duration) -> String {
        let mut shown = CLEAR.to_owned();
        for line in lines {
            let _ = writeln!(shown, "{line}");
        }
        shown + &self.under_way(now)
    }

    /// A line for each step of which nothing was said for long.
    fn reminders(&mut self, now: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        for index in 0..self.steps.len() {
            let step = &mut self.steps[index];
            if let (Some(begun), None) = (step.begun, step.done)
                && now >= step.told + REMINDER
            {
                step.told = now;
                lines.push(format!(
                    "{}, {}",
                    self.text(index),
                    clock(now.saturating_sub(begun))
                ));
            }
        }
        lines
    }
}

/// `1:05` for 65 seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Tells of one step.
#[derive(Debug, Clone)]
pub(crate) struct Teller {
    index: usize,
    to: Sender<News>,
}

impl Teller {
    /// Of the step at this place of the list.
    pub(crate) fn of(index: usize, to: &Sender<News>) -> Self {
        Self {
            index,
            to: to.clone(),
        }
    }

    /// The step begins, is `work`, and is done when that succeeds.
    pub(crate) fn step<T, E>(&self, work: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        self.tell(News::Begun(self.index));
        let result = work(self)?;
        self.tell(News::Done(self.index));
        Ok(result)
    }

    /// So much of it is done.
    pub(crate) fn part(&self, part: StepPart) {
        self.tell(News::Part(self.index, part));
    }

    /// A line that must be seen.
    pub(crate) fn line(&self, line: impl Into<String>) {
        self.tell(News::Line(line.into()));
    }

    fn tell(&self, news: News) {
        // Nobody shows it when the command is about to end.
        let _ = self.to.send(news);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [&str; 2] = ["building the page", "building the server"];

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn steps_that_begin_and_end_are_told_with_their_place_and_time() {
        let mut progress = Progress::of(&STEPS);
        assert_eq!(
            progress.lines(Some(News::Begun(1)), at(2)),
            ["[2/2] building the server"]
        );
        assert_eq!(
            progress.lines(Some(News::Done(1)), at(127)),
            ["[2/2] building the server: done in 2:05"]
        );
        assert_eq!(
            progress.lines(Some(News::Line("warning: x".to_owned())), at(128)),
            ["warning: x"]
        );
    }

    #[test]
    fn a_terminal_shows_in_one_line_what_is_under_way_and_what_is_left() {
        let mut progress = Progress::of(&STEPS);
        assert_eq!(progress.under_way(at(0)), "");
        progress.lines(Some(News::Begun(0)), at(0));
        progress.lines(Some(News::Begun(1)), at(1));
        progress.lines(Some(News::Part(1, StepPart { done: 120, all: 341 })), at(70));
        assert_eq!(
            progress.under_way(at(72)),
            "1:12  [1/2] building the page · [2/2] building the server, 221 of 341 left"
        );
        progress.lines(Some(News::Done(0)), at(73));
        assert_eq!(
            progress.redrawn(&["above".to_owned()], at(74)),
            "\r\x1b[2Kabove\n1:14  [2/2] building the server, 221 of 341 left"
        );
    }

    #[test]
    fn without_a_terminal_a_long_step_says_now_and_then_how_far_it_is() {
        let mut progress = Progress::of(&STEPS);
        progress.lines(Some(News::Begun(1)), at(5));
        assert!(progress.reminders(at(19)).is_empty());
        progress.lines(Some(News::Part(1, StepPart { done: 1, all: 3 })), at(19));
        assert_eq!(
            progress.reminders(at(20)),
            ["[2/2] building the server, 2 of 3 left, 0:15"]
        );
        assert!(progress.reminders(at(21)).is_empty());
        progress.lines(Some(News::Done(1)), at(30));
        assert!(progress.reminders(at(60)).is_empty());
    }
}
