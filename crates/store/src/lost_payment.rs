//! Brings back a payment that the provider knows and a restored database does not: the attempt, and the charge if it is
//! missing, too.
//!
//! An attempt is brought back with an unknown outcome, like one whose answer was lost. Its charge cannot be paid again
//! from then on, and the outcome is recorded like every other.

use protocol::charge_state::{ChargeEvent, transition};
use protocol::ids::{IdKind, new_id_at, time_of};
use protocol::{CaptureMethod, ChargeStatus, ListedPayment};

use super::attempt::{AttemptState, COLUMNS, UNDER_WAY};
use super::charge::{self, Charge};
use super::charge_view::Told;
use super::report::{TallyKind, tally_again};
use super::sql::query;
use super::write::{Tx, retried};
use super::{Attempt, AttemptOutcome, Store, StoreError};

/// Why an attempt is declined that a later attempt of its charge proves to be unpaid.
const REPLACED: &str = "processing_error";
/// Begins the press key of an attempt whose own is lost. The page makes keys of other forms.
const PRESS_KEY_PREFIX: &str = "brought_back_";

/// The result of bringing a payment back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroughtBack {
    /// The database knows this attempt.
    Known(Attempt),
    /// The attempt is back, with an unknown outcome.
    Attempt(Attempt),
    /// The attempt and its charge are back.
    Charge(Attempt),
    /// The payment took no money, and its charge cannot be paid or has no known merchant; there is nothing to do.
    NotNeeded,
    /// It took money, but its charge is paid by another attempt or ended: a person must refund it.
    Refund,
    /// It took money or may do so, and no merchant is known for it: a person must look at it.
    NoMerchant,
}

impl Store {
    /// Brings the payment's attempt back, unless the database knows it. Payments of one charge must come in the order of
    /// their times.
    pub async fn bring_back(&self, payment: &ListedPayment, now_ms: i64) -> Result<BroughtBack, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let found = bring_back(&mut tx, payment, now_ms).await?;
            tx.commit().await?;
            Ok(found)
        })
        .await
    }
}

async fn bring_back(tx: &mut Tx, payment: &ListedPayment, now_ms: i64) -> Result<BroughtBack, StoreError> {
    if let Some(attempt) = known(tx, payment).await? {
        return Ok(BroughtBack::Known(attempt));
    }
    let held = charge::hold(tx, &payment.charge_id).await?;
    let is_new = held.is_none();
    let found = match held {
        Some(charge) => Some(charge),
        None => insert_charge(tx, payment).await?,
    };
    let Some(mut charge) = found else {
        return Ok(if took_nothing(payment) {
            BroughtBack::NotNeeded
        } else {
            BroughtBack::NoMerchant
        });
    };
    match charge.status {
        // A charge has one attempt under way at a time, so the one that the database knows had ended before this one.
        ChargeStatus::Processing | ChargeStatus::WaitingForShopperAction | ChargeStatus::OutcomeUnknown => {
            end_earlier(tx, &mut charge, now_ms).await?;
        }
        _ => {}
    }
    let Ok(pressed) = transition(charge.status, ChargeEvent::Pressed) else {
        return Ok(if took_nothing(payment) {
            BroughtBack::NotNeeded
        } else {
            BroughtBack::Refund
        });
    };
    if !is_new && !took_nothing(payment) {
        take_amount(tx, &mut charge, payment).await?;
    }
    charge::apply(tx, &mut charge, pressed, None, Told::default(), now_ms, vec![]).await?;
    let attempt = insert_attempt(tx, payment, now_ms).await?;
    let lost = transition(charge.status, ChargeEvent::OutcomeLost)?;
    charge::apply(tx, &mut charge, lost, None, Told::default(), now_ms, vec![]).await?;
    Ok(if is_new {
        BroughtBack::Charge(attempt)
    } else {
        BroughtBack::Attempt(attempt)
    })
}

/// The charge says what was paid: its merchant may have changed it after the backup was made.
async fn take_amount(tx: &mut Tx, charge: &mut Charge, payment: &ListedPayment) -> Result<(), StoreError> {
    charge.amount_value.clone_from(&payment.amount_value);
    charge.amount_currency.clone_from(&payment.amount_currency);
    query("UPDATE charges SET amount_value = $1, amount_currency = $2 WHERE id = $3")
        .bind(&charge.amount_value)
        .bind(&charge.amount_currency)
        .bind(&charge.id)
        .execute(tx)
        .await?;
    Ok(())
}

fn took_nothing(payment: &ListedPayment) -> bool {
    matches!(payment.outcome, Some(AttemptOutcome::Declined(_)))
}

