use serde::Deserialize;

use super::*;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note(String, u32);

impl JournalEntry for Note {
    fn key(&self) -> &str {
        &self.0
    }
}

fn note(key: &str, number: u32) -> Note {
    Note(key.to_owned(), number)
}

#[test]
fn the_first_entry_of_a_key_stays() {
    let journal = Journal::in_memory();
    let first = journal.entry("a", || note("a", 1)).unwrap();
    assert_eq!(journal.entry("a", || note("a", 2)).unwrap(), first);
    assert_eq!(journal.entries_where(|_| true), [first]);
}

#[test]
fn the_file_is_read_again_without_an_incomplete_last_line() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("new/notes.jsonl");
    let first = Journal::open(&path).unwrap().entry("a", || note("a", 1)).unwrap();
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("[\"b\",");
    std::fs::write(&path, text).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.entries_where(|_| true), std::slice::from_ref(&first));
    assert_eq!(journal.entry("a", || note("a", 2)).unwrap(), first);
    journal.entry("c", || note("c", 3)).unwrap();
    let again = Journal::<Note>::open(&path).unwrap();
    assert_eq!((again.find("a"), again.find("b")), (Some(first), None));
    assert_eq!(again.find("c"), Some(note("c", 3)));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, OWNER_ONLY);
}

#[test]
fn a_broken_line_in_the_middle_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("notes.jsonl");
    std::fs::write(&path, "nonsense\n[\"a\",1]\n").unwrap();
    assert!(matches!(Journal::<Note>::open(&path), Err(JournalError::Line(1))));
}
