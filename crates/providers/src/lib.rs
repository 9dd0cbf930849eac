//! The payment providers, with a [`Connector`] for each. The rest of the service uses only [`Provider`], which spans,
//! times and counts each call of a connector. No SQL, no configuration.

mod authentication;
mod http_client;
mod provider;
pub mod simulator;
pub mod stripe;
mod trace;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{
    Approval, AttemptOutcome, CaptureMethod, ChargeDescription, DeclineCode, DeclineReason,
    DeviceDataSession, Hold, KeptCard, ListedPayment, OperationKind, ProviderDispute, ShopperAction,
};
use rules::Brand;
use serde::{Deserialize, Serialize};
use vault::{Pan, SecurityCode};

pub use self::authentication::{Authentication, ChallengeWindow};
pub use self::provider::{Provider, TraceParentOf};

/// The calls of one provider. A connector implements the methods with a body only if its provider has the feature;
/// otherwise they are never called.
#[async_trait]
pub trait Connector: Debug + Send + Sync {
    /// The prefix of this provider's idempotency keys. After a change of providers it keeps payments of the old
    /// provider from being looked up at the new one, which would answer that it never received them.
    fn key_prefix(&self) -> &'static str;

    /// Why this provider can never take an amount of `currency`; `None` if it may take it. A charge is then refused when
    /// the merchant creates it, and not when the shopper pays.
    fn refuses_amount(&self, _value: &str, _currency: &str) -> Option<&'static str> {
        None
    }

    /// Whether the provider can hold money until it is captured.
    fn holds(&self) -> bool {
        false
    }

    /// The sources of challenge frames for the payment page's content security policy.
    fn challenge_sources(&self) -> &str;

    /// The origin that device data is posted to; `None` if the provider does not collect any.
    fn device_data_origin(&self) -> Option<&str> {
        None
    }

    /// Starts a collection of device data for a charge, within `timeout`. `None` if device data is unavailable; the
    /// charge is then made without it.
    async fn device_data(&self, _charge_id: &str, _timeout: Duration) -> Option<DeviceDataSession> {
        None
    }

    /// Whether payments are prepared before they are made. A payment that is not prepared is looked up by its
    /// idempotency key.
    fn prepares(&self) -> bool {
        false
    }

    /// Prepares a payment within `timeout`. No money is taken.
    async fn prepare(&self, _charge: &ProviderCharge, _timeout: Duration) -> Preparation {
        Preparation::Ready(PreparedPayment::default())
    }

    /// Charges the card within `timeout`. `reference` comes from [`Connector::prepare`] and is already durable.
    async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome;

    /// Looks a payment up within `timeout`. A payment that was prepared but not made is canceled first, so that the
    /// answer stays true.
    async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup;

    /// Prevents a payment that was never received, even if its request arrives late. If the provider has received the
    /// payment meanwhile, the payment keeps its outcome. Not called if payments are prepared, because no node makes a
    /// payment without a durable reference.
    async fn prevent(&self, _payment: PaymentRef<'_>, _timeout: Duration) -> PaymentLookup {
        PaymentLookup::NeverReceived
    }

    /// Cancels a payment that waits for the shopper. Returns its outcome, which is an approval if the shopper finished
    /// before.
    async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUpReason, timeout: Duration) -> PaymentLookup;

    /// Refunds a payment, or captures or releases its hold, within `timeout`. The same key again gives the same answer and
    /// moves no money again.
    async fn operate(&self, _operation: ProviderOperation<'_>, _timeout: Duration) -> OperationOutcome {
        OperationOutcome::failed("not_supported_by_provider")
    }

    /// Looks an operation up within `timeout`.
    async fn lookup_operation(
        &self,
        _operation: ProviderOperation<'_>,
        _timeout: Duration,
    ) -> OperationLookup {
        OperationLookup::NeverReceived
    }

    /// Looks a payment's hold up within `timeout`. Only for a provider that holds money.
    async fn lookup_hold(&self, _payment: PaymentRef<'_>, _timeout: Duration) -> HoldLookup {
        HoldLookup::Unreachable
    }

    /// Reads an event that the provider has sent. `now_s` is in seconds since 1970.
    fn event(&self, _signature: &str, _body: &[u8], _now_s: i64) -> Result<ProviderEvent, EventRefusal> {
        Err(EventRefusal::NotTaken)
    }

    /// Our idempotency key of the payment with this reference, empty if it is not ours; `None` if the provider is unavailable.
    async fn payment_key(&self, _reference: &str, _timeout: Duration) -> Option<String> {
        None
    }

    /// Our payments since `since`, in unix milliseconds, the oldest first. Payments that wait for their shoppers may be
    /// older. Each request to the provider may take `timeout`.
    async fn payments_since(&self, since: i64, timeout: Duration) -> Result<Vec<ListedPayment>, ListError>;

    /// The provider's name in the database, if the provider stores shoppers' cards in addition to our vault.
    fn keeps_cards_as(&self) -> Option<&'static str> {
        None
    }

    /// Creates the customer of a shopper. `key` is always the same for this shopper, so that two nodes that create the
    /// customer at the same time get the same one. `None` if the customer cannot be created now.
    async fn new_customer(&self, _key: &str, _shopper_id: &str, _timeout: Duration) -> Option<String> {
        None
    }

    /// Attaches a card that has paid to its customer.
    async fn attach(&self, _kept: &KeptCard, _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }

    /// Detaches a card from its customer, so that the card cannot pay any more.
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
    /// The charge's description, which the provider stores.
    pub description: ChargeDescription,
    /// Whether the money is taken now or held.
    pub capture: CaptureMethod,
    /// What the shopper's statement says besides the merchant's name, if the merchant chose it.
    pub statement_descriptor: Option<String>,
    /// What the merchant told of the shopper.
    pub billing: Billing,
    /// The card.
    pub card: ProviderCard,
    /// The data for 3-D Secure, in case the issuer requires it.
    pub authentication: Authentication,
    /// The customer for which the provider stores the card after the payment, if it stores the card.
    pub keep_for: Option<String>,
    /// The shopper, for a customer that the provider must make anew.
    pub shopper_id: String,
}

