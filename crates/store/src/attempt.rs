//! Attempts to pay a charge: durable before the provider is called, finished exactly once.

pub(super) mod moves;
pub(super) mod step;

use std::borrow::Cow;

pub use protocol::AttemptOutcome;
use protocol::ids::IdKind;
use protocol::{AttemptLimit, ChargeStatus, MerchantPaymentReason, PaidCard, PaymentFacts};

use rules::Brand;
use serde::Deserialize;

use super::attempt_count::AttemptCount;
use super::audit_log::NewAuditLine;
use super::charge::ChargeTerms;
use super::charge_view::CardDetails;
use super::saved_card::ShownCard;
use super::sql::{Query, query};
use super::{Store, StoreError};

/// One press of the pay button that reached the provider, or was about to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Attempt {
    /// `att_…`.
    pub id: String,
    /// The charge it pays.
    pub charge_id: String,
    /// The page's idempotency key of the press.
    pub press_key: String,
    /// The idempotency key that the provider gets.
    pub provider_key: String,
    /// The provider's reference of the payment, once it is recorded.
    pub provider_reference: Option<String>,
    /// The state.
    pub state: AttemptState,
    /// Why it was declined.
    pub decline_code: Option<String>,
    /// When it began, in unix milliseconds.
    pub created_at: i64,
    /// When the lease of the process that handles it ends, in unix milliseconds.
    pub owner_until: i64,
    /// The shopper's action as JSON, once the attempt has waited for the shopper.
    pub shopper_action: Option<String>,
    /// The deadline for the shopper, in unix milliseconds.
    pub action_until: Option<i64>,
    /// The brand of its card, unless an earlier version made it.
    pub card_brand: Option<String>,
    /// The last four digits of its card.
    pub card_last_four: Option<String>,
    /// The other parts of its card, as JSON.
    pub card_details: Option<String>,
    /// What the provider told of the payment, as JSON.
    pub facts: Option<String>,
}

/// Recorded instead of a payment's reference when the attempt's payment must not be made any more.
pub const NEVER_MADE: &str = "never_made";

/// The card of an attempt, without what must not be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedCard {
    /// The brand's name; empty if the brand is unknown.
    pub brand: String,
    /// The number's last four digits.
    pub last_four: String,
    /// The number's first six digits, the month, the year, and the id of a saved card, as JSON.
    details: String,
}

impl UsedCard {
    /// A card with this brand, last four digits, first six digits, month (1 to 12), year (four digits) and, if it is saved,
    /// `pm_…`.
    pub fn new(
        brand: &str,
        last_four: &str,
        first_six: &str,
        (month, year): (u8, u16),
        payment_method_id: Option<&str>,
    ) -> Self {
        let details = CardDetails {
            first_six: first_six.into(),
            expiration_month: month,
            expiration_year: year,
            payment_method_id: payment_method_id.map(Into::into),
            renews: false,
            merchant_reason: None,
        };
        Self::with(brand, last_four, &details)
    }

    /// A saved card, with its date. With `renews` it is a new one, which the card gets if it pays.
    pub fn saved(card: &ShownCard, date: (u8, u16), renews: bool) -> Self {
        Self::with_saved(card, date, renews, None)
    }

    /// A saved card with which its merchant pays without the shopper.
    pub fn of_merchant(card: &ShownCard, date: (u8, u16), reason: MerchantPaymentReason) -> Self {
        Self::with_saved(card, date, false, Some(reason))
    }

    fn with_saved(
        card: &ShownCard,
        (month, year): (u8, u16),
        renews: bool,
        merchant_reason: Option<MerchantPaymentReason>,
    ) -> Self {
        let details = CardDetails {
            first_six: card.first_six.as_str().into(),
            expiration_month: month,
            expiration_year: year,
            payment_method_id: Some(card.id.as_str().into()),
            renews,
            merchant_reason,
        };
        Self::with(&card.brand, &card.last_four, &details)
    }

    fn with(brand: &str, last_four: &str, details: &CardDetails<'_>) -> Self {
        Self {
            brand: brand.to_owned(),
            last_four: last_four.to_owned(),
            details: serde_json::to_string(details).unwrap_or_default(),
        }
    }
}

pub(super) const COLUMNS: &str = "SELECT id, charge_id, press_key, provider_key, provider_reference, state, decline_code, created_at, owner_until, \
                                  shopper_action, action_until, card_brand, card_last_four, card_details, facts \
                                  FROM attempts";

