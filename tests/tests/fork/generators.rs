//! Generators of noise: a new one in each process, or the noise is the same.

use std::cell::RefCell;

use dp_samplers::{CryptoRng, Seed, os_rng};
use dp_tests::fork::{alone, two};

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

/// As their documentation warns. That it is seen here shows that the forks are real.
#[test]
fn what_is_held_across_a_fork_repeats() {
    let _alone = alone();
    for rng in held() {
        let [one, other] = two(|| drawn(&mut *rng.borrow_mut()));
        assert_eq!(one, other);
    }
}

fn held() -> [Box<RefCell<dyn CryptoRng>>; 2] {
    [
        Box::new(RefCell::new(os_rng().expect("a seed"))),
        Box::new(RefCell::new(Seed::from_os().expect("a seed").rng())),
    ]
}
