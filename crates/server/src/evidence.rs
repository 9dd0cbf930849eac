//! Evidence for an assessor of PCI DSS 4.0.1: which scripts a payment page has and what each is for (6.4.3), which headers
//! and files it must be served with and whether a page served somewhere has them (11.6.1), and of which components all
//! this is made (6.3.2).

mod components;
mod document;
mod expected;
mod inventory;
mod verify;

pub use self::components::COMPONENTS;
pub use self::expected::{Expected, ExpectedHeaders};
pub use self::inventory::{Inventory, InventoryError, PageFile};
pub use self::verify::{Difference, VerifyError, verify};
