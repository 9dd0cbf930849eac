//! The connector to Stripe. A payment is a `PaymentIntent`, which we confirm once. A setup, which saves a card without a
//! payment, is a `SetupIntent`, and all of this holds for it, too.
//!
//! A payment is made at most once, because a `PaymentIntent` can succeed only once. Idempotency keys are not enough,
//! because Stripe forgets them after a day. The steps are:
//!
//! 1. [`StripeConnector::prepare`] creates the card's `PaymentMethod` and an unconfirmed `PaymentIntent` for it.
//!    Neither takes money, so an attempt that fails here has certainly taken none.
//! 2. The intent's id is stored with the attempt. An attempt has at most one id. A node that gives up an attempt
//!    without an id records that the attempt will never have one, and a node that is too late to store an id stops.
//! 3. [`StripeConnector::charge`] confirms this intent. No other call of ours confirms an intent.
//!
//! A node that dies before step 2 has taken no money. If it dies later, the id is stored. [`StripeConnector::lookup`]
//! then reads the intent, which has the outcome, and cancels an intent that is not confirmed yet. A late confirmation
//! finds a canceled intent, so "declined" stays true and the shopper may try again. A search by our own key is not
//! enough, because Stripe's search is a minute or more behind and is not available in every region.

mod amount;
pub mod api_key;
mod calls;
mod cards;
mod charge;
mod declines;
pub mod events;
mod form;
mod list;
mod network;
mod operations;
mod payment;
mod preparation;

use std::time::Duration;

use async_trait::async_trait;
use http::StatusCode;
use protocol::{DeclineCode, DeclineReason, KeptCard, ListedPayment, ThreeDsRequest};
use rules::Brand;
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use self::api_key::ApiKey;
use self::calls::{Deadline, StripeAnswer, StripeClient, is_name};
use self::events::EventSecret;
use self::form::FormFields;
use self::payment::{PaymentIntent, cancellation_reason};
use super::{
    CardChangeOutcome, Connector, EventRefusal, GiveUpReason, HoldLookup, ListError, OperationLookup,
    OperationOutcome, PaymentLookup, PaymentRef, Preparation, ProviderCharge, ProviderError, ProviderEvent,
    ProviderOperation, ProviderOutcome,
};

/// The path of payments.
const PAYMENTS: &str = "/v1/payment_intents";
/// The path of setups.
const SETUPS: &str = "/v1/setup_intents";
/// The prefix of every id of an intent, and its path.
const INTENTS: [(&str, &str); 2] = [("pi_", PAYMENTS), ("seti_", SETUPS)];

/// The card network's id of the payment at which the shopper agreed, for a card that Stripe does not keep.
const FIRST_PAYMENT: &str = "payment_method_options[card][mit_exemption][network_transaction_id]";

/// The network that the shopper chose. Stripe takes it only with the confirmation.
const NETWORK: &str = "payment_method_options[card][network]";
/// Asks for the bank's challenge.
const REQUEST_THREE_DS: &str = "payment_method_options[card][request_three_d_secure]";

/// Calls Stripe over HTTPS.
#[derive(Debug)]
pub struct StripeConnector {
    calls: StripeClient,
    challenge_sources: String,
    event_secret: Option<EventSecret>,
}

/// The parts that we read of a `PaymentMethod` or a `Customer`.
#[derive(Debug, Deserialize)]
struct StripeObject {
    id: String,
}

impl StripeConnector {
    /// A connector to the API at `url`.
    pub fn new(url: &Url, key: &ApiKey, page_url: Option<&Url>) -> Result<Self, ProviderError> {
        // Stripe's page leads to the issuer's page in the same frame, and an issuer's page may have any address. A
        // frame runs no script in our page, and we open only the address that Stripe names.
        let challenge_sources = match page_url {
            Some(page) => format!("https: {}", page.origin().ascii_serialization()),
            None => "https:".to_owned(),
        };
        Ok(Self {
            calls: StripeClient::new(url, key)?,
            challenge_sources,
            event_secret: None,
        })
    }

