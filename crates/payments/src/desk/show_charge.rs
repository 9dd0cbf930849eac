//! `GET /v1/operator/charges/{id}`: a charge with all that happened to it, and what the person who asks can do.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::clock::rfc3339;
use protocol::{
    AttemptInStory, ChargeStatus, DisputeStatus, Metadata, OperationInStory, OperationStatus, OperatorAct,
    OperatorStory, StoryMoment, WebhookInStory,
};
use rules::amount::{minor_units, minor_units_text};
use store::{ChargeStory, NEVER_MADE, Operation, REPLAYED, ToldAttempt, ToldEvent, is_hold_ending, refunded};

use super::acts::visible_charge;
use super::story::{StoryEvent, events, now, shown};
use crate::charges::Charges;
use merchants::operators::{KnownOperator, Operator};
use web::{ApiError, PathId};

/// A charge of a merchant that the person does not see is a 404, as if it did not exist.
pub async fn show_charge(
    State(charges): State<Arc<Charges>>,
    KnownOperator(operator): KnownOperator,
    PathId(id): PathId,
) -> Result<Json<OperatorStory>, ApiError> {
    let charge = visible_charge(&charges, &operator, &id).await?;
    charges.expiry.expire_if_due(charge).await?;
    let story = charges.store.charge_story(&id).await?;
    let story = story.ok_or_else(ApiError::charge_not_found)?;
    let view = charges.store.charge_view(&story.charge).await?;
    let partner = charges.store.partner(&story.charge.partner_id).await?;
    let refundable = refundable(&story, &view.amount_captured);
    Ok(Json(OperatorStory {
        partner_id: story.charge.partner_id.clone(),
        partner_name: partner.map_or_else(String::new, |partner| partner.name),
        amount_refundable: minor_units_text(refundable, &story.charge.amount_currency),
        acts: acts(&operator, &story, refundable),
        now: now(&story),
        attempts: story.attempts.iter().map(attempt).collect(),
        operations: story.operations.iter().map(operation).collect(),
        webhooks: story.webhooks.iter().map(webhook).collect(),
        timeline: events(&story).into_iter().map(moment).collect(),
        charge: view,
    }))
}

/// What can still be given back, in minor units. Refunds under way count as given back.
fn refundable(story: &ChargeStory, captured: &str) -> u64 {
    let charge = &story.charge;
    if charge.status != ChargeStatus::Succeeded {
        return 0;
    }
    let currency = &charge.amount_currency;
    let refunded = refunded(&story.operations, currency, OperationStatus::counts);
    let captured = minor_units(captured, currency).unwrap_or_default();
    captured.saturating_sub(refunded)
}

fn acts(operator: &Operator, story: &ChargeStory, refundable: u64) -> Vec<OperatorAct> {
    if !operator.role.may_act() {
        return Vec::new();
    }
    // The bank gives the shopper the money of a dispute, so a refund would give it twice.
    let is_disputed = story
        .disputes
        .iter()
        .any(|dispute| dispute.status != DisputeStatus::Won);
    let mut acts = match story.charge.status {
        ChargeStatus::Succeeded if refundable > 0 && !is_disputed => vec![OperatorAct::Refund],
        ChargeStatus::Authorized if !is_hold_ending(&story.operations) => {
            vec![OperatorAct::Capture, OperatorAct::Release]
        }
        ChargeStatus::Created | ChargeStatus::Failed => vec![OperatorAct::Cancel],
        _ => Vec::new(),
    };
    if !story.webhooks.is_empty() {
        acts.push(OperatorAct::Resend);
    }
    acts
}

fn attempt(attempt: &ToldAttempt) -> AttemptInStory {
    let state: &'static str = attempt.state.into();
    let reference = attempt.provider_reference.clone();
    AttemptInStory {
        id: attempt.id.clone(),
        state: state.to_owned(),
        brand: attempt.card_brand.clone().filter(|brand| !brand.is_empty()),
        last_four: attempt.card_last_four.clone(),
        decline_code: attempt.decline_code.clone(),
        provider_key: attempt.provider_key.clone(),
        provider_reference: reference.filter(|reference| reference != NEVER_MADE),
        created_at: rfc3339(attempt.created_at),
        finished_at: attempt.finished_at.map(rfc3339),
    }
}

fn operation(operation: &Operation) -> OperationInStory {
    let metadata: Option<Metadata> = operation
        .metadata
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok());
    OperationInStory {
        id: operation.id.clone(),
        kind: operation.kind,
        status: operation.state,
        amount_value: operation.amount_value.clone(),
        reason: operation.reason.as_deref().map(shown),
        failure_code: operation.failure_code.clone(),
        provider_reference: operation.provider_reference.clone(),
        metadata: metadata.unwrap_or_default(),
        created_at: rfc3339(operation.created_at),
        updated_at: rfc3339(operation.updated_at),
    }
}

fn webhook(event: &ToldEvent) -> WebhookInStory {
    let mut sent = event.calls.iter().filter(|call| call.result != REPLAYED);
    WebhookInStory {
        id: event.id.clone(),
        kind: event.kind.clone(),
        state: event.state.clone(),
        tries: sent.clone().count(),
        last_result: sent.next_back().map(|call| call.result.clone()),
        created_at: rfc3339(event.created_at),
    }
}

fn moment(event: StoryEvent) -> StoryMoment {
    StoryMoment {
        at: rfc3339(event.at),
        topic: event.topic.to_owned(),
        text: event.text,
        fields: event.fields,
    }
}
