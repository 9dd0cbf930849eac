//! `SHA256SUMS` and its signature: what makes a release complete, and the check of a folder against them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::{PublicKey, PublicKeyBox, SecretKey, SignatureBox};
use sha2::{Digest, Sha256};

use super::archive::{read, write as write_file};
use super::{VERSION, provenance};
use crate::failure::Failure;
use crate::files;

/// The sums' file, in the format of `sha256sum`.
pub(super) const FILE: &str = "SHA256SUMS";
/// The signature of [`FILE`], in the format of minisign.
pub(super) const SIGNATURE: &str = "SHA256SUMS.minisig";

/// The sum of these bytes, in hexadecimal.
pub(super) fn of(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The sum of a file.
pub(super) fn of_file(path: &Path) -> Result<String, Failure> {
    read(path).map(|bytes| of(&bytes))
}

/// Writes the sums of all files in `folder`, and the signature if there is a key.
pub(super) fn write(folder: &Path, key: Option<&SecretKey>) -> Result<(), Failure> {
    let mut text = String::new();
    for name in names(folder)? {
        let sum = of_file(&folder.join(&name))?;
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{sum}  {name}");
    }
    write_file(&folder.join(FILE), &text)?;
    let Some(key) = key else { return Ok(()) };
    // A fixed comment: minisign's own default is the present time.
    let comment = format!("cardform {VERSION}");
    // The signature is verified with the public half of the key, so a damaged key is noticed.
    let signature = PublicKey::from_secret_key(key)
        .and_then(|public| minisign::sign(Some(&public), key, Cursor::new(&text), Some(&comment), None))
        .map_err(|cause| Failure::unusable(SIGNATURE, cause.to_string()))?;
    write_file(&folder.join(SIGNATURE), &signature.into_string())
}

/// Fails unless the folder has exactly the files of its sums, unchanged, and their signature if there is a key. Returns the
/// number of files.
pub(super) fn verify(folder: &Path, key: Option<&PublicKey>) -> Result<usize, Failure> {
    let text = read(&folder.join(FILE))?;
    if let Some(key) = key {
        verify_signature(folder, &text, key)?;
    }
    let text = String::from_utf8(text).map_err(|_| Failure::unusable(FILE, "it is not text"))?;
    let mut sums = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let (sum, name) = line
            .split_once("  ")
            .filter(|(_, name)| !name.contains('/'))
            .ok_or_else(|| Failure::unusable(format!("{FILE}:{}", index + 1), "it is no sum and name"))?;
        sums.insert(name, sum);
    }
    let found = names(folder)?;
    for name in &found {
        let sum = sums.remove(name.as_str());
        let sum = sum.ok_or_else(|| Failure::unusable(name, format!("{FILE} does not name it")))?;
        Failure::unless(of_file(&folder.join(name))? == sum, || {
            format!("{name}: it differs from its sum in {FILE}")
        })?;
    }
    if let Some((name, _)) = sums.first_key_value() {
        return Err(Failure::unusable(
            *name,
            format!("{FILE} names it, and it is missing"),
        ));
    }
    provenance::names_a_commit(&files::json(&folder.join(provenance::FILE))?)?;
    Ok(found.len())
}

fn verify_signature(folder: &Path, text: &[u8], key: &PublicKey) -> Result<(), Failure> {
    let path = folder.join(SIGNATURE);
    if !path.exists() {
        return Err(Failure::unusable(
            SIGNATURE,
            "it is missing: the release is not signed",
        ));
    }
    let wrong = || Failure::unusable(SIGNATURE, format!("it is not this key's signature of {FILE}"));
    let signature = String::from_utf8(read(&path)?).map_err(|_| wrong())?;
    let signature = SignatureBox::from_string(&signature).map_err(|_| wrong())?;
    minisign::verify(key, &signature, Cursor::new(text), true, false, false).map_err(|_| wrong())
}

/// The sorted names of everything in `folder` but the sums and the signature.
fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(Failure::file(entry.path()))?;
        Failure::unless(kind.is_file(), || {
            format!("{name}: it is no file, and a release has only files")
        })?;
        if name != FILE && name != SIGNATURE {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Reads a secret key without a password. The box of the crate `minisign` does not take the keys that the program
/// `minisign` writes, because their field for a checksum is empty.
pub(super) fn secret_key(path: &Path) -> Result<SecretKey, Failure> {
    let text = key_text(path)?;
    let line = text.lines().nth(1).unwrap_or_default();
    let key = STANDARD
        .decode(line.trim())
        .ok()
        .and_then(|bytes| SecretKey::from_bytes(&bytes).ok());
    key.filter(|key| !key.is_encrypted()).ok_or_else(|| {
        let problem = "it is no secret key of minisign without a password (`minisign -G -W`)";
        Failure::unusable(path.display().to_string(), problem)
    })
}

/// Reads a public key.
pub(super) fn public_key(path: &Path) -> Result<PublicKey, Failure> {
    let key = PublicKeyBox::from_string(&key_text(path)?);
    key.and_then(PublicKeyBox::into_public_key)
        .map_err(|_| Failure::unusable(path.display().to_string(), "it is no public key of minisign"))
}

fn key_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(Failure::file(path))
}
