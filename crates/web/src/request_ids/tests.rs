use super::*;

#[test]
fn a_trace_id_that_looks_like_a_card_number_is_not_logged_but_keeps_its_trace() {
    for (id, logged) in [
        ("4bf92f3577b34da6a3ce929d0e0e4736", true),
        ("4242424242424242aaaaaaaaaaaaaaaa", false),
    ] {
        let ids = RequestIds::new(Some(TraceOfRequest {
            id: id.to_owned(),
            is_sampled: true,
        }));
        assert_eq!(ids.trace_id(), logged.then_some(id));
        assert_eq!(ids.trace().unwrap().id, id);
    }
}