/// The condition that an attempt is unfinished. While a charge has such an attempt, no other one can begin. The words are
/// those of SQLite's partial indexes, because SQLite uses such an index only for the same words.
pub(super) const UNDER_WAY: &str =
    "(state = 'in_flight' OR state = 'outcome_unknown' OR state = 'waiting_for_shopper_action')";

/// The state of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AttemptState {
    /// The provider is being called, or the process that called it died.
    InFlight,
    /// The answer was lost; the reconciler asks for it.
    OutcomeUnknown,
    /// The shopper must do something first: a 3-D Secure challenge.
    WaitingForShopperAction,
    /// The provider accepted the card.
    Succeeded,
    /// The provider refused the card, or never received the payment.
    Declined,
}

impl AttemptState {
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// An attempt that is to begin.
#[derive(Debug, Clone)]
pub struct NewAttempt {
    /// `att_…`.
    pub id: String,
    /// The charge to pay.
    pub charge_id: String,
    /// The page's idempotency key of this press.
    pub press_key: String,
    /// A fresh idempotency key for the provider.
    pub provider_key: String,
    /// Now, in unix milliseconds.
    pub now_ms: i64,
    /// When this request's lease ends, in unix milliseconds.
    pub owner_until: i64,
    /// The terms that the shopper was shown. The attempt begins only if the charge still has them.
    pub terms: ChargeTerms,
    /// The card.
    pub card: UsedCard,
    /// How many attempts of its shopper the charge may have. They are counted in the table of attempts.
    pub charge_limit: Option<AttemptLimit>,
    /// The other subjects whose attempts are counted.
    pub counts: Vec<AttemptCount>,
    /// Says that this attempt opens a saved card. It is committed with the attempt, so before the card is opened.
    pub opens_card: Option<NewAuditLine>,
}

impl NewAttempt {
    /// The attempt as it is when it has begun.
    fn started(&self) -> Attempt {
        Attempt {
            id: self.id.clone(),
            charge_id: self.charge_id.clone(),
            press_key: self.press_key.clone(),
            provider_key: self.provider_key.clone(),
            provider_reference: None,
            state: AttemptState::InFlight,
            decline_code: None,
            created_at: self.now_ms,
            owner_until: self.owner_until,
            shopper_action: None,
            action_until: None,
            card_brand: Some(self.card.brand.clone()),
            card_last_four: Some(self.card.last_four.clone()),
            card_details: Some(self.card.details.clone()),
            facts: None,
        }
    }

    /// Since when the charge's attempts are counted, in unix milliseconds, and how many there may be.
    fn charge_attempts(&self) -> (i64, usize) {
        self.charge_limit.map_or((i64::MAX, usize::MAX), |limit| {
            let most = usize::try_from(limit.attempts).unwrap_or(usize::MAX);
            (limit.window(self.now_ms).0, most)
        })
    }
}

/// The result of beginning an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginOutcome {
    /// It is durable. Only this caller may call the provider now.
    Started(Attempt),
    /// An attempt of the same press, or an unfinished one. Its outcome is the answer.
    Other(Attempt),
    /// The charge cannot be paid in its state; nothing was written.
    NotPayable(ChargeStatus),
    /// The charge was changed, and the shopper was shown something else; nothing was written.
    OtherTerms,
    /// The limit of attempts is reached; nothing was written. The next attempt is allowed at this time, in unix
    /// milliseconds.
    TooMany(i64),
    /// There is no such charge.
    NoCharge,
}

/// The attempt that paid this charge.
pub(super) fn that_paid(charge_id: &str) -> Query<'_> {
    query(format!("{COLUMNS} WHERE charge_id = $1 AND state = 'succeeded'")).bind(charge_id)
}

impl Attempt {
    /// Whether it is unfinished.
    fn is_under_way(&self) -> bool {
        !matches!(self.state, AttemptState::Succeeded | AttemptState::Declined)
    }

    /// The name of the provider that was asked. Its keys have it as their prefix, but those of the simulator.
    pub(super) fn provider_name(&self) -> &str {
        let prefix = self.provider_key.split_once(IdKind::ProviderKey.prefix());
        match prefix.map_or("", |(prefix, _)| prefix.trim_end_matches('_')) {
            "" => "simulator",
            name => name,
        }
    }

    /// Whether its money was held, and not taken at once.
    pub fn is_held(&self) -> bool {
        self.known_facts().held
    }

    /// Whether the merchant began it without the shopper, with this saved card and for this reason.
    pub fn is_merchants(&self, payment_method_id: &str, reason: MerchantPaymentReason) -> bool {
        self.merchant_card() == Some((payment_method_id.into(), reason))
    }

