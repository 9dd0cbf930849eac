//! Shoppers and their merchant while nodes are killed: they pay, retry, cancel, pass 3-D Secure or not, and wait until the charge is
//! settled.

pub(crate) mod accounts;
mod after_payment;
pub(crate) mod challenge;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use harness::random::Random;
use harness::shop::direct_charge::CardToPay;
use harness::shop::{CreatedTrialCharge, TrialMerchant, send};
use harness::test_cards::{CHALLENGED_BAD_CARD, CHALLENGED_CARD, GOOD_CARD};
use harness::waiting::happens_within;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use self::accounts::AccountRecords;
use self::challenge::ChallengeBehaviour;
use crate::books::{ChargeRecords, HeardStatuses};

/// A charge that is not settled in this time is an error.
pub(crate) const SETTLED_WITHIN: Duration = Duration::from_secs(60);

/// The page's own pauses before it sends the same press again (form/src/payments/charges.ts).
const RETRY_PAUSES_MS: [u64; 4] = [0, 500, 1_500, 4_000];
/// Answers after which the page sends again.
const RETRIED_STATUSES: [u16; 3] = [502, 503, 504];
/// The pause between two checks of a charge.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// States in which the page asks again.
const OPEN: [&str; 2] = ["processing", "outcome_unknown"];
/// States of a charge that changes by itself; it has none if it could not be read.
pub(crate) const UNSETTLED: [&str; 4] = ["", "processing", "outcome_unknown", "waiting_for_shopper_action"];
/// How often a shopper presses again if no answer comes and the charge shows no press.
const ROUNDS_MAX: usize = 5;
/// How often a page asks for its charge.
const LOOKS_MAX: usize = 40;
/// One shopper out of this many has an account, saves the card, and comes back.
const ACCOUNT_ONE_IN: u64 = 2;
/// One charge out of this many is only held.
const HELD_ONE_IN: u64 = 3;

/// The nodes' addresses, as a load balancer knows them.
#[derive(Default)]
pub(crate) struct NodeAddresses {
    pub(crate) nodes: Vec<String>,
    /// The number of calls that change something.
    pub(crate) calls: watch::Sender<usize>,
    looks: AtomicUsize,
    lost_answers: AtomicUsize,
}

impl NodeAddresses {
    pub(crate) fn new(nodes: Vec<String>) -> Self {
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// How often an answer was lost.
    pub(crate) fn lost_answers(&self) -> usize {
        self.lost_answers.load(Ordering::Relaxed)
    }

    /// The address of the next node, alive or not, for a call that changes something.
    pub(crate) fn node(&self) -> &str {
        let mut call = 0;
        self.calls.send_modify(|calls| {
            call = *calls;
            *calls += 1;
        });
        &self.nodes[call % self.nodes.len()]
    }

    /// The address of the next node for a call that only reads. It is not counted, because nodes are killed after some counted
    /// calls, and a page reads often.
    pub(crate) fn node_to_ask(&self) -> &str {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        &self.nodes[look % self.nodes.len()]
    }

    /// Counts a lost answer.
    pub(crate) fn lost(&self) {
        self.lost_answers.fetch_add(1, Ordering::Relaxed);
    }
}

/// The purchases of one or more shoppers.
#[derive(Debug, Default)]
pub(crate) struct Purchases {
    pub(crate) charges: Vec<ChargeRecords>,
    pub(crate) accounts: Vec<AccountRecords>,
}

impl Purchases {
    pub(crate) fn add(&mut self, more: Self) {
        self.charges.extend(more.charges);
        self.accounts.extend(more.accounts);
    }
}

/// A shopper and a merchant in front of the nodes.
pub(crate) struct TrialShopper {
    pub(crate) front: NodeAddresses,
    pub(crate) merchant: TrialMerchant,
    /// The number of a card that the provider declines at once.
    pub(crate) declined_card: &'static str,
    /// Whether the provider tells how much was captured if it was a part.
    pub(crate) captures_parts: bool,
    /// Whether some charges are only held.
    pub(crate) holds: AtomicBool,
}

impl TrialShopper {
    /// One purchase: the merchant creates a charge and the shopper pays, sometimes in two tabs at once, sometimes first
    /// with a card that is declined or needs a challenge; sometimes the merchant cancels meanwhile. A shopper with an account
    /// saves the card and comes back for another purchase. Then the merchant captures or releases what is held, and refunds.
    pub(crate) async fn buy(&self, number: usize, mut chance: Random) -> Purchases {
        let mut bought = Purchases::default();
        let order = format!("order-{number}");
        let capture_method = if chance.between(0, HELD_ONE_IN) == 0 && self.holds.load(Ordering::Relaxed) {
            "manual"
        } else {
            "automatic"
        };
        if chance.between(0, ACCOUNT_ONE_IN) != 0 {
            let charge = self.create(&order, "", capture_method).await;
            let mut paid = self.pay(&charge, false, &mut chance).await;
            self.act_after_payment(&mut paid, &mut chance).await;
            bought.charges.push(paid);
            return bought;
        }
        let shopper_id = format!("shopper-{number}");
        let charge = self.create(&order, &shopper_id, capture_method).await;
        let mut first = self.pay(&charge, true, &mut chance).await;
        let mut account = AccountRecords::new(shopper_id, charge.id);
        let order = format!("again-{number}");
        let again = self.come_back(&order, &mut account, &mut chance).await;
        self.act_after_payment(&mut first, &mut chance).await;
        bought.charges.extend([again, first]);
        bought.accounts.push(account);
        bought
    }