/// What the merchant told of the shopper. Issuers check some of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Billing {
    /// The zip code.
    pub zip_code: Option<String>,
    /// The email.
    pub email: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
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
    /// The brand's name; empty if the brand is unknown.
    pub fn brand_name(&self) -> &'static str {
        Brand::detect(self.number.first_six()).map_or("", |brand| brand.row().name)
    }
}

/// The ids of a payment at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentRef<'a> {
    /// Our attempt, for the logs.
    pub attempt_id: &'a str,
    /// Our charge, for the logs.
    pub charge_id: &'a str,
    /// The idempotency key of the payment.
    pub idempotency_key: &'a str,
    /// The provider's own reference, if it was recorded before the payment was made.
    pub reference: Option<&'a str>,
}

/// What happens to the money of a payment after it was made.
#[derive(Debug, Clone, Copy)]
pub struct ProviderOperation<'a> {
    /// What it does.
    pub kind: OperationKind,
    /// Our id of the operation: `re_…` or `op_…`.
    pub id: &'a str,
    /// The payment.
    pub payment: PaymentRef<'a>,
    /// The provider moves money at most once per key.
    pub idempotency_key: &'a str,
    /// How much, a decimal string in the currency's major unit.
    pub amount_value: &'a str,
    /// ISO 4217.
    pub amount_currency: &'a str,
    /// The provider's own reference of the operation, if it is known.
    pub reference: Option<&'a str>,
    /// Why, in the merchant's words.
    pub reason: Option<&'a str>,
}

/// The result of an operation at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationOutcome {
    /// The money moved; with the provider's reference of the operation, if it has one.
    Succeeded(Option<String>),
    /// The provider accepted it, and its result follows.
    Pending(Option<String>),
    /// No money moved, or it came back.
    Failed {
        /// The reason, for the merchant: `expired_or_canceled_card`, `insufficient_funds`, `hold_ended`, …
        code: String,
        /// The provider's reference of the operation, if it has one.
        reference: Option<String>,
    },
    /// The outcome is unknown, because the connection failed, the call timed out, or the answer is not understood.
    Unknown,
}