    /// With the secret that Stripe signs its events with.
    #[must_use]
    pub fn with_event_secret(mut self, secret: Option<EventSecret>) -> Self {
        self.event_secret = secret;
        self
    }
}

#[async_trait]
impl Connector for StripeConnector {
    fn key_prefix(&self) -> &'static str {
        "stripe_"
    }

    fn refuses_amount(&self, value: &str, currency: &str) -> Option<&'static str> {
        amount::refusal(value, currency)
    }

    fn holds(&self) -> bool {
        true
    }

    fn carries_over(&self, network: Brand) -> bool {
        network::stripe_name(network).is_some()
    }

    fn challenge_sources(&self) -> &str {
        &self.challenge_sources
    }

    fn prepares(&self) -> bool {
        true
    }

    async fn prepare(&self, charge: &ProviderCharge, timeout: Duration) -> Preparation {
        match self.try_to_prepare(charge, Deadline::after(timeout)).await {
            Ok(prepared) => Preparation::Ready(prepared),
            Err(code) => Preparation::Refused(code),
        }
    }

    async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome {
        let Some((id, intent)) = reference.and_then(|id| Some((id, intent_path(id)?))) else {
            return ProviderOutcome::Unknown;
        };
        let deadline = Deadline::after(timeout);
        let path = format!("{intent}/confirm");
        let key = format!("{}-confirm", charge.idempotency_key);
        let form = confirmation(charge, &intent, charge.authentication.request);
        match self
            .calls
            .post::<PaymentIntent>(&path, &key, form, deadline)
            .await
        {
            StripeAnswer::Given(payment) => payment.outcome(),
            StripeAnswer::Refused(refusal) => match refusal.error.decline_reason() {
                Some(reason) if refusal.status == StatusCode::PAYMENT_REQUIRED => {
                    let card = refusal.error.payment_method.filter(|_| may_ask(charge, &reason));
                    let asked = match card {
                        Some(card) => self.ask_for_challenge(charge, &intent, &card.id, deadline).await,
                        None => None,
                    };
                    asked.unwrap_or(ProviderOutcome::Declined(reason))
                }
                // The payment is confirmed or canceled already, or cannot be confirmed. It has the outcome itself.
                _ => {
                    refusal.report("the confirmation of a payment");
                    match self.settled_outcome(id, deadline).await {
                        PaymentLookup::Known(outcome) => outcome,
                        PaymentLookup::NeverReceived | PaymentLookup::Unreachable => ProviderOutcome::Unknown,
                    }
                }
            },
            StripeAnswer::Lost => ProviderOutcome::Unknown,
        }
    }

    async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        match payment_id(payment) {
            Some(id) => self.settled_outcome(id, Deadline::after(timeout)).await,
            None => PaymentLookup::NeverReceived,
        }
    }

    async fn give_up(&self, payment: PaymentRef<'_>, why: GiveUpReason, timeout: Duration) -> PaymentLookup {
        let Some(id) = payment_id(payment) else {
            return PaymentLookup::NeverReceived;
        };
        let deadline = Deadline::after(timeout);
        match self.cancel(id, Some(why), deadline).await {
            // A server that does not accept a reason does not return one.
            StripeAnswer::Given(payment) if payment.is_canceled() => {
                PaymentLookup::Known(ProviderOutcome::declined(why.decline()))
            }
            StripeAnswer::Given(payment) => PaymentLookup::Known(payment.outcome()),
            // The shopper finished before, or the payment was canceled before.
            StripeAnswer::Refused(_) => match self.payment(id, deadline).await {
                Some(payment) => PaymentLookup::Known(payment.outcome()),
                None => PaymentLookup::Unreachable,
            },
            StripeAnswer::Lost => PaymentLookup::Unreachable,
        }
    }

    fn event(&self, signature: &str, body: &[u8], now_s: i64) -> Result<ProviderEvent, EventRefusal> {
        let secret = self.event_secret.as_ref().ok_or(EventRefusal::NotTaken)?;
        events::read(secret, signature, body, now_s)
    }

    async fn payment_key(&self, reference: &str, timeout: Duration) -> Option<String> {
        let payment = self.payment(reference, Deadline::after(timeout)).await?;
        Some(payment.own_key().unwrap_or_default().to_owned())
    }

    async fn operate(&self, operation: ProviderOperation<'_>, timeout: Duration) -> OperationOutcome {
        self.send_operation(operation, timeout).await
    }

    async fn lookup_operation(&self, operation: ProviderOperation<'_>, timeout: Duration) -> OperationLookup {
        self.find_operation(operation, timeout).await
    }

    async fn lookup_hold(&self, payment: PaymentRef<'_>, timeout: Duration) -> HoldLookup {
        self.find_hold(payment, timeout).await
    }

    async fn payments_since(&self, since: i64, timeout: Duration) -> Result<Vec<ListedPayment>, ListError> {
        self.all_payments_since(since, timeout).await
    }

    fn keeps_cards_as(&self) -> Option<&'static str> {
        Some("stripe")
    }

    async fn new_customer(&self, key: &str, shopper_id: &str, timeout: Duration) -> Option<String> {
        self.make_customer(key, shopper_id, Deadline::after(timeout))
            .await
    }

    async fn attach(
        &self,
        kept: &KeptCard,
        date: Option<(i64, i64)>,
        timeout: Duration,
    ) -> CardChangeOutcome {
        self.attach_card(kept, date, timeout).await
    }

    async fn date_card(&self, card: &str, date: (i64, i64), timeout: Duration) -> CardChangeOutcome {
        self.change_date(card, date, Deadline::after(timeout)).await
    }

    async fn erase_customer(&self, customer: &str, timeout: Duration) -> CardChangeOutcome {
        self.delete_customer(customer, timeout).await
    }

    async fn detach(&self, card: &str, timeout: Duration) -> CardChangeOutcome {
        self.detach_card(card, timeout).await
    }
}

