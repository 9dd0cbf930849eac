use super::*;

#[test]
fn the_same_seed_makes_the_same_choices() {
    let choices = |seed| {
        let mut chance = Random::new(seed);
        [(); 8].map(|()| chance.between(3, 9))
    };
    assert_eq!(choices(1), choices(1));
    assert_ne!(choices(1), choices(2));
    assert!(choices(7).iter().all(|number| (3..9).contains(number)));
}
