//! The encryption of an exported file: OpenPGP (RFC 9580, RFC 4880), so that every processor can read and write it.

use std::io::{BufRead, Read, Write};

use pgp::composed::{
    DecryptionOptions, Message, MessageBuilder, PublicOrSecret, SignedPublicKey, SignedPublicSubKey,
    SignedSecretKey, TheRing,
};
use pgp::crypto::sym::SymmetricKeyAlgorithm;
use pgp::packet::{Signature, SignatureType};
use pgp::types::{Duration, KeyDetails, Password, Seipdv1ReadMode, Tag, Timestamp};
use rand::rngs::OsRng;
use thiserror::Error;

/// Why a key or a file cannot be used. Each is one line for the operator, without any content of a file.
#[derive(Debug, Error)]
pub enum OpenPgpError {
    /// The file of the recipient's key is something else.
    #[error("it has no OpenPGP key")]
    NoKey,
    /// There are several keys, and only one person shall read the cards.
    #[error("it has more than one OpenPGP key")]
    ManyKeys,
    /// The recipient's key should be public.
    #[error("it has a secret key; only its owner should have it. Ask the recipient for the public key")]
    SecretKey,
    /// The own key should be secret.
    #[error("it has a public key only; the secret key opens the file")]
    PublicKey,
    /// The recipient's key was revoked.
    #[error("the recipient's key was revoked")]
    Revoked,
    /// The recipient's key has expired.
    #[error("the recipient's key has expired")]
    Expired,
    /// The key is for signatures.
    #[error("the recipient's key has no valid part for encryption")]
    NotForEncryption,
    /// The secret key is locked.
    #[error("the key is locked: name the file of its passphrase with --passphrase-file")]
    Locked,
    /// The passphrase is wrong.
    #[error("the passphrase does not unlock the key")]
    WrongPassphrase,
    /// The file is something else, such as CSV in clear.
    #[error("it is not encrypted with OpenPGP; cards are imported from encrypted files only")]
    NotEncrypted,
    /// The file is for somebody else.
    #[error("it is encrypted for another key")]
    WrongKey,
    /// The file cannot be decrypted to its end.
    #[error("it is damaged, or was changed after it was encrypted")]
    Damaged,
    /// The file cannot be encrypted.
    #[error("cannot encrypt: {0}")]
    Encrypt(Box<pgp::errors::Error>),
}

/// The key that will open an exported file.
pub struct Recipient {
    key: SignedPublicKey,
    /// The place of the subkey that encrypts; without one it is the key itself.
    subkey: Option<usize>,
}

impl Recipient {
    /// Reads a public key, armored or binary, that can encrypt at this time.
    pub fn read(file: &[u8], now_seconds: i64) -> Result<Self, OpenPgpError> {
        let PublicOrSecret::Public(key) = only_key(file)? else {
            return Err(OpenPgpError::SecretKey);
        };
        let primary = &key.primary_key;
        let revocations = key.details.revocation_signatures.iter();
        if revocations.into_iter().any(|by| by.verify_key(primary).is_ok()) {
            return Err(OpenPgpError::Revoked);
        }
        let own = newest(own_signatures(&key)).ok_or(OpenPgpError::NotForEncryption)?;
        if has_expired(primary.created_at(), own, now_seconds) {
            return Err(OpenPgpError::Expired);
        }
        let subkeys = key.public_subkeys.iter().enumerate();
        let subkey = subkeys
            .filter(|(_, subkey)| encrypts(&key, subkey, now_seconds))
            .max_by_key(|(_, subkey)| subkey.key.created_at().as_secs())
            .map(|(place, _)| place);
        if subkey.is_none() && !(is_for_encryption(own) && primary.algorithm().can_encrypt()) {
            return Err(OpenPgpError::NotForEncryption);
        }
        Ok(Self { key, subkey })
    }

    /// The key's fingerprint, in hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        format!("{:X}", self.key.fingerprint())
    }

    /// Encrypts everything from `rows` into `out`.
    pub(super) fn encrypt(&self, rows: impl Read, mut out: impl Write) -> Result<(), OpenPgpError> {
        let failed = |error| OpenPgpError::Encrypt(Box::new(error));
        let mut builder =
            MessageBuilder::from_reader("", rows).seipd_v1(OsRng, SymmetricKeyAlgorithm::AES256);
        match self.subkey.and_then(|place| self.key.public_subkeys.get(place)) {
            Some(subkey) => builder.encrypt_to_key(OsRng, subkey),
            None => builder.encrypt_to_key(OsRng, &self.key),
        }
        .map_err(failed)?;
        builder.to_writer(OsRng, &mut out).map_err(failed)?;
        out.flush().map_err(|error| failed(error.into()))
    }
}

/// The operator's own key, which opens a file for an import.
pub struct OwnKey {
    key: SignedSecretKey,
    passphrase: Password,
}

