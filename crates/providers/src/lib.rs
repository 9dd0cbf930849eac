//! The payment providers, with a connector for each. The rest of the service sees only [`Provider`], which measures
//! each call of a [`Connector`]. No SQL, no configuration.

mod authentication;
mod http_client;
mod provider;
pub mod simulator;
pub mod stripe;
mod trace;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{AttemptOutcome, KeptCard, ListedPayment, ToldCharge};
use protocol::{DeclineCode, DeviceDataSession, PaidCard, ShopperAction};
use rules::Brand;
use vault::{Pan, SecurityCode};

pub use self::authentication::{Authentication, ChallengeWindow};
pub use self::provider::{Provider, TraceParentOf};

/// What a connector does for its provider. What a provider does not have is left out: the methods with a body are then
/// never called.
#[async_trait]
pub trait Connector: Debug + Send + Sync {
    /// Begins the idempotency keys of this provider's payments: after a change of providers, the new one must not be
    /// asked for payments of the old one, because it would answer that it does not know them.
    fn key_prefix(&self) -> &'static str;

    /// The sources of challenge frames for the payment page's content security policy.
    fn challenge_sources(&self) -> &str;

    /// The origin that device data is posted to; `None` if the provider does not collect any.
    fn device_data_origin(&self) -> Option<&str> {
        None
    }

    /// Begins collecting device data for a charge, for at most `timeout`. `None` if none can be collected; the charge
    /// is made without.
    async fn device_data(&self, _charge_id: &str, _timeout: Duration) -> Option<DeviceDataSession> {
        None
    }

    /// Whether payments are prepared. Other payments are looked up by their idempotency keys.
    fn prepares(&self) -> bool {
        false
    }

    /// Prepares a payment, for at most `timeout`, without taking money.
    async fn prepare(&self, _charge: &ProviderCharge, _timeout: Duration) -> Preparation {
        Preparation::Ready(PreparedPayment::default())
    }

    /// Asks the provider to charge the card, for at most `timeout`. `reference` is the one of [`Connector::prepare`],
    /// and durable by now.
    async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome;

    /// Looks a payment up, for at most `timeout`. A payment that was prepared but not made is canceled first, so that
    /// the answer stays true.
    async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup;

    /// Makes sure that a payment which was never received is never made, however late its request arrives. A payment
    /// that was received after all keeps its outcome. Not called if payments are prepared: without a durable reference
    /// no node makes one.
    async fn prevent(&self, _payment: PaymentRef<'_>, _timeout: Duration) -> PaymentLookup {
        PaymentLookup::NeverReceived
    }

    /// Gives up a payment that waits for the shopper. Returns its outcome, which is an approval if the shopper was
    /// faster.
    async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUpReason, timeout: Duration) -> PaymentLookup;

    /// The payments of ours that the provider was asked for since `since`, in unix milliseconds, the oldest first.
    /// Those that wait for their shoppers may be older. Each request to the provider may take `timeout`.
    async fn payments_since(&self, since: i64, timeout: Duration) -> Result<Vec<ListedPayment>, ListError>;

    /// The provider's name in the database, if it stores shoppers' cards in addition to our vault.
    fn keeps_cards_as(&self) -> Option<&'static str> {
        None
    }

    /// Creates the customer of a shopper. `key` is always the same for this shopper, so that two nodes that create it
    /// at the same time get the same one. `None` if it cannot be created now.
    async fn new_customer(&self, _key: &str, _shopper_id: &str, _timeout: Duration) -> Option<String> {
        None
    }

    /// Attaches a card that has paid to its customer.
    async fn attach(&self, _kept: &KeptCard, _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }

    /// Detaches a card from its customer, so that it cannot be paid with.
    async fn detach(&self, _card: &str, _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }
}

/// A charge for a provider.
#[derive(Debug)]
pub struct ProviderCharge {
    /// Our attempt, for the logs.
    pub attempt_id: String,
    /// The provider makes at most one payment per key, however often it is called.
    pub idempotency_key: String,
    /// Our charge.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// What the provider is told of the charge.
    pub told: ToldCharge,
    /// The card.
    pub card: ProviderCard,
    /// The data for 3-D Secure, in case the issuer requires it.
    pub authentication: Authentication,
    /// The provider's customer to store the card for after it has paid, if the provider stores cards.
    pub keep_for: Option<String>,
}

/// The card that a provider gets.
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
    /// The parts of it that a receipt shows.
    pub fn on_receipt(&self) -> PaidCard {
        PaidCard {
            brand: Brand::detect(self.number.first_six())
                .map_or_else(String::new, |brand| brand.row().name.to_owned()),
            last_four: self.number.last_four().to_owned(),
        }
    }
}

/// The references by which a provider identifies a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentRef<'a> {
    /// Our attempt, for the logs.
    pub attempt_id: &'a str,
    /// Its charge, for the logs.
    pub charge_id: &'a str,
    /// The idempotency key that was sent with it.
    pub idempotency_key: &'a str,
    /// The provider's own reference, if it was recorded before the payment was made.
    pub reference: Option<&'a str>,
}

/// The result of preparing a payment. No money was taken yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparation {
    /// The payment can be made, once the provider's reference is durable.
    Ready(PreparedPayment),
    /// It cannot be made.
    Refused(DeclineCode),
}

/// A payment that can be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparedPayment {
    /// The provider's reference, which must be durable before the payment is made; `None` if the idempotency key is
    /// enough to look the payment up.
    pub reference: Option<String>,
    /// The card as the provider stores it, for [`ProviderCharge::keep_for`].
    pub kept: Option<KeptCard>,
}

/// The result of telling a provider about a saved card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardChangeOutcome {
    /// It is done.
    Done,
    /// The provider refuses, and a retry cannot help.
    Refused,
    /// It cannot be told now; retry later.
    NotNow,
}

/// Why a payment that waits for the shopper is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUpReason {
    /// The shopper closed the challenge.
    Canceled,
    /// The challenge was not finished in time.
    TimedOut,
}

impl GiveUpReason {
    /// The decline code of the attempt.
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
    /// It accepted the card; with its own reference.
    Approved(String),
    /// It certainly refused the card or the request: no money was taken.
    Declined(DeclineCode),
    /// It waits until the shopper has done something.
    ActionRequired(ShopperAction),
    /// The outcome is not known: the connection failed, the time ran out, or the answer is not understood.
    Unknown,
}

impl ProviderOutcome {
    /// The outcome of the attempt, if it is final.
    pub fn settled(self) -> Option<AttemptOutcome> {
        match self {
            Self::Approved(reference) => Some(AttemptOutcome::Succeeded(reference)),
            Self::Declined(code) => Some(AttemptOutcome::Declined(code)),
            Self::ActionRequired(_) | Self::Unknown => None,
        }
    }
}

/// The result of looking a payment up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentLookup {
    /// It knows the payment; with its outcome.
    Known(ProviderOutcome),
    /// It certainly does not know the payment, or was never asked to take money for it.
    NeverReceived,
    /// It cannot be reached now.
    Unreachable,
}

/// A provider's list of payments cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The provider cannot be reached, or refuses.
    #[error("the provider does not give its list of payments")]
    Unreachable,
    /// A payment of ours is not understood.
    #[error("the provider's list has a payment that is not understood")]
    Unreadable,
}

/// The HTTP client for a provider could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot prepare the connection to the provider")]
pub struct ProviderError;
