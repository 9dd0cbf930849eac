//! Operations: refunds of a payment, and captures and releases of its hold. An operation is durable before the provider is
//! called, and its result changes the charge in the same transaction. The charge's row is locked meanwhile, so all nodes
//! together never give back more than was captured.

use std::sync::LazyLock;

use protocol::charge_state::{ChargeEvent, transition};
use protocol::clock::rfc3339;
use protocol::webhook_event::EventSubject;
use protocol::{ChargeStatus, OperationKind, OperationStatus, RefundSummary, RefundView};
use rules::amount::{minor_units, minor_units_text};
use serde::Deserialize;

use super::attempt::{Attempt, that_paid};
use super::charge::{self, Charge};
use super::charge_view::{Told, metadata, view};
use super::dispute::dispute_in;
use super::sql::{Query, places, query};
use super::webhook_event::NewEvent;
use super::write::{Tx, retried};
use super::{Store, StoreError};

/// What happens to the money of a payment after it was made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Operation {
    /// `re_…` or `op_…`.
    pub id: String,
    /// What it does.
    pub kind: OperationKind,
    /// The charge.
    pub charge_id: String,
    /// The merchant.
    pub partner_id: String,
    /// The attempt whose payment it changes.
    pub attempt_id: String,
    /// The status.
    pub state: OperationStatus,
    /// A decimal string in the charge's currency.
    pub amount_value: String,
    /// Why, in the merchant's words.
    pub reason: Option<String>,
    /// The merchant's own names and texts, a JSON object.
    pub metadata: Option<String>,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// The idempotency key that the provider gets.
    pub provider_key: String,
    /// The provider's reference.
    pub provider_reference: Option<String>,
    /// The merchant's key of the request.
    pub idempotency_key: Option<String>,
    /// The hash of the request's body.
    pub body_sha256: String,
    /// Unix milliseconds.
    pub created_at: i64,
    /// Unix milliseconds.
    pub updated_at: i64,
    /// When the next node may work on it, in unix milliseconds; `None` once nothing is left to do.
    pub owner_until: Option<i64>,
}

const COLUMNS: &str = "SELECT id, kind, charge_id, partner_id, attempt_id, state, amount_value, reason, metadata, \
     failure_code, provider_key, provider_reference, idempotency_key, body_sha256, created_at, updated_at, owner_until \
     FROM operations";

impl Operation {
    /// The refund for its merchant.
    pub fn refund_view(&self, currency: &str) -> RefundView {
        RefundView {
            id: self.id.clone(),
            charge_id: self.charge_id.clone(),
            status: self.state,
            amount_value: self.amount_value.clone(),
            amount_currency: currency.to_owned(),
            reason: self.reason.clone(),
            failure_code: self.failure_code.clone(),
            provider_reference: self.provider_reference.clone(),
            metadata: metadata(self.metadata.as_deref()),
            created_at: rfc3339(self.created_at),
            updated_at: rfc3339(self.updated_at),
        }
    }
}

/// An operation that is to begin.
#[derive(Debug, Clone)]
pub struct NewOperation {
    /// A new id.
    pub id: String,
    /// What it does.
    pub kind: OperationKind,
    /// The charge.
    pub charge_id: String,
    /// How much, a decimal string in the charge's currency; `None` for all that is left.
    pub amount_value: Option<String>,
    /// Why, in the merchant's words.
    pub reason: Option<String>,
    /// The merchant's own names and texts, a JSON object.
    pub metadata: Option<String>,
    /// A new idempotency key for the provider.
    pub provider_key: String,
    /// The merchant's key of the request.
    pub idempotency_key: Option<String>,
    /// Keys used before this time, in unix milliseconds, have no effect any more.
    pub keys_from: i64,
    /// The hash of the request's body.
    pub body_sha256: String,
    /// Now, in unix milliseconds.
    pub now_ms: i64,
    /// When the lease of this request ends, in unix milliseconds.
    pub owner_until: i64,
}

/// The result of beginning an operation. Nothing was written unless it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginOperation {
    /// It is durable. Only this caller may call the provider now.
    Started(Box<OperationOfPayment>),
    /// The same request came before.
    Before(Box<Operation>),
    /// The idempotency key was used for another request.
    KeyUsed,
    /// The charge's status allows no such operation.
    NotAllowed(ChargeStatus),
    /// A capture or a release of the charge is under way.
    InProgress,
    /// More than is left, which is this decimal string.
    TooLarge(String),
}

/// An operation with the payment that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationOfPayment {
    /// The operation.
    pub operation: Operation,
    /// The attempt that made the payment.
    pub attempt: Attempt,
    /// ISO 4217.
    pub currency: String,
}