impl OperationOutcome {
    /// A failure without a reference at the provider.
    pub fn failed(code: &str) -> Self {
        Self::Failed {
            code: code.to_owned(),
            reference: None,
        }
    }
}

/// The `failure_code` of a capture or a release that comes after the hold has ended.
pub const HOLD_ENDED: &str = "hold_ended";

/// The result of looking an operation up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationLookup {
    /// The provider knows the operation.
    Known(OperationOutcome),
    /// The provider certainly does not know it yet.
    NeverReceived,
    /// The provider is unavailable.
    Unreachable,
}

/// The result of looking a hold up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldLookup {
    /// The money is still held.
    Held(Hold),
    /// The money was taken, by us or by a person at the provider; the amount is a decimal string.
    Captured(String),
    /// The hold was released, or has ended by itself.
    Ended,
    /// The provider is unavailable.
    Unreachable,
}

/// What an event of the provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderEvent {
    /// Something about this operation has changed.
    Operation {
        /// Our id.
        id: String,
    },
    /// Something about this payment has changed.
    Payment {
        /// Our idempotency key.
        key: String,
    },
    /// A dispute was opened, changed or closed.
    Dispute {
        /// The provider's reference of the payment.
        payment: String,
        /// The dispute.
        dispute: ProviderDispute,
    },
    /// Nothing that concerns us.
    Other,
}

/// Why an event is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRefusal {
    /// The service takes no events of this provider.
    NotTaken,
    /// The signature is missing, wrong or too old.
    Signature,
    /// The body is no event.
    Unreadable,
}

/// The result of preparing a payment. No money is taken yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preparation {
    /// The payment can be made, once the provider's reference is durable.
    Ready(PreparedPayment),
    /// The payment cannot be made.
    Refused(DeclineCode),
}

/// A payment that can be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparedPayment {
    /// The provider's reference, which must be durable before the payment is made; `None` if the idempotency key is
    /// enough to look the payment up.
    pub reference: Option<String>,
    /// The card at the provider, if the provider stores it: for [`ProviderCharge::keep_for`], or for a new customer if that
    /// one is gone.
    pub kept: Option<KeptCard>,
}

/// The result of attaching or detaching a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardChangeOutcome {
    /// The card is attached or detached.
    Done,
    /// The provider refuses, and a retry cannot help.
    Refused,
    /// The provider is unavailable; retry later.
    NotNow,
}

/// Why a payment that waits for the shopper is canceled.
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

/// The outcome of a payment at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderOutcome {
    /// The provider accepted the card: it took the money or holds it.
    Approved(Approval),
    /// The provider certainly refused the card or the request, and no money was taken.
    Declined(DeclineReason),
    /// The payment waits for an action of the shopper.
    ActionRequired(ShopperAction),
    /// The outcome is unknown, because the connection failed, the call timed out, or the answer is not understood.
    Unknown,
}

impl ProviderOutcome {
    /// A decline of which only our code is known.
    pub fn declined(code: DeclineCode) -> Self {
        Self::Declined(code.into())
    }

    /// The outcome of the attempt, if it is final.
    pub fn settled(self) -> Option<AttemptOutcome> {
        match self {
            Self::Approved(approval) => Some(AttemptOutcome::Succeeded(approval)),
            Self::Declined(reason) => Some(AttemptOutcome::Declined(reason)),
            Self::ActionRequired(_) | Self::Unknown => None,
        }
    }
}

/// The result of looking a payment up at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentLookup {
    /// The provider knows the payment; with its outcome.
    Known(ProviderOutcome),
    /// The provider certainly does not know the payment, or was never asked to take money for it.
    NeverReceived,
    /// The provider is unavailable.
    Unreachable,
}

/// A provider's list of payments cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The provider is unavailable, or refuses the request.
    #[error("the provider did not send its list of payments")]
    Unreachable,
    /// One of our payments in the list is not understood.
    #[error("the provider's list has a payment that is not understood")]
    Unreadable,
}

/// The HTTP client for a provider could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot prepare the connection to the provider")]
pub struct ProviderError;
