use super::*;

#[test]
fn a_challenge_window_has_a_valid_width_and_height() {
    let window = ChallengeWindow::parse("390x400").unwrap();
    assert_eq!(
        (window, window.to_string()),
        (ChallengeWindow::default(), "390x400".into())
    );
    for wrong in [
        "",
        "390",
        "390x",
        "x400",
        "+390x400",
        "390X400",
        "0x0",
        "390x99999",
        "99x400",
    ] {
        assert_eq!(ChallengeWindow::parse(wrong), None, "{wrong}");
    }
}
