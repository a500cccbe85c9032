//! The binomial distribution.

use std::ops::Range;

use dp_exact::{Dyadic, Interval, Rational, Real};
use dp_samplers::{Binomial, Error};
use num_bigint::BigInt;

use crate::chi_square::{Cells, FALSE_ALARM, p_value, rng};
use crate::distributions::{rational, residue_cells};

/// 1/(e^ε + 1), the probability that symmetric randomized response flips a bit; ε is inside.
#[derive(Clone, Debug)]
pub(crate) struct Flip(pub(crate) Rational);

impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        let one = Interval::integer(1, precision);
        let power = Interval::rational(&self.0, precision + 64).exp();
        one.checked_div(&(power.expect("modest") + &one)).expect("above 1")
    }
}

/// One cell for each number of successes in `range` but the last, and the two tails.
fn cells(distribution: &Binomial, range: Range<u64>) -> Cells {
    let outcomes = range.start..range.end - 1;
    let mut probabilities = vec![0.0];
    probabilities.extend(outcomes.map(|k| distribution.probability(k, 64).midpoint()));
    let last = 1.0 - probabilities.iter().sum::<f64>();
    probabilities.push(last.max(0.0));
    Cells { edges: range.map(BigInt::from).collect(), probabilities }
}

#[test]
fn binomial_draws_follow_the_exact_distribution() {
    // Trials, probability, and the range of successes that has cells of its own.
    for (seed, (trials, probability, range)) in (900..).zip([
        (1, "1/3", 0..3),
        (10, "1/2", 0..12),
        (100, "0.93", 50..101),
        (1000, "1/1000", 0..20),
        (1_000_000_000_000, "1e-11", 0..60),
    ]) {
        let distribution = Binomial::new(trials, rational(probability)).unwrap();
        let cells = cells(&distribution, range);
        let mut rng = rng(seed);
        let draw = || distribution.sample(&mut rng).into();
        assert!(p_value(&cells, draw) > FALSE_ALARM, "{trials}");
    }
}

/// Cells a quarter of a standard deviation wide, out to five of them on both sides, for a wide
/// distribution. Their probabilities come from ratios of successive ones, beginning with an
/// enclosure near the mode.
fn wide_cells<P: Real + std::fmt::Debug>(distribution: &Binomial<P>, p: f64) -> Cells {
    let float = |count: u64| Rational::integer(count).to_f64();
    let n = distribution.trials();
    let (mean, deviation) = (float(n) * p, (float(n) * p * (1.0 - p)).sqrt());
    let whole = |value: f64| {
        let value = Rational::from_f64(value).expect("finite").floor();
        u64::try_from(value).expect("not negative")
    };
    let edges: Vec<u64> =
        (-20..=20).map(|quarter| whole(mean + f64::from(quarter) * deviation / 4.0)).collect();
    let (centre, odds) = (whole(mean), p / (1.0 - p));
    let start = distribution.probability(centre, 64).midpoint();
    let mut probabilities = vec![0.0; edges.len() + 1];
    let mut add = |k: u64, probability: f64| {
        probabilities[edges.partition_point(|edge| *edge <= k)] += probability;
    };
    let (mut probability, reach) = (start, whole(8.0 * deviation));
    for k in centre..centre + reach {
        add(k, probability);
        probability *= float(n - k) / float(k + 1) * odds;
    }
    probability = start;
    for k in (centre - reach..centre).rev() {
        probability *= float(k + 1) / float(n - k) / odds;
        add(k, probability);
    }
    Cells { edges: edges.into_iter().map(BigInt::from).collect(), probabilities }
}

/// Fails unless draws of this distribution, of about the probability `p`, follow it.
fn follows<P>(seed: u64, trials: u64, probability: P, p: f64)
where
    P: Real + std::fmt::Debug + Send + Sync + 'static,
{
    let distribution = Binomial::new(trials, probability).expect("accepted");
    let cells = wide_cells(&distribution, p);
    let mut first = rng(seed);
    let draw = || distribution.sample(&mut first).into();
    assert!(p_value(&cells, draw) > FALSE_ALARM, "{trials} {p}");
    // The lowest bits are places in a bucket; they are uniform up to 1/3500.
    let residue = || BigInt::from(distribution.sample(&mut first) % 8);
    assert!(p_value(&residue_cells(), residue) > FALSE_ALARM);
}

