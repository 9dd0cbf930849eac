use super::*;

#[test]
fn a_load_takes_processor_time_until_it_is_dropped() {
    let load = ProcessorLoad::start(1.0);
    let before = processor_seconds(std::process::id()).unwrap();
    while processor_seconds(std::process::id()).unwrap() < before + 0.05 {
        // Without taking processor time itself.
        std::thread::park_timeout(LOAD_TURN);
    }
    drop(load);
}

#[test]
fn work_of_this_process_is_counted() {
    let before = processor_seconds(std::process::id()).unwrap();
    let mut sum = 0_u64;
    while processor_seconds(std::process::id()).unwrap() < before + 0.05 {
        sum = (0..100_000_u64).fold(sum, u64::wrapping_add);
    }
    assert!(sum > 0);
}