fn is_held(payment: &ListedPayment) -> bool {
    matches!(&payment.outcome, Some(AttemptOutcome::Succeeded(approval)) if approval.hold.is_some())
}

/// The attempt of this payment, if the database has it. The provider's reference is noted if it got lost.
async fn known(tx: &mut Tx, payment: &ListedPayment) -> Result<Option<Attempt>, StoreError> {
    let sql = format!("{COLUMNS} WHERE provider_key = $1");
    let found: Option<Attempt> = query(sql.clone())
        .bind(&payment.provider_key)
        .fetch_optional(&mut *tx)
        .await?;
    let (Some(attempt), Some(reference)) = (&found, &payment.reference) else {
        return Ok(found);
    };
    if attempt.provider_reference.is_none() {
        let noted = format!(
            "UPDATE attempts SET provider_reference = $1 \
             WHERE id = $2 AND provider_reference IS NULL AND {UNDER_WAY}"
        );
        query(noted)
            .bind(reference)
            .bind(&attempt.id)
            .execute(&mut *tx)
            .await?;
    }
    Ok(query(sql).bind(&payment.provider_key).fetch_optional(tx).await?)
}

/// The charge as far as the provider knows it; `None` if the provider or the database does not know the merchant.
async fn insert_charge(tx: &mut Tx, payment: &ListedPayment) -> Result<Option<Charge>, StoreError> {
    let Some(description) = &payment.description else {
        return Ok(None);
    };
    let partner: Option<String> = query("SELECT id FROM partners WHERE id = $1")
        .bind(&description.partner_id)
        .fetch_optional(&mut *tx)
        .await?;
    if partner.is_none() {
        return Ok(None);
    }
    let made = time_of(&payment.charge_id).unwrap_or(payment.at);
    let charge = Charge {
        item_code: description.item_code.clone(),
        item_name: description.item_name.clone(),
        amount_value: payment.amount_value.clone(),
        amount_currency: payment.amount_currency.clone(),
        partner_reference: description.partner_reference.clone(),
        capture_method: if is_held(payment) {
            CaptureMethod::Manual
        } else {
            CaptureMethod::Automatic
        },
        ..Charge::unknown(payment.charge_id.clone(), description.partner_id.clone(), made)
    };
    charge::insert(tx, &charge).await?;
    // It may be older than the charges that are settled (`charge_expiry.rs`) and tallied.
    query(
        "INSERT INTO overdue_charges (charge_id) SELECT CAST($1 AS TEXT) FROM charge_expiry \
         WHERE name = 'charges' AND settled_until >= $2 ON CONFLICT DO NOTHING",
    )
    .bind(&payment.charge_id)
    .bind(made)
    .execute(&mut *tx)
    .await?;
    tally_again(tx, TallyKind::Charges, made).await?;
    Ok(Some(charge))
}

/// Declines the attempt that is under way.
async fn end_earlier(tx: &mut Tx, charge: &mut Charge, now_ms: i64) -> Result<(), StoreError> {
    let declined = transition(charge.status, ChargeEvent::Declined)?;
    query(format!(
        "UPDATE attempts SET state = $1, decline_code = $2, finished_at = $3 WHERE charge_id = $4 AND {UNDER_WAY}"
    ))
    .bind(AttemptState::Declined.as_str())
    .bind(REPLACED)
    .bind(now_ms)
    .bind(&charge.id)
    .execute(&mut *tx)
    .await?;
    charge::apply(
        tx,
        charge,
        declined,
        Some(REPLACED),
        Told::default(),
        now_ms,
        vec![],
    )
    .await?;
    Ok(())
}

/// Without a lease, so that the reconciler asks for its outcome at once.
async fn insert_attempt(tx: &mut Tx, payment: &ListedPayment, now_ms: i64) -> Result<Attempt, StoreError> {
    let id = new_id_at(IdKind::Attempt, payment.at);
    query(
        "INSERT INTO attempts (id, charge_id, press_key, provider_key, provider_reference, state, created_at, \
         owner_until, card_details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '{}')",
    )
    .bind(&id)
    .bind(&payment.charge_id)
    .bind(format!("{PRESS_KEY_PREFIX}{}", payment.provider_key))
    .bind(&payment.provider_key)
    .bind(&payment.reference)
    .bind(AttemptState::OutcomeUnknown.as_str())
    .bind(payment.at)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;
    let sql = format!("{COLUMNS} WHERE id = $1");
    Ok(query(sql).bind(&id).fetch_one(tx).await?)
}
