//! The 3-D Secure challenges of payments that wait for the shopper, in a file that survives a killed process. A payment
//! with an entry in the ledger no longer waits.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::ToldCharge;
use serde::{Deserialize, Serialize};

use super::ledger::LedgerError;
use super::private_file::open_to_append;

/// The file of the challenges in the data directory, one JSON object per line.
const FILE: &str = "challenges.jsonl";

/// A payment that waits for its shopper. It contains nothing of the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// The page is at `/challenge/{token}`; the token cannot be guessed.
    pub token: String,
    /// The idempotency key of the payment.
    pub idempotency_key: String,
    /// The charge it is for.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The address to which the page redirects.
    pub return_url: String,
    /// The width of the page, in CSS pixels.
    pub width: u32,
    /// The height of the page, in CSS pixels.
    pub height: u32,
    /// Why the payment is declined after the shopper has approved it; `None` if it pays.
    pub decline_code: Option<String>,
    /// What was told of the charge.
    #[serde(default)]
    pub told: Option<Arc<ToldCharge>>,
}

/// All challenges, also of payments that have ended.
#[derive(Debug)]
pub struct Challenges(Mutex<ChallengeList>);

#[derive(Debug, Default)]
struct ChallengeList {
    challenges: Vec<Challenge>,
    file: Option<File>,
}

impl Challenges {
    /// Challenges that are lost when the process ends.
    pub fn in_memory() -> Self {
        Self(Mutex::new(ChallengeList::default()))
    }

    /// The challenges in the directory `data`, which must exist.
    pub fn open(data: &Path) -> Result<Self, LedgerError> {
        let path = data.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            other => other?,
        };
        // A killed process may leave half a line. Nobody has been told of that challenge.
        let challenges = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let mut file = open_to_append(&path)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Self(Mutex::new(ChallengeList {
            challenges,
            file: Some(file),
        })))
    }

    /// The challenge with this key; made by `make` if there is none.
    pub fn begin(&self, key: &str, make: impl FnOnce() -> Challenge) -> Result<Challenge, LedgerError> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(challenge) = book.challenges.iter().find(|known| known.idempotency_key == key) {
            return Ok(challenge.clone());
        }
        let challenge = make();
        if let Some(file) = &mut book.file {
            let line = serde_json::to_string(&challenge).map_err(std::io::Error::from)? + "\n";
            file.write_all(line.as_bytes())?;
        }
        book.challenges.push(challenge.clone());
        Ok(challenge)
    }

    /// The challenge of the payment with this key.
    pub fn of_key(&self, key: &str) -> Option<Challenge> {
        self.find(|challenge| challenge.idempotency_key == key)
    }

    /// The challenges so far, also of payments that have ended.
    pub fn all(&self) -> Vec<Challenge> {
        let book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.challenges.clone()
    }

    /// The challenge with this token.
    pub fn at(&self, token: &str) -> Option<Challenge> {
        self.find(|challenge| challenge.token == token)
    }

    fn find(&self, wanted: impl Fn(&Challenge) -> bool) -> Option<Challenge> {
        let book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.challenges
            .iter()
            .find(|challenge| wanted(challenge))
            .cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(key: &str) -> Challenge {
        Challenge {
            token: format!("token-{key}"),
            idempotency_key: key.to_owned(),
            charge_id: "ch_1".to_owned(),
            amount_value: "12.50".to_owned(),
            amount_currency: "USD".to_owned(),
            return_url: "https://pay.example/back".to_owned(),
            width: 390,
            height: 400,
            decline_code: None,
            told: None,
        }
    }

    #[test]
    fn the_file_is_read_again_without_an_incomplete_last_line() {
        let data = tempfile::tempdir().unwrap();
        let first = {
            let challenges = Challenges::open(data.path()).unwrap();
            challenges.begin("a", || challenge("a")).unwrap()
        };
        let path = data.path().join(FILE);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"token\":\"b");
        std::fs::write(&path, text).unwrap();
        let challenges = Challenges::open(data.path()).unwrap();
        assert_eq!(challenges.at("token-a"), Some(first.clone()));
        assert_eq!(challenges.begin("a", || challenge("other")).unwrap(), first);
        challenges.begin("c", || challenge("c")).unwrap();
        assert!(Challenges::open(data.path()).unwrap().of_key("c").is_some());
    }
}
