//! A press of the pay button: a charge has at most one attempt under way, and other presses wait for its outcome.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use protocol::clock::millis;
use protocol::ids::{IdKind, new_id};
use protocol::{ChargeStatus, DeclineCode, ErrorCode, ShopperAction};
use providers::{Authentication, ProviderCard, ProviderOutcome};
use store::{
    Attempt, AttemptOutcome, AttemptState, BeginOutcome, CardAgreement, Charge, ChargeTerms, NewAttempt,
    UsedCard,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::Instant;
use tracing::Instrument;

use super::attempt_limits::counts;
use super::outcome::{record_lost_answer, record_outcome};
use super::provider_call::{Payment, call};
use super::shopper_action::wait_for_shopper;
use super::state::Charges;
use crate::saved_cards::pay::SealedCard;
use crate::saved_cards::save::seal_pending_card;
use web::request_ids::carried;
use web::{ApiError, RequestLimit, count_limit, note_attempt};

/// How long a request's lease of its attempt is valid. The request renews it while it runs; after the lease another
/// process may take the attempt over.
pub const LEASE: Duration = Duration::from_secs(10);
/// How many announced outcomes are kept for a waiting request; if it misses more, it reads its attempt.
const ANNOUNCEMENTS_MAX: usize = 1_024;
/// How many presses may be under way at once in this process.
const PRESSES_MAX: u32 = 1_024;
/// The first pause of a request that waits for another one's attempt. Each next pause is twice as long, up to the
/// longest. An outcome in the same process ends the pause at once.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

const TOO_MANY_ATTEMPTS: &str = "There were too many attempts to pay. Nothing was charged; the retry-after header says when to try again.";

/// A press of the pay button: a card to pay a charge with. A merchant that pays without the shopper presses, too.
#[derive(Debug)]
pub struct Press {
    /// The charge to pay.
    pub charge: Charge,
    /// The postal code of the card's billing address.
    pub zip_code: Option<String>,
    /// The page's idempotency key of this press; without one it is a separate press.
    pub press_key: Option<String>,
    /// The card, which has passed the rules.
    pub card: PressedCard,
    /// The address of the shopper's browser; `None` if the merchant pays without the shopper.
    pub address: Option<IpAddr>,
    /// What the shopper agrees to, if the card is to be saved once it has paid.
    pub save_card: Option<CardAgreement>,
    /// The data that the provider needs for 3-D Secure.
    pub authentication: Authentication,
}

/// The card of a press.
#[derive(Debug)]
pub enum PressedCard {
    /// The shopper typed it.
    New(ProviderCard),
    /// A saved card. Its number is opened once the attempt has begun.
    Saved(Box<SealedCard>),
}

impl PressedCard {
    /// What is stored of the card with its attempt.
    fn used(&self) -> UsedCard {
        match self {
            Self::New(card) => UsedCard::new(
                card.brand_name(),
                card.number.last_four(),
                card.number.first_six(),
                (card.expiration_month, card.expiration_year),
                None,
            ),
            Self::Saved(card) => card.used(),
        }
    }
}

/// The answer to a press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PressAnswer {
    /// 201: `succeeded`, `outcome_unknown`, or `processing` if another request's attempt takes too long.
    Taken(ChargeStatus),
    /// 201: `waiting_for_shopper_action`, with what the shopper must do.
    ActionRequired(ShopperAction),
    /// 402: why the card was declined.
    Declined(DeclineCode),
}

/// The presses under way in this process.
#[derive(Debug)]
pub struct Presses {
    permits: Arc<Semaphore>,
    pub(super) finished: broadcast::Sender<String>,
}

impl Default for Presses {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(PRESSES_MAX as usize)),
            finished: broadcast::channel(ANNOUNCEMENTS_MAX).0,
        }
    }
}

impl Presses {
    /// The right to call the provider until it is dropped. Too many at once are a 503.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| {
            count_limit(RequestLimit::Presses);
            ApiError::new(
                ErrorCode::Unavailable,
                "Too many payments are under way. Try again.",
            )
        })
    }

    /// Waits until no press is under way any more, for at most `limit`.
    pub async fn wait_until_drained(&self, limit: Duration) {
        // The semaphore is never closed. A press that takes longer is left to the reconciler.
        let _ = tokio::time::timeout(limit, self.permits.acquire_many(PRESSES_MAX)).await;
    }

    /// How many presses are with the provider or about to begin an attempt.
    pub fn under_way(&self) -> usize {
        (PRESSES_MAX as usize).saturating_sub(self.permits.available_permits())
    }

    /// How many presses are not answered yet: those under way and those that wait for another one's outcome.
    pub fn unanswered(&self) -> usize {
        self.finished.receiver_count()
    }

    /// Tells the requests that wait for this attempt to read it again.
    pub fn announce(&self, attempt_id: &str) {
        // It fails when no request waits.
        let _ = self.finished.send(attempt_id.to_owned());
    }
}