impl StripeConnector {
    /// Confirms a payment again, with a challenge, after its issuer wanted the shopper authenticated. `None` if Stripe
    /// refuses; then the first decline counts.
    async fn ask_for_challenge(
        &self,
        charge: &ProviderCharge,
        intent: &str,
        card: &str,
        deadline: Deadline,
    ) -> Option<ProviderOutcome> {
        let path = format!("{intent}/confirm");
        let key = format!("{}-challenge", charge.idempotency_key);
        let form = confirmation(charge, intent, ThreeDsRequest::Challenge).with("payment_method", card);
        match self
            .calls
            .post::<PaymentIntent>(&path, &key, form, deadline)
            .await
        {
            StripeAnswer::Given(payment) => Some(payment.outcome()),
            StripeAnswer::Refused(refusal) => {
                refusal.report("a challenge after a decline");
                let is_decline = refusal.status == StatusCode::PAYMENT_REQUIRED;
                let reason = refusal.error.decline_reason().filter(|_| is_decline);
                reason.map(ProviderOutcome::Declined)
            }
            StripeAnswer::Lost => Some(ProviderOutcome::Unknown),
        }
    }

    /// The outcome of a payment. A payment that can be confirmed is canceled first, so that it cannot be confirmed later:
    /// also a declined one, which another node may be confirming again to ask for a challenge.
    async fn settled_outcome(&self, id: &str, deadline: Deadline) -> PaymentLookup {
        let Some(payment) = self.payment(id, deadline).await else {
            return PaymentLookup::Unreachable;
        };
        let before = payment.outcome();
        if !payment.can_be_confirmed() {
            return PaymentLookup::Known(before);
        }
        let now = match self.cancel(id, None, deadline).await {
            StripeAnswer::Given(now) if now.is_canceled() && before != ProviderOutcome::Unknown => {
                return PaymentLookup::Known(before);
            }
            StripeAnswer::Given(payment) => Some(payment),
            // The payment was confirmed meanwhile.
            StripeAnswer::Refused(_) => self.payment(id, deadline).await,
            StripeAnswer::Lost => None,
        };
        now.filter(|payment| !payment.can_be_confirmed())
            .map_or(PaymentLookup::Unreachable, |payment| {
                PaymentLookup::Known(payment.outcome())
            })
    }

