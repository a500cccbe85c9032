//! The weight bound against an oracle, brute force and the statement of its distribution.

use dp_exact::{Dyadic, Interval, Rational};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, WeightDistribution, rejection_rate, weight_bound};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::support::{rappor, width};

fn rational(text: &str) -> Rational {
    text.parse().expect("a valid number")
}

/// A row of the oracle `multihot_m.csv`: bounds and tail probabilities of the weight, to seven
/// digits.
struct Row {
    length: usize,
    rappor: SymmetricRappor,
    rate: Rational,
    draft_bound: usize,
    exact_bound: usize,
    draft_rate: f64,
    exact_rate_at_draft_bound: f64,
    exact_rate: f64,
    draft_rate_one_below: f64,
}

fn oracle() -> Vec<Row> {
    let rows: Vec<Row> = include_str!("../data/multihot_m.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let count = |index: usize| cells[index].parse().expect("a count");
            let figure = |index: usize| cells[index].parse().expect("a figure");
            Row {
                length: count(0),
                rappor: rappor(cells[1]),
                rate: rational(cells[2]),
                draft_bound: count(3),
                exact_bound: count(6),
                draft_rate: figure(7),
                exact_rate_at_draft_bound: figure(8),
                exact_rate: figure(9),
                draft_rate_one_below: figure(10),
            }
        })
        .collect();
    assert_eq!(rows.len(), 100);
    rows
}

/// Whether the midpoint of the enclosure agrees with `figure` to 1e-6 of it.
fn agrees(enclosure: &Interval, figure: f64) -> bool {
    (enclosure.midpoint() - figure).abs() <= 1e-6 * figure
}

#[test]
fn bounds_and_rates_of_every_row_of_the_oracle_are_met_under_both_distributions() {
    for row in oracle() {
        let bound = |distribution| {
            weight_bound(&row.rappor, row.length, 1, &row.rate, distribution).unwrap()
        };
        let (exact, draft) = (bound(WeightDistribution::Exact), bound(WeightDistribution::Draft));
        let place = format!("d = {}, {}, {}", row.length, row.rappor.epsilon0(), row.rate);
        assert_eq!(exact.bound(), row.exact_bound, "{place}");
        assert_eq!(draft.bound(), row.draft_bound, "{place}");
        assert!(agrees(exact.rate(), row.exact_rate), "{place}: {}", exact.rate());
        assert!(agrees(draft.rate(), row.draft_rate), "{place}: {}", draft.rate());
        let rate = |bound, distribution| {
            rejection_rate(&row.rappor, row.length, 1, bound, distribution).unwrap()
        };
        assert!(agrees(
            &rate(row.draft_bound, WeightDistribution::Exact),
            row.exact_rate_at_draft_bound
        ));
        assert!(agrees(
            &rate(row.draft_bound - 1, WeightDistribution::Draft),
            row.draft_rate_one_below
        ));
    }
}

/// P(W > `bound`) for `input`, by adding up the probabilities of all 2^`length` outputs.
fn brute_force(rappor: &SymmetricRappor, length: u32, input: u32, bound: u32) -> Interval {
    (0..1_u32 << length)
        .filter(|output| output.count_ones() > bound)
        .map(|output| rappor.probability((output ^ input).count_ones(), length, 128))
        .fold(Interval::integer(0, 128), |sum, one| sum + one)
}

fn overlap(one: &Interval, other: &Interval) -> bool {
    one.lower() <= other.upper() && other.lower() <= one.upper()
}

#[test]
fn rejection_rates_are_the_sums_over_all_outputs() {
    for epsilon0 in ["1/10", "1", "4"] {
        let rappor = rappor(epsilon0);
        for length in 1..=6_u32 {
            for weight in 0..=length {
                for bound in 0..=length {
                    let expected = brute_force(&rappor, length, (1 << weight) - 1, bound);
                    let [d, w, m] =
                        [length, weight, bound].map(|number| usize::try_from(number).unwrap());
                    let rate = rejection_rate(&rappor, d, w, m, WeightDistribution::Exact).unwrap();
                    assert!(overlap(&rate, &expected), "{epsilon0} {d} {w} {m}");
                }
            }
        }
    }
}

