//! Encrypts card numbers for storage. It knows no SQL and no HTTP.
//!
//! A card number is sealed with a data key of its own; the data key is wrapped by a key-encryption key of the
//! [`KeyRing`]; both are bound to the [`CardRecord`] that they belong to. The database alone is useless without the
//! keys. Destroying the wrapped data key destroys the number, whatever backups of the key ring exist.
//!
//! The service's own secrets in the database, such as the keys that sign client secrets, are wrapped by the same ring,
//! each for its purpose.
//!
//! **Invariant**: no function here seals a security code, and none returns a key of the ring.

mod pan;
mod security_code;

mod boxed;
mod card_key;
mod fingerprint;
mod key_ring;
mod record;
mod seal;
mod seal_error;
mod secret;
mod stack;

pub use card_key::{CardFields, CardPrivateKey, SEALED_CARD_BYTES_MAX, SealedCard, SealedCardError};
pub use fingerprint::Fingerprints;
pub use key_ring::{KEY_ID_CHARACTERS_MAX, KEYS_MAX, KeyRing, KeyRingError, generate_key};
pub use pan::{PAN_DIGITS_MAX, PAN_DIGITS_MIN, Pan, PanError};
pub use record::CardRecord;
pub use seal::Sealed;
pub use seal_error::SealError;
pub use secret::{SECRET_BYTES_MAX, WrappedSecret};
pub use security_code::{SECURITY_CODE_DIGITS_MAX, SecurityCode, SecurityCodeError};
