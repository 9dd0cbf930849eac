//! Moves saved cards to another vault and from one: rows of CSV in a file that is encrypted with OpenPGP
//! (docs/moving-cards.md). The clear text is only in memory, and never all of it at once.

mod export;
mod import;
mod open_pgp;
mod row;

pub use export::{ExportError, Exported, export};
pub use import::{Import, ImportError, ImportReport, OtherId, RefusedRow};
pub use open_pgp::{OpenPgpError, OwnKey, Recipient};

/// How many cards are read, and change, in one transaction: few, so that a payment waits for it only a moment.
const CARDS_PER_BATCH: u16 = 200;
/// How many batches wait for the next step.
const BATCHES_WAITING_MAX: usize = 2;
/// How many cards or rows are named.
const NAMED_MAX: usize = 10;
