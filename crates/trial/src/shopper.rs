//! What shoppers and their merchant do while nodes are killed: pay, retry, cancel, and wait until the charge is
//! settled.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::consistency::ChargeRecords;
use crate::random::Random;
use crate::shop::{CreatedTrialCharge, ServiceAnswer, TrialMerchant};
use crate::test_cards::{BAD_CARD, GOOD_CARD};

/// A charge that is not settled in this time is an error.
pub(crate) const SETTLED_WITHIN: Duration = Duration::from_secs(60);

/// The page's own pauses before it sends the same press again (form/src/payments/charges.ts).
const RETRY_PAUSES_MS: [u64; 4] = [0, 500, 1_500, 4_000];
/// Answers after which the page sends again.
const RETRIED_STATUSES: [u16; 3] = [502, 503, 504];
/// The pause between two checks of a charge.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The nodes' addresses now; a load balancer would know them.
pub(crate) struct NodeAddresses {
    nodes: Vec<watch::Receiver<String>>,
    calls: watch::Sender<usize>,
    lost_answers: AtomicUsize,
}

impl NodeAddresses {
    /// Distributes calls over these nodes, and counts them.
    pub(crate) fn new(nodes: Vec<watch::Receiver<String>>, calls: watch::Sender<usize>) -> Self {
        Self {
            nodes,
            calls,
            lost_answers: AtomicUsize::new(0),
        }
    }

    /// How often an answer was lost.
    pub(crate) fn lost_answers(&self) -> usize {
        self.lost_answers.load(Ordering::Relaxed)
    }

    /// The next node's address, alive or not, for one call.
    fn node(&self) -> String {
        let mut call = 0;
        self.calls.send_modify(|calls| {
            call = *calls;
            *calls += 1;
        });
        self.nodes[call % self.nodes.len()].borrow().clone()
    }

    fn lost(&self) {
        self.lost_answers.fetch_add(1, Ordering::Relaxed);
    }
}

/// One purchase: the merchant creates a charge and the shopper pays, sometimes in two tabs at once, sometimes first
/// with a card that is declined; sometimes the merchant cancels meanwhile.
pub(crate) async fn buy(
    front: &NodeAddresses,
    merchant: &TrialMerchant,
    number: usize,
    mut chance: Random,
) -> ChargeRecords {
    let charge = loop {
        if let Some(created) = merchant.create(&front.node(), &format!("order-{number}")).await {
            break created;
        }
        front.lost();
        sleep(LOOK_AGAIN).await;
    };
    let first_card = *chance.one_of(&[GOOD_CARD, GOOD_CARD, BAD_CARD]);
    let mut has_lost_answers = false;
    let mut told = match chance.between(0, 10) {
        0..=1 => {
            let (here, there) = tokio::join!(
                press(front, merchant, &charge, "tab-1", first_card),
                press(front, merchant, &charge, "tab-2", GOOD_CARD),
            );
            has_lost_answers |= here.is_empty() || there.is_empty();
            [here, there].concat()
        }
        2 => {
            let node = front.node();
            let (mut told, answer) = tokio::join!(
                press(front, merchant, &charge, "press-1", first_card),
                merchant.cancel(&node, &charge.id),
            );
            has_lost_answers |= told.is_empty();
            told.extend(
                answer
                    .filter(|answer| answer.status == 200)
                    .and_then(|answer| status_of(&answer)),
            );
            told
        }
        _ => {
            let told = press(front, merchant, &charge, "press-1", first_card).await;
            has_lost_answers |= told.is_empty();
            told
        }
    };
    if told.last().is_some_and(|told| told == "failed") {
        let again = press(front, merchant, &charge, "press-2", GOOD_CARD).await;
        has_lost_answers |= again.is_empty();
        told.extend(again);
    }
    ChargeRecords {
        charge_id: charge.id,
        told,
        has_lost_answers,
        merchant: Value::Null,
        events: Vec::new(),
    }
}

/// A press as the page does it: sent again with the same key until an answer comes. Returns the status that the page
/// got.
async fn press(
    front: &NodeAddresses,
    merchant: &TrialMerchant,
    charge: &CreatedTrialCharge,
    key: &str,
    card: &str,
) -> Vec<String> {
    for pause in RETRY_PAUSES_MS {
        sleep(Duration::from_millis(pause)).await;
        match merchant.press(&front.node(), charge, key, card).await {
            Some(answer) if !RETRIED_STATUSES.contains(&answer.status) => {
                return answer.body["status_code"]
                    .as_str()
                    .map(str::to_owned)
                    .into_iter()
                    .collect();
            }
            _ => front.lost(),
        }
    }
    Vec::new()
}

fn status_of(answer: &ServiceAnswer) -> Option<String> {
    answer.body["status"].as_str().map(str::to_owned)
}

/// Waits until every charge has its final status, and reads it from the merchant's API.
pub(crate) async fn settle(
    front: &NodeAddresses,
    merchant: &TrialMerchant,
    mut charges: Vec<ChargeRecords>,
) -> Vec<ChargeRecords> {
    let give_up = Instant::now() + SETTLED_WITHIN;
    for charge in &mut charges {
        loop {
            let view = merchant.view(&front.node(), &charge.charge_id).await;
            charge.merchant = view.map(|answer| answer.body).unwrap_or_default();
            let is_open = matches!(charge.status(), "" | "processing" | "outcome_unknown");
            if !is_open || Instant::now() > give_up {
                break;
            }
            sleep(LOOK_AGAIN).await;
        }
    }
    charges
}
