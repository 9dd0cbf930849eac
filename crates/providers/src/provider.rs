//! The provider of charges. Each call of its connector has a span, joins a trace, and is timed and counted.

use std::ops::Deref;
use std::time::Duration;

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use protocol::clock::Clock;
use protocol::ids::{IdKind, new_id};
use protocol::{DeviceDataSession, KeptCard, ListedPayment};
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::trace::with_trace_parent;
use super::{
    CardChangeOutcome, Connector, DisputeChange, GiveUpReason, HoldLookup, ListError, OperationLookup,
    OperationOutcome, PaymentLookup, PaymentRef, Preparation, PreparedPayment, ProviderCharge,
    ProviderOperation, ProviderOutcome,
};

/// In seconds, from an answer in the local network to a time-out.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// Makes the `traceparent` of a call from its span and the id of its attempt.
pub type TraceParentOf = fn(&Span, Option<&str>) -> Option<String>;

/// The provider of charges.
#[derive(Debug)]
pub struct Provider {
    connector: Box<dyn Connector>,
    trace_parent: TraceParentOf,
    seconds: Family<[(&'static str, &'static str); 1], Histogram>,
}

/// What the connector can, without a call. The calls are the methods of the same names below.
impl Deref for Provider {
    type Target = dyn Connector;

    fn deref(&self) -> &Self::Target {
        &*self.connector
    }
}

impl Provider {
    /// The provider of this connector. `trace_parent` decides which trace a call joins.
    pub fn new(connector: Box<dyn Connector>, trace_parent: TraceParentOf) -> Self {
        Self {
            connector,
            trace_parent,
            seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
        }
    }

