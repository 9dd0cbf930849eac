use clap::Parser;

use crate::commands::Cli;

#[test]
fn a_card_key_may_begin_with_a_hyphen() {
    let line = [
        "cardform",
        "evidence",
        "verify",
        "https://pay.example/",
        "--card-key",
        "-Rx",
    ];
    assert!(Cli::try_parse_from(line).is_ok());
}
