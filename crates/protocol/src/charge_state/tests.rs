use std::collections::BTreeSet;

use super::*;
use ChargeEvent as E;
use ChargeStatus as S;
use strum::VariantArray;

const DRAWING: &str = include_str!("../../../../docs/charge-states.md");

/// The event as the drawing writes it: `OutcomeLost` is "outcome lost".
fn label(event: E) -> String {
    <&str>::from(event).to_lowercase()
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
    for &from in S::ALL {
        for &event in E::VARIANTS {
            if let Ok(moved) = transition(from, event) {
                assert_eq!(moved.from(), from);
                let arrow = format!("{} --> {}", from.as_str(), moved.to().as_str());
                legal.insert(format!("{arrow}: {}", label(event)));
            }
        }
    }
    assert_eq!(drawn, legal);
    for &event in E::VARIANTS {
        let explained = format!("| `{}` |", label(event));
        assert!(DRAWING.contains(&explained), "{explained}");
    }
}

#[test]
fn a_state_without_a_way_out_is_drawn_as_an_end() {
    for &status in S::ALL {
        let is_end = E::VARIANTS
            .iter()
            .all(|event| transition(status, *event).is_err());
        let end = format!("    {} --> [*]", status.as_str());
        assert_eq!(DRAWING.contains(&end), is_end, "{end}");
    }
}

#[test]
fn a_paid_charge_never_changes() {
    for &event in E::VARIANTS {
        assert!(transition(S::Succeeded, event).is_err(), "{event:?}");
    }
}

#[test]
fn an_event_leads_to_one_state_wherever_it_happens() {
    for &event in E::VARIANTS {
        let moved = S::ALL.iter().filter_map(|from| transition(*from, event).ok());
        let to: BTreeSet<_> = moved.map(|moved| moved.to().as_str()).collect();
        assert_eq!(to.len(), 1, "{event:?}: {to:?}");
    }
}
