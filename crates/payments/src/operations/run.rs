//! Begins an operation, calls the provider, and records the result. The work continues if the caller closes the connection.
//! If something fails, the operation is durable and `unfinished.rs` resolves it.

use std::sync::Arc;
use std::time::Duration;

use protocol::clock::millis;
use protocol::ids::{IdKind, new_id, sha256_hex};
use protocol::{ErrorCode, Metadata, OperationKind, OperationStatus};
use providers::{HOLD_ENDED, OperationOutcome, ProviderOperation};
use store::{BeginOperation, NewOperation, Operation, OperationOfPayment, OperationResult, StoreError};
use tracing::Instrument;

use crate::charges::Charges;
use crate::charges::charge_rules::metadata_text;
use crate::charges::create_charge::idempotency_conflict;
use crate::charges::press::LEASE;
use crate::charges::provider_call::payment_of;
use web::ApiError;
use web::request_ids::carried;

/// How long the merchant's key of a request is valid, in milliseconds.
const KEY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long to wait before asking again for a result that is still unknown.
const ASK_AGAIN: Duration = Duration::from_secs(2);
/// How long to wait before asking for the result of a pending refund: often at first, later once an hour.
const PENDING_SOON: Duration = Duration::from_secs(30);
pub(super) const PENDING_LATER: Duration = Duration::from_hours(1);
/// A provider can report a failed refund days after it succeeded. It is asked at these times after the refund began.
const LATE_LOOKS: [Duration; 4] = [
    Duration::from_hours(1),
    Duration::from_hours(24),
    Duration::from_hours(4 * 24),
    Duration::from_hours(10 * 24),
];

/// What a merchant, the operator or the service wants to happen to the money of a charge.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// How much, a decimal string; `None` for all that is left.
    pub amount_value: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The merchant's own names and texts.
    pub metadata: Option<Metadata>,
    /// The merchant's key of the request.
    pub idempotency_key: Option<String>,
}

/// Begins an operation of a charge and runs it. Returns the operation as it is stored then. A 409 or 422 if the charge does
/// not allow it.
pub async fn begin_and_run(
    charges: &Arc<Charges>,
    charge_id: &str,
    kind: OperationKind,
    wish: Wish,
) -> Result<Operation, ApiError> {
    let permit = charges.presses.permit()?;
    let paid = charges.store.attempt_that_paid(charge_id).await?;
    if paid.is_some_and(|attempt| !charges.provider.made(&attempt.provider_key)) {
        return Err(ApiError::new(
            ErrorCode::NotSupportedByProvider,
            "This payment was made with another provider than the service has now.",
        ));
    }
    let new = new_operation(charges, charge_id, kind, wish)?;
    let started = match charges.store.begin_operation(&new).await? {
        BeginOperation::Started(started) => *started,
        BeginOperation::Before(operation) => return Ok(*operation),
        refused => return Err(refusal(kind, refused)),
    };
    charges.webhooks.wake();
    let working = Arc::clone(charges);
    let work = async move {
        let ran = run(&working, &started).await;
        drop(permit);
        ran.unwrap_or_else(|cause| {
            let id = &started.operation.id;
            tracing::error!(%cause, operation_id = id, "could not record an operation's result; the provider will be asked for it");
            started.operation
        })
    };
    tokio::spawn(carried(Box::pin(work)).in_current_span())
        .await
        .map_err(|_| ApiError::internal(&"an operation panicked"))
}

fn new_operation(
    charges: &Charges,
    charge_id: &str,
    kind: OperationKind,
    wish: Wish,
) -> Result<NewOperation, ApiError> {
    let said = serde_json::to_vec(&(&wish.amount_value, &wish.reason, &wish.metadata))
        .map_err(|error| ApiError::internal(&error))?;
    let now_ms = charges.clock.now_ms();
    let id = match kind {
        OperationKind::Refund => IdKind::Refund,
        OperationKind::Capture | OperationKind::Release => IdKind::Operation,
    };
    Ok(NewOperation {
        id: new_id(id, &charges.clock),
        kind,
        charge_id: charge_id.to_owned(),
        amount_value: wish.amount_value,
        reason: wish.reason,
        metadata: wish.metadata.as_ref().and_then(metadata_text),
        provider_key: charges.provider.new_key(&charges.clock),
        idempotency_key: wish.idempotency_key,
        keys_from: now_ms - KEY_MS,
        body_sha256: sha256_hex(&said),
        now_ms,
        owner_until: now_ms + millis(charges.settings.provider_timeout) + millis(LEASE),
    })
}

