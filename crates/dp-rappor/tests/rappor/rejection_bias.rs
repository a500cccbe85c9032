//! The bias that dropping heavy reports brings, against the sum over all outputs and against
//! simulation.

use dp_exact::{Interval, Rational};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, rejection_bias};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::support::{rappor, width};

const PRECISION: u32 = 192;

fn sum(terms: impl Iterator<Item = Interval>) -> Interval {
    terms.fold(Interval::integer(0, PRECISION), |sum, term| sum + term)
}

/// P(W ≤ m) and P(Y = 1, W ≤ m) for the lowest bit of `input`, m = `bound`, by all outputs.
fn enumerated(rappor: &SymmetricRappor, length: u32, input: u32, bound: u32) -> [Interval; 2] {
    let sent = |set: u32| {
        let outputs = (0..1_u32 << length)
            .filter(move |output| output.count_ones() <= bound && output & set == set);
        sum(outputs
            .map(|output| rappor.probability((output ^ input).count_ones(), length, PRECISION)))
    };
    [sent(0), sent(1)]
}

/// Whether the enclosures may be of one number, and `found` is narrower than 1e-8.
fn agrees(found: &Interval, expected: &Interval) -> bool {
    let difference = found - expected;
    let width = found.upper().to_f64() - found.lower().to_f64();
    difference.contains(&Rational::zero()) && width < 1e-8
}

/// Calls `check` with every ε₀, length up to 5, weight, lowest bit and bound.
fn for_all(mut check: impl FnMut(&SymmetricRappor, u32, u32, bool, u32)) {
    for epsilon0 in ["1/2", "2"] {
        let rappor = rappor(epsilon0);
        for length in 1..=5_u32 {
            for weight in 0..=length {
                for bound in 0..=length {
                    for bit in [false, true] {
                        if weight >= u32::from(bit) && weight + u32::from(!bit) <= length {
                            check(&rappor, length, weight, bit, bound);
                        }
                    }
                }
            }
        }
    }
}

/// `weight` adjacent true bits; they begin at the lowest bit if `bit`, else at the next.
fn input(weight: u32, bit: bool) -> u32 {
    let ones = (1 << weight) - 1;
    if bit { ones } else { ones << 1 }
}

fn size(number: u32) -> usize {
    usize::try_from(number).expect("small")
}

#[test]
fn every_figure_is_the_sum_over_all_outputs() {
    for_all(|rappor, length, weight, bit, bound| {
        let [length_, weight_, bound_] = [length, weight, bound].map(size);
        let found = rejection_bias(rappor, length_, weight_, bit, bound_).unwrap();
        let [sent, set] = enumerated(rappor, length, input(weight, bit), bound);
        let one = Interval::integer(1, PRECISION);
        let own = Interval::integer(u32::from(bit), PRECISION);
        let p = rappor.flip_probability(PRECISION);
        let reported = set.checked_div(&sent).unwrap();
        let contrast = &one - &(&p + &p);
        let contribution = (&set - &(&p * &sent)).checked_div(&contrast).unwrap();
        // E[((Y − p)/(1 − 2p))² where the report is sent] less the square of the mean.
        let squares = &set * (&one - &p).square() + (&sent - &set) * p.square();
        let square = squares.checked_div(&contrast.square()).unwrap();
        let variance = square - contribution.square();

        let place = format!("d = {length}, w = {weight}, bit = {bit}, m = {bound}");
        assert!(agrees(&found.accepted, &sent), "{place}");
        assert!(agrees(&found.rejected, &(&one - &sent)), "{place}");
        assert!(agrees(&found.reported, &reported), "{place}");
        assert!(agrees(&found.bias, &(contribution - own)), "{place}");
        assert!(agrees(&found.variance, &variance), "{place}");
    });
}

#[test]
fn a_bias_of_the_missing_reports_alone_is_caught() {
    // −P(W > m) for a true bit and 0 for a false one: what one gets if the reports that are sent
    // are taken for unbiased.
    let mut caught = 0;
    for_all(|rappor, length, weight, bit, bound| {
        let [length, weight, bound] = [length, weight, bound].map(size);
        let found = rejection_bias(rappor, length, weight, bit, bound).unwrap();
        let careless = -(&found.rejected * Interval::integer(u32::from(bit), PRECISION));
        // The others may all be true, or none, so every bound below the length is felt.
        assert_eq!(agrees(&found.bias, &careless), bound == length);
        caught += usize::from(bound < length);
    });
    assert!(caught > 100);
}

