//! Randomizers of a yes or no have the distribution that they state, and their estimates are
//! unbiased, with the noise that they state.

use crate::support::rappor;
use dp_exact::Rational;
use dp_rappor::{CoinFlip, Estimate};
use dp_samplers::scripted_rng::ScriptedRng;

#[test]
fn all_pairs_of_coins_give_the_coin_flip_survey_exactly() {
    for answer in [false, true] {
        let mut agreeing = 0;
        for word in 0..1_u64 << 10 {
            let mut script = ScriptedRng::new(vec![word]);
            agreeing += u32::from(CoinFlip.randomize(&mut script, answer) == answer);
            assert_eq!(script.left(), 0);
            // The other 62 bits have no say.
            let mut same_coins = ScriptedRng::new(vec![word | u64::MAX << 2]);
            let mut first_coins = ScriptedRng::new(vec![word & 3 | u64::MAX << 2]);
            assert_eq!(
                CoinFlip.randomize(&mut same_coins, answer),
                CoinFlip.randomize(&mut first_coins, answer)
            );
        }
        let agrees = Rational::new(agreeing, 1 << 10).unwrap();
        let other = Rational::one() - &agrees;
        assert_eq!(agrees.checked_div(&other).unwrap(), Rational::integer(CoinFlip::RATIO));
    }
}

/// A uniform U decides, 0 for the word 0 and almost 1 for the largest: a bit flips if U < p. The unit
/// tests count the words.
#[test]
fn a_bit_is_flipped_by_small_words_and_kept_by_large_ones() {
    for epsilon in ["1e-6", "1/2", "5"] {
        for bit in [false, true] {
            let [least, most] = [0, u64::MAX].map(|word| {
                let mut script = ScriptedRng::new(vec![word; 8]);
                rappor(epsilon).randomize_bit(&mut script, bit)
            });
            assert_eq!((least, most), (!bit, bit));
        }
    }
}

/// Mean and standard deviation of the estimate over five clients, by all 32 outcomes. `yes` of them
/// hold a yes; each reports the truth with probability `truthful`.
fn moments_over_five(truthful: f64, yes: u32, estimate: impl Fn(u32) -> Estimate) -> [f64; 2] {
    let holding = (1_u32 << yes) - 1;
    let outcomes: Vec<(f64, f64)> = (0..32_u32)
        .map(|reported| {
            let lies = (reported ^ holding).count_ones();
            let power = |base: f64, times: u32| (0..times).fold(1.0, |product, _| product * base);
            let probability = power(1.0 - truthful, lies) * power(truthful, 5 - lies);
            (probability, estimate(reported.count_ones()).value)
        })
        .collect();
    let mean: f64 = outcomes.iter().map(|(p, value)| p * value).sum();
    let squares = outcomes.iter().map(|(p, value)| p * (value - mean).powi(2));
    [mean, squares.sum::<f64>().sqrt()]
}

#[test]
fn estimates_are_unbiased_with_the_error_that_they_state() {
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9 * (1.0 + other.abs());
    for yes in 0..=5 {
        let check = |truthful: f64, estimate: &dyn Fn(u32) -> Estimate| {
            let [mean, deviation] = moments_over_five(truthful, yes, estimate);
            assert!(close(mean, f64::from(yes)), "{mean}");
            assert!(close(deviation, estimate(0).standard_error), "{deviation}");
        };
        check(0.75, &|count| CoinFlip.estimate(count, 5));
        for epsilon in ["1/10", "1", "4"] {
            let response = rappor(epsilon);
            let truthful = response.probability(0, 1, 64).midpoint();
            check(truthful, &|count| response.estimate(count, 5));
        }
    }
}

#[test]
fn debiasing_with_the_parameter_of_basic_rappor_is_caught() {
    for (flipped_at, debiased_at) in [("1/2", "1"), ("1", "2"), ("2", "1"), ("5/2", "5")] {
        let truthful = rappor(flipped_at).probability(0, 1, 64).midpoint();
        let estimate = |count| rappor(debiased_at).estimate(count, 5);
        let [mean, _] = moments_over_five(truthful, 1, estimate);
        assert!((mean - 1.0).abs() > 0.1, "{flipped_at}: {mean}");
    }
}

#[test]
fn extreme_parameters_give_figures() {
    for (epsilon, standard_error) in [("1e-6", 1e7), ("100", 0.0), ("1000", 0.0)] {
        let estimate = rappor(epsilon).estimate(40, 100);
        assert!((estimate.standard_error - standard_error).abs() <= 1e-6 * standard_error + 1e-15);
        assert!(estimate.value.is_finite());
    }
    for estimate in [rappor("1").estimate(0, 0), CoinFlip.estimate(0, 0)] {
        assert_eq!([estimate.value, estimate.standard_error], [0.0; 2]);
    }
    let vast = CoinFlip.estimate(u64::MAX, u64::MAX);
    assert!((vast.value / 2f64.powi(64) - 1.5).abs() < 1e-15);
}
