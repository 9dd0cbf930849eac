//! A press of the pay button: at most one attempt per charge is under way, and whoever presses meanwhile gets its
//! outcome.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::ids::{Kind, new_id};
use providers::{Authentication, ProviderCard, ProviderOutcome};
use store::{Attempt, AttemptOutcome, AttemptState, Begun, Charge, NewAttempt};
use tokio::sync::{Semaphore, broadcast};
use tokio::time::Instant;
use tracing::Instrument;
use wire::{ChargeStatus, DeclineCode, ErrorCode, ShopperAction};

use super::attempt_limits::counts;
use super::outcome::{lose, record};
use super::provider_call::call;
use super::shopper_action::wait_for_shopper;
use crate::http::api_error::ApiError;
use crate::saved_cards::save::hold;
use crate::service::app::{App, SharedApp};

/// How many presses may be with the provider at once in this process.
const PRESSES_MAX: u32 = 1_024;
/// For how long a request says that it looks after its attempt; it says so again while it lives. A dead one is taken
/// over after this.
pub const LEASE: Duration = Duration::from_secs(10);
/// The first pause of one who waits for another's attempt; each next one is twice as long, up to the longest. The
/// same process wakes it up sooner.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How many outcomes a waiting request may lag behind before it looks for itself.
const NEWS_MAX: usize = 1_024;

/// A card for a charge.
#[derive(Debug)]
pub struct Press {
    /// The charge to pay.
    pub charge: Charge,
    /// The page's key of this press; absent, it is a press of its own.
    pub press_key: Option<String>,
    /// The card, which has passed the rules.
    pub card: ProviderCard,
    /// Where the shopper's browser called from.
    pub address: IpAddr,
    /// Whether to save it once it has paid.
    pub save_card: bool,
    /// How 3-D Secure is to be done.
    pub authentication: Authentication,
}

/// What a press is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 201: `succeeded`, `outcome_unknown`, or `processing` when the attempt of a dead process is not resolved yet.
    Taken(ChargeStatus),
    /// 201: `waiting_for_shopper_action`, with what the shopper must do.
    ActionRequired(ShopperAction),
    /// 402.
    Declined(DeclineCode),
}

/// The presses under way in this process.
#[derive(Debug)]
pub struct Presses {
    permits: Arc<Semaphore>,
    finished: broadcast::Sender<String>,
}

impl Default for Presses {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(PRESSES_MAX as usize)),
            finished: broadcast::channel(NEWS_MAX).0,
        }
    }
}

impl Presses {
    /// Waits until no press is with the provider any more, for at most `limit`.
    pub async fn drained(&self, limit: Duration) {
        // The semaphore is never closed, and a press that takes too long is the next start's reconciler's.
        let _ = tokio::time::timeout(limit, self.permits.acquire_many(PRESSES_MAX)).await;
    }

    /// How many presses are with the provider, or about to find out whether they may be.
    pub fn under_way(&self) -> usize {
        (PRESSES_MAX as usize).saturating_sub(self.permits.available_permits())
    }

    /// How many presses are not answered yet: those under way, and those that wait for another's outcome.
    pub fn unanswered(&self) -> usize {
        self.finished.receiver_count()
    }

    /// Tells those who wait for this attempt to look at it.
    pub fn announce(&self, attempt_id: &str) {
        // Nobody may be waiting.
        let _ = self.finished.send(attempt_id.to_owned());
    }
}

/// Presses. The work goes on when the shopper closes the connection.
pub async fn press(app: &SharedApp, press: Press) -> Result<Answer, ApiError> {
    let permit = Arc::clone(&app.presses.permits)
        .try_acquire_owned()
        .map_err(|_| {
            ApiError::new(
                ErrorCode::Unavailable,
                "Too many payments are under way. Try again.",
            )
        })?;
    // Listening begins before looking, so that no outcome falls in between.
    let news = app.presses.finished.subscribe();
    let working = Arc::clone(app);
    let work = async move {
        let pressed = begin_and_run(&working, press).await;
        drop(permit);
        pressed
    };
    // What it logs is told by the request's id.
    let work = tokio::spawn(work.in_current_span());
    // The panic's own words may hold a value.
    let pressed = work
        .await
        .map_err(|_| ApiError::internal(&"a press panicked"))??;
    match pressed {
        Pressed::AlreadyPaid => Ok(Answer::Taken(ChargeStatus::Succeeded)),
        Pressed::Attempt(attempt) => match answer(&attempt) {
            Some(answer) => Ok(answer),
            None => wait(app, &attempt.id, news).await,
        },
    }
}

