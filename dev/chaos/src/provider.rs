//! The provider of a drill: the simulator, or localstripe in place of Stripe.

mod localstripe;
mod network;
mod stripe_books;

use std::path::PathBuf;

use anyhow::Result;
use harness::process::Program;
use harness::shop::TrialMerchant;
use harness::test_cards::{BAD_CARD, DECLINED_BY_STRIPE};
use harness::waiting::happens_within;
use serde_json::Value;

use self::localstripe::Localstripe;
use self::network::{FarEnd, ProviderNetwork};
use self::stripe_books::StripeBooks;
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
    /// Whether it tells how much was captured if it was a part.
    pub(crate) captures_parts: bool,
    network: ProviderNetwork,
}

impl RunningProvider {
    /// Starts it in the program's folder. The seed decides which requests are delayed, and which answers are
    /// lost; none without a seed.
    pub(crate) async fn start(program: &Program, chosen: &ChosenProvider, seed: Option<u64>) -> Result<Self> {
        let (far_end, arguments, declined_card) = match chosen {
            ChosenProvider::Simulator => {
                let line = format!("simulator --data ledger --latency {LATENCY_MS}");
                let running = program.serve(&line)?;
                let url = running.url.clone();
                (
                    FarEnd::Simulator {
                        url,
                        _running: running,
                    },
                    "",
                    BAD_CARD,
                )
            }
            ChosenProvider::Localstripe(binary) => {
                let server = Localstripe::start(binary, &program.dir)?;
                std::fs::write(program.dir.join(KEY_FILE), localstripe::KEY)?;
                (FarEnd::Stripe(server), STRIPE_SETTINGS, DECLINED_BY_STRIPE)
            }
        };
        let captures_parts = matches!(far_end, FarEnd::Simulator { .. });
        let network = ProviderNetwork::start(far_end, seed).await?;
        Ok(Self {
            url: network.url.clone(),
            arguments,
            declined_card,
            captures_parts,
            network,
        })
    }

    /// Its books at the end of a drill: an entry for each time that it took or declined a card, as in the simulator's ledger,
    /// and the errors at the provider itself, one line each.
    pub(crate) async fn books(
        &self,
        merchant: &TrialMerchant,
        accounts: &[AccountRecords],
    ) -> Result<(Vec<Value>, Vec<String>)> {
        // A request that is still on its way could take money after the comparison.
        self.network.has_carried_all(SETTLED_WITHIN).await?;
        let server = match self.network.far_end() {
            FarEnd::Simulator { url, .. } => return Ok((merchant.ledger(url).await?, Vec::new())),
            FarEnd::Stripe(server) => server,
        };
        let (mut books, mut found) = (StripeBooks::default(), Vec::new());
        // Stripe is told of saved cards after their payments.
        let agree = async || {
            books = StripeBooks::read(server).await?;
            found = books.contradictions(accounts);
            Ok(found.is_empty())
        };
        happens_within(SETTLED_WITHIN, agree).await?;
        found.extend(self.network.complaints());
        Ok((books.entries(), found))
    }
}
