//! Who takes the cards. A connector per provider; the rest of the service sees only this.

mod simulator;

use std::time::Duration;

use reqwest::Url;
use url::Origin;
use vault::{Pan, SecurityCode};
use wire::{DeviceDataSession, ShopperAction};

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
    /// How 3-D Secure is to be done, should the issuer want it.
    pub authentication: Authentication,
}

/// What 3-D Secure needs to know of the shopper's browser and of the way back ("§9", card settings).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Authentication {
    /// Where a challenge leads back to.
    pub return_url: String,
    /// The room that a challenge's page has.
    pub challenge_window: ChallengeWindow,
    /// The session of the device data that was collected.
    pub device_session_id: Option<String>,
    /// The shopper's address as the page looked it up, or empty.
    pub ip_address: String,
    /// The browser's `User-Agent`.
    pub user_agent: String,
    /// Minutes from the browser's time to UTC.
    pub timezone: i32,
    /// CSS pixels.
    pub screen_width: u32,
    /// CSS pixels.
    pub screen_height: u32,
    /// Bits per pixel.
    pub color_depth: u32,
    /// The browser's `Accept`.
    pub accept_header: String,
    /// The page's language: "en".
    pub language: String,
}

/// The size of a challenge's page in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChallengeWindow {
    /// Of its width.
    pub width: u32,
    /// Of its height.
    pub height: u32,
}

/// "§9": 390x400.
impl Default for ChallengeWindow {
    fn default() -> Self {
        Self {
            width: 390,
            height: 400,
        }
    }
}

impl ChallengeWindow {
    /// The sides that a challenge's page can have.
    const SIDES: std::ops::RangeInclusive<u32> = 100..=2_000;

    /// Reads "390x400".
    pub fn parse(text: &str) -> Option<Self> {
        let side = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let side = digits.parse().ok().filter(|_| is_number)?;
            Self::SIDES.contains(&side).then_some(side)
        };
        let (width, height) = text.split_once('x')?;
        Some(Self {
            width: side(width)?,
            height: side(height)?,
        })
    }
}

impl std::fmt::Display for ChallengeWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// Why a payment that waits for the shopper is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUp {
    /// The shopper closed the challenge.
    Canceled,
    /// The challenge was not finished in time.
    TimedOut,
}

impl GiveUp {
    /// What the attempt is declined with.
    pub fn decline(self) -> DeclineCode {
        match self {
            Self::Canceled => DeclineCode::AuthenticationCanceled,
            Self::TimedOut => DeclineCode::AuthenticationTimedOut,
        }
    }
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
    /// It goes on once the shopper has done something.
    ActionRequired(ShopperAction),
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
    /// The simulator at `url`, which shoppers' browsers reach at `public_url`.
    pub fn simulator(url: &Url, public_url: &Url) -> Result<Self, ProviderError> {
        simulator::Connector::new(url, public_url).map(Self::Simulator)
    }

    /// The origin of the pages that shoppers see of the provider: challenges and device data collection.
    pub fn page_origin(&self) -> Origin {
        match self {
            Self::Simulator(connector) => connector.page_origin(),
        }
    }

    /// Begins collecting device data for a charge, for at most `timeout`. `None` when there is none to be had: the
    /// charge goes on without.
    pub async fn device_data(&self, charge_id: &str, timeout: Duration) -> Option<DeviceDataSession> {
        match self {
            Self::Simulator(connector) => connector.device_data(charge_id, timeout).await,
        }
    }

    /// Gives up a payment that waits for the shopper. The answer is what became of it, which is an approval when the
    /// shopper was faster.
    pub async fn give_up(&self, idempotency_key: &str, why: GiveUp, timeout: Duration) -> Lookup {
        match self {
            Self::Simulator(connector) => connector.give_up(idempotency_key, why, timeout).await,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_window_is_two_sides_that_a_screen_can_have() {
        let window = ChallengeWindow::parse("390x400").unwrap();
        assert_eq!(
            (window, window.to_string()),
            (ChallengeWindow::default(), "390x400".into())
        );
        for wrong in [
            "",
            "390",
            "390x",
            "x400",
            "+390x400",
            "390X400",
            "0x0",
            "390x99999",
            "99x400",
        ] {
            assert_eq!(ChallengeWindow::parse(wrong), None, "{wrong}");
        }
    }
}