/// What the provider told of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationResult {
    /// The status.
    pub state: OperationStatus,
    /// The provider's reference, if it is told.
    pub reference: Option<String>,
    /// Why it failed.
    pub failure_code: Option<String>,
    /// Whether it failed because the hold had ended.
    pub hold_ended: bool,
    /// When the provider is asked again, in unix milliseconds; `None` if nothing can follow.
    pub look_at: Option<i64>,
}

impl Store {
    /// Begins an operation, unless the charge's status or its sums forbid it.
    pub async fn begin_operation(&self, new: &NewOperation) -> Result<BeginOperation, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let begun = begin(&mut tx, new).await?;
            tx.commit().await?;
            Ok(begun)
        })
        .await
    }

    /// Records what the provider told of an operation, and what it means for the charge. Returns the operation as it is
    /// stored now.
    pub async fn finish_operation(
        &self,
        operation: &Operation,
        result: &OperationResult,
        now_ms: i64,
    ) -> Result<Operation, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let now = finish(&mut tx, operation, result, now_ms).await?;
            tx.commit().await?;
            Ok(now)
        })
        .await
    }

    /// The operation with this id.
    pub async fn operation(&self, id: &str) -> Result<Option<Operation>, StoreError> {
        let sql = format!("{COLUMNS} WHERE id = $1");
        Ok(query(sql).bind(id).fetch_optional(&self.readers).await?)
    }

    /// The operations of these charges, the oldest first.
    pub async fn operations_of(&self, charge_ids: &[&str]) -> Result<Vec<Operation>, StoreError> {
        let places = places(1, charge_ids.len());
        let sql = format!("{COLUMNS} WHERE charge_id IN ({places}) ORDER BY created_at, id");
        Ok(query(sql).bind_each(charge_ids).fetch_all(&self.readers).await?)
    }

    /// The operation with its payment.
    pub async fn operation_of_payment(&self, operation: Operation) -> Result<OperationOfPayment, StoreError> {
        let attempt = self.attempt(&operation.attempt_id).await?;
        let charge = self.charge(&operation.charge_id).await?;
        let (Some(attempt), Some(charge)) = (attempt, charge) else {
            return Err(StoreError::Unusable("operation without a payment"));
        };
        Ok(OperationOfPayment {
            operation,
            attempt,
            currency: charge.amount_currency,
        })
    }

    /// Operations that a node may work on now, the longest waiting first.
    pub async fn due_operations(&self, now_ms: i64, limit: i64) -> Result<Vec<Operation>, StoreError> {
        let sql = format!("{COLUMNS} WHERE owner_until <= $1 ORDER BY owner_until LIMIT $2");
        Ok(query(sql)
            .bind(now_ms)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Lets a node look at an operation at `look_at`, in unix milliseconds, unless a node works on it or it has failed.
    pub async fn look_at_operation(&self, operation: &Operation, look_at: i64) -> Result<(), StoreError> {
        query("UPDATE operations SET owner_until = $1 WHERE id = $2 AND state IN ('pending', 'succeeded')")
            .bind(look_at)
            .bind(&operation.id)
            .write(&self.writer)
            .await?;
        Ok(())
    }

    /// Takes an operation over, or changes when it is looked at: false if another node was faster.
    pub async fn own_operation(&self, operation: &Operation, until: i64) -> Result<bool, StoreError> {
        let changed = query("UPDATE operations SET owner_until = $1 WHERE id = $2 AND owner_until = $3")
            .bind(until)
            .bind(&operation.id)
            .bind(operation.owner_until)
            .write(&self.writer)
            .await?;
        Ok(changed == 1)
    }
}

/// The operations of a charge, the oldest first.
pub(super) fn all_of(charge_id: &str) -> Query<'_> {
    static ALL: LazyLock<String> =
        LazyLock::new(|| format!("{COLUMNS} WHERE charge_id = $1 ORDER BY created_at, id"));
    query(ALL.as_str()).bind(charge_id)
}

/// The refunds among these operations, as a charge shows them.
pub(super) fn refunds(operations: &[Operation]) -> Vec<RefundSummary> {
    let refunds = operations
        .iter()
        .filter(|operation| operation.kind == OperationKind::Refund);
    refunds
        .map(|refund| RefundSummary {
            id: refund.id.clone(),
            status: refund.state,
            amount_value: refund.amount_value.clone(),
        })
        .collect()
}

/// The sum of the refunds that `counts` is true for, in minor units.
pub fn refunded(operations: &[Operation], currency: &str, counts: impl Fn(OperationStatus) -> bool) -> u64 {
    operations
        .iter()
        .filter(|operation| operation.kind == OperationKind::Refund && counts(operation.state))
        .filter_map(|refund| minor_units(&refund.amount_value, currency))
        .sum()
}