    /// The other parts of its card, if they are known.
    pub(super) fn details(&self) -> Option<CardDetails<'_>> {
        serde_json::from_str(self.card_details.as_deref()?).ok()
    }

    /// The saved card with which the merchant began it without the shopper, and why.
    pub(super) fn merchant_card(&self) -> Option<(Cow<'_, str>, MerchantPaymentReason)> {
        let details = self.details()?;
        Some((details.payment_method_id?, details.merchant_reason?))
    }

    /// The saved card that it gives a new date, with the date's month and year.
    pub(super) fn renewed_card(&self) -> Option<(String, i64, i64)> {
        let details = self.details()?;
        let id = details.payment_method_id.filter(|_| details.renews)?;
        Some((
            id.into_owned(),
            details.expiration_month.into(),
            details.expiration_year.into(),
        ))
    }

    /// What the provider told of the payment.
    pub(super) fn known_facts(&self) -> PaymentFacts {
        let facts = self.facts.as_deref();
        facts
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    /// The attempt as it is once this outcome is recorded.
    #[must_use]
    pub fn ended(&self, outcome: &AttemptOutcome) -> Self {
        let mut ended = self.clone();
        ended.decline_code = outcome.decline_code().map(str::to_owned);
        match outcome {
            AttemptOutcome::Succeeded(approval) => {
                ended.state = AttemptState::Succeeded;
                ended.provider_reference = Some(approval.reference.clone());
                let mut facts = Cow::Borrowed(&*approval.facts);
                if approval.hold.is_some() {
                    facts.to_mut().held = true;
                }
                ended.facts = stored(&facts);
            }
            AttemptOutcome::Declined(reason) => {
                ended.state = AttemptState::Declined;
                ended.facts = stored(&PaymentFacts {
                    network_code: reason.network_code.clone(),
                    ..PaymentFacts::default()
                });
            }
        }
        ended
    }
}

/// The facts as JSON; `None` if there are none.
fn stored(facts: &PaymentFacts) -> Option<String> {
    (*facts != PaymentFacts::default()).then(|| serde_json::to_string(facts).unwrap_or_default())
}

/// The result of recording an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishOutcome {
    /// It is recorded.
    Recorded,
    /// It is recorded, and the merchant has no endpoint that would get an event of it.
    RecordedWithoutEvent,
    /// An outcome was recorded before; it is kept.
    Before,
    /// An approval came for an attempt that had been given up, and the charge was corrected.
    ApprovedLate,
    /// An approval came for an attempt that had been given up, and the charge was paid or ended otherwise meanwhile: a
    /// person must refund it.
    ApprovedTooLate,
}

impl Store {
    /// The attempt with this id.
    pub async fn attempt(&self, id: &str) -> Result<Option<Attempt>, StoreError> {
        let sql = format!("{COLUMNS} WHERE id = $1");
        Ok(query(sql).bind(id).fetch_optional(&self.readers).await?)
    }

    /// The attempt of this press of a charge.
    pub async fn attempt_of_press(
        &self,
        charge_id: &str,
        press_key: &str,
    ) -> Result<Option<Attempt>, StoreError> {
        let sql = format!("{COLUMNS} WHERE charge_id = $1 AND press_key = $2");
        Ok(query(sql)
            .bind(charge_id)
            .bind(press_key)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// The card that paid this charge; absent if it is not paid, or if its card was not recorded.
    pub async fn card_that_paid(&self, charge_id: &str) -> Result<Option<PaidCard>, StoreError> {
        let noted: Option<(Option<String>, Option<String>, Option<String>)> = query(
            "SELECT card_brand, card_last_four, facts FROM attempts WHERE charge_id = $1 AND state = 'succeeded'",
        )
        .bind(charge_id)
        .fetch_optional(&self.readers)
        .await?;
        Ok(noted.and_then(|(brand, last_four, facts)| {
            let facts: Option<PaymentFacts> = facts.and_then(|text| serde_json::from_str(&text).ok());
            // The brand of the shopper's choice, if the card has two.
            let carried = facts.and_then(|facts| Brand::from_name(&facts.network?));
            Some(PaidCard {
                brand: carried.map(|network| network.name().to_owned()).or(brand)?,
                last_four: last_four?,
            })
        }))
    }

    /// Unfinished attempts whose lease has ended, the longest waiting first.
    pub async fn abandoned_attempts(&self, now_ms: i64, limit: i64) -> Result<Vec<Attempt>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE {UNDER_WAY} AND owner_until <= $1 \
             ORDER BY owner_until LIMIT $2"
        );
        Ok(query(sql)
            .bind(now_ms)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }
}

#[cfg(test)]
mod tests;
