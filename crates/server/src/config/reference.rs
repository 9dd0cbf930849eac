//! Takes the help of the command line from the reference of all settings, cardform.default.toml.

use std::collections::HashMap;

/// The reference. It has each setting as a comment, with its default or an example.
const REFERENCE: &str = include_str!("../../cardform.default.toml");
/// The heading of the settings in the help.
pub(crate) const SETTINGS_HEADING: &str = "Settings";

/// The command and its subcommands with the description and the variable of each setting. Help names the variables of the
/// environment but does not show their values, because some are secret.
pub(crate) fn with_reference(command: clap::Command) -> clap::Command {
    described(command, &descriptions())
}

fn described(command: clap::Command, descriptions: &HashMap<&str, String>) -> clap::Command {
    command
        .mut_args(|argument| {
            let argument = argument.hide_env_values(true);
            if argument.get_help_heading() != Some(SETTINGS_HEADING) {
                return argument;
            }
            let name = argument.get_id().to_string();
            let variable = format!("CARDFORM_{}", name.to_uppercase());
            match descriptions.get(name.as_str()) {
                Some(text) => argument.env(variable).help(text),
                None if name == "config" => argument.env(variable),
                None => argument,
            }
        })
        .mut_subcommands(|command| described(command, descriptions))
}

/// The description of each setting by its name, with its default or an example. Settings of one block share its text.
fn descriptions() -> HashMap<&'static str, String> {
    let setting = |line: &'static str| line.split_once(" = ").filter(|(name, _)| !name.contains(' '));
    let blocks = REFERENCE.split("\n\n").flat_map(|block| {
        let lines = block.lines().map(|line| line.trim_start_matches("# "));
        let text: Vec<_> = lines.clone().filter(|line| setting(line).is_none()).collect();
        let text = text.join(" ");
        lines
            .filter_map(setting)
            .map(move |(name, value)| (name, format!("{text} [reference: {value}]")))
    });
    blocks.collect()
}
