//! The payment providers, with a [`Connector`] for each. The rest of the service uses only [`Provider`], which spans,
//! times and counts each call of a connector. No SQL, no configuration.

mod authentication;
mod charge;
mod http_client;
mod operation;
mod provider;
pub mod simulator;
pub mod stripe;
mod trace;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{
    Approval, AttemptOutcome, DeclineCode, DeclineReason, DeviceDataSession, KeptCard, ListedPayment,
    ShopperAction,
};
use rules::Brand;

pub use self::authentication::{Authentication, ChallengeWindow};
pub use self::charge::{Billing, MerchantPayment, ProviderCard, ProviderCharge};
pub use self::operation::{
    CardUpdate, DisputeChange, EventRefusal, HOLD_ENDED, HoldLookup, OperationLookup, OperationOutcome,
    ProviderEvent, ProviderOperation,
};
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

    /// Whether the provider can carry a payment over this network if the shopper chooses it.
    fn carries_over(&self, _network: Brand) -> bool {
        true
    }

    /// Whether the merchant can choose an exemption from strong authentication.
    fn takes_exemptions(&self) -> bool {
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

    /// Charges the card within `timeout`. If the issuer wants the shopper authenticated, the outcome is a challenge, unless
    /// the merchant pays without the shopper. `reference` comes from [`Connector::prepare`] and is already durable.
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

    /// Whether the provider lists disputes in place of sending events.
    fn lists_disputes(&self) -> bool {
        false
    }

    /// How disputes changed since `since`, in unix milliseconds, the oldest change first; none if the provider is unavailable.
    async fn disputes_since(&self, _since: i64, _timeout: Duration) -> Vec<DisputeChange> {
        Vec::new()
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

    /// Attaches a card that has paid to its customer. If the card has an earlier date there, it gets `date`: month and year.
    async fn attach(
        &self,
        _kept: &KeptCard,
        _date: Option<(i64, i64)>,
        _timeout: Duration,
    ) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }

    /// Gives a card a new month (1 to 12) and year (four digits).
    async fn date_card(&self, _card: &str, _date: (i64, i64), _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }

    /// Deletes a customer with its cards.
    async fn erase_customer(&self, _customer: &str, _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
    }

    /// Detaches a card from its customer, so that the card cannot pay any more.
    async fn detach(&self, _card: &str, _timeout: Duration) -> CardChangeOutcome {
        CardChangeOutcome::Refused
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
