use super::*;

#[test]
fn decline_codes_are_unique_and_unknown_ones_are_generic() {
    for code in DeclineCode::ALL {
        assert_eq!(DeclineCode::from_code(code.as_str()), *code);
    }
    assert_eq!(
        DeclineCode::from_code("no_such_code"),
        DeclineCode::GenericDecline
    );
}

#[test]
fn the_shopper_sees_a_generic_decline_for_a_lost_or_stolen_card() {
    let generic = DeclineCode::GenericDecline.body();
    for code in [
        "lost_card",
        "stolen_card",
        "pickup_card",
        "restricted_card",
        "fraudulent",
    ] {
        let code = DeclineCode::from_code(code);
        assert_ne!(code, DeclineCode::GenericDecline);
        assert_eq!(code.body(), generic, "{code:?}");
    }
    assert_eq!(DeclineCode::DoNotHonor.body().decline_code, "do_not_honor");
}

#[test]
fn a_decline_that_can_be_corrected_may_be_tried_again() {
    assert!(!DeclineCode::ExpiredCard.body().retryable);
    for code in DeclineCode::ALL {
        let row = code.row();
        assert!(
            row.field.is_none() || row.retryable || *code == DeclineCode::ExpiredCard,
            "{code:?}"
        );
    }
}

#[test]
fn canceled_failed_and_late_authentications_have_codes_of_their_own() {
    let steps = [
        DeclineCode::AuthenticationCanceled,
        DeclineCode::AuthenticationFailed,
        DeclineCode::AuthenticationTimedOut,
    ]
    .map(|code| (code.body().retryable, code.row().next_step.message_key()));
    assert_eq!(
        steps,
        [
            (true, "challenge_canceled"),
            (false, "challenge_failed"),
            (true, "challenge_timed_out"),
        ]
    );
}