    /// Adds the times of the calls to the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "provider",
            "How long calls to the provider took, by the call's name",
            Unit::Seconds,
            self.seconds.clone(),
        );
    }

    /// Makes a call of the connector, for this attempt and this charge. All calls go through here.
    async fn measured<T>(
        &self,
        call: &'static str,
        attempt_id: Option<&str>,
        charge_id: Option<&str>,
        made: impl Future<Output = T>,
    ) -> T {
        let span = tracing::info_span!("provider", call, attempt_id, charge_id);
        let header = (self.trace_parent)(&span, attempt_id);
        let begun = Instant::now();
        let answer = with_trace_parent(header, made).instrument(span).await;
        let took = begun.elapsed().as_secs_f64();
        self.seconds.get_or_create(&[("call", call)]).observe(took);
        answer
    }

    /// A new idempotency key, which begins with the provider's prefix.
    pub fn new_key(&self, clock: &Clock) -> String {
        let key = new_id(IdKind::ProviderKey, clock);
        [self.connector.key_prefix(), &key].concat()
    }

    /// Whether the payment with this idempotency key was made with this provider.
    pub fn made(&self, key: &str) -> bool {
        let prefix = key.split_once(IdKind::ProviderKey.prefix());
        prefix.map_or("", |(prefix, _)| prefix) == self.connector.key_prefix()
    }

    /// Whether a payment was made with this provider. The outcome of another provider's payment stays unknown until the
    /// operator configures that provider again.
    fn has(&self, payment: PaymentRef<'_>) -> bool {
        let key = payment.idempotency_key;
        let has = self.made(key);
        if !has {
            tracing::error!(
                provider_key = key,
                "a payment of another provider is open; configure that provider again to learn its outcome"
            );
        }
        has
    }

    /// As [`Connector::device_data`].
    pub async fn device_data(&self, charge_id: &str, timeout: Duration) -> Option<DeviceDataSession> {
        self.connector.device_data_origin()?;
        let call = self.connector.device_data(charge_id, timeout);
        self.measured("device_data", None, Some(charge_id), call).await
    }

    /// As [`Connector::prepare`].
    pub async fn prepare(&self, charge: &ProviderCharge, timeout: Duration) -> Preparation {
        if !self.prepares() {
            return Preparation::Ready(PreparedPayment::default());
        }
        let call = self.connector.prepare(charge, timeout);
        self.measured("prepare", Some(&charge.attempt_id), Some(&charge.charge_id), call)
            .await
    }

    /// As [`Connector::charge`].
    pub async fn charge(
        &self,
        charge: &ProviderCharge,
        reference: Option<&str>,
        timeout: Duration,
    ) -> ProviderOutcome {
        let call = self.connector.charge(charge, reference, timeout);
        self.measured("charge", Some(&charge.attempt_id), Some(&charge.charge_id), call)
            .await
    }

    /// As [`Connector::lookup`].
    pub async fn lookup(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        if !self.has(payment) {
            return PaymentLookup::Unreachable;
        }
        let call = self.connector.lookup(payment, timeout);
        self.measured("lookup", Some(payment.attempt_id), Some(payment.charge_id), call)
            .await
    }

    /// As [`Connector::prevent`].
    pub async fn prevent(&self, payment: PaymentRef<'_>, timeout: Duration) -> PaymentLookup {
        let call = self.connector.prevent(payment, timeout);
        self.measured("prevent", Some(payment.attempt_id), Some(payment.charge_id), call)
            .await
    }

    /// As [`Connector::give_up`].
    pub async fn give_up(
        &self,
        payment: PaymentRef<'_>,
        why: GiveUpReason,
        timeout: Duration,
    ) -> PaymentLookup {
        if !self.has(payment) {
            return PaymentLookup::Unreachable;
        }
        let call = self.connector.give_up(payment, why, timeout);
        self.measured("give_up", Some(payment.attempt_id), Some(payment.charge_id), call)
            .await
    }

    /// As [`Connector::operate`].
    pub async fn operate(&self, operation: ProviderOperation<'_>, timeout: Duration) -> OperationOutcome {
        if !self.has(operation.payment) {
            return OperationOutcome::Unknown;
        }
        let PaymentRef {
            attempt_id,
            charge_id,
            ..
        } = operation.payment;
        let name = operation.kind.as_str();
        let call = self.connector.operate(operation, timeout);
        self.measured(name, Some(attempt_id), Some(charge_id), call).await
    }

    /// As [`Connector::lookup_operation`].
    pub async fn lookup_operation(
        &self,
        operation: ProviderOperation<'_>,
        timeout: Duration,
    ) -> OperationLookup {
        if !self.has(operation.payment) {
            return OperationLookup::Unreachable;
        }
        let PaymentRef {
            attempt_id,
            charge_id,
            ..
        } = operation.payment;
        let call = self.connector.lookup_operation(operation, timeout);
        self.measured("lookup_operation", Some(attempt_id), Some(charge_id), call)
            .await
    }

    /// As [`Connector::lookup_hold`].
    pub async fn lookup_hold(&self, payment: PaymentRef<'_>, timeout: Duration) -> HoldLookup {
        if !self.has(payment) {
            return HoldLookup::Unreachable;
        }
        let call = self.connector.lookup_hold(payment, timeout);
        self.measured(
            "lookup_hold",
            Some(payment.attempt_id),
            Some(payment.charge_id),
            call,
        )
        .await
    }

    /// As [`Connector::payment_key`].
    pub async fn payment_key(&self, reference: &str, timeout: Duration) -> Option<String> {
        let call = self.connector.payment_key(reference, timeout);
        self.measured("payment_key", None, None, call).await
    }

    /// As [`Connector::disputes_since`].
    pub async fn disputes_since(&self, since: i64, timeout: Duration) -> Vec<DisputeChange> {
        if !self.connector.lists_disputes() {
            return Vec::new();
        }
        let call = self.connector.disputes_since(since, timeout);
        self.measured("disputes", None, None, call).await
    }

    /// As [`Connector::payments_since`].
    pub async fn payments_since(
        &self,
        since: i64,
        timeout: Duration,
    ) -> Result<Vec<ListedPayment>, ListError> {
        let call = self.connector.payments_since(since, timeout);
        let mut payments = self.measured("list", None, None, call).await?;
        payments.sort_by_key(|payment| payment.at);
        Ok(payments)
    }

    /// As [`Connector::new_customer`].
    pub async fn new_customer(&self, key: &str, shopper_id: &str, timeout: Duration) -> Option<String> {
        let call = self.connector.new_customer(key, shopper_id, timeout);
        self.measured("new_customer", None, None, call).await
    }

    /// As [`Connector::attach`].
    pub async fn attach(
        &self,
        kept: &KeptCard,
        date: Option<(i64, i64)>,
        timeout: Duration,
    ) -> CardChangeOutcome {
        let call = self.connector.attach(kept, date, timeout);
        self.measured("attach", None, None, call).await
    }

    /// As [`Connector::date_card`].
    pub async fn date_card(&self, card: &str, date: (i64, i64), timeout: Duration) -> CardChangeOutcome {
        let call = self.connector.date_card(card, date, timeout);
        self.measured("date_card", None, None, call).await
    }

    /// As [`Connector::erase_customer`].
    pub async fn erase_customer(&self, customer: &str, timeout: Duration) -> CardChangeOutcome {
        let call = self.connector.erase_customer(customer, timeout);
        self.measured("erase_customer", None, None, call).await
    }

    /// As [`Connector::detach`].
    pub async fn detach(&self, card: &str, timeout: Duration) -> CardChangeOutcome {
        let call = self.connector.detach(card, timeout);
        self.measured("detach", None, None, call).await
    }
}
