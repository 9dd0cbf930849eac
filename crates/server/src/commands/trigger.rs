//! `cardform trigger`: sends an example of an event to a merchant's webhook.

use std::time::Instant;

use clap::Args;
use protocol::clock::{Clock, rfc3339};
use protocol::ids::{IdKind, new_id_at};
use protocol::webhook_event::{
    EventSubject, card_kind, card_moments, dispute_kind, dispute_statuses, kind, kinds, refund_kind,
    refund_statuses, statuses,
};
use protocol::{
    AgreementView, ChargeStatus, ChargeView, Dispute, DisputeStatus, DisputeView, MerchantCard, Metadata,
    OperationStatus, RefundSummary, RefundView, SaveCardUsage, Sensitive,
};
use reqwest::Response;
use rules::Brand;
use serde_json::json;

use super::webhook::{checked_kind, existing_endpoint, vault_of_secrets};
use super::{Failure, Output, open};
use crate::config::Settings;
use merchants::keys::card_vault::CardVault;
use webhooks::secret_at_rest::opened;
use webhooks::sender::{CallOutcome, Sender};

/// `cardform trigger`.
#[derive(Debug, Args)]
pub struct TriggerArgs {
    /// The event's type: charge.succeeded, refund.failed, dispute.open and so on.
    #[arg(value_name = "TYPE")]
    pub kind: String,
    /// Sends it to this merchant's endpoint, signed with its secret.
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "url",
        required_unless_present = "url"
    )]
    pub partner_id: Option<String>,
    /// Sends it to this address, which may be on your own machine.
    #[arg(long, value_name = "URL", requires = "secret")]
    pub url: Option<String>,
    /// The secret that signs it: with --url.
    #[arg(long, value_name = "WHSEC", env = "CARDFORM_WEBHOOK_SECRET")]
    pub secret: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// How much of the answer's body is printed, in bytes.
const SHOWN_BYTES_MAX: usize = 2_000;

/// Where the example goes.
struct ExampleReceiver {
    url: String,
    secret: Sensitive,
    private_networks: bool,
}

pub(super) async fn run(args: TriggerArgs, output: Output) -> Result<(), Failure> {
    let known: Vec<String> = kinds().collect();
    let wanted = checked_kind(&args.kind, "trigger", &known)?;
    let clock = Clock::system();
    let body = example(&wanted, clock.now_ms()).ok_or("there is no such event")??;
    let receiver = receiver(args).await?;
    let event_id = new_id_at(IdKind::Event, clock.now_ms());
    let sender = Sender::new(receiver.private_networks)?;
    let began = Instant::now();
    let (outcome, answer) = sender
        .send(
            &receiver.url,
            &event_id,
            body,
            &receiver.secret,
            clock.now_seconds(),
        )
        .await;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let shown = match answer {
        Some(answer) => shown_body(answer).await,
        None => String::new(),
    };
    let result = outcome.result();
    output.print(
        &json!({
            "type": wanted, "webhook_id": event_id, "webhook_url": receiver.url, "result": result,
            "took_ms": took_ms, "body": shown,
        }),
        &format!("{wanted}  {event_id}\nanswer  {result} after {took_ms} ms\n{shown}"),
    )?;
    match outcome {
        CallOutcome::Accepted(_) => Ok(()),
        CallOutcome::Refused(..) => {
            Err(format!("the receiver answered {result}: anything but 2xx is sent again").into())
        }
        _ => Err(format!("the event did not arrive: {result}").into()),
    }
}

/// The receiver that the arguments name.
async fn receiver(args: TriggerArgs) -> Result<ExampleReceiver, Failure> {
    if let (Some(url), Some(secret)) = (args.url, args.secret) {
        // The operator names an own server here.
        return Ok(ExampleReceiver {
            url,
            secret: Sensitive::new(secret),
            private_networks: true,
        });
    }
    let partner_id = args.partner_id.ok_or("say where: --partner-id or --url")?;
    let (config, store) = open(args.settings).await?;
    let vault = vault_of_secrets(&config, &store).await?;
    let endpoint = existing_endpoint(&store, &partner_id).await?;
    store.close().await;
    let ring = vault.as_deref().map(CardVault::ring);
    let secret = opened(ring.as_deref(), &partner_id, &endpoint.secret)
        .map_err(|cause| format!("the webhook secret of {partner_id} cannot be opened: {cause}"))?;
    Ok(ExampleReceiver {
        url: endpoint.url,
        secret,
        private_networks: config.webhook_private_networks,
    })
}

