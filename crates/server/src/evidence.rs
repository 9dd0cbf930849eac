//! Evidence for an assessor of PCI DSS 4.0.1: the scripts of a payment page with their purposes (6.4.3), its expected
//! headers and files with a comparison of a served page (11.6.1), and the components of this build (6.3.2).

mod difference;
mod expected;
mod inventory;
pub(crate) mod probe;
mod sources;
mod verify;

pub use self::difference::{Difference, SkippedCheck};
pub use self::expected::Expected;
pub use self::inventory::{Inventory, InventoryError, PageFile};
pub use self::sources::EvidenceSources;
pub use self::verify::{Verified, VerifyError, verify};

/// The components of this build: a `CycloneDX` 1.6 document in JSON, which `build.rs` makes from the lock files.
pub const COMPONENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/components.cdx.json"));
