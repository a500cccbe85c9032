//! The timing test sees a leak that is there, and none where there is none.

use std::cell::Cell;
use std::hint::black_box;

use dp_measure::timing::{DRAWS, Outcomes, THRESHOLD, Tape, Verdict, measure, measure_by};
use rand_core::Rng;

/// Magnitudes from 0 to 15.
fn draw(tape: &mut Tape) -> u64 {
    tape.next_u64() & 15
}

/// Steps of a measurement that depend on the word of each draw but not on its magnitude.
fn steps_apart_from_the_magnitude(word: u64) -> u32 {
    1000 + u32::try_from(word >> 60).expect("four bits")
}

/// The verdict on draws whose work `steps` counts, from their words.
fn verdict(steps: impl Fn(u64) -> u32) -> Verdict {
    let counted = Cell::new(0);
    let timed = |tape: &mut Tape| {
        for _ in 0..DRAWS {
            counted.set(counted.get() + steps(tape.next_u64()));
        }
    };
    let mut subject = Outcomes::new(draw, timed).expect("sixteen magnitudes");
    let cost = |run: &mut dyn FnMut()| {
        run();
        counted.take()
    };
    measure_by(&mut subject, 20_000, 1, cost).expect("the same words")
}

#[test]
fn a_sampler_that_works_longer_for_large_outcomes_is_caught() {
    let verdict = verdict(|word| {
        let magnitude = u32::try_from(word & 15).expect("four bits");
        steps_apart_from_the_magnitude(word) + magnitude
    });
    assert!(verdict.t > 50.0, "{verdict:?}");
    // Above the median the magnitude is 8 more on average, in each of 16 draws. What is cropped,
    // one in twenty, is of the slower class.
    assert!(
        (100.0..128.0).contains(&verdict.difference_ns),
        "{verdict:?}"
    );
    assert!(verdict.null_t < THRESHOLD, "{verdict:?}");
}

#[test]
fn a_sampler_that_works_alike_for_all_outcomes_is_not_accused() {
    let verdict = verdict(steps_apart_from_the_magnitude);
    assert!(verdict.samples >= 20_000);
    assert!(
        verdict.t < THRESHOLD && verdict.null_t < THRESHOLD,
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
        for _ in 0..=DRAWS {
            black_box(draw(tape));
        }
    };
    let mut subject = Outcomes::new(draw, greedy).expect("sixteen magnitudes");
    assert!(measure(&mut subject, 1000, 1).is_err());
}
