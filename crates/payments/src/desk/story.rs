//! The events of a charge in the order of time, and its present state.

use protocol::clock::rfc3339;
use protocol::{CaptureMethod, ChargeStatus, DisputeStatus, OperationKind, OperationStatus};
use rules::mask_card_numbers;
use serde_json::{Value, json};
use store::{
    AttemptState, AttemptStep, AuditLine, ChargeStory, ChargeTerms, NEVER_MADE, Operation, REPLAYED,
    StepKind, StoredDispute, ToldAttempt, ToldEvent,
};

/// One event of a charge.
#[derive(Debug, Clone, PartialEq)]
pub struct StoryEvent {
    /// Unix milliseconds.
    pub at: i64,
    /// `state`, `change`, `attempt`, `provider`, `shopper`, `operation`, `dispute`, `webhook` or `audit`.
    pub topic: &'static str,
    /// For a person.
    pub text: String,
    /// For a program.
    pub fields: Value,
}

impl StoryEvent {
    fn new(at: i64, topic: &'static str, text: String, fields: Value) -> Self {
        Self {
            at,
            topic,
            text,
            fields,
        }
    }

    /// As a JSON object.
    pub fn json(&self) -> Value {
        let mut object = self.fields.clone();
        object["at"] = rfc3339(self.at).into();
        object["topic"] = self.topic.into();
        object["text"] = self.text.clone().into();
        object
    }
}

/// All events, in the order of time.
pub fn events(story: &ChargeStory) -> Vec<StoryEvent> {
    let charge = &story.charge;
    let mut events = vec![state(charge.created_at, ChargeStatus::Created, None)];
    events.extend(story.audit.iter().map(audit));
    add_changes(story, &mut events);
    // What an approval made of the charge.
    let paid = match charge.capture_method {
        CaptureMethod::Automatic => ChargeStatus::Succeeded,
        CaptureMethod::Manual => ChargeStatus::Authorized,
    };
    for attempt in &story.attempts {
        add_attempt(attempt, paid, &mut events);
    }
    for operation in &story.operations {
        add_operation(operation, &charge.amount_currency, &mut events);
    }
    for dispute in &story.disputes {
        add_dispute(dispute, &mut events);
    }
    if matches!(charge.status, ChargeStatus::Canceled | ChargeStatus::Expired) {
        events.push(state(charge.updated_at, charge.status, None));
    }
    events.extend(story.webhooks.iter().map(webhook_written));
    events.extend(story.webhooks.iter().flat_map(webhook_calls));
    // The sort is stable, so events of the same millisecond keep this order.
    events.sort_by_key(|event| event.at);
    events
}

fn state(at: i64, status: ChargeStatus, decline_code: Option<&str>) -> StoryEvent {
    let why = decline_code.map(|code| format!(": {code}")).unwrap_or_default();
    StoryEvent::new(
        at,
        "state",
        format!("{}{why}", status.as_str()),
        json!({ "status": status, "decline_code": decline_code }),
    )
}

/// Adds each change with the terms before and after it.
fn add_changes(story: &ChargeStory, events: &mut Vec<StoryEvent>) {
    let now = ChargeTerms::from(&story.charge);
    let since = story
        .changes
        .iter()
        .skip(1)
        .map(|change| &change.before)
        .chain([&now]);
    for (change, after) in story.changes.iter().zip(since) {
        events.push(StoryEvent::new(
            change.changed_at,
            "change",
            format!("{}, before {}", told_terms(after), told_terms(&change.before)),
            json!({ "before": terms(&change.before), "after": terms(after) }),
        ));
    }
}

fn told_terms(terms: &ChargeTerms) -> String {
    format!(
        "{} {} for {} ({})",
        terms.amount_value,
        terms.amount_currency,
        shown(&terms.item_name),
        shown(&terms.item_code)
    )
}

fn terms(terms: &ChargeTerms) -> Value {
    json!({
        "amount_value": terms.amount_value,
        "amount_currency": terms.amount_currency,
        "item_code": shown(&terms.item_code),
        "item_name": shown(&terms.item_name),
    })
}