/// The estimates of all four coordinates over 100 000 clients who hold 0110 or 1000, where reports
/// of more than two bits are dropped, and how far chance may move an estimate.
fn simulated(rappor: &SymmetricRappor) -> ([f64; 4], f64) {
    let mut rng = ChaCha20Rng::seed_from_u64(61);
    let (mut counts, mut sent) = ([0_u64; 4], 0);
    for client in 0..100_000 {
        let mut bits =
            if client % 5 == 0 { [true, false, false, false] } else { [false, true, true, false] };
        rappor.randomize(&mut rng, &mut bits);
        if bits.iter().filter(|bit| **bit).count() <= 2 {
            sent += 1;
            for (count, bit) in counts.iter_mut().zip(bits) {
                *count += u64::from(bit);
            }
        }
    }
    // A client adds one of (1 − p)/(1 − 2p), −p/(1 − 2p) and 0: by Hoeffding's inequality.
    let p = rappor.flip_probability(64).midpoint();
    let stray = (100_000.0 * 8e9_f64.ln() / 2.0).sqrt() / (1.0 - 2.0 * p);
    (counts.map(|count| rappor.debias(count, sent)), stray)
}

#[test]
fn simulated_estimates_are_biased_as_predicted() {
    let rappor = rappor("1");
    let (estimates, stray) = simulated(&rappor);
    let contribution = |weight, bit| {
        let bias = rejection_bias(&rappor, 4, weight, bit, 2).unwrap();
        bias.bias.midpoint() + f64::from(u8::from(bit))
    };
    let expected =
        [(true, false), (false, true), (false, true), (false, false)].map(|(of_one, of_two)| {
            20_000.0 * contribution(1, of_one) + 80_000.0 * contribution(2, of_two)
        });
    for (estimate, expected) in estimates.into_iter().zip(expected) {
        assert!((estimate - expected).abs() < stray, "{estimate}, {expected}, {stray}");
    }
}

#[test]
fn taking_the_reports_that_are_sent_for_all_reports_is_caught() {
    let (estimates, stray) = simulated(&rappor("1"));
    let truth = [20_000.0, 80_000.0, 80_000.0, 0.0];
    for (estimate, truth) in estimates.into_iter().zip(truth) {
        assert!(truth - estimate > stray, "{estimate}, {truth}, {stray}");
    }
}

#[test]
fn extreme_parameters_are_answered() {
    for (epsilon0, length, weight, bound) in [
        ("1e-6", 1, 1, 0),
        ("1e-6", 1000, 3, 600),
        ("100", 10, 2, 2),
        ("100", 10, 2, 1),
        ("1000", 3, 1, 1),
        ("5", MAX_LENGTH, 1, 7500),
        ("1", MAX_LENGTH, MAX_LENGTH, MAX_LENGTH - 1),
        ("1", 10, 1, usize::MAX),
    ] {
        let bias = rejection_bias(&rappor(epsilon0), length, weight, true, bound).unwrap();
        assert!(bias.bias.midpoint() <= 0.0, "{epsilon0}");
        assert!(bias.variance.midpoint() >= 0.0, "{epsilon0}");
        assert!((0.0..=1.0).contains(&bias.reported.midpoint()));
    }
}

#[test]
fn almost_all_reports_dropped_is_answered_too() {
    // Of 50 true bits at most 10 survive with probability near p^40, about e^(−40).
    let bias = rejection_bias(&rappor("1"), 50, 50, true, 10).unwrap();
    assert!(bias.accepted.is_positive());
    // Given 10 or fewer of 50 equals, each is set with at most 1/5.
    let reported = bias.reported.midpoint();
    assert!(reported > 0.19 && reported <= 0.2, "{reported}");
}

#[test]
fn weights_that_contradict_the_bit_or_drop_every_report_are_refused_by_name() {
    let refusal = |weight, bit| {
        let refused = rejection_bias(&rappor("1"), 5, weight, bit, 3);
        refused.expect_err("a contradiction").to_string()
    };
    assert_eq!(refusal(0, true), "input_weight is 0: expected at least 1, as the bit is true");
    let expected = "input_weight is 5: expected below the length, as the bit is false";
    assert_eq!(refusal(5, false), expected);
    assert_eq!(refusal(6, true), "input_weight is 6: expected at most the length 5");
    let refused = rejection_bias(&rappor("5"), 1_000_000, 1, false, 1000).unwrap_err();
    let expected = "max_weight is 1000: expected a weight that some reports do not exceed: of \
        1000000 bits 6694 are true on average";
    assert_eq!(refused.to_string(), expected);
}

/// Nine digits of every figure above 2^−4096, on either side of the mode and far from it.
#[test]
fn a_bias_of_less_than_any_tail_that_is_looked_at_first_has_nine_digits() {
    for (epsilon0, length, weight, bound) in
        [("3", 1000, 1, 500), ("1", 200, 1, 195), ("2", 300, 150, 20), ("1/2", 800, 400, 700)]
    {
        for bit in [false, true] {
            let bias = rejection_bias(&rappor(epsilon0), length, weight, bit, bound).unwrap();
            let bias = &bias.bias;
            let size = (-bias).shifted(-29).lower().clone();
            assert!(width(bias) <= size, "{epsilon0} {length} {weight} {bound}: {bias}");
        }
    }
}