/// Why the charge does not allow the operation.
fn refusal(kind: OperationKind, refused: BeginOperation) -> ApiError {
    use protocol::ChargeStatus as S;
    match (refused, kind) {
        (BeginOperation::TooLarge(left), _) => ApiError::new(
            ErrorCode::AmountTooLarge,
            format!("The amount is larger than what is left: {left}."),
        )
        .at("amount_value"),
        (BeginOperation::InProgress, _) => ApiError::new(
            ErrorCode::OperationInProgress,
            "Another capture or release of this charge is under way. Ask for the charge, then try again.",
        ),
        (BeginOperation::NotAllowed(_), OperationKind::Refund) => ApiError::new(
            ErrorCode::ChargeNotRefundable,
            "This charge is not paid, so nothing can be given back. A hold is released with cancel.",
        ),
        (BeginOperation::NotAllowed(S::Expired), OperationKind::Capture) => capture_expired(),
        (BeginOperation::NotAllowed(_), _) => not_held(kind, "This charge holds no money."),
        (BeginOperation::KeyUsed | BeginOperation::Started(_) | BeginOperation::Before(_), _) => {
            idempotency_conflict()
        }
    }
}

/// 409: the hold has ended.
pub(super) fn capture_expired() -> ApiError {
    ApiError::new(
        ErrorCode::CaptureExpired,
        "The hold has ended, so its money cannot be captured any more.",
    )
}

/// 409: nothing can be captured, or released.
pub(super) fn not_held(kind: OperationKind, message: impl Into<String>) -> ApiError {
    let code = match kind {
        OperationKind::Release => ErrorCode::ChargeNotCancelable,
        OperationKind::Capture | OperationKind::Refund => ErrorCode::ChargeNotCapturable,
    };
    ApiError::new(code, message)
}

/// Calls the provider for an operation, and records the result. The same key moves no money twice, so it may be called again.
pub(super) async fn run(charges: &Charges, of: &OperationOfPayment) -> Result<Operation, StoreError> {
    let outcome = charges
        .provider
        .operate(asked(of), charges.settings.provider_timeout)
        .await;
    record(charges, &of.operation, outcome).await
}

/// The operation as the provider is asked for it.
pub(super) fn asked(of: &OperationOfPayment) -> ProviderOperation<'_> {
    let operation = &of.operation;
    ProviderOperation {
        kind: operation.kind,
        id: &operation.id,
        payment: payment_of(&of.attempt),
        idempotency_key: &operation.provider_key,
        amount_value: &operation.amount_value,
        amount_currency: &of.currency,
        reference: operation.provider_reference.as_deref(),
        reason: operation.reason.as_deref(),
    }
}

/// Records what the provider said about an operation.
pub(super) async fn record(
    charges: &Charges,
    operation: &Operation,
    outcome: OperationOutcome,
) -> Result<Operation, StoreError> {
    let now_ms = charges.clock.now_ms();
    let age = now_ms - operation.created_at;
    let after = |pause: Duration| Some(now_ms + millis(pause));
    let result = match outcome {
        OperationOutcome::Succeeded(reference) => OperationResult {
            state: OperationStatus::Succeeded,
            reference,
            failure_code: None,
            hold_ended: false,
            look_at: late_look(operation, age),
        },
        OperationOutcome::Pending(reference) => OperationResult {
            state: OperationStatus::Pending,
            reference,
            failure_code: None,
            hold_ended: false,
            look_at: after(if age < millis(PENDING_LATER) {
                PENDING_SOON
            } else {
                PENDING_LATER
            }),
        },
        OperationOutcome::Failed { code, reference } => OperationResult {
            state: OperationStatus::Failed,
            reference,
            hold_ended: code == HOLD_ENDED,
            failure_code: Some(code),
            look_at: None,
        },
        OperationOutcome::Unknown => OperationResult {
            state: OperationStatus::OutcomeUnknown,
            reference: None,
            failure_code: None,
            hold_ended: false,
            look_at: after(ASK_AGAIN),
        },
    };
    let now = charges.store.finish_operation(operation, &result, now_ms).await?;
    if now.state == OperationStatus::Failed && now.kind != OperationKind::Refund {
        // A person may have captured or released the money at the provider.
        charges.store.look_at_hold(&now.charge_id, now_ms).await?;
    }
    charges.webhooks.wake();
    if now.state != operation.state {
        charges.counts.operation(now.kind, now.state);
    }
    Ok(now)
}

/// When a refund that has succeeded is looked at again, in unix milliseconds; `None` if its failure would have been told.
fn late_look(operation: &Operation, age: i64) -> Option<i64> {
    if operation.kind != OperationKind::Refund {
        return None;
    }
    let next = LATE_LOOKS.into_iter().map(millis).find(|look| *look > age)?;
    Some(operation.created_at + next)
}