/// The charge, locked, and its operations.
pub(super) async fn held_with_operations(
    tx: &mut Tx,
    id: &str,
) -> Result<(Charge, Vec<Operation>), StoreError> {
    let (charges, operations) = tx.fetch_both(charge::held(tx, id), all_of(id)).await?;
    let charge = charges.into_iter().next().ok_or(charge::GONE)?;
    Ok((charge, operations))
}

/// Whether a capture or a release of the charge is under way.
pub fn is_hold_ending(operations: &[Operation]) -> bool {
    operations
        .iter()
        .any(|operation| operation.kind != OperationKind::Refund && operation.state.is_under_way())
}

async fn begin(tx: &mut Tx, new: &NewOperation) -> Result<BeginOperation, StoreError> {
    let (charge, operations) = held_with_operations(tx, &new.charge_id).await?;
    if let Some(before) = before(&operations, new) {
        return Ok(
            if before.body_sha256 == new.body_sha256 && before.kind == new.kind {
                BeginOperation::Before(Box::new(before.clone()))
            } else {
                BeginOperation::KeyUsed
            },
        );
    }
    let needed = match new.kind {
        OperationKind::Refund => ChargeStatus::Succeeded,
        OperationKind::Capture | OperationKind::Release => ChargeStatus::Authorized,
    };
    let is_refund = new.kind == OperationKind::Refund;
    if !is_refund {
        // A repeated request without a key gets the answer of the first one.
        let mut same = operations.iter().filter(|operation| {
            operation.kind == new.kind && operation.body_sha256 == new.body_sha256 && operation.state.counts()
        });
        if let Some(same) = same.next() {
            return Ok(BeginOperation::Before(Box::new(same.clone())));
        }
        if is_hold_ending(&operations) {
            return Ok(BeginOperation::InProgress);
        }
    }
    if charge.status != needed {
        return Ok(BeginOperation::NotAllowed(charge.status));
    }
    let currency = &charge.amount_currency;
    let whole = charge.amount_captured.as_ref().filter(|_| is_refund);
    let whole = minor_units(whole.unwrap_or(&charge.amount_value), currency).unwrap_or_default();
    let left = whole.saturating_sub(refunded(&operations, currency, OperationStatus::counts));
    let wanted = match &new.amount_value {
        Some(amount) => minor_units(amount, currency).unwrap_or(u64::MAX),
        None => left,
    };
    if wanted > left || wanted == 0 {
        return Ok(BeginOperation::TooLarge(minor_units_text(left, currency)));
    }
    let attempt = paid_by(tx, &charge.id).await?;
    let operation = Operation {
        id: new.id.clone(),
        kind: new.kind,
        charge_id: charge.id.clone(),
        partner_id: charge.partner_id.clone(),
        attempt_id: attempt.id.clone(),
        state: OperationStatus::Processing,
        amount_value: minor_units_text(wanted, currency),
        reason: new.reason.clone(),
        metadata: new.metadata.clone(),
        failure_code: None,
        provider_key: new.provider_key.clone(),
        provider_reference: None,
        idempotency_key: new.idempotency_key.clone(),
        body_sha256: new.body_sha256.clone(),
        created_at: new.now_ms,
        updated_at: new.now_ms,
        owner_until: Some(new.owner_until),
    };
    insert(&operation).execute(&mut *tx).await?;
    if is_refund {
        let mut all = operations;
        all.push(operation.clone());
        tell(tx, &charge, &attempt, &all, &operation).await?;
    }
    Ok(BeginOperation::Started(Box::new(OperationOfPayment {
        operation,
        attempt,
        currency: charge.amount_currency,
    })))
}

/// The operation that the request's key was used for.
fn before<'a>(operations: &'a [Operation], new: &NewOperation) -> Option<&'a Operation> {
    let key = new.idempotency_key.as_ref()?;
    operations
        .iter()
        .find(|known| known.idempotency_key.as_ref() == Some(key) && known.created_at >= new.keys_from)
}

/// The attempt that paid the charge.
async fn paid_by(tx: &mut Tx, charge_id: &str) -> Result<Attempt, StoreError> {
    let paid: Option<Attempt> = that_paid(charge_id).fetch_optional(tx).await?;
    paid.ok_or(StoreError::Unusable("paid charge without an attempt"))
}

fn insert(operation: &Operation) -> Query<'_> {
    query(
        "INSERT INTO operations (id, kind, charge_id, partner_id, attempt_id, state, amount_value, reason, metadata, \
         provider_key, idempotency_key, body_sha256, created_at, updated_at, owner_until) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    )
    .bind(&operation.id)
    .bind(operation.kind.as_str())
    .bind(&operation.charge_id)
    .bind(&operation.partner_id)
    .bind(&operation.attempt_id)
    .bind(operation.state.as_str())
    .bind(&operation.amount_value)
    .bind(&operation.reason)
    .bind(&operation.metadata)
    .bind(&operation.provider_key)
    .bind(&operation.idempotency_key)
    .bind(&operation.body_sha256)
    .bind(operation.created_at)
    .bind(operation.updated_at)
    .bind(operation.owner_until)
}

