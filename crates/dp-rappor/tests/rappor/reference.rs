//! Deletion relative to a reference distribution, by enumeration of all measurements and outputs.

use dp_exact::{Interval, Rational};

use crate::support::{exponential, kary, rappor};

const PRECISION: u32 = 160;

/// e^ε: the largest ratio, in either direction, of the probabilities of one of `outputs` for a
/// measurement below `reference.len()` and for one that is drawn from `reference`.
fn worst(
    reference: &[Rational],
    outputs: u32,
    likelihood: impl Fn(u32, u32) -> Interval,
) -> Interval {
    let mut worst = Interval::integer(1, PRECISION);
    for output in 0..outputs {
        let of = |input: usize| likelihood(u32::try_from(input).expect("few"), output);
        let drawn = reference
            .iter()
            .enumerate()
            .fold(Interval::integer(0, PRECISION), |sum, (input, weight)| {
                sum + Interval::rational(weight, PRECISION) * of(input)
            });
        for input in 0..reference.len() {
            let ratio = drawn.checked_div(&of(input)).expect("possible");
            let inverse = of(input).checked_div(&drawn).expect("possible");
            for ratio in [ratio, inverse] {
                worst = if ratio.upper() > worst.upper() { ratio } else { worst };
            }
        }
    }
    worst
}

/// Probabilities in proportion to these numbers.
fn distribution(parts: &[i64]) -> Vec<Rational> {
    let sum: i64 = parts.iter().sum();
    parts.iter().map(|part| Rational::new(*part, sum).expect("a sum above 0")).collect()
}

/// Whether the bound is the ε of a largest ratio, rounded up to 12 digits.
fn is_attained(bound: &Rational, worst: &Interval) -> bool {
    let low = bound * &"0.99999999999".parse().expect("a number");
    exponential(bound, PRECISION).upper() >= worst.lower()
        && exponential(&low, PRECISION).lower() <= worst.upper()
}

#[test]
fn no_report_of_bits_is_farther_from_a_drawn_one_than_stated_and_one_is_as_far() {
    for (length, parts) in [
        (1, vec![1, 3]),
        (2, vec![0, 1, 1, 0]),
        (2, vec![2, 1, 4, 0]),
        (3, vec![0, 1, 2, 0, 5, 0, 0, 0]),
        (3, vec![1, 1, 0, 2, 0, 0, 3, 4]),
        (3, vec![1, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        let reference = distribution(&parts);
        for epsilon0 in ["1/10", "1", "7/2"] {
            let rappor = rappor(epsilon0);
            let all = (0..1_u32 << length).map(|client| {
                let mut distances = vec![Rational::zero(); length + 1];
                for (drawn, weight) in (0_u32..).zip(&reference) {
                    let distance = &mut distances[(drawn ^ client).count_ones() as usize];
                    *distance = &*distance + weight;
                }
                rappor.epsilon_of_reference(&distances).expect("a distribution")
            });
            let bound = all.max().expect("a client");
            let bits = u32::try_from(length).expect("few");
            let worst = worst(&reference, 1 << bits, |input, output| {
                rappor.probability((input ^ output).count_ones(), bits, PRECISION)
            });
            assert!(is_attained(&bound, &worst), "{parts:?} {epsilon0} {bound} {worst}");
        }
    }
}

#[test]
fn no_answer_is_farther_from_a_drawn_one_than_stated_and_one_is_as_far() {
    for parts in
        [vec![1, 1], vec![0, 1], vec![1, 1, 1], vec![5, 1, 1], vec![0, 2, 3], vec![1, 1, 1, 9]]
    {
        let reference = distribution(&parts);
        for epsilon in ["1/10", "1", "4"] {
            let answers = u32::try_from(parts.len()).expect("few");
            let response = kary(epsilon, answers);
            let bound = response.epsilon_of_reference(&reference).expect("a distribution");
            let worst = worst(&reference, answers, |input, output| {
                response.probability(input, output, PRECISION)
            });
            assert!(is_attained(&bound, &worst), "{parts:?} {epsilon} {bound} {worst}");
        }
    }
}

#[test]
fn what_is_no_distribution_is_refused() {
    for parts in [vec![], vec!["1/2", "1/3"], vec!["3/2", "-1/2"]] {
        let parts: Vec<Rational> = parts.iter().map(|part| part.parse().expect("one")).collect();
        let of_bits = rappor("1").epsilon_of_reference(&parts).expect_err("refused").to_string();
        assert!(of_bits.ends_with("expected probabilities that add up to 1"), "{of_bits}");
    }
    let few = kary("1", 3).epsilon_of_reference(&distribution(&[1, 1])).expect_err("refused");
    assert!(few.to_string().starts_with("probabilities is 2: expected 3, one of each answer"));
}
