//! Evidence for an assessor of PCI DSS 4.0.1: which scripts a payment page has and what each is for (6.4.3), which
//! headers and files it must be served with and whether a served page has them (11.6.1), and which components this
//! build consists of (6.3.2).

mod components;
mod difference;
mod expected;
mod inventory;
pub(crate) mod probe;
mod sources;
mod verify;

pub use self::components::COMPONENTS;
pub use self::difference::{Difference, NotCompared};
pub use self::expected::Expected;
pub use self::inventory::{Inventory, InventoryError, PageFile};
pub use self::sources::EvidenceSources;
pub use self::verify::{Verified, VerifyError, verify};