/// What answers for a press.
enum Pressed {
    /// This attempt; when it is the press's own, it is finished or its outcome is lost.
    Attempt(Attempt),
    /// The charge was paid before.
    AlreadyPaid,
}

async fn begin_and_run(app: &App, press: Press) -> Result<Pressed, ApiError> {
    let now_ms = app.clock.now_ms();
    let id = new_id(Kind::Attempt, &app.clock);
    let new = NewAttempt {
        counts: counts(app, &press),
        card: press.card.on_receipt(),
        charge_id: press.charge.id.clone(),
        press_key: press.press_key.clone().unwrap_or_else(|| id.clone()),
        provider_key: app.provider.new_key(&app.clock),
        now_ms,
        owner_until: now_ms + millis(LEASE),
        id,
    };
    match app.store.begin_attempt(&new).await? {
        Begun::Started(attempt) => {
            if press.save_card {
                hold(app, &press.charge, &attempt, &press.card).await;
            }
            Ok(Pressed::Attempt(run(app, attempt, press).await))
        }
        Begun::Other(attempt) => Ok(Pressed::Attempt(attempt)),
        Begun::TooMany(again_at) => Err(ApiError::too_many_requests(again_at - now_ms)),
        Begun::NoCharge => Err(ApiError::charge_not_found()),
        Begun::NotPayable(ChargeStatus::Succeeded) => Ok(Pressed::AlreadyPaid),
        Begun::NotPayable(_) => Err(ApiError::new(
            ErrorCode::ChargeNotPayable,
            "This charge cannot be paid any more.",
        )),
    }
}

/// Calls the provider and records the outcome. Whatever fails from here on, the attempt is durable and the reconciler
/// resolves it, so the answer is never an error: an error would invite to pay again.
async fn run(app: &App, mut attempt: Attempt, press: Press) -> Attempt {
    let outcome = call(app, &mut attempt, press).await;
    let recorded = match outcome {
        ProviderOutcome::Approved(reference) => {
            record(app, &attempt, &AttemptOutcome::Succeeded(reference)).await
        }
        ProviderOutcome::Declined(code) => record(app, &attempt, &AttemptOutcome::Declined(code)).await,
        ProviderOutcome::ActionRequired(action) => wait_for_shopper(app, &attempt, &action).await,
        // The reconciler may ask at once.
        ProviderOutcome::Unknown => lose(app, &attempt, app.clock.now_ms()).await,
    };
    recorded.unwrap_or_else(|cause| {
        tracing::error!(%cause, attempt_id = attempt.id, "an outcome could not be recorded; it will be asked for");
        attempt.state = AttemptState::OutcomeUnknown;
        attempt
    })
}

/// What an attempt in this state is answered with; nothing while it is under way.
fn answer(attempt: &Attempt) -> Option<Answer> {
    match attempt.state {
        AttemptState::InFlight => None,
        AttemptState::OutcomeUnknown => Some(Answer::Taken(ChargeStatus::OutcomeUnknown)),
        AttemptState::WaitingForShopperAction => Some(attempt.action().map_or(
            Answer::Taken(ChargeStatus::WaitingForShopperAction),
            Answer::ActionRequired,
        )),
        AttemptState::Succeeded => Some(Answer::Taken(ChargeStatus::Succeeded)),
        AttemptState::Declined => Some(Answer::Declined(DeclineCode::from_code(
            attempt.decline_code.as_deref().unwrap_or_default(),
        ))),
    }
}

/// Waits for the outcome of an attempt that another request, perhaps in another process, has under way.
async fn wait(
    app: &App,
    attempt_id: &str,
    mut news: broadcast::Receiver<String>,
) -> Result<Answer, ApiError> {
    let give_up = Instant::now() + app.config.provider_timeout;
    let mut pause = FIRST_PAUSE;
    while Instant::now() < give_up {
        let attempt = app.store.attempt(attempt_id).await?;
        if let Some(answer) = attempt.as_ref().and_then(answer) {
            return Ok(answer);
        }
        // Either end of the wait leads to another look.
        let _ = tokio::time::timeout(pause, news_of(&mut news, attempt_id)).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    Ok(Answer::Taken(ChargeStatus::Processing))
}

async fn news_of(news: &mut broadcast::Receiver<String>, attempt_id: &str) {
    while matches!(news.recv().await, Ok(finished) if finished != attempt_id) {}
}

/// A duration as the database and the clock count.
pub fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
