//! The steps of an attempt: it begins, ends, loses its answer, or gets a new owner. Each changes the attempt and its
//! charge in one transaction.

use model::charge_state::{ChargeEvent, transition};
use wire::ChargeStatus;

use super::super::attempt_count::count;
use super::super::charge::{self, PressNeed, WrittenEvent};
use super::super::charge_change::{is_changed_since, terms};
use super::super::sql::query;
use super::super::write::{Tx, retried};
use super::super::{Store, StoreError};
use super::for_many::end::EndWish;
use super::step::{AttemptStep, StepKind, added_unless_full, lines};
use super::{
    Attempt, AttemptOutcome, AttemptState, BeginOutcome, COLUMNS, FinishOutcome, NewAttempt, UNDER_WAY,
};

impl Store {
    /// Begins an attempt: in one transaction the charge becomes `processing` and the attempt is written, unless the
    /// same press came before, another attempt is unfinished, or the charge's state forbids it.
    pub async fn begin_attempt(&self, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
        retried(|| self.begin_once(new)).await
    }

    async fn begin_once(&self, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
        if let Some(shared) = &self.shared
            && shared.begins.run(new.clone()).await?
        {
            return Ok(BeginOutcome::Started(new.started()));
        }
        let mut tx = self.write().await?;
        let mut begun = begin_payable(&mut tx, new).await?;
        if begun.is_none() {
            // It may have changed the charge for a press that came before; that is rolled back.
            drop(tx);
            tx = self.write().await?;
            begun = Some(begin(&mut tx, new).await?);
        }
        let begun = begun.ok_or(StoreError::Conflict("charge"))?;
        // A refused attempt is rolled back, so that it does not count.
        if !matches!(begun, BeginOutcome::TooMany(_)) {
            tx.commit().await?;
        }
        Ok(begun)
    }

    /// Records how an attempt ended, and changes its charge's state, in one transaction. The first outcome is kept,
    /// except that an approval is never lost. `steps` are what led to it.
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
        retried(|| self.finish_once(attempt, &end)).await
    }

    async fn finish_once(
        &self,
        attempt: &Attempt,
        end: &AttemptEnd<'_>,
    ) -> Result<FinishOutcome, StoreError> {
        if let Some(shared) = &self.shared
            && let Some(finished) = shared.ends.run(EndWish::new(attempt, end)).await?
        {
            return Ok(finished);
        }
        let mut tx = self.write().await?;
        if let Some(finished) = finish_under_way(&mut tx, attempt, end).await? {
            tx.commit().await?;
            return Ok(finished);
        }
        // It may have changed the charge because of another attempt; that is rolled back.
        drop(tx);
        let mut tx = self.write().await?;
        let finished = finish(&mut tx, &attempt.id, end).await?;
        tx.commit().await?;
        Ok(finished)
    }

    /// Records that an attempt's answer was lost, and when the reconciler must check it. An attempt that is finished,
    /// waits for the shopper or was already unknown keeps its state; in the last case only the time changes.
    pub async fn lose_outcome(
        &self,
        attempt_id: &str,
        look_at: i64,
        steps: &[AttemptStep],
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let steps = lines(steps);
        retried(|| self.lose_once(attempt_id, look_at, &steps, now_ms)).await
    }

    async fn lose_once(
        &self,
        attempt_id: &str,
        look_at: i64,
        steps: &str,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        lose(&mut tx, attempt_id, look_at, steps, now_ms).await?;
        tx.commit().await
    }

    /// Takes over an unfinished attempt, or renews its lease: false if another process was faster or the attempt is
    /// finished.
    pub async fn own_attempt(&self, attempt: &Attempt, owner_until: i64) -> Result<bool, StoreError> {
        retried(|| self.own_once(attempt, owner_until)).await
    }

    async fn own_once(&self, attempt: &Attempt, owner_until: i64) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let changed = query(format!(
            "UPDATE attempts SET owner_until = $1 WHERE id = $2 AND owner_until = $3 AND {UNDER_WAY}"
        ))
        .bind(owner_until)
        .bind(&attempt.id)
        .bind(attempt.owner_until)
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(changed == 1)
    }
}

/// How an attempt ends, and what led to it.
pub(super) struct AttemptEnd<'a> {
    pub(super) outcome: &'a AttemptOutcome,
    /// Lines of steps.
    pub(super) steps: &'a str,
    pub(super) now_ms: i64,
}

impl AttemptEnd<'_> {
    /// Its steps, and this one.
    fn and(&self, what: StepKind) -> String {
        self.steps.to_owned() + &lines(&[AttemptStep::moment(what, self.now_ms)])
    }
}

