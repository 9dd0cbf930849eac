//! Seeds with which a drill failed once. Each later drill begins with them; they stay in the repository.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

/// One seed a line; a line that begins with `#` is a comment.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/failed-seeds.txt");

/// The kept seeds, the oldest first.
pub fn kept() -> Result<Vec<u64>> {
    kept_in(Path::new(FILE))
}

/// Keeps the seed of a drill that failed, and says so.
pub fn keep(seed: u64) -> Result<()> {
    if keep_in(Path::new(FILE), seed)? {
        eprintln!(
            "seed {seed} is kept in dev/chaos/failed-seeds.txt; commit it with the change that mends the fault"
        );
    }
    Ok(())
}

fn kept_in(file: &Path) -> Result<Vec<u64>> {
    let text = std::fs::read_to_string(file)?;
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            line.trim()
                .parse()
                .with_context(|| format!("{line:?} is no seed"))
        })
        .collect()
}

fn keep_in(file: &Path, seed: u64) -> Result<bool> {
    if kept_in(file)?.contains(&seed) {
        return Ok(false);
    }
    writeln!(File::options().append(true).open(file)?, "{seed}")?;
    Ok(true)
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
