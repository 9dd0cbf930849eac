use super::*;

#[test]
fn every_experiment_can_be_switched_by_its_name() {
    let mut features = Features::default();
    for name in Features::NAMES {
        features.set(name, true);
    }
    assert_eq!(features, Features::SHIPPED);
    let on = serde_json::to_value(features).unwrap();
    assert!(Features::NAMES.iter().all(|name| on[name] == true));
}
