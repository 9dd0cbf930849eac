//! The state changes that a charge can make, drawn in docs/charge-states.md.

use crate::ChargeStatus;

/// An event that changes a charge's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(strum::IntoStaticStr, strum::VariantArray))]
#[cfg_attr(test, strum(serialize_all = "title_case"))]
pub enum ChargeEvent {
    /// The shopper pressed the pay button with a card that passed the rules.
    Pressed,
    /// The provider took the money.
    Approved,
    /// The provider holds the money.
    Authorized,
    /// The provider refused the card.
    Declined,
    /// The provider's answer was lost.
    OutcomeLost,
    /// The shopper must do something first, such as a 3-D Secure challenge.
    ActionRequired,
    /// The provider took the money of an attempt that a node had given up.
    ApprovedLate,
    /// The provider holds the money of an attempt that a node had given up.
    AuthorizedLate,
    /// The provider took held money.
    Captured,
    /// The provider let held money go for the merchant.
    Released,
    /// The hold ended by itself.
    HoldEnded,
    /// The merchant canceled the charge.
    Canceled,
    /// The charge was not paid in time.
    Expired,
}

/// A legal state change. Only [`transition`] creates one, so the store cannot make another change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    from: ChargeStatus,
    to: ChargeStatus,
}

impl Transition {
    /// The state that the charge must be in.
    pub fn from(self) -> ChargeStatus {
        self.from
    }

    /// The state that the charge changes to.
    pub fn to(self) -> ChargeStatus {
        self.to
    }
}

/// `event` cannot happen to a charge in `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a charge that is {from:?} cannot be {event:?}")]
pub struct IllegalTransition {
    /// The charge's state.
    pub from: ChargeStatus,
    /// The event.
    pub event: ChargeEvent,
}

/// The state change that `event` causes in the state `from`, if there is one.
pub fn transition(from: ChargeStatus, event: ChargeEvent) -> Result<Transition, IllegalTransition> {
    use ChargeStatus as S;
    let to = match (from, event) {
        (S::Created | S::Failed, ChargeEvent::Pressed) => S::Processing,
        (S::Processing | S::WaitingForShopperAction | S::OutcomeUnknown, ChargeEvent::Approved)
        | (S::Failed, ChargeEvent::ApprovedLate)
        | (S::Authorized, ChargeEvent::Captured) => S::Succeeded,
        (S::Processing | S::WaitingForShopperAction | S::OutcomeUnknown, ChargeEvent::Authorized)
        | (S::Failed, ChargeEvent::AuthorizedLate) => S::Authorized,
        (S::Processing | S::WaitingForShopperAction | S::OutcomeUnknown, ChargeEvent::Declined) => S::Failed,
        (S::Processing | S::WaitingForShopperAction, ChargeEvent::OutcomeLost) => S::OutcomeUnknown,
        (S::Processing | S::OutcomeUnknown, ChargeEvent::ActionRequired) => S::WaitingForShopperAction,
        (S::Created | S::Failed, ChargeEvent::Canceled) | (S::Authorized, ChargeEvent::Released) => {
            S::Canceled
        }
        (S::Created | S::Failed, ChargeEvent::Expired) | (S::Authorized, ChargeEvent::HoldEnded) => {
            S::Expired
        }
        _ => return Err(IllegalTransition { from, event }),
    };
    Ok(Transition { from, to })
}

#[cfg(test)]
mod tests;
