//! Seeds with which a trial failed once. Each later trial begins with them; they stay in the repository.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use harness::TrialError;

/// One seed a line; a line that begins with `#` is a comment.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/failed-seeds.txt");

/// The kept seeds, the oldest first.
pub fn kept() -> Result<Vec<u64>, TrialError> {
    kept_in(Path::new(FILE))
}

/// Keeps the seed of a trial that failed, and says so.
pub fn keep(seed: u64) -> Result<(), TrialError> {
    let is_new = keep_in(Path::new(FILE), seed)?;
    if is_new {
        eprintln!("seed {seed} is kept in dev/chaos/failed-seeds.txt; commit it with what mends the fault");
    }
    Ok(())
}

fn kept_in(file: &Path) -> Result<Vec<u64>, TrialError> {
    let text = std::fs::read_to_string(file).map_err(|cause| unreadable(file, cause))?;
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            line.trim()
                .parse()
                .map_err(|_| TrialError::NotReady(file.display().to_string(), format!("{line:?} is no seed")))
        })
        .collect()
}

fn keep_in(file: &Path, seed: u64) -> Result<bool, TrialError> {
    if kept_in(file)?.contains(&seed) {
        return Ok(false);
    }
    let mut open = File::options()
        .append(true)
        .open(file)
        .map_err(|cause| unreadable(file, cause))?;
    writeln!(open, "{seed}").map_err(|cause| unreadable(file, cause))?;
    Ok(true)
}

fn unreadable(file: &Path, cause: std::io::Error) -> TrialError {
    TrialError::Start(file.display().to_string(), cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_failed_is_kept_once_and_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("failed-seeds.txt");
        std::fs::write(&file, "# why\n7\n").unwrap();
        assert!(keep_in(&file, u64::MAX).unwrap());
        assert!(!keep_in(&file, 7).unwrap());
        assert_eq!(kept_in(&file).unwrap(), [7, u64::MAX]);
    }

    #[test]
    fn the_kept_seeds_of_the_repository_can_be_read() {
        kept().unwrap();
    }
}
