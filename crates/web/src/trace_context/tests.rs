use super::*;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

#[test]
fn a_valid_traceparent_names_its_trace() {
    for (value, is_sampled) in [
        (format!("00-{TRACE}-{PARENT}-01"), true),
        (format!("00-{TRACE}-{PARENT}-00"), false),
        // A later version may have more.
        (format!("cc-{TRACE}-{PARENT}-01-what-comes-later"), true),
    ] {
        let read = TraceContext::read(&value).unwrap();
        assert_eq!((read.trace_id.as_str(), read.parent_id.as_str()), (TRACE, PARENT));
        assert_eq!(read.is_sampled, is_sampled, "{value}");
    }
}

#[test]
fn a_bad_traceparent_is_ignored() {
    for value in [
        String::new(),
        "garbage".to_owned(),
        format!("ff-{TRACE}-{PARENT}-01"),
        format!("00-{TRACE}-{PARENT}"),
        format!("00-{TRACE}-{PARENT}-01-more"),
        format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
        format!("00-{}-{PARENT}-01", "0".repeat(32)),
        format!("00-{TRACE}-{}-01", "0".repeat(16)),
        format!("00-{}-{PARENT}-01", &TRACE[1..]),
        format!("00-{TRACE}-{PARENT}-0x"),
    ] {
        assert_eq!(TraceContext::read(&value), None, "{value}");
    }
}
