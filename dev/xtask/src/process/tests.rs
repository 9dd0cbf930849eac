use super::*;

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let failure = run(Command::new("/nowhere/cardform-nothing").arg("--version")).unwrap_err();
    let text = failure.to_string();
    assert!(
        text.starts_with("`cardform-nothing --version` could not be started: "),
        "{text}"
    );
}

#[test]
fn a_program_that_fails_is_named_with_its_status() {
    let failure = run(&mut shell("exit 3")).unwrap_err();
    assert_eq!(failure.to_string(), "`sh -c exit 3` failed (exit status: 3)");
}

#[test]
fn a_programs_output_is_returned_with_its_status() {
    let (status, text) = tee(&mut shell("printf 'one\\ntwo'; exit 4")).unwrap();
    assert_eq!((status.code(), text.as_str()), (Some(4), "one\ntwo"));
}

#[test]
fn both_outputs_are_returned_in_their_order() {
    let (status, text) = tee_both(&mut shell("echo one; echo two >&2; echo three; exit 4")).unwrap();
    assert_eq!((status.code(), text.as_str()), (Some(4), "one\ntwo\nthree\n"));
}

#[test]
fn programs_are_found_where_the_shell_finds_them() {
    assert!(on_path("sh").is_some());
    assert!(on_path("cardform-nothing").is_none());
}
