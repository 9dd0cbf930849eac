use super::*;
use crate::config::reference::SETTINGS_HEADING;

#[test]
fn what_a_terminal_would_obey_is_escaped() {
    for (text, shown) in [
        ("gems\u{1b}[2J\u{9b}1A", "gems\\u001b[2J\\u009b1A"),
        ("a\u{202e}b\u{2066}\u{200f}", "a\\u202eb\\u2066\\u200f"),
        ("two\nlines", "two\nlines"),
        ("100 gems ✨", "100 gems ✨"),
    ] {
        assert_eq!(for_terminal(text), shown);
    }
    let json = Value::from("\u{9b}\u{202e}\u{1b}").to_string();
    let read: Value = serde_json::from_str(&for_terminal(&json)).unwrap();
    assert_eq!(read, "\u{9b}\u{202e}\u{1b}");
    assert_eq!(one_line("a\nb\r\u{1b}"), "a b\\u000d\\u001b");
}

#[test]
fn every_setting_has_its_description_and_variable() {
    let command = with_reference(Cli::command());
    let serve = command.find_subcommand("serve").unwrap();
    let settings = serve
        .get_arguments()
        .filter(|argument| argument.get_help_heading() == Some(SETTINGS_HEADING));
    let mut count = 0;
    for setting in settings.filter(|setting| setting.get_id() != "create") {
        let variable = format!("CARDFORM_{}", setting.get_id().as_str().to_uppercase());
        assert_eq!(setting.get_env().unwrap(), &*variable);
        assert!(setting.get_help().is_some_and(|help| help.to_string().len() > 10));
        count += 1;
    }
    assert!(count > 75, "{count}");
    // The simulator's own address is not a setting of the service.
    let simulator = command.find_subcommand("simulator").unwrap();
    let listen = simulator
        .get_arguments()
        .find(|argument| argument.get_id() == "listen");
    assert!(listen.unwrap().get_env().is_none());
}
