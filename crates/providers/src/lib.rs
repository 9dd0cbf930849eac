//! The payment providers, with a connector for each. The rest of the service sees only this interface. No SQL, no
//! configuration.

mod authentication;
mod http_client;
pub mod simulator;
pub mod stripe;
mod trace;

use std::time::Duration;

use model::clock::Clock;
use model::ids::{IdKind, new_id};
use model::{KeptCard, ToldCharge};
use rules::Brand;
use url::Url;
use vault::{Pan, SecurityCode};
use wire::{DeclineCode, DeviceDataSession, PaidCard, ShopperAction};

pub use self::authentication::{Authentication, ChallengeWindow};
pub use self::trace::with_trace_parent;

/// The prefix of idempotency keys of payments with Stripe.
const STRIPE_KEY_PREFIX: &str = "stripe_";

/// The provider that charges go to.
#[derive(Debug)]
pub enum Provider {
    /// The provider's simulator, over HTTP.
    Simulator(Box<simulator::SimulatorConnector>),
    /// Stripe.
    Stripe(Box<stripe::StripeConnector>),
}

/// A charge for a provider.
#[derive(Debug)]
pub struct ProviderCharge {
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

/// A payment in a provider's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPayment {
    /// The idempotency key that was sent with it.
    pub idempotency_key: String,
    /// The provider's reference, if payments are looked up by it.
    pub reference: Option<String>,
    /// Our charge.
    pub charge_id: String,
    /// A decimal string in the currency's major unit.
    pub amount_value: String,
    /// ISO 4217.
    pub amount_currency: String,
    /// What the provider was told of the charge; absent for a payment of an earlier version.
    pub told: Option<ToldCharge>,
    /// When it was made, in unix milliseconds.
    pub at: i64,
    /// How it stands.
    pub outcome: ProviderOutcome,
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

impl Provider {
    /// The simulator at `url`, which shoppers' browsers reach at `public_url`.
    pub fn simulator(url: &Url, public_url: &Url) -> Result<Self, ProviderError> {
        let connector = simulator::SimulatorConnector::new(url, public_url)?;
        Ok(Self::Simulator(Box::new(connector)))
    }

    /// Stripe's API at `url`. Challenges are framed from any https address, and from `page_url`.
    pub fn stripe(
        url: &Url,
        key: &stripe::api_key::ApiKey,
        page_url: Option<&Url>,
    ) -> Result<Self, ProviderError> {
        let connector = stripe::StripeConnector::new(url, key, page_url)?;
        Ok(Self::Stripe(Box::new(connector)))
    }

    /// A new idempotency key. It shows for which provider it was made: after a change of providers, the new one must
    /// not be asked for payments of the old one, because it would answer that it does not know them.
    pub fn new_key(&self, clock: &Clock) -> String {
        let key = new_id(IdKind::ProviderKey, clock);
        match self {
            Self::Simulator(_) => key,
            Self::Stripe(_) => format!("{STRIPE_KEY_PREFIX}{key}"),
        }
    }

    /// Whether a payment was made with this provider. The outcome of another provider's payment stays unknown until the
    /// operator switches back.
    fn has(&self, payment: PaymentRef<'_>) -> bool {
        let is_stripes = payment.idempotency_key.starts_with(STRIPE_KEY_PREFIX);
        let has = is_stripes == matches!(self, Self::Stripe(_));
        if !has {
            tracing::error!(
                provider_key = payment.idempotency_key,
                "a payment made with another provider is open; it stays open until that provider is configured again"
            );
        }
        has
    }

    /// The sources of challenge frames for the payment page's content security policy.
    pub fn challenge_sources(&self) -> &str {
        match self {
            Self::Simulator(connector) => connector.page_origin(),
            Self::Stripe(connector) => connector.challenge_sources(),
        }
    }

    /// The origin that device data is posted to; `None` if the provider does not collect any.
    pub fn device_data_origin(&self) -> Option<&str> {
        match self {
            Self::Simulator(connector) => Some(connector.page_origin()),
            Self::Stripe(_) => None,
        }
    }

    /// Begins collecting device data for a charge, for at most `timeout`. `None` if none can be collected; the charge
    /// goes on without.
    pub async fn device_data(&self, charge_id: &str, timeout: Duration) -> Option<DeviceDataSession> {
        match self {
            Self::Simulator(connector) => connector.device_data(charge_id, timeout).await,
            Self::Stripe(_) => None,
        }
    }

    /// Whether [`Provider::prepare`] calls the provider.
    pub fn prepares(&self) -> bool {
        matches!(self, Self::Stripe(_))
    }

    /// Prepares a payment, for at most `timeout`, without taking money.
    pub async fn prepare(&self, charge: &ProviderCharge, timeout: Duration) -> Preparation {
        match self {
            // The simulator looks payments up by idempotency key.
            Self::Simulator(_) => Preparation::Ready(PreparedPayment::default()),
            Self::Stripe(connector) => connector.prepare(charge, timeout).await,
        }
    }

    /// Asks the provider to charge the card, for at most `timeout`. `reference` is the one of [`Provider::prepare`],
    /// and durable by now.
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

    /// Looks a payment up, for at most `timeout`. A payment that was prepared but not made is canceled first, so that
    /// the answer stays true.
    pub async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        match self {
            _ if !self.has(payment) => PaymentLookup::Unreachable,
            Self::Simulator(connector) => connector.lookup(payment.idempotency_key, timeout).await,
            Self::Stripe(connector) => connector.lookup(payment, timeout).await,
        }
    }

    /// The payments of ours that the provider was asked for since `since`, in unix milliseconds, the oldest first.
    /// Those that wait for their shoppers may be older. Each request to the provider may take `timeout`.
    pub async fn payments_since(
        &self,
        since: i64,
        timeout: Duration,
    ) -> Result<Vec<ListedPayment>, ListError> {
        let mut payments = match self {
            Self::Simulator(connector) => connector.payments_since(since, timeout).await,
            Self::Stripe(connector) => connector.payments_since(since, timeout).await,
        }?;
        payments.sort_by_key(|payment| payment.at);
        Ok(payments)
    }

    /// Sees to it that a payment which was never received is never made, however late its request arrives. A payment
    /// that was received after all keeps its outcome. A provider that is asked to prepare payments is not asked:
    /// without a durable reference nobody makes one.
    pub async fn prevent(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        match self {
            Self::Simulator(connector) => {
                connector
                    .give_up(payment.idempotency_key, DeclineCode::ProcessingError, timeout)
                    .await
            }
            Self::Stripe(_) => PaymentLookup::NeverReceived,
        }
    }

    /// Gives up a payment that waits for the shopper. Returns its outcome, which is an approval if the shopper was
    /// faster.
    pub async fn give_up(
        &self,
        payment: PaymentRef<'_>,
        why: GiveUpReason,
        timeout: Duration,
    ) -> PaymentLookup {
        match self {
            _ if !self.has(payment) => PaymentLookup::Unreachable,
            Self::Simulator(connector) => {
                connector
                    .give_up(payment.idempotency_key, why.decline(), timeout)
                    .await
            }
            Self::Stripe(connector) => connector.give_up(payment, why, timeout).await,
        }
    }

    /// The connector of a provider that stores shoppers' cards in addition to our vault, with the name of the provider
    /// in the database.
    pub fn card_keeper(&self) -> Option<(&'static str, &stripe::StripeConnector)> {
        match self {
            Self::Simulator(_) => None,
            Self::Stripe(connector) => Some(("stripe", connector)),
        }
    }
}
