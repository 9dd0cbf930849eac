//! Everything that a drill has around its nodes: the provider, the merchant, the merchant's webhook receiver; and the
//! comparison of all their books.

use anyhow::{Result, ensure};
use harness::process::{Program, service};
use harness::receiver::{ReceiverBehavior, WebhookReceiver};
use harness::shop::TrialMerchant;
use harness::waiting::happens_within;
use tokio::time::Duration;

use crate::books::{ChargeRecords, Contradictions, contradictions};
use crate::load::Load;
use crate::node::Node;
use crate::provider::{ChosenProvider, RunningProvider};
use crate::shopper::accounts::AccountRecords;
use crate::shopper::challenge::CHALLENGE_TIMEOUT_MS;
use crate::shopper::{Purchases, TrialShopper};
use crate::webhook_events;

/// Short times keep a drill short: the provider's timeouts, and how often a node asks for lost outcomes and due events. The
/// last setting allows the merchant's server on this machine.
const SETTINGS: &str = "--provider-timeout-ms 2000 --provider-grace-ms 1000 --reconcile-interval-ms 200 \
    --vault-key-file vault-keys --operator-key-file operator-key --webhook-interval-ms 200 --webhook-private-networks true";
/// The key of the operator's desk.
pub(crate) const OPERATOR_KEY: &str = "ok_trial_7f3c2b9ad10e4f68b5a1c3d2e4f60718";
/// How long the last events may take. A receiver that did not answer is called at least every five minutes
/// (docs/webhooks.md).
const EVENTS_WITHIN: Duration = Duration::from_mins(6);

/// The surroundings of the nodes in a drill.
pub(crate) struct Surroundings {
    pub(crate) program: Program,
    /// The command line of a node.
    pub(crate) line: String,
    pub(crate) provider: RunningProvider,
    receiver: WebhookReceiver,
    pub(crate) merchant: TrialMerchant,
    /// While a database fails, a card that was to be saved may be lost, but never a charge.
    pub(crate) may_lose_cards: bool,
    /// While clocks jump over a lease, two nodes may send the same event, one of them after a later event.
    pub(crate) may_repeat_events: bool,
}

impl Surroundings {
    /// Starts the simulator, migrates the database, and adds a merchant to it.
    pub(crate) async fn start(program: Program, database: &str) -> Result<Self> {
        Self::with_provider(program, database, &ChosenProvider::Simulator, None).await
    }

    /// The same with this provider. The seed decides which of the provider's answers get lost; none without a seed.
    pub(crate) async fn with_provider(
        program: Program,
        database: &str,
        provider: &ChosenProvider,
        seed: Option<u64>,
    ) -> Result<Self> {
        let provider = RunningProvider::start(&program, provider, seed).await?;
        let receiver = WebhookReceiver::start().await?;
        receiver.set(ReceiverBehavior::RefusesSome);
        program.write_vault_key("vault-keys")?;
        std::fs::write(program.dir.join("operator-key"), OPERATOR_KEY)?;
        let more = format!(
            "--vault-key-file vault-keys --webhook-url {} --webhook-private-networks true",
            receiver.url
        );
        let merchant = TrialMerchant::add(&program, database, &more)?;
        let line = format!(
            "{} {} {SETTINGS} --challenge-timeout-ms {CHALLENGE_TIMEOUT_MS}",
            service(database, &provider.url),
            provider.arguments
        );
        Ok(Self {
            program,
            line,
            provider,
            receiver,
            merchant,
            may_lose_cards: false,
            may_repeat_events: false,
        })
    }

    /// Starts a node.
    pub(crate) async fn node(&self) -> Result<Node> {
        Node::start(&self.program, self.line.clone()).await
    }

    /// As [`Self::agreeing`], and returns the result in words. A drill without faults or without one kind of purchase proves
    /// little, so it fails.
    pub(crate) async fn compare(&self, load: &Load, bought: Purchases, faults: usize) -> Result<String> {
        let shopper = &load.shopper;
        let Purchases { charges, accounts } = self.agreeing(shopper, bought).await?;
        let is_paid = |charge: &&ChargeRecords| charge.status() == "succeeded";
        let is_challenged = |charge: &&ChargeRecords| charge.was_told("waiting_for_shopper_action");
        let paid = charges.iter().filter(is_paid).count();
        let held = charges
            .iter()
            .filter(|charge| charge.was_told("authorized"))
            .count();
        let challenges = charges.iter().filter(is_challenged).count();
        let saved: usize = accounts.iter().map(AccountRecords::saved).sum();
        let paid_charges = charges.iter().filter(is_paid);
        let with_saved = paid_charges.filter(|charge| charge.has_saved_card).count();
        let refunds: usize = charges.iter().map(|charge| charge.refunds.len()).sum();
        let (events, lost_answers) = (self.receiver.all().len(), shopper.front.lost_answers());
        let result = format!(
            "{} charges: {paid} paid once, {} not; {held} were held; {refunds} refunds; {challenges} challenges, {with_saved} paid \
             with saved cards; {faults} faults, {lost_answers} lost answers, {events} events. The books agree to the cent.",
            charges.len(),
            charges.len() - paid
        );
        let has_everything = [paid, held, refunds, challenges, saved, with_saved, faults, events]
            .iter()
            .all(|count| *count > 0);
        ensure!(has_everything, "the drill proves little: {result}");
        Ok(result)
    }

    /// Waits until all charges are settled, and compares all records of them.
    pub(crate) async fn agreeing(&self, shopper: &TrialShopper, mut bought: Purchases) -> Result<Purchases> {
        shopper.settle(&mut bought.charges).await;
        shopper
            .settle_accounts(&bought.charges, &mut bought.accounts)
            .await;
        self.receive(shopper, &mut bought.charges).await;
        let Purchases { charges, accounts } = bought;
        let (ledger, mut found) = self.provider.books(&self.merchant, &accounts).await?;
        found.extend(contradictions(&charges, &ledger));
        let signer = self.merchant.signer()?;
        for charge in &charges {
            let wrong = webhook_events::contradictions(charge, &signer, self.may_repeat_events);
            found.extend(wrong.iter().map(|wrong| format!("{}: {wrong}", charge.charge_id)));
        }
        for account in &accounts {
            found.extend(account.contradictions(&charges, self.may_lose_cards));
        }
        Contradictions::none(found)?;
        Ok(Purchases { charges, accounts })
    }

    /// Waits until the merchant's server has all events of every charge, and gives each charge its events.
    async fn receive(&self, shopper: &TrialShopper, charges: &mut [ChargeRecords]) {
        let have_arrived = async || {
            let mut events = webhook_events::by_charge(self.receiver.all());
            for charge in charges.iter_mut() {
                charge.events = events.remove(&charge.charge_id).unwrap_or_default();
            }
            let Some(incomplete) = charges
                .iter_mut()
                .find(|charge| !webhook_events::are_complete(charge))
            else {
                return Ok(true);
            };
            // A node that stood still may have changed it after it was settled.
            shopper.view(incomplete).await;
            Ok(false)
        };
        // The comparison finds events that are still missing.
        let _ = happens_within(EVENTS_WITHIN, have_arrived).await;
    }
}
