//! The timing test sees a leak that is there, and none where there is none.

use std::hint::black_box;

use dp_measure::timing::{Outcomes, Tape, measure};
use rand_core::Rng;

/// Magnitudes from 0 to 15.
fn draw(tape: &mut Tape) -> u64 {
    tape.next_u64() & 15
}

/// Work that the compiler does not remove.
fn spin(steps: u64) {
    for step in 0..steps {
        black_box(step);
    }
}

#[test]
fn a_sampler_that_works_longer_for_large_outcomes_is_caught() {
    let leaky = |tape: &mut Tape| {
        for _ in 0..dp_measure::timing::DRAWS {
            let magnitude = draw(tape);
            spin(20 * magnitude);
        }
    };
    let mut subject = Outcomes::new(draw, leaky).expect("sixteen magnitudes");
    let verdict = measure(&mut subject, 20_000, 1).expect("the same words");
    assert!(verdict.t > SEEN_AT_ONCE, "{verdict:?}");
    assert!(verdict.difference_ns > 0.0, "large outcomes take longer");
    assert!(verdict.null_t < SEEN_AT_ONCE, "{verdict:?}");
}

/// The planted leak gives a |t| of hundreds; even work on a disturbed machine stays far below this.
const SEEN_AT_ONCE: f64 = 50.0;

#[test]
fn a_sampler_that_works_alike_for_all_outcomes_is_not_accused() {
    let even = |tape: &mut Tape| {
        for _ in 0..dp_measure::timing::DRAWS {
            black_box(draw(tape));
        }
    };
    let mut subject = Outcomes::new(draw, even).expect("sixteen magnitudes");
    let verdict = measure(&mut subject, 20_000, 1).expect("the same words");
    assert!(verdict.samples >= 20_000);
    assert!(
        verdict.t < SEEN_AT_ONCE && verdict.null_t < SEEN_AT_ONCE,
        "{verdict:?}"
    );
}

#[test]
fn draws_of_one_magnitude_have_no_classes() {
    let constant = |tape: &mut Tape| {
        tape.next_u64();
        7
    };
    assert!(Outcomes::new(constant, |_: &mut Tape| ()).is_err());
}

#[test]
fn a_subject_that_does_not_repeat_its_draws_is_refused() {
    let greedy = |tape: &mut Tape| {
        for _ in 0..=dp_measure::timing::DRAWS {
            black_box(draw(tape));
        }
    };
    let mut subject = Outcomes::new(draw, greedy).expect("sixteen magnitudes");
    assert!(measure(&mut subject, 1000, 1).is_err());
}
