use super::*;

#[test]
fn connections_leave_descriptors_for_everything_else() {
    let of = |descriptors, total, per_address| {
        let limits = ConnectionLimits::within(descriptors, total, per_address);
        (limits.total, limits.per_address)
    };
    assert_eq!(of(256, None, None), (96, 24));
    assert_eq!(of(256, Some(5_000), Some(5_000)), (96, 96));
    assert_eq!(of(u64::MAX, None, None), (DEFAULT_MAX, DEFAULT_MAX / 4));
    assert_eq!(of(u64::MAX, Some(500), Some(20)), (500, 20));
    assert_eq!(of(10, None, None), (1, 1));
}

#[test]
fn the_limit_of_descriptors_is_raised_to_the_allowed_number() {
    let raised = raise_descriptor_limit();
    let now = getrlimit(Resource::Nofile);
    assert_eq!(now.current, now.maximum);
    assert_eq!(raised, now.current.unwrap_or(u64::MAX));
}
