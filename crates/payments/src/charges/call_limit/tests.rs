use super::*;

#[test]
fn each_subject_has_its_calls_in_each_window() {
    let limit = CallLimit::new(2, 3_000);
    assert!(limit.allows("att_1", 0) && limit.allows("att_1", 1));
    assert!(!limit.allows("att_1", 2_999));
    assert!(limit.allows("att_2", 1));
    assert!(limit.allows("att_1", 3_000) && limit.allows("att_1", 3_001));
    limit.remove_old_entries(3_002);
    assert!(!limit.allows("att_1", 3_003));
    assert_eq!(limit.windows.lock().unwrap().len(), 1);
}

#[test]
fn a_clock_that_is_set_back_closes_no_subject_for_long() {
    let limit = CallLimit::new(1, 3_000);
    assert!(limit.allows("att_1", 100_000));
    assert!(limit.allows("att_1", 50_000));
    assert!(!limit.allows("att_1", 50_001));
}
