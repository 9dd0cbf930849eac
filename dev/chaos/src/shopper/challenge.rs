//! Shoppers at a 3-D Secure challenge.

use std::time::Duration;

use harness::random::Random;
use harness::shop::{CreatedTrialCharge, send};
use serde_json::Value;
use tokio::time::sleep;

use super::{LOOK_AGAIN, TrialShopper};

/// How long a shopper may take for a challenge, in milliseconds. It is short, so that a drill is short.
pub(crate) const CHALLENGE_TIMEOUT_MS: &str = "3000";
/// A late answer arrives when the time is nearly over.
const LATE: Duration = Duration::from_millis(2_990);
/// How often the page tries to cancel a challenge.
const CANCELS_MAX: usize = 40;

/// A shopper's act at a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChallengeBehaviour {
    /// Passes it.
    Pass,
    /// Passes it when its time is nearly over.
    PassLate,
    /// Rejects the payment at the bank.
    Reject,
    /// Closes it in the page.
    Cancel,
    /// Does nothing and never comes back.
    Abandon,
}

impl ChallengeBehaviour {
    /// A random one.
    pub(super) fn any(chance: &mut Random) -> Self {
        *chance.one_of(&[
            Self::Pass,
            Self::Pass,
            Self::PassLate,
            Self::Reject,
            Self::Cancel,
            Self::Abandon,
        ])
    }

    /// Whether the payment may be made after it.
    pub(super) fn passes(self) -> bool {
        matches!(self, Self::Pass | Self::PassLate)
    }
}

impl TrialShopper {
    /// Answers the challenge at `url`. Returns the charge as the page gets it afterwards.
    pub(super) async fn answer_challenge(
        &self,
        charge: &CreatedTrialCharge,
        url: &str,
        answer: ChallengeBehaviour,
    ) -> Option<Value> {
        match answer {
            ChallengeBehaviour::Abandon => return None,
            ChallengeBehaviour::Cancel => return self.cancel_challenge(charge).await,
            ChallengeBehaviour::PassLate => sleep(LATE).await,
            ChallengeBehaviour::Pass | ChallengeBehaviour::Reject => {}
        }
        let word = if answer.passes() { "approve" } else { "reject" };
        let challenge_page = self.merchant.http.post(url).body(format!("answer={word}"));
        // A challenge that is over leads back, too.
        let _ = send(challenge_page).await;
        let return_url = format!("{}/v1/pub/charges/{}/return", self.front.node_to_ask(), charge.id);
        if send(self.merchant.http.get(return_url)).await.is_none() {
            // The node is dead, or the answer is lost. The page asks anyway.
            self.front.lost();
        }
        self.look(charge, &["waiting_for_shopper_action", "processing"])
            .await
    }

    async fn cancel_challenge(&self, charge: &CreatedTrialCharge) -> Option<Value> {
        for _ in 0..CANCELS_MAX {
            let node = self.front.node();
            let path = format!("{node}/v1/pub/charges/{}/cancel-shopper-action", charge.id);
            let request = self.merchant.http.post(path).bearer_auth(&charge.client_secret);
            match send(request).await {
                Some(answer) if answer.status == 200 => return Some(answer.body),
                _ => self.front.lost(),
            }
            sleep(LOOK_AGAIN).await;
        }
        None
    }
}