#[test]
fn wide_binomial_draws_follow_the_exact_distribution() {
    for (seed, (trials, probability)) in (950..).zip([
        (1_000_000_000_000, "1/2"),
        (1_000_000_000_000, "1/50000"),
        (1_000_000_000, "0.9"),
        (49_000_001, "1/2"),
        (20_000, "1/2"),
        (2_000_000, "1/1000"),
        (40_000, "0.96"),
    ]) {
        let p = rational(probability);
        follows(seed, trials, p.clone(), p.to_f64());
    }
    for (seed, (trials, epsilon)) in
        (920..).zip([(1_000_000_000, "5"), (1_000_000_000, "1"), (20_000_000_001, "5")])
    {
        let flip = Flip(rational(epsilon));
        follows(seed, trials, flip.clone(), flip.enclose(64).midpoint());
    }
}

#[test]
fn a_wide_binomial_of_a_slightly_wrong_probability_is_caught() {
    // The mean is off by a twentieth of a standard deviation, 15 standard errors of 100 000 draws.
    let cells = wide_cells(&Binomial::new(1_000_000_000_000, rational("1/2")).unwrap(), 0.5);
    let wrong = Binomial::new(1_000_000_000_000, rational("0.500000025")).unwrap();
    let mut rng = rng(960);
    assert!(p_value(&cells, || wrong.sample(&mut rng).into()) < FALSE_ALARM);
}

#[test]
fn places_of_a_wide_binomial_that_miss_a_bit_are_caught() {
    let distribution = Binomial::new(49_000_001, rational("1/2")).unwrap();
    let mut rng = rng(961);
    let fault = || BigInt::from(distribution.sample(&mut rng) & !2) % 8;
    assert!(p_value(&residue_cells(), fault) < FALSE_ALARM);
}

#[test]
fn certain_outcomes_and_all_but_certain_ones_are_drawn() {
    let tiny = Rational::new(1, BigInt::from(1) << 4000).unwrap();
    for (trials, probability, outcome) in [
        (7, rational("0"), 0),
        (7, rational("1"), 7),
        (0, rational("1/3"), 0),
        (1_000_000, tiny.clone(), 0),
        (1_000_000, Rational::one() - tiny, 1_000_000),
    ] {
        let distribution = Binomial::new(trials, probability).unwrap();
        let (mut rng, mut draws) = (rng(930), [99_u64; 5]);
        assert!((0..10).all(|_| distribution.sample(&mut rng) == outcome));
        distribution.fill(&mut rng, &mut draws).unwrap();
        assert_eq!(draws, [outcome; 5]);
        let enclosure = distribution.probability(outcome, 64);
        assert!((enclosure.midpoint() - 1.0).abs() < 1e-15, "{enclosure}");
    }
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    let refusal = |trials, probability: &str| match Binomial::new(trials, rational(probability)) {
        Err(Error::Parameter(error)) => (error.name().to_owned(), error.accepted().to_owned()),
        other => panic!("{other:?}"),
    };
    let range = ("probability".to_owned(), "a number from 0 to 1".to_owned());
    for probability in ["-1/3", "-1e-30", "1.0001", "1.5"] {
        assert_eq!(refusal(5, probability), range);
    }
    assert_eq!(refusal(Binomial::MAX_TRIALS + 1, "1/2").0, "trials");
}

/// 1 − p is 2^−300, which enclosures of p to as many bits as are asked for do not tell from 0.
#[test]
fn probabilities_are_enclosed_closely_where_success_is_almost_certain() {
    let tiny = Rational::new(1, BigInt::from(1) << 300).unwrap();
    let distribution = Binomial::new(10, Rational::one() - &tiny).unwrap();
    let cases = [(0, 1), (1, 10), (2, 45)];
    for ((failures, factor), precision) in
        cases.into_iter().flat_map(|case| [16, 64, 250, 1000].map(|precision| (case, precision)))
    {
        let enclosure = distribution.probability(10 - failures, precision);
        let leading = tiny.pow(u32::try_from(failures).unwrap()) * Rational::integer(factor);
        // (1 − q)^n is at most 1, and at least 1 − n·q.
        let least = &leading * &(Rational::one() - Rational::integer(10) * &tiny);
        let floor = |end: &Dyadic| end.floor_shifted(u64::from(precision) - 4);
        let width = floor(enclosure.upper()) - floor(enclosure.lower());
        assert!(width <= BigInt::from(1), "{failures} {precision}");
        let order = |value: &Rational| enclosure.compare_rational(value);
        assert_ne!(order(&leading), Some(std::cmp::Ordering::Greater));
        assert_ne!(order(&least), Some(std::cmp::Ordering::Less));
    }
}