/// Handles a press. The work continues if the shopper closes the connection. Too many presses under way are a 503.
pub async fn press(charges: &Arc<Charges>, press: Press) -> Result<PressAnswer, ApiError> {
    let permit = charges.presses.permit()?;
    // Subscribe before the attempt is read, so that no outcome is missed.
    let announcements = charges.presses.finished.subscribe();
    let working = Arc::clone(charges);
    let work = async move {
        let outcome = run_press(&working, press).await;
        drop(permit);
        outcome
    };
    // Boxed, because a spawned future is moved several times, and this one is large. Its log lines have the request's id.
    let work = tokio::spawn(carried(Box::pin(work)).in_current_span());
    // The panic's message is left out, because it may contain a secret value.
    let outcome = work
        .await
        .map_err(|_| ApiError::internal(&"a press panicked"))??;
    match outcome {
        PressOutcome::AlreadyPaid(status) => Ok(PressAnswer::Taken(status)),
        PressOutcome::Attempt(attempt) => match answer(&attempt) {
            Some(answer) => Ok(answer),
            None => wait(charges, &attempt.id, announcements).await,
        },
    }
}

/// The outcome that decides the answer to a press.
enum PressOutcome {
    /// An attempt. If this press began it, it is not in flight any more.
    Attempt(Box<Attempt>),
    /// The charge was paid before: it is `succeeded` or `authorized`.
    AlreadyPaid(ChargeStatus),
}

async fn run_press(charges: &Charges, press: Press) -> Result<PressOutcome, ApiError> {
    let now_ms = charges.clock.now_ms();
    let id = new_id(IdKind::Attempt, &charges.clock);
    let new = NewAttempt {
        charge_limit: press.address.and(charges.settings.attempt_limits.charge),
        counts: counts(charges, &press),
        terms: ChargeTerms::from(&press.charge),
        card: press.card.used(),
        opens_card: match &press.card {
            PressedCard::New(_) => None,
            PressedCard::Saved(card) => Some(card.opening(&press.charge.id, now_ms)),
        },
        charge_id: press.charge.id.clone(),
        press_key: press.press_key.clone().unwrap_or_else(|| id.clone()),
        provider_key: charges.provider.new_key(&charges.clock),
        now_ms,
        owner_until: now_ms + millis(LEASE),
        id,
    };
    match charges.store.begin_attempt(&new).await? {
        BeginOutcome::Started(attempt) => {
            note_attempt(&attempt.id);
            let merchant = match &press.card {
                PressedCard::New(_) => None,
                PressedCard::Saved(card) => card.merchant(),
            };
            let card = match press.card {
                PressedCard::New(card) => card,
                PressedCard::Saved(card) => match card.open(&charges.saved_cards) {
                    Ok(card) => card,
                    Err(refusal) => {
                        // The provider was not called, so the shopper can use another card at once.
                        let declined = AttemptOutcome::Declined(DeclineCode::ProcessingError.into());
                        record_outcome(charges, &attempt, &declined, &[]).await?;
                        return Err(refusal);
                    }
                },
            };
            let payment = Payment {
                charge: press.charge,
                zip_code: press.zip_code,
                card,
                merchant,
                save_card: press.save_card.as_ref().map(|agreement| agreement.usage),
                authentication: press.authentication,
            };
            if let Some(agreement) = press.save_card {
                let (charge, card) = (&payment.charge, &payment.card);
                let is_sealed =
                    seal_pending_card(&charges.saved_cards, charge, &attempt, card, agreement).await;
                // A payment does not depend on it, and a setup does.
                if !is_sealed && charge.is_setup() {
                    let declined = AttemptOutcome::Declined(DeclineCode::ProcessingError.into());
                    let ended = record_outcome(charges, &attempt, &declined, &[]).await?;
                    return Ok(PressOutcome::Attempt(Box::new(ended)));
                }
            }
            Ok(PressOutcome::Attempt(Box::new(
                run(charges, attempt, payment).await,
            )))
        }
        BeginOutcome::Other(attempt) => {
            note_attempt(&attempt.id);
            Ok(PressOutcome::Attempt(Box::new(attempt)))
        }
        BeginOutcome::TooMany(again_at) => {
            count_limit(RequestLimit::Attempts);
            Err(ApiError::too_many_requests(again_at - now_ms, TOO_MANY_ATTEMPTS))
        }
        BeginOutcome::OtherTerms => Err(ApiError::new(
            ErrorCode::ChargeMismatch,
            "The merchant has changed this charge meanwhile. Nothing was charged.",
        )),
        BeginOutcome::NoCharge => Err(ApiError::charge_not_found()),
        BeginOutcome::NotPayable(paid @ (ChargeStatus::Succeeded | ChargeStatus::Authorized)) => {
            Ok(PressOutcome::AlreadyPaid(paid))
        }
        BeginOutcome::NotPayable(_) => Err(not_payable()),
    }
}