#[test]
fn a_heavier_input_exceeds_every_bound_more_often() {
    for distribution in [WeightDistribution::Exact, WeightDistribution::Draft] {
        for epsilon0 in ["1/10", "1", "4"] {
            let rappor = rappor(epsilon0);
            for bound in 0..12 {
                for weight in 0..12 {
                    let lighter = rejection_rate(&rappor, 12, weight, bound, distribution).unwrap();
                    let heavier =
                        rejection_rate(&rappor, 12, weight + 1, bound, distribution).unwrap();
                    // Under the draft's distribution both are 1 where the bound is below the weight.
                    assert!(lighter.lower() <= heavier.upper(), "{bound} {weight}");
                    if distribution == WeightDistribution::Exact {
                        assert!(lighter.upper() < heavier.lower(), "{bound} {weight}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_bound_meets_the_rate_and_one_less_does_not() {
    let rappor = rappor("2");
    for distribution in [WeightDistribution::Exact, WeightDistribution::Draft] {
        for (length, weight) in [(14, 5), (14, 14), (1000, 300), (1000, 0), (20_000, 10_000)] {
            for rate in ["1/2", "1/200", "1e-9", "1e-300"] {
                let rate = rational(rate);
                let found = weight_bound(&rappor, length, weight, &rate, distribution).unwrap();
                assert!(found.rate().compare_rational(&rate).unwrap().is_lt());
                let less = found.bound().checked_sub(1);
                if let Some(less) = less {
                    let above =
                        rejection_rate(&rappor, length, weight, less, distribution).unwrap();
                    assert!(above.compare_rational(&rate).unwrap().is_gt());
                }
            }
        }
    }
}

#[test]
fn large_lengths_agree_with_the_normal_library_function() {
    // The whole input true: W is binomial, here at a million bits.
    let rappor = rappor("1");
    let p = 1.0 / (1_f64.exp() + 1.0);
    let found =
        weight_bound(&rappor, 1_000_000, 1_000_000, &rational("1e-6"), WeightDistribution::Exact)
            .unwrap();
    let weight = Binomial::new(1.0 - p, 1_000_000).unwrap();
    let expected = weight.sf(u64::try_from(found.bound()).unwrap());
    assert!((found.rate().midpoint() / expected - 1.0).abs() < 1e-6);
}

#[test]
fn the_longest_vectors_are_answered() {
    let rate = rational("1e-9");
    for weight in [1, 1000] {
        for epsilon0 in ["1e-30", "1", "20"] {
            let found = weight_bound(
                &rappor(epsilon0),
                MAX_LENGTH,
                weight,
                &rate,
                WeightDistribution::Exact,
            );
            assert!(found.unwrap().rate().compare_rational(&rate).unwrap().is_lt());
        }
    }
}

#[test]
fn extreme_parameters_are_answered() {
    let bound = |epsilon0: &str, length, weight, rate: &str| {
        let rate = rational(rate);
        weight_bound(&rappor(epsilon0), length, weight, &rate, WeightDistribution::Exact)
            .unwrap()
            .bound()
    };
    // No flips to speak of: the input's own weight.
    assert_eq!(bound("1000000", 100_000, 7, "1e-300"), 7);
    let astronomic = format!("1{}", "0".repeat(1200));
    assert_eq!(bound(&astronomic, 100_000, 7, "1e-1000"), 7);
    // Fair coins: the median of Bin(1001, 1/2), whose tail above 500 is 1/2 to thirty digits.
    assert_eq!(bound("1e-30", 1001, 1, "0.4999"), 501);
    // A single outcome of 1000 fair coins has probability 2^−1000 = 9.33e-302.
    assert_eq!(bound("1e-30", 1000, 1, "9.4e-302"), 999);
    assert_eq!(bound("1e-30", 1000, 1, "9.3e-302"), 1000);
    assert_eq!(bound("1", 100_000, 1, "0"), 100_000);
}

#[test]
fn rates_below_every_float_are_enclosed() {
    // 5·p⁴ and very little more, p = e^(−700) and very little less: 5·e^(−2800) = 2^−4037.
    let rate = rejection_rate(&rappor("700"), 5, 0, 3, WeightDistribution::Exact).unwrap();
    let expected = Interval::integer(-2800, 64).exp().unwrap() * Interval::integer(5, 64);
    let ratio = rate.checked_div(&expected).unwrap();
    assert!((ratio.midpoint() - 1.0).abs() < 1e-9, "{ratio}");
    // Below 2^−4096 an upper bound remains.
    let rate = rejection_rate(&rappor("1000"), 5, 0, 3, WeightDistribution::Exact).unwrap();
    assert!(*rate.upper() < Dyadic::new(1, -4096) && !rate.is_positive());
    let never = rejection_rate(&rappor("1"), 5, 1, 5, WeightDistribution::Exact).unwrap();
    assert!(never.contains(&Rational::zero()) && !never.is_positive());
}

#[test]
fn a_parameter_out_of_range_is_named_with_its_value_and_range() {
    let message = |length, weight, rate: &str| {
        let rate = rational(rate);
        weight_bound(&rappor("1"), length, weight, &rate, WeightDistribution::Exact)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(0, 0, "1/2"), "length is 0: expected 1 to 1048576 bits");
    assert_eq!(
        message(usize::MAX, 1, "1/2"),
        format!("length is {}: expected 1 to 1048576 bits", usize::MAX)
    );
    assert_eq!(message(5, 6, "1/2"), "input_weight is 6: expected at most the length 5");
    assert_eq!(message(5, 1, "0.6"), "false_positive_rate is 0.6: expected a number from 0 to 1/2");
    assert_eq!(
        message(5, 1, "-1e-9"),
        "false_positive_rate is -1e-9: expected a number from 0 to 1/2"
    );
    let bound = |bits: u32| {
        let rate = rational("1/2").pow(bits - 1);
        weight_bound(&rappor("1"), 5, 1, &rate, WeightDistribution::Exact)
    };
    assert_eq!(bound(4096).unwrap().bound(), 5);
    let refused = bound(4097).unwrap_err().to_string();
    assert!(
        refused.contains("a fraction of 4097 bits\": expected a fraction of at most 4096 bits")
    );
}

#[test]
fn a_rate_next_to_an_attained_one_is_decided() {
    // P(W > 0) for one bit of value 1 is 1 − p; ε₀ so small that it is 1/2 to 2^−2000.
    let tiny = format!("1/{}", num_bigint::BigInt::from(1) << 2000_u32);
    let half = rational("1/2");
    let found = weight_bound(&rappor(&tiny), 1, 0, &half, WeightDistribution::Exact).unwrap();
    assert_eq!(found.bound(), 0);
    let found = weight_bound(&rappor(&tiny), 1, 1, &half, WeightDistribution::Exact).unwrap();
    assert_eq!(found.bound(), 1);
    assert!(found.certificate().contains("Bin(w, 1-p) + Bin(length-w, p)"));
}

/// The width of the achieved rate is a small fraction of the requested rate, however small that is.
#[test]
fn the_achieved_rate_is_narrow_beside_the_one_that_was_asked_for() {
    let odd = rational("1/3").pow(200) * rational("7").pow(100);
    for rate in [rational("1/2"), rational("1/200"), rational("1e-9"), rational("1e-300"), odd] {
        for (epsilon0, length, weight) in [("1", 2000, 1), ("3", 5000, 40), ("1/10", 700, 350)] {
            let found =
                weight_bound(&rappor(epsilon0), length, weight, &rate, WeightDistribution::Exact);
            let achieved = found.unwrap().rate().clone();
            let fraction = &rate * &rational("1/2").pow(40);
            assert!(
                width(&achieved).cmp_rational(&fraction).is_le(),
                "{epsilon0} {rate}: {achieved}"
            );
            assert!(achieved.upper().cmp_rational(&rate).is_le());
        }
    }
}

#[test]
fn tiny_rates_of_the_longest_vectors_are_answered() {
    let rate = rational("1e-300");
    let found =
        weight_bound(&rappor("1"), MAX_LENGTH, 1, &rate, WeightDistribution::Exact).unwrap();
    // 37 standard deviations √(n·p·(1 − p)) above n·p leave 1e-300.
    let p = 1.0 / (1f64.exp() + 1.0);
    let length = 2f64.powi(20);
    let bound = f64::from(u32::try_from(found.bound()).unwrap());
    let deviations = (bound - length * p) / (length * p * (1.0 - p)).sqrt();
    assert!((36.5..37.5).contains(&deviations), "{deviations}");
}
