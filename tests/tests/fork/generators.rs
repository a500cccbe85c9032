//! Random generators of noise across a fork: made after it they differ, held across it they repeat.

use std::cell::RefCell;

use dp_samplers::{CryptoRng, Seed, os_rng};
use dp_tests::fork::{alone, two};

/// 32 random bytes.
fn drawn(rng: &mut dyn CryptoRng) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    rng.fill_bytes(&mut bytes);
    bytes
}

#[test]
fn what_is_seeded_after_a_fork_differs() {
    let _alone = alone();
    let mut before = os_rng().unwrap();
    drawn(&mut before);
    let [one, other] = two(|| drawn(&mut os_rng().unwrap()));
    assert_ne!(one, other);
    let [one, other] = two(|| drawn(&mut Seed::from_os().unwrap().rng()));
    assert_ne!(one, other);
}

/// The documentation of the generators warns of this. The test also shows that the forks are real.
#[test]
fn what_is_held_across_a_fork_repeats() {
    let _alone = alone();
    // Generators that exist before the fork.
    let held: [Box<RefCell<dyn CryptoRng>>; 2] = [
        Box::new(RefCell::new(os_rng().expect("a seed"))),
        Box::new(RefCell::new(Seed::from_os().expect("a seed").rng())),
    ];
    for rng in held {
        let [one, other] = two(|| drawn(&mut *rng.borrow_mut()));
        assert_eq!(one, other);
    }
}
