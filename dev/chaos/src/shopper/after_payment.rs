//! The merchant after a payment: it captures or releases what is held, and refunds, sometimes twice at once and more than was
//! captured.

use futures_util::future::join_all;
use harness::random::Random;
use harness::shop::ServiceAnswer;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{LOOK_AGAIN, RETRIED_STATUSES, TrialShopper};
use crate::books::ChargeRecords;

impl TrialShopper {
    /// What the merchant does as soon as it knows of the payment.
    pub(super) async fn act_after_payment(&self, charge: &mut ChargeRecords, chance: &mut Random) {
        let is_now =
            |charge: &ChargeRecords, status: &str| charge.told.last().is_some_and(|told| told == status);
        if is_now(charge, "authorized") {
            let (act, body) = match chance.between(0, 4) {
                0 => return,
                1 => ("cancel", json!({})),
                2 if self.captures_parts => ("capture", json!({ "amount_value": "10.00" })),
                _ => ("capture", json!({})),
            };
            charge.hold_ends = true;
            let key = format!("{}-{act}", charge.charge_id);
            let answer = self.act(&charge.charge_id, act, &key, &body).await;
            if answer.status == 200 {
                charge
                    .told
                    .extend(answer.body["status"].as_str().map(str::to_owned));
            }
        }
        if is_now(charge, "succeeded") {
            let amounts: &[&str] = match chance.between(0, 4) {
                0 => &["2.50"],
                1 => &["12.50"],
                2 => &["7.00", "7.00"],
                _ => &[],
            };
            self.refund(charge, amounts).await;
        }
    }

    /// Refunds these amounts at once, and notes the answers.
    pub(crate) async fn refund(&self, charge: &mut ChargeRecords, amounts: &[&str]) {
        let charge_id = charge.charge_id.clone();
        let refunds = amounts.iter().enumerate().map(async |(number, amount)| {
            let (key, body) = (format!("{charge_id}-{number}"), json!({ "amount_value": amount }));
            self.act(&charge_id, "refunds", &key, &body).await
        });
        for answer in join_all(refunds).await {
            match answer.status {
                201 => charge.refunds.push(answer.body),
                _ => charge.refused_refunds += 1,
            }
        }
    }

    /// Sends a request of the merchant's server with this key until there is an answer.
    async fn act(&self, charge_id: &str, act: &str, key: &str, body: &Value) -> ServiceAnswer {
        let path = format!("{charge_id}/{act}");
        loop {
            let answer = self.merchant.act(self.front.node(), &path, key, body).await;
            match answer {
                Some(answer) if !RETRIED_STATUSES.contains(&answer.status) => return answer,
                _ => self.front.lost(),
            }
            sleep(LOOK_AGAIN).await;
        }
    }
}
