//! The steps of an attempt: it begins, ends, loses its answer, or gets a new owner. Each changes the attempt and its
//! charge in one transaction.

use std::sync::LazyLock;

use protocol::charge_state::{ChargeEvent, Transition, transition};

use super::super::attempt_count::CountRow;
use super::super::audit_log::NewAuditLine;
use super::super::charge_change::is_changed_since;
use super::super::charge_view::{Told, with_saved_card};
use super::super::saved_card::{CardOwner, keep_pending_card, renew_card};
use super::super::sql::{Query, query};
use super::super::write::{Tx, retried};
use super::super::{Charge, Store, StoreError, charge};
use super::step::{AttemptStep, StepKind, added_unless_full, lines};
use super::{
    Attempt, AttemptOutcome, AttemptState, BeginOutcome, COLUMNS, FinishOutcome, NewAttempt, UNDER_WAY,
};

impl Store {
    /// Begins an attempt: in one transaction the charge becomes `processing` and the attempt is written, unless the
    /// same press came before, another attempt is unfinished, or the charge's state forbids it.
    pub async fn begin_attempt(&self, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let begun = begin(&mut tx, new).await?;
            // A refused attempt is rolled back, so that it does not count.
            if !matches!(begun, BeginOutcome::TooMany(_)) {
                tx.commit().await?;
            }
            Ok(begun)
        })
        .await
    }

    /// Records how an attempt ended, and changes its charge's state, in one transaction. The first outcome is kept,
    /// except that an approval is never lost. `steps` led to the outcome.
    pub async fn finish_attempt(
        &self,
        attempt: &Attempt,
        outcome: &AttemptOutcome,
        steps: &[AttemptStep],
        now_ms: i64,
    ) -> Result<FinishOutcome, StoreError> {
        let end = AttemptEnd {
            outcome,
            steps: &lines(steps),
            now_ms,
        };
        retried(|| async {
            let mut tx = self.write().await?;
            let finished = finish(&mut tx, attempt, &end).await?;
            tx.commit().await?;
            Ok(finished)
        })
        .await
    }

    /// Records that an attempt's answer was lost, and when the reconciler must check it. An attempt that is finished,
    /// waits for the shopper or was already unknown keeps its state; in the last case only the time changes.
    pub async fn lose_outcome(
        &self,
        attempt: &Attempt,
        look_at: i64,
        steps: &[AttemptStep],
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let steps = lines(steps);
        retried(|| async {
            let mut tx = self.write().await?;
            lose(&mut tx, attempt, look_at, &steps, now_ms).await?;
            tx.commit().await
        })
        .await
    }

    /// Takes over an unfinished attempt, or renews its lease: false if another process was faster or the attempt is
    /// finished.
    pub async fn own_attempt(&self, attempt: &Attempt, owner_until: i64) -> Result<bool, StoreError> {
        let changed = query(format!(
            "UPDATE attempts SET owner_until = $1 WHERE id = $2 AND owner_until = $3 AND {UNDER_WAY}"
        ))
        .bind(owner_until)
        .bind(&attempt.id)
        .bind(attempt.owner_until)
        .write(&self.writer)
        .await?;
        Ok(changed == 1)
    }
}

/// How an attempt ends, and the steps that led to it.
struct AttemptEnd<'a> {
    outcome: &'a AttemptOutcome,
    /// Lines of steps.
    steps: &'a str,
    now_ms: i64,
}

impl AttemptEnd<'_> {
    /// The lines of its steps, with `what` as the last one.
    fn and(&self, what: StepKind) -> String {
        self.steps.to_owned() + &lines(&[AttemptStep::moment(what, self.now_ms)])
    }
}