async fn finish(
    tx: &mut Tx,
    operation: &Operation,
    result: &OperationResult,
    now_ms: i64,
) -> Result<Operation, StoreError> {
    let (mut charge, mut operations) = held_with_operations(tx, &operation.charge_id).await?;
    let at = operations.iter().position(|known| known.id == operation.id);
    let at = at.ok_or(StoreError::Unusable("operation that is gone"))?;
    let known = &mut operations[at];
    let is_new = known.state.can_become(result.state, known.kind);
    if is_new {
        known.state = result.state;
        known.updated_at = now_ms;
        known.failure_code.clone_from(&result.failure_code);
    } else if known.state != result.state {
        // Another node has recorded a later word of the provider.
        return Ok(known.clone());
    }
    // An event of the provider, or another node, may have changed it meanwhile. It is not asked for a failed one.
    if known.owner_until == operation.owner_until || result.state == OperationStatus::Failed {
        known.owner_until = result.look_at;
    }
    if let Some(reference) = &result.reference {
        known.provider_reference = Some(reference.clone());
    }
    let known = known.clone();
    update(&known).execute(&mut *tx).await?;
    if !is_new {
        return Ok(known);
    }
    let attempt = paid_by(tx, &charge.id).await?;
    match known.kind {
        OperationKind::Refund => {
            let currency = charge.amount_currency.clone();
            let sum = refunded(&operations, &currency, |state| {
                state == OperationStatus::Succeeded
            });
            charge.amount_refunded = (sum > 0).then(|| minor_units_text(sum, &currency));
            charge.updated_at = now_ms;
            charge::written(&charge, charge.status).execute(&mut *tx).await?;
            tell(tx, &charge, &attempt, &operations, &known).await?;
        }
        OperationKind::Capture | OperationKind::Release => {
            if let Some(event) = hold_event(&known, result) {
                end_hold(tx, charge, &attempt, event, &known.amount_value, now_ms).await?;
            }
        }
    }
    Ok(known)
}

/// What the end of a capture or a release means for its charge.
fn hold_event(operation: &Operation, result: &OperationResult) -> Option<ChargeEvent> {
    match (operation.kind, operation.state) {
        (OperationKind::Capture, OperationStatus::Succeeded) => Some(ChargeEvent::Captured),
        (OperationKind::Release, OperationStatus::Succeeded) => Some(ChargeEvent::Released),
        (OperationKind::Capture, OperationStatus::Failed) if result.hold_ended => {
            Some(ChargeEvent::HoldEnded)
        }
        // Nothing is held any more, which is what the merchant wants.
        (OperationKind::Release, OperationStatus::Failed) if result.hold_ended => Some(ChargeEvent::Released),
        _ => None,
    }
}

/// Ends the hold of a charge that this transaction has locked.
pub(super) async fn end_hold(
    tx: &mut Tx,
    mut charge: Charge,
    attempt: &Attempt,
    event: ChargeEvent,
    captured: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let moved = transition(charge.status, event)?;
    if event == ChargeEvent::Captured {
        charge.amount_captured = Some(captured.to_owned());
    }
    charge.capture_at = None;
    charge::apply(tx, &mut charge, moved, None, Told::of(attempt), now_ms, vec![]).await?;
    Ok(())
}

fn update(operation: &Operation) -> Query<'_> {
    query(
        "UPDATE operations SET state = $1, failure_code = $2, provider_reference = $3, updated_at = $4, owner_until = $5 \
         WHERE id = $6",
    )
    .bind(operation.state.as_str())
    .bind(&operation.failure_code)
    .bind(&operation.provider_reference)
    .bind(operation.updated_at)
    .bind(operation.owner_until)
    .bind(&operation.id)
}

/// Writes the event of a refund for its merchant.
async fn tell(
    tx: &mut Tx,
    charge: &Charge,
    attempt: &Attempt,
    operations: &[Operation],
    refund: &Operation,
) -> Result<(), StoreError> {
    let told = Told {
        refunds: refunds(operations),
        dispute: dispute_in(tx, &charge.id).await?,
        ..Told::of(attempt)
    };
    let shown = refund.refund_view(&charge.amount_currency);
    let of_charge = view(charge, told);
    let subject = EventSubject::Refund(&shown, &of_charge);
    let event = NewEvent::about(&charge.partner_id, &charge.id, subject, refund.updated_at)?;
    event.insert().execute(tx).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
