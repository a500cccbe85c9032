//! Randomizers of a yes or no have the distribution that they state.

use crate::support::rappor;
use dp_exact::Rational;
use dp_rappor::CoinFlip;
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

/// A uniform U decides, 0 for the word 0 and almost 1 for the largest: a bit flips if U < p. The
/// unit tests count the words.
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
