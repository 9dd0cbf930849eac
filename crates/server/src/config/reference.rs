//! Takes the help of the command line from the reference of all settings, cardform.default.toml.

/// The reference. It has each setting as a comment, with its default or an example.
const REFERENCE: &str = include_str!("../../cardform.default.toml");
/// The heading of the settings in the help.
pub(crate) const SETTINGS_HEADING: &str = "Settings";

/// The command and its subcommands with the description and the variable of each setting. Help names the variables of the
/// environment but does not show their values, because some are secret.
pub(crate) fn with_reference(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| {
            let argument = argument.hide_env_values(true);
            if argument.get_help_heading() != Some(SETTINGS_HEADING) {
                return argument;
            }
            let name = argument.get_id().to_string();
            let variable = format!("CARDFORM_{}", name.to_uppercase());
            match description(&name) {
                Some(text) => argument.env(variable).help(text),
                None if name == "config" => argument.env(variable),
                None => argument,
            }
        })
        .mut_subcommands(with_reference)
}

/// The description of a setting, and its default or an example.
fn description(name: &str) -> Option<String> {
    let value_of = |line: &'static str| {
        let (known, value) = line.split_once(" = ")?;
        (known == name).then_some(value)
    };
    REFERENCE.split("\n\n").find_map(|block| {
        let lines = block.lines().map(|line| line.trim_start_matches("# "));
        let value = lines.clone().find_map(value_of)?;
        let is_text = |line: &&str| line.split_once(" = ").is_none_or(|(name, _)| name.contains(' '));
        let text: Vec<_> = lines.filter(is_text).collect();
        Some(format!("{} [reference: {value}]", text.join(" ")))
    })
}