/// 409: the charge has ended.
pub(super) fn not_payable() -> ApiError {
    ApiError::new(
        ErrorCode::ChargeNotPayable,
        "This charge cannot be paid any more.",
    )
}

/// Calls the provider and records the outcome. It never returns an error, because after an error the shopper would pay
/// again. If something fails, the attempt is durable and the reconciler resolves it.
async fn run(charges: &Charges, mut attempt: Attempt, payment: Payment) -> Attempt {
    let mut steps = Vec::new();
    let outcome = call(charges, &mut attempt, payment, &mut steps).await;
    let recorded = match outcome {
        ProviderOutcome::Approved(approval) => {
            record_outcome(charges, &attempt, &AttemptOutcome::Succeeded(approval), &steps).await
        }
        ProviderOutcome::Declined(reason) => {
            record_outcome(charges, &attempt, &AttemptOutcome::Declined(reason), &steps).await
        }
        ProviderOutcome::ActionRequired(action) => wait_for_shopper(charges, &attempt, &action, &steps).await,
        // The reconciler may ask for the outcome at once.
        ProviderOutcome::Unknown => {
            record_lost_answer(charges, &attempt, charges.clock.now_ms(), &steps).await
        }
    };
    recorded.unwrap_or_else(|cause| {
        tracing::error!(
            %cause,
            attempt_id = attempt.id,
            charge_id = attempt.charge_id,
            "could not record an outcome; the reconciler will ask the provider for it"
        );
        attempt.state = AttemptState::OutcomeUnknown;
        attempt
    })
}

/// The answer for an attempt in this state; `None` while it is under way.
fn answer(attempt: &Attempt) -> Option<PressAnswer> {
    match attempt.state {
        AttemptState::InFlight => None,
        AttemptState::OutcomeUnknown => Some(PressAnswer::Taken(ChargeStatus::OutcomeUnknown)),
        AttemptState::WaitingForShopperAction => Some(attempt.action().map_or(
            PressAnswer::Taken(ChargeStatus::WaitingForShopperAction),
            PressAnswer::ActionRequired,
        )),
        AttemptState::Succeeded if attempt.is_held() => Some(PressAnswer::Taken(ChargeStatus::Authorized)),
        AttemptState::Succeeded => Some(PressAnswer::Taken(ChargeStatus::Succeeded)),
        AttemptState::Declined => Some(PressAnswer::Declined(DeclineCode::from_code(
            attempt.decline_code.as_deref().unwrap_or_default(),
        ))),
    }
}

/// Waits for the outcome of an attempt that another request has under way, perhaps in another process. After the
/// provider's time-out the answer is `processing`.
async fn wait(
    charges: &Charges,
    attempt_id: &str,
    mut announcements: broadcast::Receiver<String>,
) -> Result<PressAnswer, ApiError> {
    let give_up = Instant::now() + charges.settings.provider_timeout;
    let mut pause = FIRST_PAUSE;
    while Instant::now() < give_up {
        let attempt = charges.store.attempt(attempt_id).await?;
        if let Some(answer) = attempt.as_ref().and_then(answer) {
            return Ok(answer);
        }
        // The attempt is read again, whether an outcome was announced or the pause is over.
        let _ = tokio::time::timeout(pause, announced(&mut announcements, attempt_id)).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    Ok(PressAnswer::Taken(ChargeStatus::Processing))
}

async fn announced(announcements: &mut broadcast::Receiver<String>, attempt_id: &str) {
    while matches!(announcements.recv().await, Ok(finished) if finished != attempt_id) {}
}
