use std::collections::BTreeSet;

use super::*;

#[test]
fn every_code_is_in_the_docs_and_every_row_has_a_code() {
    let (table, _) = DOCS.split_once(NEXT_TABLE).unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let codes: Vec<FindingCode> = rows
        .map(|row| serde_json::from_value(row.into()).unwrap())
        .collect();
    assert!(codes.iter().all(|code| code.explained().is_some()));
    let numbers: BTreeSet<_> = codes.iter().map(|code| *code as usize).collect();
    assert_eq!(
        numbers,
        (0..=FindingCode::FrameBlocked as usize).collect(),
        "a row per code"
    );
}