    /// The payment at Stripe. A payment that Stripe does not know belongs to another account, so its outcome stays
    /// unknown.
    async fn payment(&self, id: &str, deadline: Deadline) -> Option<PaymentIntent> {
        let intent = intent_path(id)?;
        let path = format!("{intent}?expand[]={}", expansion(&intent));
        match self.calls.get(&path, deadline).await {
            StripeAnswer::Given(payment) => Some(payment),
            StripeAnswer::Refused(refusal) => {
                refusal.report("the state of a payment");
                None
            }
            StripeAnswer::Lost => None,
        }
    }

    async fn cancel(
        &self,
        id: &str,
        why: Option<GiveUpReason>,
        deadline: Deadline,
    ) -> StripeAnswer<PaymentIntent> {
        let Some(intent) = intent_path(id) else {
            return StripeAnswer::Lost;
        };
        let mut form = FormFields::new();
        if let Some(why) = why {
            form = form.with_optional("cancellation_reason", cancellation_reason(why));
        }
        // Canceling twice is harmless, so each cancellation has a new key. With the same key Stripe would repeat a
        // refusal for a day, even after the payment's state has changed.
        let key = format!("{id}-cancel-{}", Uuid::new_v4().simple());
        self.calls
            .post(&format!("{intent}/cancel"), &key, form, deadline)
            .await
    }
}

impl StripeObject {
    /// The object's id, if it is safe in a path and in a log.
    fn reference(self) -> Option<String> {
        Some(self.id).filter(|id| is_name(id))
    }
}

/// What confirms the payment or setup at this path.
fn confirmation(charge: &ProviderCharge, intent: &str, three_ds: ThreeDsRequest) -> FormFields {
    let mut form = FormFields::new()
        .with_optional("return_url", &charge.authentication.return_url)
        .with_optional("expand[]", expansion(intent));
    if let Some(name) = charge.card.network.and_then(network::stripe_name) {
        // Without it Stripe chooses a network itself, and tells which.
        form = form.with_optional(NETWORK, name);
    }
    if let Some(merchant) = &charge.merchant {
        form = form.with("off_session", "true");
        if let (None, Some(id)) = (&merchant.kept, &merchant.network_transaction_id) {
            form = form.with_optional(FIRST_PAYMENT, id);
        }
    } else if three_ds == ThreeDsRequest::Challenge {
        form = form.with(REQUEST_THREE_DS, three_ds.as_str());
    }
    form
}

/// Whether a challenge can help after this decline: the shopper is there, and was not asked yet.
fn may_ask(charge: &ProviderCharge, declined: &DeclineReason) -> bool {
    declined.code == DeclineCode::AuthenticationRequired
        && charge.merchant.is_none()
        && charge.authentication.request == ThreeDsRequest::Automatic
}

/// The id of the payment or setup, if one was recorded.
fn payment_id(payment: PaymentRef<'_>) -> Option<&str> {
    payment.reference.filter(|id| intent_path(id).is_some())
}

/// The path of the intent with this id; `None` if it is not the id of one.
fn intent_path(id: &str) -> Option<String> {
    let (_, path) = INTENTS.iter().find(|(prefix, _)| id.starts_with(prefix))?;
    is_name(id).then(|| format!("{path}/{id}"))
}

/// The object that is read with the intent at this path: what Stripe tells of the card.
fn expansion(intent: &str) -> &'static str {
    if intent.starts_with(SETUPS) {
        "latest_attempt"
    } else {
        "latest_charge"
    }
}
