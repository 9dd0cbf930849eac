//! The states of a charge and the only moves between them.
//!
//! ```mermaid
//! stateDiagram-v2
//!     [*] --> created
//!     created --> processing: pressed
//!     failed --> processing: pressed
//!     processing --> succeeded: approved
//!     processing --> failed: declined
//!     processing --> outcome_unknown: outcome lost
//!     processing --> waiting_for_shopper_action: action required
//!     waiting_for_shopper_action --> succeeded: approved
//!     waiting_for_shopper_action --> failed: declined
//!     waiting_for_shopper_action --> outcome_unknown: outcome lost
//!     outcome_unknown --> succeeded: approved
//!     outcome_unknown --> failed: declined
//!     outcome_unknown --> waiting_for_shopper_action: action required
//!     failed --> succeeded: approved late
//!     created --> canceled: canceled
//!     failed --> canceled: canceled
//!     created --> expired: expired
//!     failed --> expired: expired
//! ```

use wire::ChargeStatus;

/// What happens to a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChargeEvent {
    /// The shopper pressed the pay button with a card that passed the rules.
    Pressed,
    /// The provider took the card.
    Approved,
    /// The provider refused the card.
    Declined,
    /// The provider's answer was lost.
    OutcomeLost,
    /// The provider wants the shopper to do something first.
    ActionRequired,
    /// The provider had approved an attempt that was given up for lost.
    ApprovedLate,
    /// The merchant withdrew the charge.
    Canceled,
    /// The charge's time ran out.
    Expired,
}

/// A legal move. Only [`transition`] makes one, so the store cannot be asked for another.
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

    /// The state that the charge moves to.
    pub fn to(self) -> ChargeStatus {
        self.to
    }
}

/// `event` cannot happen to a charge in `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a charge that is {from:?} cannot be {event:?}")]
pub struct IllegalTransition {
    /// Where the charge stands.
    pub from: ChargeStatus,
    /// What was to happen.
    pub event: ChargeEvent,
}

/// The move that `event` makes from `from`, if there is one.
pub fn transition(from: ChargeStatus, event: ChargeEvent) -> Result<Transition, IllegalTransition> {
    use ChargeStatus as S;
    let to = match (from, event) {
        (S::Created | S::Failed, ChargeEvent::Pressed) => S::Processing,
        (S::Processing | S::WaitingForShopperAction | S::OutcomeUnknown, ChargeEvent::Approved)
        | (S::Failed, ChargeEvent::ApprovedLate) => S::Succeeded,
        (S::Processing | S::WaitingForShopperAction | S::OutcomeUnknown, ChargeEvent::Declined) => S::Failed,
        (S::Processing | S::WaitingForShopperAction, ChargeEvent::OutcomeLost) => S::OutcomeUnknown,
        (S::Processing | S::OutcomeUnknown, ChargeEvent::ActionRequired) => S::WaitingForShopperAction,
        (S::Created | S::Failed, ChargeEvent::Canceled) => S::Canceled,
        (S::Created | S::Failed, ChargeEvent::Expired) => S::Expired,
        _ => return Err(IllegalTransition { from, event }),
    };
    Ok(Transition { from, to })
}

/// Every state, to read one from the database by its name.
pub const ALL_STATES: [ChargeStatus; 8] = [
    ChargeStatus::Created,
    ChargeStatus::Processing,
    ChargeStatus::WaitingForShopperAction,
    ChargeStatus::Succeeded,
    ChargeStatus::Failed,
    ChargeStatus::OutcomeUnknown,
    ChargeStatus::Canceled,
    ChargeStatus::Expired,
];

#[cfg(test)]
mod tests {
    use super::*;
    use ChargeEvent as E;
    use ChargeStatus as S;

    const ALL_EVENTS: [E; 8] = [
        E::Pressed,
        E::Approved,
        E::Declined,
        E::OutcomeLost,
        E::ActionRequired,
        E::ApprovedLate,
        E::Canceled,
        E::Expired,
    ];

    #[test]
    fn these_moves_are_legal_and_no_others() {
        let mut legal = Vec::new();
        for from in ALL_STATES {
            for event in ALL_EVENTS {
                if let Ok(moved) = transition(from, event) {
                    assert_eq!(moved.from(), from);
                    legal.push((from, event, moved.to()));
                }
            }
        }
        assert_eq!(
            legal,
            [
                (S::Created, E::Pressed, S::Processing),
                (S::Created, E::Canceled, S::Canceled),
                (S::Created, E::Expired, S::Expired),
                (S::Processing, E::Approved, S::Succeeded),
                (S::Processing, E::Declined, S::Failed),
                (S::Processing, E::OutcomeLost, S::OutcomeUnknown),
                (S::Processing, E::ActionRequired, S::WaitingForShopperAction),
                (S::WaitingForShopperAction, E::Approved, S::Succeeded),
                (S::WaitingForShopperAction, E::Declined, S::Failed),
                (S::WaitingForShopperAction, E::OutcomeLost, S::OutcomeUnknown),
                (S::Failed, E::Pressed, S::Processing),
                (S::Failed, E::ApprovedLate, S::Succeeded),
                (S::Failed, E::Canceled, S::Canceled),
                (S::Failed, E::Expired, S::Expired),
                (S::OutcomeUnknown, E::Approved, S::Succeeded),
                (S::OutcomeUnknown, E::Declined, S::Failed),
                (S::OutcomeUnknown, E::ActionRequired, S::WaitingForShopperAction),
            ]
        );
    }

    #[test]
    fn a_paid_charge_never_changes() {
        for event in ALL_EVENTS {
            assert!(transition(S::Succeeded, event).is_err(), "{event:?}");
        }
    }

    #[test]
    fn a_name_is_read_back_as_its_state() {
        for status in ALL_STATES {
            assert_eq!(
                ALL_STATES
                    .iter()
                    .filter(|s| s.as_str() == status.as_str())
                    .count(),
                1
            );
        }
    }
}
