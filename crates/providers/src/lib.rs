//! Who takes the cards. A connector per provider; the rest of the service sees only this. No SQL, no configuration.

mod answer;
mod authentication;
pub mod simulator;
pub mod stripe;

use std::time::Duration;

use model::KeptCard;
use model::clock::Clock;
use model::ids::{Kind, new_id};
use reqwest::Url;
use rules::Brand;
use vault::{Pan, SecurityCode};
use wire::{DeclineCode, DeviceDataSession, PaidCard, ShopperAction};

pub use self::authentication::{Authentication, ChallengeWindow};

/// What the idempotency keys of payments with Stripe begin with.
const STRIPE_KEY_PREFIX: &str = "stripe_";

/// The provider that charges go to.
#[derive(Debug)]
pub enum Provider {
    /// The provider's simulator, over HTTP.
    Simulator(simulator::Connector),
    /// Stripe.
    Stripe(Box<stripe::Connector>),
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
    /// The provider's customer to keep the card for once it has paid, where the provider keeps cards.
    pub keep_for: Option<String>,
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

impl ProviderCard {
    /// As much of it as a receipt shows.
    pub fn on_receipt(&self) -> PaidCard {
        PaidCard {
            brand: Brand::detect(self.number.first_six())
                .map_or_else(String::new, |brand| brand.row().name.to_owned()),
            last_four: self.number.last_four().to_owned(),
        }
    }
}

/// What a provider knows a payment by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentRef<'a> {
    /// The key that the provider got with it.
    pub idempotency_key: &'a str,
    /// The provider's own reference, as far as it was noted before the payment was made.
    pub reference: Option<&'a str>,
}

/// How preparing a payment ended. Nothing can have been taken yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparation {
    /// The payment can be made, once what the provider knows it by is durable.
    Ready(Prepared),
    /// It cannot be made.
    Refused(DeclineCode),
}

/// A payment that can be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The provider's reference, which must be durable before the payment is made; none where the idempotency key is
    /// enough to ask what became of it.
    pub reference: Option<String>,
    /// The card as the provider keeps it, for [`ProviderCharge::keep_for`].
    pub kept: Option<KeptCard>,
}

/// What became of telling a provider of a saved card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeResult {
    /// It is done.
    Done,
    /// The provider will not do it, however often it is asked.
    Refused,
    /// It could not be told now.
    NotNow,
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

/// What a provider says became of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// It knows the payment, and this is how it ended.
    Known(ProviderOutcome),
    /// It answers for certain that it never heard of it, or it was never told to take anything.
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

    /// Stripe's API at `url`. Challenges are framed from any https address, and from `page_url`.
    pub fn stripe(
        url: &Url,
        key: &stripe::api_key::ApiKey,
        page_url: Option<&Url>,
    ) -> Result<Self, ProviderError> {
        let connector = stripe::Connector::new(url, key, page_url)?;
        Ok(Self::Stripe(Box::new(connector)))
    }

    /// A new idempotency key. It tells for which provider it was made: after a change of providers, the new one must
    /// not be asked for the payments of the old one and say that it never heard of them.
    pub fn new_key(&self, clock: &Clock) -> String {
        let key = new_id(Kind::ProviderKey, clock);
        match self {
            Self::Simulator(_) => key,
            Self::Stripe(_) => format!("{STRIPE_KEY_PREFIX}{key}"),
        }
    }

    /// Whether a payment was made with this provider. Of another's payment nothing can be known before the operator has
    /// changed back.
    fn has(&self, payment: PaymentRef<'_>) -> bool {
        let is_stripes = payment.idempotency_key.starts_with(STRIPE_KEY_PREFIX);
        let has = is_stripes == matches!(self, Self::Stripe(_));
        if !has {
            tracing::error!(
                provider_key = payment.idempotency_key,
                "a payment is open that was made with another provider; it stays open until that one is asked"
            );
        }
        has
    }

    /// What a content security policy must let the payment page frame, for challenges.
    pub fn challenge_sources(&self) -> String {
        match self {
            Self::Simulator(connector) => connector.page_origin().ascii_serialization(),
            Self::Stripe(connector) => connector.challenge_sources().to_owned(),
        }
    }

    /// The origin that device data is posted to; none where the provider does not collect any this way.
    pub fn device_data_origin(&self) -> Option<String> {
        match self {
            Self::Simulator(connector) => Some(connector.page_origin().ascii_serialization()),
            Self::Stripe(_) => None,
        }
    }

    /// Begins collecting device data for a charge, for at most `timeout`. `None` when there is none to be had: the
    /// charge goes on without.
    pub async fn device_data(&self, charge_id: &str, timeout: Duration) -> Option<DeviceDataSession> {
        match self {
            Self::Simulator(connector) => connector.device_data(charge_id, timeout).await,
            Self::Stripe(_) => None,
        }
    }

    /// Makes all ready for a payment, for at most `timeout`, without taking anything.
    pub async fn prepare(&self, charge: &ProviderCharge, timeout: Duration) -> Preparation {
        match self {
            // Its ledger is asked by idempotency key.
            Self::Simulator(_) => Preparation::Ready(Prepared::default()),
            Self::Stripe(connector) => connector.prepare(charge, timeout).await,
        }
    }

    /// Asks the provider to take the card, for at most `timeout`. `reference` is what [`Provider::prepare`] gave, and
    /// durable by now.
    pub async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome {
        match self {
            Self::Simulator(connector) => connector.charge(charge, timeout).await,
            Self::Stripe(connector) => connector.charge(charge, reference, timeout).await,
        }
    }

    /// Asks what became of a payment, for at most `timeout`. One that was prepared and never made is prevented for good
    /// first, so that the answer stays true.
    pub async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> Lookup {
        match self {
            _ if !self.has(payment) => Lookup::Unreachable,
            Self::Simulator(connector) => connector.lookup(payment.idempotency_key, timeout).await,
            Self::Stripe(connector) => connector.lookup(payment, timeout).await,
        }
    }

    /// Gives up a payment that waits for the shopper. The answer is what became of it, which is an approval when the
    /// shopper was faster.
    pub async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUp, timeout: Duration) -> Lookup {
        match self {
            _ if !self.has(payment) => Lookup::Unreachable,
            Self::Simulator(connector) => connector.give_up(payment.idempotency_key, why, timeout).await,
            Self::Stripe(connector) => connector.give_up(payment, why, timeout).await,
        }
    }

    /// The connector that keeps shoppers' cards besides our vault, with the name that its customers are stored under.
    pub fn card_keeper(&self) -> Option<(&'static str, &stripe::Connector)> {
        match self {
            Self::Simulator(_) => None,
            Self::Stripe(connector) => Some(("stripe", connector)),
        }
    }
}
