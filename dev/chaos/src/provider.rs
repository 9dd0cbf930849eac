//! The provider of a drill: the simulator, or localstripe in place of Stripe.

mod localstripe;
mod stripe_books;
mod stripe_network;

use std::path::PathBuf;

use anyhow::Result;
use harness::process::{CardformProcess, Program};
use harness::shop::TrialMerchant;
use harness::test_cards::{BAD_CARD, DECLINED_BY_STRIPE};
use harness::waiting::happens_within;
use serde_json::Value;

use self::localstripe::Localstripe;
use self::stripe_books::StripeBooks;
use self::stripe_network::StripeNetwork;
use crate::shopper::SETTLED_WITHIN;
use crate::shopper::accounts::AccountRecords;

/// The simulator's latency: long enough that nodes are often killed between request and answer.
const LATENCY_MS: &str = "40";
/// The file with Stripe's key, in the drill's folder.
const KEY_FILE: &str = "stripe-key";

/// The limits against card testing are off, because all shoppers have one address and a few cards.
const STRIPE_SETTINGS: &str = "--provider stripe --provider-key-file stripe-key --limit-per-charge off \
    --limit-per-address off --limit-per-card off --limit-per-partner off";

/// Which provider a drill has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenProvider {
    /// `cardform simulator`.
    Simulator,
    /// Stripe's connector, with this `localstripe` program at the other end.
    Localstripe(PathBuf),
}

/// A running provider.
pub(crate) struct RunningProvider {
    /// Where nodes reach it.
    pub(crate) url: String,
    /// More arguments of a node.
    pub(crate) arguments: &'static str,
    /// The number of a card that it declines at once.
    pub(crate) declined_card: &'static str,
    process: ProviderProcess,
}

enum ProviderProcess {
    Simulator { _running: CardformProcess },
    Stripe(StripeNetwork),
}

impl RunningProvider {
    /// Starts it in the program's folder. The seed decides which requests to Stripe are delayed, and which answers are lost.
    pub(crate) async fn start(program: &Program, chosen: &ChosenProvider, seed: u64) -> Result<Self> {
        Ok(match chosen {
            ChosenProvider::Simulator => {
                let line = format!("simulator --data ledger --latency {LATENCY_MS}");
                let simulator = program.serve(&line)?;
                Self {
                    url: simulator.url.clone(),
                    arguments: "",
                    declined_card: BAD_CARD,
                    process: ProviderProcess::Simulator { _running: simulator },
                }
            }
            ChosenProvider::Localstripe(binary) => {
                let server = Localstripe::start(binary, &program.dir)?;
                let network = StripeNetwork::start(server, seed).await?;
                std::fs::write(program.dir.join(KEY_FILE), localstripe::KEY)?;
                Self {
                    url: network.url.clone(),
                    arguments: STRIPE_SETTINGS,
                    declined_card: DECLINED_BY_STRIPE,
                    process: ProviderProcess::Stripe(network),
                }
            }
        })
    }

    /// Its books at the end of a drill: an entry for each time that it took or declined a card, as in the simulator's ledger,
    /// and the errors at the provider itself, one line each.
    pub(crate) async fn books(
        &self,
        merchant: &TrialMerchant,
        accounts: &[AccountRecords],
    ) -> Result<(Vec<Value>, Vec<String>)> {
        let ProviderProcess::Stripe(network) = &self.process else {
            return Ok((merchant.ledger(&self.url).await?, Vec::new()));
        };
        // A request that is still on its way could take money after the comparison.
        network.has_carried_all(SETTLED_WITHIN).await?;
        let (mut books, mut found) = (StripeBooks::default(), Vec::new());
        // Stripe is told of saved cards after their payments.
        let agree = async || {
            books = StripeBooks::read(network.server()).await?;
            found = books.contradictions(accounts);
            Ok(found.is_empty())
        };
        happens_within(SETTLED_WITHIN, agree).await?;
        found.extend(network.complaints());
        Ok((books.entries(), found))
    }
}
