//! The local guarantee, by enumeration of all inputs and outputs of up to four bits.

use crate::support::{exponential, largest_ratio, rappor, same};
use dp_exact::{Interval, Rational};
use dp_rappor::SymmetricRappor;

const PRECISION: u32 = 128;

/// P(output | input) from input and output, vectors of `length` bits that are written as numbers.
fn likelihood(rappor: &SymmetricRappor, length: u32) -> impl Fn(u32, u32) -> Interval {
    move |input, output| rappor.probability((output ^ input).count_ones(), length, PRECISION)
}

#[test]
fn no_output_tells_two_inputs_apart_by_more_than_epsilon0_a_bit_and_one_attains_it() {
    for epsilon0 in ["1/1000", "1/3", "1", "5/2", "12"] {
        let rappor = rappor(epsilon0);
        for length in 1..=4 {
            let likelihood = likelihood(&rappor, length);
            let sum = (0..1 << length)
                .map(|output| likelihood(0, output))
                .fold(Interval::integer(0, PRECISION), |sum, term| sum + term);
            assert!(same(&sum, &Interval::integer(1, PRECISION)), "{sum}");
            for (one, other) in
                (0..1_u32 << length).flat_map(|one| (0..1 << length).map(move |other| (one, other)))
            {
                let differing = u64::from((one ^ other).count_ones());
                let allowed = exponential(&rappor.local_epsilon(differing), PRECISION);
                let worst = largest_ratio([one, other], 0..1 << length, &likelihood);
                assert!(same(&worst, &allowed), "{epsilon0}: {one:b}, {other:b}");
            }
        }
    }
}

#[test]
fn taking_epsilon0_for_the_loss_of_a_whole_one_hot_vector_breaks_the_inequality() {
    // Flips with 1/(e^5 + 1), claimed to be the flips of basic RAPPOR with ε = 5 (ε₀ = 5/2).
    let careless = rappor("5");
    let allowed = exponential(&rappor("5/2").local_epsilon(2), PRECISION);
    let worst = largest_ratio([0b01, 0b10], 0..4, likelihood(&careless, 2));
    assert!(worst.lower() > allowed.upper());
}

#[test]
fn the_loss_is_exact_for_any_number_of_bits() {
    assert_eq!(rappor("1/3").local_epsilon(2).to_string(), "2/3");
    assert_eq!(rappor("1/3").local_epsilon(0), Rational::zero());
    let most = rappor("0.5").local_epsilon(u64::MAX);
    assert_eq!(most.to_string(), "9223372036854775807.5");
}

#[test]
fn an_output_with_more_flips_than_bits_is_impossible() {
    let impossible = rappor("1").probability(3, 2, PRECISION);
    assert!(impossible.contains(&Rational::zero()) && !impossible.is_positive());
}