    /// Creates a charge; repeated until there is an answer.
    pub(crate) async fn create(
        &self,
        order: &str,
        shopper_id: &str,
        capture_method: &str,
    ) -> CreatedTrialCharge {
        loop {
            let node = self.front.node();
            let created = self.merchant.create_for(node, order, shopper_id, capture_method);
            if let Some(created) = created.await {
                return created;
            }
            self.front.lost();
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Pays with new cards.
    async fn pay(&self, charge: &CreatedTrialCharge, save: bool, chance: &mut Random) -> ChargeRecords {
        let first_card = *chance.one_of(&[
            GOOD_CARD,
            GOOD_CARD,
            GOOD_CARD,
            self.declined_card,
            CHALLENGED_CARD,
            CHALLENGED_CARD,
            CHALLENGED_BAD_CARD,
        ]);
        let at_challenge = ChallengeBehaviour::any(chance);
        let new = |number| CardToPay::New { number, save };
        let (first, good) = (new(first_card), new(GOOD_CARD));
        let press_first = |key| self.press(charge, key, &first, at_challenge);
        let press_good = |key| self.press(charge, key, &good, ChallengeBehaviour::Pass);
        let mut records = ChargeRecords::of(charge);
        records.could_pay = first_card == GOOD_CARD || first_card == CHALLENGED_CARD && at_challenge.passes();
        match chance.between(0, 10) {
            0..=1 => {
                records.could_pay = true;
                let (here, there) = tokio::join!(press_first("tab-1"), press_good("tab-2"));
                records.hear(here);
                records.hear(there);
            }
            2 => {
                let canceled = self.merchant.cancel(self.front.node(), &charge.id);
                let (mut heard, answer) = tokio::join!(press_first("press-1"), canceled);
                if let Some(canceled) = answer.filter(|answer| answer.status == 200) {
                    heard.hear(&canceled.body);
                }
                records.hear(heard);
            }
            _ => records.hear(press_first("press-1").await),
        }
        if records.told.last().is_some_and(|told| told == "failed") {
            records.could_pay = true;
            records.hear(press_good("press-2").await);
        }
        records
    }

    /// A press as the page does it: sent again with the same key until an answer comes; if none comes or the outcome is not
    /// known yet, the page asks for the charge. If there is a challenge, the shopper answers it.
    pub(crate) async fn press(
        &self,
        charge: &CreatedTrialCharge,
        key: &str,
        card: &CardToPay<'_>,
        at_challenge: ChallengeBehaviour,
    ) -> HeardStatuses {
        let mut heard = HeardStatuses::default();
        let mut body = Value::Null;
        for _ in 0..ROUNDS_MAX {
            if let Some(answer) = self.send_press(charge, key, card).await {
                body = answer;
                break;
            }
            heard.has_lost_answers = true;
            body = self.look(charge, &OPEN).await.unwrap_or_default();
            if body["status"] != "created" {
                break;
            }
        }
        heard.hear(&body);
        if heard
            .told
            .last()
            .is_some_and(|told| OPEN.contains(&told.as_str()))
        {
            body = self.look(charge, &OPEN).await.unwrap_or_default();
            heard.hear(&body);
        }
        heard.has_lost_answers |= heard.told.is_empty();
        if let Some(url) = body["shopper_action"]["url"].as_str() {
            let after = self.answer_challenge(charge, url, at_challenge).await;
            heard.hear(&after.unwrap_or_default());
        }
        heard
    }

    /// Sends a press again and again until an answer comes. `None` if all answers are lost.
    async fn send_press(
        &self,
        charge: &CreatedTrialCharge,
        key: &str,
        card: &CardToPay<'_>,
    ) -> Option<Value> {
        for pause in RETRY_PAUSES_MS {
            sleep(Duration::from_millis(pause)).await;
            let answer = self.merchant.press_with(self.front.node(), charge, key, card);
            match answer.await {
                Some(answer) if !RETRIED_STATUSES.contains(&answer.status) => return Some(answer.body),
                _ => self.front.lost(),
            }
        }
        None
    }

    /// Asks for the charge, as the page does, until it is in none of these states. `None` if it stays there.
    async fn look(&self, charge: &CreatedTrialCharge, waits_in: &[&str]) -> Option<Value> {
        for _ in 0..LOOKS_MAX {
            let path = format!("{}/v1/pub/charges/{}", self.front.node_to_ask(), charge.id);
            let request = self.merchant.http.get(path).bearer_auth(&charge.client_secret);
            let body = send(request).await.map(|answer| answer.body).unwrap_or_default();
            match body["status"].as_str() {
                Some(now) if !waits_in.contains(&now) => return Some(body),
                Some(_) => {}
                None => self.front.lost(),
            }
            sleep(LOOK_AGAIN).await;
        }
        None
    }

    /// Waits until every charge has its final status, and reads it from the merchant's API.
    pub(crate) async fn settle(&self, charges: &mut [ChargeRecords]) {
        let give_up = Instant::now() + SETTLED_WITHIN;
        for charge in charges {
            let is_settled = async || {
                self.view(charge).await;
                Ok(charge.is_settled())
            };
            // The comparison names a charge that is still open.
            let _ = happens_within(give_up - Instant::now(), is_settled).await;
        }
    }

    /// Reads what the merchant sees of a charge.
    pub(crate) async fn view(&self, charge: &mut ChargeRecords) {
        let view = self.merchant.view(self.front.node_to_ask(), &charge.charge_id);
        charge.merchant = view.await.map(|answer| answer.body).unwrap_or_default();
    }
}
