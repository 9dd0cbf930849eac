//! The states of a charge and the only changes between them, drawn in docs/charge-states.md.

use crate::ChargeStatus;

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
    /// The provider approved an attempt that had been given up.
    ApprovedLate,
    /// The merchant withdrew the charge.
    Canceled,
    /// The charge's time ran out.
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
    /// Where the charge stands.
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

/// The state changes that `event` causes, one for each state in which it can happen; all lead to the same state.
pub fn transitions(event: ChargeEvent) -> impl Iterator<Item = Transition> {
    ALL_STATES
        .into_iter()
        .filter_map(move |from| transition(from, event).ok())
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
    use std::collections::BTreeSet;

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

    const DRAWING: &str = include_str!("../../../docs/charge-states.md");

    /// The event as the drawing writes it: `OutcomeLost` is "outcome lost".
    fn label(event: E) -> String {
        let mut label = String::new();
        for letter in format!("{event:?}").chars() {
            if letter.is_uppercase() && !label.is_empty() {
                label.push(' ');
            }
            label.extend(letter.to_lowercase());
        }
        label
    }

    #[test]
    fn the_drawing_shows_every_state_change() {
        let drawn: BTreeSet<_> = DRAWING
            .lines()
            .filter_map(|line| line.trim().split_once(": "))
            .filter(|(arrow, _)| arrow.contains(" --> "))
            .map(|(arrow, event)| format!("{arrow}: {event}"))
            .collect();
        let mut legal = BTreeSet::new();
        for from in ALL_STATES {
            for event in ALL_EVENTS {
                if let Ok(moved) = transition(from, event) {
                    assert_eq!(moved.from(), from);
                    let arrow = format!("{} --> {}", from.as_str(), moved.to().as_str());
                    legal.insert(format!("{arrow}: {}", label(event)));
                }
            }
        }
        assert_eq!(drawn, legal);
        for event in ALL_EVENTS {
            let explained = format!("| `{}` |", label(event));
            assert!(DRAWING.contains(&explained), "{explained}");
        }
    }

    #[test]
    fn a_state_without_a_way_out_is_drawn_as_an_end() {
        for status in ALL_STATES {
            let is_end = ALL_EVENTS.iter().all(|event| transition(status, *event).is_err());
            let end = format!("    {} --> [*]", status.as_str());
            assert_eq!(DRAWING.contains(&end), is_end, "{end}");
        }
    }

    #[test]
    fn a_paid_charge_never_changes() {
        for event in ALL_EVENTS {
            assert!(transition(S::Succeeded, event).is_err(), "{event:?}");
        }
    }

    #[test]
    fn an_event_leads_to_one_state_wherever_it_happens() {
        for event in ALL_EVENTS {
            let to: BTreeSet<_> = transitions(event).map(|moved| moved.to().as_str()).collect();
            assert_eq!(to.len(), 1, "{event:?}: {to:?}");
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