fn add_attempt(attempt: &ToldAttempt, paid: ChargeStatus, events: &mut Vec<StoryEvent>) {
    let id = &attempt.id;
    events.push(StoryEvent::new(
        attempt.created_at,
        "attempt",
        format!("{id} began; the provider knows it by {}", attempt.provider_key),
        json!({ "attempt_id": id, "what": "began", "provider_key": attempt.provider_key }),
    ));
    events.push(state(attempt.created_at, ChargeStatus::Processing, None));
    let mut status = ChargeStatus::Processing;
    for step in &attempt.steps {
        events.push(step_event(attempt, step));
        let next = status_after(status, step);
        if next != status {
            status = next;
            events.push(state(step.at, status, None));
        }
    }
    if let Some(at) = attempt.finished_at {
        add_end(attempt, paid, at, events);
    }
}

fn add_end(attempt: &ToldAttempt, paid: ChargeStatus, at: i64, events: &mut Vec<StoryEvent>) {
    let id = &attempt.id;
    let reference = attempt.provider_reference.as_deref();
    let was_never_made = reference == Some(NEVER_MADE);
    let code = attempt.decline_code.as_deref();
    let what: &'static str = attempt.state.into();
    let (status, said) = match attempt.state {
        AttemptState::Succeeded => {
            let reference = reference.unwrap_or("unknown");
            let said = format!("{id} succeeded; the provider's reference is {reference}");
            (paid, said)
        }
        _ if was_never_made => {
            let said = format!("{id} was given up: the provider never received it, and no money was taken");
            (ChargeStatus::Failed, said)
        }
        _ => {
            let said = format!("{id} was declined: {}", code.unwrap_or("unknown"));
            (ChargeStatus::Failed, said)
        }
    };
    events.push(StoryEvent::new(
        at,
        "attempt",
        said,
        json!({
            "attempt_id": id,
            "what": what,
            "decline_code": code,
            "provider_reference": reference.filter(|_| !was_never_made),
        }),
    ));
    events.push(state(at, status, code));
}

/// Adds the begin of a refund, a capture or a release, and its present status.
fn add_operation(operation: &Operation, currency: &str, events: &mut Vec<StoryEvent>) {
    let (id, kind, amount) = (&operation.id, operation.kind.as_str(), &operation.amount_value);
    let fields = |what: &str| {
        json!({
            "operation_id": id, "kind": kind, "what": what, "amount_value": amount,
            "reason": operation.reason.as_deref().map(shown), "failure_code": operation.failure_code,
            "provider_reference": operation.provider_reference,
        })
    };
    events.push(StoryEvent::new(
        operation.created_at,
        "operation",
        format!("{kind} of {amount} {currency} began ({id})"),
        fields("began"),
    ));
    if operation.state == OperationStatus::Processing {
        return;
    }
    let state = operation.state.as_str();
    let code = operation.failure_code.as_deref();
    let why = code.map(|code| format!(": {code}")).unwrap_or_default();
    events.push(StoryEvent::new(
        operation.updated_at,
        "operation",
        format!(
            "{kind} of {amount} {currency} {}{why} ({id})",
            state.replace('_', " ")
        ),
        fields(state),
    ));
    // A released charge is canceled, which the end of the story says.
    if operation.kind == OperationKind::Capture && operation.state == OperationStatus::Succeeded {
        events.push(self::state(operation.updated_at, ChargeStatus::Succeeded, None));
    }
}