/// The usual case, in few statements: begins the attempt of a charge that waits for a card and has no press with this
/// key. `None` otherwise; then the transaction must be rolled back.
async fn begin_payable(tx: &mut Tx, new: &NewAttempt) -> Result<Option<BeginOutcome>, StoreError> {
    let (counted_from, most) = new.charge_attempts();
    let need = PressNeed {
        terms: &new.terms,
        most,
        counted_from,
    };
    if !charge::press(tx, &new.charge_id, &need, new.now_ms).await? || !insert(tx, new).await? {
        return Ok(None);
    }
    counted(tx, new).await.map(Some)
}

/// Begins the attempt, or finds the attempt that answers for it.
async fn begin(tx: &mut Tx, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
    let Some(status) = charge::hold(tx, &new.charge_id).await? else {
        return Ok(BeginOutcome::NoCharge);
    };
    if let Some(other) = same_press_or_under_way(tx, new).await? {
        return Ok(BeginOutcome::Other(other));
    }
    let Ok(pressed) = transition(status, ChargeEvent::Pressed) else {
        return Ok(BeginOutcome::NotPayable(status));
    };
    if terms(tx, &new.charge_id).await? != new.terms {
        return Ok(BeginOutcome::OtherTerms);
    }
    if let Some(again_at) = charge_limit_reached(tx, new).await? {
        return Ok(BeginOutcome::TooMany(again_at));
    }
    charge::apply(tx, &new.charge_id, pressed, None, new.now_ms).await?;
    if insert(tx, new).await? {
        counted(tx, new).await
    } else {
        Err(StoreError::Conflict("attempt"))
    }
}

