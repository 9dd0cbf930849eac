use super::*;

#[test]
fn steps_are_read_as_they_were_written() {
    let steps = [
        AttemptStep {
            at: 1_700_000_000_000,
            what: StepKind::Charge,
            result: "unknown".into(),
            took_ms: 30_000,
        },
        AttemptStep::moment(StepKind::ShopperReturned, 1_700_000_001_000),
    ];
    assert_eq!(read(&lines(&steps)), steps);
    assert_eq!(read("1 from_the_future - 0\nno line\n\n"), []);
}
