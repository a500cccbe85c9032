//! Unary encoding: the loss by enumeration, the distribution of draws, and the best pair.

use dp_exact::{Interval, Rational};
use dp_rappor::UnaryEncoding;
use dp_samplers::scripted_rng::ScriptedRng;

use crate::support::{exponential, rappor, rational, unary};

/// Pairs of deployments, the best one at ε = 2, and others.
const PAIRS: [(&str, &str); 5] = [
    ("0.75", "0.05"),
    ("0.6875", "0.5625"),
    ("1/2", "0.119202922023"),
    ("0.999", "0.998"),
    ("1/1000000", "1e-9"),
];

/// The probability that `output` is reported for `input`, both of three bits.
fn probability(bits: &UnaryEncoding, input: u32, output: u32) -> Rational {
    (0..3).fold(Rational::one(), |product, place| {
        let one = if input >> place & 1 == 1 { bits.p() } else { bits.q() };
        let zero = Rational::one() - one;
        product * if output >> place & 1 == 1 { one } else { &zero }
    })
}

#[test]
fn no_output_tells_two_vectors_apart_by_more_than_the_ratio_and_one_attains_it() {
    for (p, q) in PAIRS {
        let bits = unary(p, q);
        for (one, other) in (0..8_u32).flat_map(|one| (0..8).map(move |other| (one, other))) {
            let ratio = |output| {
                let [one, other] = [one, other].map(|input| probability(&bits, input, output));
                one.checked_div(&other).expect("every output is possible")
            };
            let largest = (0..8).map(ratio).max().expect("an output");
            let (removed, added) = ((one & !other).count_ones(), (other & !one).count_ones());
            assert_eq!(
                largest,
                bits.likelihood_ratio(removed, added),
                "{p} {q}: {one:b} {other:b}"
            );
        }
    }
}

/// With p and q in sixteenths, the first four binary digits of two words decide.
#[test]
fn one_word_reports_a_set_bit_and_the_other_one_a_bit_that_is_not() {
    for (p, q) in [(12, 4), (8, 1), (15, 14)] {
        let [of_set, of_unset] = [p, q].map(|p| Rational::new(p, 16).unwrap());
        let bits = UnaryEncoding::new(of_set, of_unset).unwrap();
        for (bit, expected) in [(true, p), (false, q)] {
            let words = || (0..16_u64).map(|digits| digits << 60 | 0x123);
            let ones = words().flat_map(|first| words().map(move |second| [first, second]));
            let ones = ones.filter(|words| {
                let mut script = ScriptedRng::new(words.to_vec());
                let mut report = [bit];
                bits.randomize(&mut script, &mut report);
                assert_eq!(script.left(), 0);
                report[0]
            });
            assert_eq!(i64::try_from(ones.count()).unwrap(), 16 * expected, "{p} {q} {bit}");
        }
    }
}

/// Two steps are the channel of both, and no looser than either of them.
#[test]
fn the_second_step_sees_the_first_one_alone() {
    let [permanent, second] = [unary("3/4", "1/4"), unary("3/4", "1/2")];
    let both = permanent.then(&second).unwrap();
    for (bit, expected) in [(permanent.p(), both.p()), (permanent.q(), both.q())] {
        let sum = bit * second.p() + &((Rational::one() - bit) * second.q().clone());
        assert_eq!(&sum, expected);
    }
    // Erlingsson, Pihur, Korolova: h = 2, f = 1/2, p = 1/2, q = 3/4 have ε₁ = 1.07, ε∞ = 4 ln 3.
    let loss = |bits: &UnaryEncoding| bits.likelihood_ratio(2, 2).to_f64().ln();
    assert!((loss(&both) - 1.0743).abs() < 1e-4, "{}", loss(&both));
    assert!((loss(&permanent) - 4.0 * 3_f64.ln()).abs() < 1e-12);
    assert!(loss(&both) < loss(&second));
}

/// The sum of the variances over `buckets` buckets, of which one client holds one, by one report.
fn variance(bits: &UnaryEncoding, buckets: u32) -> f64 {
    let of = |holding| bits.standard_deviation(holding, 1).powi(2);
    of(1) + f64::from(buckets - 1) * of(0)
}

#[test]
fn the_best_pair_keeps_epsilon_and_no_other_pair_has_less_error() {
    for epsilon in ["1e-6", "1/10", "1", "2", "7", "30"] {
        for buckets in [Some(2), Some(3), Some(40), Some(1_000_000), None] {
            let epsilon: dp_exact::Epsilon = epsilon.parse().unwrap();
            let best = UnaryEncoding::optimized(&epsilon, buckets.map(u64::from)).unwrap();
            let attained = Interval::rational(&best.likelihood_ratio(1, 1), 192);
            let allowed = exponential(epsilon.value(), 192);
            assert!(attained.upper() <= allowed.lower(), "{epsilon} {buckets:?}");
            let nearly = exponential(&(epsilon.value() * &rational("0.99999")), 192);
            assert!(attained.lower() > nearly.upper(), "{epsilon} {buckets:?}");
            let Some(buckets) = buckets else {
                assert_eq!(best.p(), &rational("1/2"));
                continue;
            };
            // Pairs of nearly the same loss on both sides: a hundredth more or less for the odds.
            let least = variance(&best, buckets) * (1.0 - 1e-4);
            let odds = best.q().to_f64() / (1.0 - best.q().to_f64());
            let ratio = best.likelihood_ratio(1, 1).to_f64();
            for odds in [0.5, 0.99, 1.01, 2.0].map(|change| change * odds) {
                let pair = [ratio * odds, odds].map(|odds| odds / (1.0 + odds));
                let [p, q] = pair.map(|p| Rational::from_f64(p).unwrap());
                let other = UnaryEncoding::new(p, q).unwrap();
                assert!(variance(&other, buckets) >= least, "{epsilon} {buckets}");
            }
        }
    }
}

/// Optimized unary encoding has 10 % less error than symmetric RAPPOR at 40 buckets and ε = 2,
/// which is the best for two.
#[test]
fn the_best_pair_beside_symmetric_rappor() {
    let symmetric = rappor("1").standard_deviation(1).powi(2);
    for (buckets, best_of, expected) in
        [(40, None, 0.902), (40, Some(40), 0.901), (2, Some(2), 1.0)]
    {
        let best = UnaryEncoding::optimized(&"2".parse().unwrap(), best_of).unwrap();
        let ratio = (variance(&best, buckets) / (f64::from(buckets) * symmetric)).sqrt();
        assert!((ratio - expected).abs() < 1e-3, "{buckets} {best_of:?}: {ratio}");
    }
}

#[test]
fn a_parameter_out_of_range_is_named_with_its_value_and_range() {
    for (p, q, expected) in [
        ("1", "1/2", "p is 1: expected a number above 0 and below 1"),
        (
            "1/2",
            "1/2",
            "q is 0.5: expected a number above 0 and below the probability of a set bit",
        ),
        ("1/2", "0", "q is 0: expected a number above 0 and below"),
    ] {
        let said = UnaryEncoding::new(rational(p), rational(q)).unwrap_err().to_string();
        assert!(said.starts_with(expected), "{said}");
    }
    let optimized =
        |epsilon: &str, buckets| UnaryEncoding::optimized(&epsilon.parse().unwrap(), buckets);
    assert!(optimized("1", Some(1)).unwrap_err().to_string().starts_with("buckets is 1"));
    // Twelve digits do not tell p from q.
    assert!(optimized("1e-13", None).is_err());
}
