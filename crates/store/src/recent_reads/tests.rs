use super::*;

#[test]
fn a_value_is_used_until_its_time_is_over() {
    let reads = RecentReads::new(10, Duration::from_secs(3_600));
    assert_eq!(reads.get("a"), None);
    reads.keep("a", 1);
    assert_eq!((reads.get("a"), reads.get("b")), (Some(1), None));
    reads.keep("a", 2);
    assert_eq!(reads.clone().get("a"), Some(2));
    let over = RecentReads::new(10, Duration::ZERO);
    over.keep("a", 1);
    assert_eq!(over.get("a"), None);
}

#[test]
fn a_full_cache_has_few_more_values_than_allowed() {
    let reads = RecentReads::new(100, Duration::from_secs(3_600));
    for id in 0..1_000 {
        reads.keep(&id.to_string(), id);
    }
    let kept = (0..1_000)
        .filter(|id| reads.get(&id.to_string()).is_some())
        .count();
    assert!((1..=200).contains(&kept), "{kept}");
}