/// Adds the begin of a dispute, and its end.
fn add_dispute(dispute: &StoredDispute, events: &mut Vec<StoryEvent>) {
    let (id, amount, currency) = (&dispute.id, &dispute.amount_value, &dispute.amount_currency);
    let reason = dispute.reason.as_deref().map(shown);
    let mut add = |at, status: DisputeStatus, text| {
        let what = status.as_str();
        let fields = json!({ "dispute_id": id, "what": what, "amount_value": amount, "reason": reason });
        events.push(StoryEvent::new(at, "dispute", text, fields));
    };
    let why = reason
        .as_deref()
        .map(|reason| format!(": {}", reason.replace('_', " ")));
    let began = format!(
        "dispute of {amount} {currency} began{} ({id})",
        why.unwrap_or_default()
    );
    add(dispute.created_at, DisputeStatus::Open, began);
    if dispute.status != DisputeStatus::Open {
        let ended = format!(
            "dispute of {amount} {currency} {} ({id})",
            dispute.status.as_str()
        );
        add(dispute.updated_at, dispute.status, ended);
    }
}

/// The charge's status after a step of the attempt under way.
fn status_after(status: ChargeStatus, step: &AttemptStep) -> ChargeStatus {
    let is_call = matches!(step.what, StepKind::Charge | StepKind::Lookup);
    match (status, &*step.result) {
        (ChargeStatus::Processing | ChargeStatus::OutcomeUnknown, "action_required") if is_call => {
            ChargeStatus::WaitingForShopperAction
        }
        (ChargeStatus::Processing, "unknown" | "unreachable" | "never_received") if is_call => {
            ChargeStatus::OutcomeUnknown
        }
        _ => status,
    }
}

fn step_event(attempt: &ToldAttempt, step: &AttemptStep) -> StoryEvent {
    let what: &'static str = step.what.into();
    let id = &attempt.id;
    let call = |name: &str| {
        let result = step.result.replace('_', " ");
        (
            "provider",
            format!("{name}: {result}, after {} ms ({id})", step.took_ms),
        )
    };
    let (topic, text) = match step.what {
        StepKind::Prepare => call("asked to prepare the payment"),
        StepKind::Charge => call("asked to pay"),
        StepKind::Lookup => call("asked for the payment's outcome"),
        StepKind::GiveUp => call("asked to cancel the payment"),
        StepKind::ShopperReturned => (
            "shopper",
            format!("came back from the 3-D Secure challenge ({id})"),
        ),
        StepKind::ShopperCanceled => ("shopper", format!("closed the 3-D Secure challenge ({id})")),
        StepKind::ShopperTimedOut => (
            "shopper",
            format!("did not finish the 3-D Secure challenge in time ({id})"),
        ),
        StepKind::ApprovedLate => (
            "provider",
            format!("approved {id} after it was given up; the charge is paid"),
        ),
        StepKind::ApprovedTooLate => (
            "provider",
            format!("approved {id} after it was given up, and the charge has another outcome: REFUND it"),
        ),
        StepKind::BroughtBack => (
            "provider",
            "found in the provider's list after a restore of the database".to_owned(),
        ),
    };
    let mut fields = json!({ "attempt_id": id, "what": what });
    if topic == "provider" && !step.result.is_empty() {
        fields["result"] = step.result.clone().into();
        fields["took_ms"] = step.took_ms.into();
    }
    StoryEvent::new(step.at, topic, text, fields)
}

fn webhook_written(event: &ToldEvent) -> StoryEvent {
    let (id, kind) = (&event.id, &event.kind);
    StoryEvent::new(
        event.created_at,
        "webhook",
        format!("{kind} is queued ({id}){}", to_endpoint(event)),
        json!({ "event_id": id, "endpoint_id": event.endpoint_id, "kind": kind, "what": "written" }),
    )
}

/// Names the endpoint, unless it is the merchant's first one.
fn to_endpoint(event: &ToldEvent) -> String {
    match event.endpoint_id.as_str() {
        "" => String::new(),
        id => format!(" to {id}"),
    }
}

fn webhook_calls(event: &ToldEvent) -> impl Iterator<Item = StoryEvent> {
    let (id, kind) = (&event.id, &event.kind);
    event.calls.iter().map(move |call| {
        let (result, took_ms) = (&call.result, call.took_ms);
        let (text, what) = if result == REPLAYED {
            (
                format!("{kind} is queued again by an operator ({id})"),
                "replayed",
            )
        } else {
            (
                format!("{kind} was sent: {result}, after {took_ms} ms ({id}){}", to_endpoint(event)),
                "sent",
            )
        };
        let fields = json!({
            "event_id": id, "endpoint_id": event.endpoint_id, "kind": kind, "what": what, "result": result, "took_ms": took_ms,
        });
        StoryEvent::new(call.at, "webhook", text, fields)
    })
}