/// False if the same press, or another unfinished attempt of the charge, exists already.
async fn insert(tx: &mut Tx, new: &NewAttempt) -> Result<bool, StoreError> {
    let inserted = query(
        "INSERT INTO attempts (id, charge_id, press_key, provider_key, state, created_at, owner_until, \
         card_brand, card_last_four) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
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
    .execute(tx)
    .await?;
    Ok(inserted == 1)
}

/// If the charge has no attempt left, when the next one is allowed, in unix milliseconds.
async fn charge_limit_reached(tx: &mut Tx, new: &NewAttempt) -> Result<Option<i64>, StoreError> {
    let Some(limit) = new.charge_limit else {
        return Ok(None);
    };
    let (counted_from, most) = new.charge_attempts();
    let so_far: i64 = query("SELECT COUNT(*) FROM attempts WHERE charge_id = $1 AND created_at >= $2")
        .bind(&new.charge_id)
        .bind(counted_from)
        .fetch_one(tx)
        .await?;
    Ok((so_far >= most).then(|| limit.window(new.now_ms).1))
}

/// Counts the new attempt towards its other limits. It is the last step, because busy counts are locked until the
/// transaction ends.
async fn counted(tx: &mut Tx, new: &NewAttempt) -> Result<BeginOutcome, StoreError> {
    if let Some(again_at) = count(tx, &new.counts, &new.id, new.now_ms).await? {
        return Ok(BeginOutcome::TooMany(again_at));
    }
    Ok(BeginOutcome::Started(new.started()))
}

/// The usual case: records the outcome of an unfinished attempt. `None` otherwise; then the transaction must be rolled
/// back.
async fn finish_under_way(
    tx: &mut Tx,
    attempt: &Attempt,
    ended: &AttemptEnd<'_>,
) -> Result<Option<FinishOutcome>, StoreError> {
    let event = match ended.outcome {
        AttemptOutcome::Succeeded(_) => ChargeEvent::Approved,
        AttemptOutcome::Declined(_) => ChargeEvent::Declined,
    };
    let code = ended.outcome.decline_code();
    let written = charge::happen(tx, &attempt.charge_id, event, code, ended.now_ms).await?;
    let Some(written) = written else {
        return Ok(None);
    };
    let finished = match written {
        WrittenEvent::Yes => FinishOutcome::Recorded,
        WrittenEvent::No => FinishOutcome::RecordedUntold,
    };
    Ok(end(tx, &attempt.id, UNDER_WAY, ended).await?.then_some(finished))
}

/// Writes the outcome; false if the attempt's state does not match the condition.
async fn end(tx: &mut Tx, id: &str, condition: &str, end: &AttemptEnd<'_>) -> Result<bool, StoreError> {
    let (state, reference) = match end.outcome {
        AttemptOutcome::Succeeded(reference) => (AttemptState::Succeeded, Some(reference)),
        AttemptOutcome::Declined(_) => (AttemptState::Declined, None),
    };
    let sql = format!(
        "UPDATE attempts SET state = $1, decline_code = $2, \
         provider_reference = COALESCE($3, provider_reference), finished_at = $4, steps = steps || $6 \
         WHERE id = $5 AND {condition}"
    );
    let ended = query(sql)
        .bind(state.as_str())
        .bind(end.outcome.decline_code())
        .bind(reference)
        .bind(end.now_ms)
        .bind(id)
        .bind(end.steps)
        .execute(tx)
        .await?;
    Ok(ended == 1)
}

/// Records the outcome of an attempt that may be finished already.
async fn finish(tx: &mut Tx, attempt_id: &str, ended: &AttemptEnd<'_>) -> Result<FinishOutcome, StoreError> {
    let (attempt, status) = held(tx, attempt_id).await?;
    let approved = matches!(ended.outcome, AttemptOutcome::Succeeded(_));
    let (event, finished) = match attempt.state {
        AttemptState::InFlight | AttemptState::OutcomeUnknown | AttemptState::WaitingForShopperAction => {
            let event = if approved {
                ChargeEvent::Approved
            } else {
                ChargeEvent::Declined
            };
            (event, FinishOutcome::Recorded)
        }
        AttemptState::Declined if approved => (ChargeEvent::ApprovedLate, FinishOutcome::ApprovedLate),
        AttemptState::Declined | AttemptState::Succeeded => return Ok(FinishOutcome::Before),
    };
    // A charge that was changed since is not what this attempt paid.
    let is_too_late = finished == FinishOutcome::ApprovedLate
        && (transition(status, event).is_err()
            || is_changed_since(tx, &attempt.charge_id, attempt.created_at).await?);
    let moved = match transition(status, event) {
        _ if is_too_late => {
            let steps = ended.and(StepKind::ApprovedTooLate);
            query("UPDATE attempts SET steps = steps || $1 WHERE id = $2")
                .bind(steps)
                .bind(attempt_id)
                .execute(tx)
                .await?;
            return Ok(FinishOutcome::ApprovedTooLate);
        }
        other => other?,
    };
    charge::apply(
        tx,
        &attempt.charge_id,
        moved,
        ended.outcome.decline_code(),
        ended.now_ms,
    )
    .await?;
    let is_ended = if finished == FinishOutcome::Recorded {
        end(tx, attempt_id, UNDER_WAY, ended).await?
    } else {
        let late = AttemptEnd {
            steps: &ended.and(StepKind::ApprovedLate),
            ..*ended
        };
        end(tx, attempt_id, "state = 'declined'", &late).await?
    };
    if is_ended {
        Ok(finished)
    } else {
        Err(StoreError::Conflict("attempt"))
    }
}

async fn lose(
    tx: &mut Tx,
    attempt_id: &str,
    look_at: i64,
    steps: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (attempt, status) = held(tx, attempt_id).await?;
    if !matches!(
        attempt.state,
        AttemptState::InFlight | AttemptState::OutcomeUnknown
    ) {
        return Ok(());
    }
    if attempt.state == AttemptState::InFlight {
        let lost = transition(status, ChargeEvent::OutcomeLost)?;
        charge::apply(tx, &attempt.charge_id, lost, None, now_ms).await?;
    }
    query(format!(
        "UPDATE attempts SET state = $1, owner_until = $2, {} WHERE id = $3 AND state = $4",
        added_unless_full("$5")
    ))
    .bind(AttemptState::OutcomeUnknown.as_str())
    .bind(look_at)
    .bind(attempt_id)
    .bind(attempt.state.as_str())
    .bind(steps)
    .execute(tx)
    .await?;
    Ok(())
}

/// The attempt and its charge's status. The charge stays locked until the transaction ends, and only a transaction that
/// has locked the charge changes its attempts' state. (Renewing the lease of an attempt needs no lock.)
pub(crate) async fn held(tx: &mut Tx, id: &str) -> Result<(Attempt, ChargeStatus), StoreError> {
    let charge_id: String = query("SELECT charge_id FROM attempts WHERE id = $1")
        .bind(id)
        .fetch_one(&mut *tx)
        .await?;
    let status = charge::hold(tx, &charge_id)
        .await?
        .ok_or(StoreError::Unusable("attempt without a charge"))?;
    let sql = format!("{COLUMNS} WHERE id = $1");
    let attempt = query(sql).bind(id).fetch_one(tx).await?;
    Ok((attempt, status))
}

/// The attempt that answers for a new press: the one of the same press, otherwise the unfinished one.
async fn same_press_or_under_way(tx: &mut Tx, new: &NewAttempt) -> Result<Option<Attempt>, StoreError> {
    let same_press = format!("{COLUMNS} WHERE charge_id = $1 AND press_key = $2");
    let found: Option<Attempt> = query(same_press)
        .bind(&new.charge_id)
        .bind(&new.press_key)
        .fetch_optional(&mut *tx)
        .await?;
    if found.is_some() {
        return Ok(found);
    }
    let under_way = format!("{COLUMNS} WHERE charge_id = $1 AND {UNDER_WAY}");
    Ok(query(under_way).bind(&new.charge_id).fetch_optional(tx).await?)
}