/// Begins the attempt, or finds the attempt that answers for it.
async fn begin(tx: &mut Tx, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
    let (counted_from, most) = new.charge_attempts();
    let (charges, earlier): (Vec<Charge>, Vec<Attempt>) = tx
        .fetch_both(
            charge::held(tx, &new.charge_id),
            query(EARLIER.as_str())
                .bind(&new.charge_id)
                .bind(&new.press_key)
                .bind(counted_from),
        )
        .await?;
    let Some(mut charge) = charges.into_iter().next() else {
        return Ok(BeginOutcome::NoCharge);
    };
    let same_press = earlier.iter().find(|attempt| attempt.press_key == new.press_key);
    if let Some(other) = same_press.or_else(|| earlier.iter().find(|attempt| attempt.is_under_way())) {
        return Ok(BeginOutcome::Other(other.clone()));
    }
    let Ok(pressed) = transition(charge.status, ChargeEvent::Pressed) else {
        return Ok(BeginOutcome::NotPayable(charge.status));
    };
    if !new.terms.are_of(&charge) {
        return Ok(BeginOutcome::OtherTerms);
    }
    let counted = earlier
        .iter()
        .filter(|attempt| attempt.created_at >= counted_from && attempt.merchant_card().is_none());
    if let Some(limit) = new.charge_limit
        && counted.count() >= most
    {
        return Ok(BeginOutcome::TooMany(limit.window(new.now_ms).1));
    }
    let counts = CountRow::all_of(tx, &new.counts, &new.id, new.now_ms);
    let mut writes = vec![insert(new)];
    writes.extend(counts.iter().map(CountRow::add));
    writes.extend(new.opens_card.iter().map(NewAuditLine::insert));
    let moved = charge::apply(
        tx,
        &mut charge,
        pressed,
        None,
        Told::default(),
        new.now_ms,
        writes,
    )
    .await?;
    let counted = moved.others.iter().skip(1);
    let full = counts.iter().zip(counted).find(|(_, added)| **added == 0);
    Ok(match full {
        Some((row, _)) => BeginOutcome::TooMany(row.end),
        None => BeginOutcome::Started(new.started()),
    })
}

/// The attempts of a charge that can answer for a new press, and those that count towards the charge's limit.
static EARLIER: LazyLock<String> = LazyLock::new(|| {
    format!("{COLUMNS} WHERE charge_id = $1 AND (press_key = $2 OR {UNDER_WAY} OR created_at >= $3)")
});

fn insert(new: &NewAttempt) -> Query<'_> {
    query(
        "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
         card_brand, card_last_four, card_details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(&new.id)
    .bind(&new.charge_id)
    .bind(&new.press_key)
    .bind(&new.provider_key)
    .bind(AttemptState::InFlight.as_str())
    .bind(new.now_ms)
    .bind(new.owner_until)
    .bind(&new.card.brand)
    .bind(&new.card.last_four)
    .bind(&new.card.details)
}

/// Records the outcome of an attempt that may be finished already.
async fn finish(tx: &mut Tx, attempt: &Attempt, ended: &AttemptEnd<'_>) -> Result<FinishOutcome, StoreError> {
    let (mut charge, attempt) = held(tx, attempt).await?;
    let (event, is_late) = match (attempt.state, ended.outcome) {
        // The card of a setup that was given up is not there any more, and no money was taken.
        (AttemptState::Declined, _) if charge.is_setup() => return Ok(FinishOutcome::Before),
        (AttemptState::Declined, AttemptOutcome::Succeeded(approval)) => (
            approval
                .hold
                .map_or(ChargeEvent::ApprovedLate, |_| ChargeEvent::AuthorizedLate),
            true,
        ),
        (AttemptState::Declined | AttemptState::Succeeded, _) => return Ok(FinishOutcome::Before),
        (_, AttemptOutcome::Succeeded(approval)) => (
            approval
                .hold
                .map_or(ChargeEvent::Approved, |_| ChargeEvent::Authorized),
            false,
        ),
        (_, AttemptOutcome::Declined(_)) => (ChargeEvent::Declined, false),
    };
    let moved = transition(charge.status, event);
    // The shopper paid other terms than those of a charge that was changed since.
    if is_late && (moved.is_err() || is_changed_since(tx, &charge.id, attempt.created_at).await?) {
        query("UPDATE attempts SET steps = steps || $1 WHERE id = $2")
            .bind(ended.and(StepKind::ApprovedTooLate))
            .bind(&attempt.id)
            .execute(tx)
            .await?;
        return Ok(FinishOutcome::ApprovedTooLate);
    }
    let steps = if is_late {
        ended.and(StepKind::ApprovedLate)
    } else {
        ended.steps.to_owned()
    };
    let code = ended.outcome.decline_code();
    if let AttemptOutcome::Succeeded(approval) = ended.outcome {
        charge.is_paid(approval.hold, ended.now_ms);
    }
    let mut now = attempt.ended(ended.outcome);
    if charge.is_setup() && now.state == AttemptState::Succeeded {
        let kept = keep_pending_card(tx, &attempt.id, now.facts.as_deref(), ended.now_ms).await?;
        now.card_details = with_saved_card(now.card_details.as_deref(), kept);
    }
    if now.state == AttemptState::Succeeded
        && let Some((id, month, year)) = now.renewed_card()
    {
        let owner = CardOwner::new(&charge.partner_id, &charge.shopper_id);
        renew_card(tx, &owner, &id, (month, year), ended.now_ms).await?;
    }
    let write = end(&attempt, &now, ended, steps);
    let told = Told::of(&now);
    let has_event = move_both(tx, charge, moved?, code, told, ended.now_ms, write).await?;
    Ok(match has_event {
        _ if is_late => FinishOutcome::ApprovedLate,
        true => FinishOutcome::Recorded,
        false => FinishOutcome::RecordedWithoutEvent,
    })
}

