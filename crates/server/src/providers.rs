//! Who takes the cards. A connector per provider; the rest of the service sees only this.

mod simulator;

use std::time::Duration;

use reqwest::Url;
use vault::{Pan, SecurityCode};

use crate::charges::decline::DeclineCode;

/// The provider that charges go to.
#[derive(Debug)]
pub enum Provider {
    /// The provider's simulator, over HTTP.
    Simulator(simulator::Connector),
}

/// What a provider is asked to take.
#[derive(Debug)]
pub struct ProviderCharge {
    /// The provider takes at most one payment per key, however often it is asked.
    pub idempotency_key: String,
    /// Our charge.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// The card.
    pub card: ProviderCard,
}

/// The card as a provider gets it.
#[derive(Debug)]
pub struct ProviderCard {
    /// The card number.
    pub number: Pan,
    /// The security code.
    pub security_code: SecurityCode,
    /// 1 to 12.
    pub expiration_month: u8,
    /// Four digits.
    pub expiration_year: u16,
    /// As typed, or empty.
    pub holder_name: String,
}

/// How a call to the provider ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// It took the card; with its own reference.
    Approved(String),
    /// It refused the card, or the request, for certain: nothing was taken.
    Declined(DeclineCode),
    /// There is no telling: the connection failed, the time ran out, or the answer makes no sense.
    Unknown,
}

/// What a provider says became of an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// It knows the key, and this is how the payment ended.
    Known(ProviderOutcome),
    /// It answers for certain that it never heard of the key.
    NeverHeard,
    /// It cannot be asked now.
    Unreachable,
}

/// The HTTP client for a provider could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot prepare the connection to the provider")]
pub struct ProviderError;

impl Provider {
    /// The simulator at `url`.
    pub fn simulator(url: &Url) -> Result<Self, ProviderError> {
        simulator::Connector::new(url).map(Self::Simulator)
    }

    /// Asks the provider to take the card, for at most `timeout`.
    pub async fn charge(&self, charge: &ProviderCharge, timeout: Duration) -> ProviderOutcome {
        match self {
            Self::Simulator(connector) => connector.charge(charge, timeout).await,
        }
    }

    /// Asks what became of an idempotency key, for at most `timeout`.
    pub async fn lookup(&self, idempotency_key: &str, timeout: Duration) -> Lookup {
        match self {
            Self::Simulator(connector) => connector.lookup(idempotency_key, timeout).await,
        }
    }
}