impl OwnKey {
    /// Reads a secret key, armored or binary, and checks that the passphrase unlocks it.
    pub fn read(file: &[u8], passphrase: Option<&[u8]>) -> Result<Self, OpenPgpError> {
        let PublicOrSecret::Secret(key) = only_key(file)? else {
            return Err(OpenPgpError::PublicKey);
        };
        let password = passphrase.map_or_else(Password::empty, Password::from);
        let subkeys = key.secret_subkeys.iter();
        // The primary key may be kept elsewhere, so one part that the passphrase unlocks is enough.
        let is_unlocked = key.primary_key.unlock(&password, |_, _| Ok(())).is_ok()
            || subkeys
                .clone()
                .any(|subkey| subkey.key.unlock(&password, |_, _| Ok(())).is_ok());
        match (is_unlocked, passphrase) {
            (true, _) => Ok(Self {
                key,
                passphrase: password,
            }),
            (false, None) => Err(OpenPgpError::Locked),
            (false, Some(_)) => Err(OpenPgpError::WrongPassphrase),
        }
    }

    /// Opens an encrypted file, armored or binary. What is read was not changed only if the end is reached without an error.
    pub(super) fn decrypt<'a>(
        &self,
        file: impl BufRead + std::fmt::Debug + Send + 'a,
    ) -> Result<Message<'a>, OpenPgpError> {
        let (message, _) = Message::from_reader(file).map_err(|_| OpenPgpError::NotEncrypted)?;
        if !message.is_encrypted() {
            return Err(OpenPgpError::NotEncrypted);
        }
        let ring = TheRing {
            secret_keys: vec![&self.key],
            key_passwords: vec![&self.passphrase],
            // The memory is bounded, also for a file of any length. The import reads the file to its end before it believes
            // any of it.
            decrypt_options: DecryptionOptions::new()
                .enable_gnupg_aead()
                .set_seipdv1_read_mode(Seipdv1ReadMode::Streaming),
            ..TheRing::default()
        };
        let (message, _) = message
            .decrypt_the_ring(ring, true)
            .map_err(|error| match error {
                pgp::errors::Error::MissingKey => OpenPgpError::WrongKey,
                _ => OpenPgpError::Damaged,
            })?;
        if message.is_compressed() {
            return message.decompress().map_err(|_| OpenPgpError::Damaged);
        }
        Ok(message)
    }
}

fn only_key(file: &[u8]) -> Result<PublicOrSecret, OpenPgpError> {
    let (mut keys, _) = PublicOrSecret::from_reader_many(file).map_err(|_| OpenPgpError::NoKey)?;
    let key = keys.next().and_then(Result::ok).ok_or(OpenPgpError::NoKey)?;
    if keys.next().is_some() {
        return Err(OpenPgpError::ManyKeys);
    }
    Ok(key)
}

/// The valid signatures by which the key describes itself.
fn own_signatures(key: &SignedPublicKey) -> impl Iterator<Item = &Signature> {
    let primary = &key.primary_key;
    let direct = key.details.direct_signatures.iter();
    let direct = direct.filter(move |by| by.verify_key(primary).is_ok());
    let users = key.details.users.iter().flat_map(move |user| {
        let own = user.signatures.iter();
        own.filter(move |by| by.verify_certification(primary, Tag::UserId, &user.id).is_ok())
    });
    let is_binding = |by: &&Signature| by.typ() != Some(SignatureType::CertRevocation);
    direct.chain(users).filter(is_binding)
}

/// Whether a subkey encrypts at this time, as the key says with valid signatures.
fn encrypts(key: &SignedPublicKey, subkey: &SignedPublicSubKey, now_seconds: i64) -> bool {
    let signatures = subkey.signatures.iter();
    let valid: Vec<&Signature> = signatures
        .filter(|by| by.verify_subkey_binding(&key.primary_key, &subkey.key).is_ok())
        .collect();
    let of = |kind| valid.iter().filter(move |by| by.typ() == Some(kind)).copied();
    let is_revoked = of(SignatureType::SubkeyRevocation).next().is_some();
    !is_revoked
        && newest(of(SignatureType::SubkeyBinding)).is_some_and(|binding| {
            is_for_encryption(binding) && !has_expired(subkey.key.created_at(), binding, now_seconds)
        })
}

fn newest<'a>(signatures: impl Iterator<Item = &'a Signature>) -> Option<&'a Signature> {
    signatures.max_by_key(|signature| signature.created().map(Timestamp::as_secs))
}

fn is_for_encryption(signature: &Signature) -> bool {
    let flags = signature.key_flags();
    flags.encrypt_comms() || flags.encrypt_storage()
}

fn has_expired(created: Timestamp, signature: &Signature, now_seconds: i64) -> bool {
    let lifetime = signature.key_expiration_time().map_or(0, Duration::as_secs);
    lifetime > 0 && i64::from(created.as_secs()) + i64::from(lifetime) <= now_seconds
}

#[cfg(test)]
mod tests;