/// Writes the outcome: the attempt as it is `now`.
fn end<'a>(attempt: &'a Attempt, now: &'a Attempt, end: &AttemptEnd<'a>, steps: String) -> Query<'a> {
    query(
        "UPDATE attempts SET state = $1, decline_code = $2, provider_reference = $3, \
         finished_at = $4, steps = steps || $5, facts = $6, card_details = $7 WHERE id = $8 AND state = $9",
    )
    .bind(now.state.as_str())
    .bind(&now.decline_code)
    .bind(&now.provider_reference)
    .bind(end.now_ms)
    .bind(steps)
    .bind(&now.facts)
    .bind(&now.card_details)
    .bind(&attempt.id)
    .bind(attempt.state.as_str())
}

async fn lose(
    tx: &mut Tx,
    attempt: &Attempt,
    look_at: i64,
    steps: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (charge, attempt) = held(tx, attempt).await?;
    let sql = format!(
        "UPDATE attempts SET state = $1, owner_until = $2, {} WHERE id = $3 AND state = $4",
        added_unless_full("$5")
    );
    let unknown = query(sql)
        .bind(AttemptState::OutcomeUnknown.as_str())
        .bind(look_at)
        .bind(&attempt.id)
        .bind(attempt.state.as_str())
        .bind(steps);
    match attempt.state {
        AttemptState::InFlight => {
            let lost = transition(charge.status, ChargeEvent::OutcomeLost)?;
            move_both(tx, charge, lost, None, Told::default(), now_ms, unknown).await?;
        }
        AttemptState::OutcomeUnknown => {
            unknown.execute(tx).await?;
        }
        _ => {}
    }
    Ok(())
}

/// Changes the state of a held charge, and its attempt by this statement, as the last statements of the transaction. Both
/// rows are held, so each of them is changed. Returns whether the merchant gets an event of it.
pub(crate) async fn move_both(
    tx: &mut Tx,
    mut charge: Charge,
    moved: Transition,
    decline_code: Option<&str>,
    told: Told<'_>,
    now_ms: i64,
    attempt: Query<'_>,
) -> Result<bool, StoreError> {
    tx.commit_with_next();
    let written = charge::apply(tx, &mut charge, moved, decline_code, told, now_ms, vec![attempt]).await?;
    if written.others == [1] {
        Ok(written.has_event)
    } else {
        Err(StoreError::Conflict("attempt"))
    }
}

/// Locks and reads the attempt and its charge. The charge stays locked until the transaction ends, and only a transaction
/// that has locked the charge changes its attempts' state. (Renewing the lease of an attempt needs no lock.)
pub(crate) async fn held(tx: &mut Tx, attempt: &Attempt) -> Result<(Charge, Attempt), StoreError> {
    static ONE: LazyLock<String> = LazyLock::new(|| format!("{COLUMNS} WHERE id = $1"));
    let attempt_now = query(ONE.as_str()).bind(&attempt.id);
    let (charges, attempts) = tx
        .fetch_both(charge::held(tx, &attempt.charge_id), attempt_now)
        .await?;
    let held = charges.into_iter().zip(attempts).next();
    held.ok_or(StoreError::Unusable(
        "missing attempt, or attempt without a charge",
    ))
}
