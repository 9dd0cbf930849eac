//! A place in a list whose newest entry comes first. The next page begins behind it, whatever was written meanwhile.

use serde::Deserialize;

/// The place of an entry: its time, and its id among the entries of the same millisecond.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ListPosition {
    /// Unix milliseconds.
    pub created_at: i64,
    /// The entry's id.
    pub id: String,
}

impl ListPosition {
    /// Between the entries of this time and the earlier ones.
    pub(super) fn before(created_at: i64) -> Self {
        Self {
            created_at,
            id: String::new(),
        }
    }
}

/// Cuts a list to a page of `limit` entries. Returns where the next page begins, or `None` if nothing was cut off. `place`
/// tells an entry's time and id.
pub fn cut_page<T>(
    entries: &mut Vec<T>,
    limit: usize,
    place: impl Fn(&T) -> (i64, &String),
) -> Option<ListPosition> {
    let is_cut = entries.len() > limit;
    entries.truncate(limit);
    let (created_at, id) = place(entries.last().filter(|_| is_cut)?);
    let id = id.clone();
    Some(ListPosition { created_at, id })
}

/// The condition that an entry is behind `$2`, `$3` and not behind `$4`, `$5`: two positions, each a time and an id. The
/// times alone lead through an index.
pub(super) const BETWEEN: &str = "created_at <= $2 AND (created_at < $2 OR id < $3) \
     AND created_at >= $4 AND (created_at > $4 OR id >= $5)";

/// How many entries are looked at for one page, if no index leads to those that fit.
pub(super) const LOOKED_AT_MAX: usize = 1_000;

/// The number of rows that are read for a page of `limit` entries and to know whether another page follows. There are only
/// two, because each is a statement of its own, which every connection prepares.
pub(super) fn rows_read(limit: usize) -> usize {
    if limit <= 20 { 21 } else { 101 }
}

/// The largest page.
pub(super) const PAGE_MAX: usize = 100;