/// The body of an example of an event of this type.
fn example(wanted: &str, now_ms: i64) -> Option<Result<String, serde_json::Error>> {
    if let Some(status) = statuses().find(|status| kind(*status) == wanted) {
        return Some(EventSubject::Charge(&example_charge(status, now_ms)).example_body(now_ms));
    }
    let mut charge = ChargeView {
        amount_captured: "12.50".to_owned(),
        ..example_charge(ChargeStatus::Succeeded, now_ms)
    };
    if let Some(status) = refund_statuses().find(|status| refund_kind(*status) == wanted) {
        let refund = example_refund(status, &charge, now_ms);
        if status.counts() {
            charge.amount_refunded.clone_from(&refund.amount_value);
        }
        charge.refunds = vec![RefundSummary {
            id: refund.id.clone(),
            status,
            amount_value: refund.amount_value.clone(),
        }];
        return Some(EventSubject::Refund(&refund, &charge).example_body(now_ms));
    }
    if let Some(moment) = card_moments().find(|moment| card_kind(*moment) == wanted) {
        let charge_id = new_id_at(IdKind::Charge, now_ms);
        let card = example_card(now_ms);
        return Some(EventSubject::Card(moment, &card, &charge_id).example_body(now_ms));
    }
    let status = dispute_statuses().find(|status| dispute_kind(*status) == wanted)?;
    let dispute = example_dispute(status, &charge, now_ms);
    charge.dispute = Some(DisputeView {
        status,
        amount_value: dispute.amount_value.clone(),
        reason: dispute.reason.clone(),
        respond_before: dispute.respond_before.clone(),
    });
    Some(EventSubject::Dispute(&dispute, &charge).example_body(now_ms))
}

fn example_card(now_ms: i64) -> MerchantCard {
    MerchantCard {
        id: new_id_at(IdKind::PaymentMethod, now_ms),
        shopper_id: "example-shopper".to_owned(),
        brand: Some(Brand::Visa),
        networks: Vec::new(),
        network: None,
        first_six: "424242".to_owned(),
        last_four: "4242".to_owned(),
        expiration_month: "12".to_owned(),
        expiration_year: "2030".to_owned(),
        nickname: None,
        default: false,
        agreement: Some(AgreementView {
            usage: SaveCardUsage::OffSession,
            accepted_at: rfc3339(now_ms),
            text_id: Some(SaveCardUsage::OffSession.text_id().to_owned()),
            locale: Some("en-US".to_owned()),
        }),
        network_transaction_id: None,
        saved_at: rfc3339(now_ms),
    }
}

fn example_refund(status: OperationStatus, charge: &ChargeView, now_ms: i64) -> RefundView {
    RefundView {
        id: new_id_at(IdKind::Refund, now_ms),
        charge_id: charge.id.clone(),
        status,
        amount_value: "2.50".to_owned(),
        amount_currency: charge.amount_currency.clone(),
        reason: None,
        failure_code: (status == OperationStatus::Failed).then(|| "expired_or_canceled_card".to_owned()),
        provider_reference: None,
        metadata: Metadata::new(),
        created_at: rfc3339(now_ms),
        updated_at: rfc3339(now_ms),
    }
}

fn example_dispute(status: DisputeStatus, charge: &ChargeView, now_ms: i64) -> Dispute {
    Dispute {
        id: new_id_at(IdKind::Dispute, now_ms),
        charge_id: charge.id.clone(),
        status,
        amount_value: charge.amount_value.clone(),
        amount_currency: charge.amount_currency.clone(),
        reason: Some("fraudulent".to_owned()),
        respond_before: Some(rfc3339(now_ms + 7 * 86_400_000)),
        provider_reference: "example-dispute".to_owned(),
        created_at: rfc3339(now_ms),
        updated_at: rfc3339(now_ms),
    }
}

/// A charge that does not exist.
fn example_charge(status: ChargeStatus, now_ms: i64) -> ChargeView {
    ChargeView {
        id: new_id_at(IdKind::Charge, now_ms),
        status,
        item_code: "gems-100".to_owned(),
        item_name: "100 gems".to_owned(),
        amount_value: "12.50".to_owned(),
        amount_currency: "USD".to_owned(),
        partner_reference: "example-order".to_owned(),
        decline_code: (status == ChargeStatus::Failed).then(|| "insufficient_funds".to_owned()),
        ..ChargeView::example(now_ms)
    }
}

/// The beginning of the answer's body.
async fn shown_body(mut answer: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < SHOWN_BYTES_MAX {
        match answer.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            _ => break,
        }
    }
    bytes.truncate(SHOWN_BYTES_MAX);
    let text = String::from_utf8_lossy(&bytes);
    // Control characters could change the terminal's display.
    text.chars()
        .filter(|c| !c.is_control() || *c == '\n')
        .collect::<String>()
        .trim()
        .to_owned()
}
