//! Bernoulli(p) and Bernoulli(e^−γ) for rational parameters.

use dp_exact::{Interval, Rational};
use dp_samplers::{Bernoulli, BernoulliExp};
use num_bigint::BigInt;

use crate::chi_square::{FALSE_ALARM, p_value_of_coin, rng};
use crate::distributions::{power_of_two, rational};

/// A fraction near 0.37 with a denominator of a thousand bits.
fn long_fraction() -> Rational {
    let denominator = (BigInt::from(1) << 1000) + 297;
    Rational::new(&denominator * 37 / 100, denominator).expect("not zero")
}

#[test]
fn bernoulli_is_true_with_its_probability() {
    let short = ["1/2", "1/3", "2/3", "0.005", "0.995", "255/256", "5/17", "123456789/987654321"];
    let parameters = short.map(rational).into_iter().chain([long_fraction()]);
    for (seed, probability) in (100..).zip(parameters) {
        let coin = Bernoulli::new(&probability).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value_of_coin(probability.to_f64(), || coin.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{probability}: {p_value}");
    }
}

#[test]
fn bernoulli_exp_is_true_with_probability_e_to_the_minus_gamma() {
    let short = ["0.01", "2/5", "0.693", "1", "1.0000001", "3/2", "2", "10/3", "5.5"];
    let parameters = short.map(rational).into_iter().chain([long_fraction()]);
    for (seed, gamma) in (200..).zip(parameters) {
        let coin = BernoulliExp::new(&gamma).unwrap();
        let probability = Interval::rational(&-&gamma, 96).exp().unwrap().midpoint();
        let mut rng = rng(seed);
        let p_value = p_value_of_coin(probability, || coin.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{gamma}: {p_value}");
    }
}

#[test]
fn certain_coins_are_certain() {
    let mut rng = rng(1);
    for (probability, certain) in [(Rational::zero(), false), (Rational::one(), true)] {
        let coin = Bernoulli::new(&probability).unwrap();
        assert!((0..500).all(|_| coin.sample(&mut rng) == certain));
    }
    let coin = BernoulliExp::new(&Rational::zero()).unwrap();
    assert!((0..500).all(|_| coin.sample(&mut rng)));
}

#[test]
fn an_astronomic_gamma_is_false_at_once() {
    let mut rng = rng(2);
    for gamma in [power_of_two(64), power_of_two(4000), power_of_two(4000) - power_of_two(-90)] {
        let coin = BernoulliExp::new(&gamma).unwrap();
        // e^(−2^64) is not met by chance.
        assert!((0..200).all(|_| !coin.sample(&mut rng)));
    }
}

#[test]
fn a_tiny_gamma_is_true() {
    let mut rng = rng(3);
    let coin = BernoulliExp::new(&power_of_two(-4000)).unwrap();
    assert!((0..200).all(|_| coin.sample(&mut rng)));
}
