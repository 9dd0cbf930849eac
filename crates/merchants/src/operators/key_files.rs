//! The files with operators' keys: one file per person, or a folder of them.

use std::io;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{SHA256, digest};
use protocol::{OperatorRole, SecretSource, Sensitive};
use serde::Deserialize;
use thiserror::Error;

use super::{Operator, UNNAMED};

/// The shortest key, in characters; a random key of this length cannot be guessed.
pub(super) const KEY_CHARACTERS_MIN: usize = 32;
/// The longest key, in characters.
pub(super) const KEY_CHARACTERS_MAX: usize = 255;
/// The longest name of a person, in characters.
const NAME_CHARACTERS_MAX: usize = 128;

/// Why a key cannot be used. The text is one line for the operator, without the key.
#[derive(Debug, Error)]
pub enum OperatorKeyError {
    /// The file cannot be read.
    #[error("cannot read the operator's key from {0}: {1}")]
    File(PathBuf, io::Error),
    /// It is too short or too long, or has other characters than visible ASCII.
    #[error("the operator's key must have 32 to 255 visible ASCII characters")]
    Form,
    /// The same for a key of `operator_keys`.
    #[error("{0}: the operator's key must have 32 to 255 visible ASCII characters")]
    FormIn(PathBuf),
    /// The file of `operator_keys` is not TOML with the fields of a key.
    #[error(
        "{0}, line {1}: an operator's file has key, name, role (reader, support or admin) and, if wanted, merchants"
    )]
    Fields(PathBuf, usize),
    /// The name is empty, too long or has control characters.
    #[error("{0}: the operator's name must have 1 to 128 characters, and no other operator's name")]
    Name(PathBuf),
    /// Another file has the same key.
    #[error("{0}: another operator has this key")]
    SameKey(PathBuf),
    /// An empty list would be a key that sees nothing.
    #[error("{0}: merchants must name at least one merchant; leave it out for all")]
    NoMerchants(PathBuf),
    /// The folder of `operator_keys` has no file.
    #[error("{0} has no file with an operator's key")]
    Empty(PathBuf),
}

/// The digest of a key, and the person who has it.
pub(super) struct KeyOfOperator {
    pub(super) sha256: Vec<u8>,
    pub(super) operator: Operator,
}

/// A file of `operator_keys`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    key: Sensitive,
    name: String,
    role: OperatorRole,
    merchants: Option<Vec<String>>,
}

/// The files of `operator_keys`, in the order of their names: the file itself, or those in the folder. Hidden files are left
/// out, because Kubernetes puts some of its own beside mounted secrets.
pub fn operator_key_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Reads all keys.
pub(super) fn read_all(
    one: Option<SecretSource>,
    named: Option<&Path>,
) -> Result<Vec<KeyOfOperator>, OperatorKeyError> {
    let mut keys: Vec<KeyOfOperator> = one.map(unnamed).transpose()?.into_iter().collect();
    let Some(path) = named else {
        return Ok(keys);
    };
    let files = operator_key_files(path).map_err(|cause| OperatorKeyError::File(path.to_owned(), cause))?;
    if files.is_empty() {
        return Err(OperatorKeyError::Empty(path.to_owned()));
    }
    for file in files {
        let key = of_file(&file)?;
        if keys.iter().any(|known| known.sha256 == key.sha256) {
            return Err(OperatorKeyError::SameKey(file));
        }
        // The audit log tells people apart by their names.
        if keys.iter().any(|known| known.operator.name == key.operator.name) {
            return Err(OperatorKeyError::Name(file));
        }
        keys.push(key);
    }
    Ok(keys)
}

/// The key of `operator_key_file`, which may do all.
fn unnamed(source: SecretSource) -> Result<KeyOfOperator, OperatorKeyError> {
    let key = match source {
        SecretSource::Setting(key) => key,
        SecretSource::File(file) => {
            let text = std::fs::read_to_string(&file).map_err(|cause| OperatorKeyError::File(file, cause))?;
            Sensitive::new(text.trim().to_owned())
        }
    };
    let operator = Operator {
        name: UNNAMED.to_owned(),
        role: OperatorRole::Admin,
        merchants: None,
    };
    with_digest(&key, operator).ok_or(OperatorKeyError::Form)
}

fn of_file(file: &Path) -> Result<KeyOfOperator, OperatorKeyError> {
    let text =
        std::fs::read_to_string(file).map_err(|cause| OperatorKeyError::File(file.to_owned(), cause))?;
    let text = Sensitive::new(text);
    // The parser's message may repeat the key, so only its line is told.
    let read: KeyFile = toml::from_str(text.expose()).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.expose().bytes().take(start);
        OperatorKeyError::Fields(file.to_owned(), before.filter(|byte| *byte == b'\n').count() + 1)
    })?;
    let name = read.name.trim();
    if !(1..=NAME_CHARACTERS_MAX).contains(&name.chars().count()) || name.contains(char::is_control) {
        return Err(OperatorKeyError::Name(file.to_owned()));
    }
    if read.merchants.as_ref().is_some_and(Vec::is_empty) {
        return Err(OperatorKeyError::NoMerchants(file.to_owned()));
    }
    let operator = Operator {
        name: name.to_owned(),
        role: read.role,
        merchants: read.merchants,
    };
    with_digest(&read.key, operator).ok_or_else(|| OperatorKeyError::FormIn(file.to_owned()))
}

/// `None` if the key is too short or too long, or has other characters than visible ASCII.
fn with_digest(key: &Sensitive, operator: Operator) -> Option<KeyOfOperator> {
    let key = key.expose();
    let is_long_enough = (KEY_CHARACTERS_MIN..=KEY_CHARACTERS_MAX).contains(&key.len());
    (is_long_enough && key.bytes().all(|byte| byte.is_ascii_graphic())).then(|| KeyOfOperator {
        sha256: digest(&SHA256, key.as_bytes()).as_ref().to_vec(),
        operator,
    })
}