fn audit(line: &AuditLine) -> StoryEvent {
    let detail: Value = serde_json::from_str(&line.detail).unwrap_or_default();
    StoryEvent::new(
        line.at,
        "audit",
        format!("{} {} by {}", line.action, line.subject, shown(&line.actor)),
        json!({
            "audit_id": line.id,
            "action": line.action,
            "subject": line.subject,
            "actor": shown(&line.actor),
            "detail": detail,
        }),
    )
}

/// The charge's present state and the next event: sentences for a person.
pub fn now(story: &ChargeStory) -> Vec<String> {
    let under_way = story
        .attempts
        .iter()
        .find(|attempt| attempt.finished_at.is_none());
    let again = under_way
        .map(|attempt| rfc3339(attempt.owner_until))
        .unwrap_or_default();
    let stands = match story.charge.status {
        ChargeStatus::Created => "it waits for a card".to_owned(),
        ChargeStatus::Processing => {
            format!(
                "the provider has the payment; if this node dies, another node asks for the outcome after {again}"
            )
        }
        ChargeStatus::OutcomeUnknown => {
            format!(
                "its outcome is unknown, so no shopper can pay it; the provider is asked again after {again}"
            )
        }
        ChargeStatus::WaitingForShopperAction => {
            let until = under_way.and_then(|attempt| attempt.action_until).map(rfc3339);
            format!(
                "it waits for the shopper's 3-D Secure challenge until {}; the provider is asked again after {again}",
                until.unwrap_or_default()
            )
        }
        ChargeStatus::Succeeded => "it is paid".to_owned(),
        ChargeStatus::Authorized => "the money is held, until the merchant captures or cancels it".to_owned(),
        ChargeStatus::Failed => "the last card was declined; the shopper can try again".to_owned(),
        ChargeStatus::Canceled => "the merchant canceled it; no shopper can pay it".to_owned(),
        ChargeStatus::Expired => "it has expired; no shopper can pay it".to_owned(),
    };
    let mut lines = vec![stands];
    let refunds = story.attempts.iter().filter(|attempt| {
        attempt
            .steps
            .iter()
            .any(|step| step.what == StepKind::ApprovedTooLate)
    });
    lines.extend(refunds.map(|attempt| {
        format!(
            "REFUND {}: the provider took money for it as well",
            attempt.provider_key
        )
    }));
    lines.extend(story.disputes.iter().filter_map(dispute_now));
    lines.extend(story.webhooks.iter().filter_map(webhook_now));
    lines
}

fn dispute_now(dispute: &StoredDispute) -> Option<String> {
    let before = dispute
        .respond_before
        .map(|at| format!(" before {}", rfc3339(at)));
    (dispute.status == DisputeStatus::Open).then(|| {
        format!(
            "the shopper's bank asks for {} {} back; answer at the provider{}",
            dispute.amount_value,
            dispute.amount_currency,
            before.unwrap_or_default()
        )
    })
}

fn webhook_now(event: &ToldEvent) -> Option<String> {
    let (id, kind) = (&event.id, &event.kind);
    match event.state.as_str() {
        "due" => Some(format!(
            "the merchant has not accepted {kind} ({id}){}; it is sent again after {}",
            to_endpoint(event),
            rfc3339(event.next_try_at)
        )),
        "queued" => Some(format!("{kind} ({id}) waits for the event before it")),
        "given_up" => Some(format!(
            "{kind} ({id}) was given up; `cardform webhook replay --event {id}` sends it again"
        )),
        _ => None,
    }
}

/// A merchant's text without card numbers, and without control characters, which could change the terminal's display.
pub fn shown(text: &str) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    mask_card_numbers(&text).unwrap_or(text)
}
