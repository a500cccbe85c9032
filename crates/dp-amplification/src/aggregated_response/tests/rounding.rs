//! On which side roundings are, against exact rationals.

use super::super::noisy;
use super::super::thirds;
use super::super::walk::{self, Excess, Side};
use dp_exact::Rational;
use dp_exact::binomial::{self, Binomial};
use dp_exact::directed::{Bounds, count};

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("finite")
}

fn fraction(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator).expect("not divided by zero")
}

/// Binomial probabilities, the largest of them as large as [`Binomial`] makes it.
fn scaled(trials: u64, odds: &Rational, mode: u64, largest: f64) -> Vec<Rational> {
    let mut law = vec![Rational::one()];
    for j in 0..trials {
        let ratio = &fraction(trials - j, j + 1) * odds;
        let next = &law[law.len() - 1] * &ratio;
        law.push(next);
    }
    let unit = law[usize::try_from(mode).expect("few")].reciprocal();
    let unit = &unit.expect("positive") * &exact(largest);
    law.iter().map(|value| value * &unit).collect()
}

fn sum(values: &[Rational]) -> Rational {
    let zero = Rational::zero();
    values.iter().fold(zero, |sum, value| &sum + value)
}

#[test]
fn a_window_encloses_multiples_of_binomial_probabilities() {
    for (trials, odds, depth) in [
        (0, (1, 3), 40.0),
        (1, (1, 3), 40.0),
        (60, (1, 3), 40.0),
        (150, (7, 5), 20.0),
        (150, (1, 40), 8.0),
        (150, (40, 1), 8.0),
    ] {
        let odds = fraction(odds.0, odds.1);
        let about = odds.to_f64();
        let enclosure = Bounds {
            lower: about.next_down(),
            upper: about.next_up(),
        };
        let window = Binomial::new(trials, enclosure, depth).expect("a window");
        let pairs = window.lower.iter().zip(&window.upper);
        let (mode, largest) = (window.first..)
            .zip(pairs)
            .find_map(|(j, (low, high))| (low.total_cmp(high).is_eq()).then_some((j, *low)))
            .expect("the mode is exact");
        let law = scaled(trials, &odds, mode, largest);
        let first = usize::try_from(window.first).expect("few");
        let after = usize::try_from(window.last()).expect("few") + 1;
        let slack = exact(1.0 + 1e-12);
        for (value, (&low, &high)) in law[first..after]
            .iter()
            .zip(window.lower.iter().zip(&window.upper))
        {
            assert!(exact(low) <= *value && *value <= exact(high));
            assert!(exact(high) <= &exact(low) * &slack);
        }
        let [below, inside, above] = [&law[..first], &law[first..after], &law[after..]].map(sum);
        assert!(below <= exact(window.below) && above <= exact(window.above));
        let all = &(&below + &inside) + &above;
        assert!(exact(window.total.lower) <= all && all <= exact(window.total.upper));
        if let Some(next) = law.get(after) {
            assert!(*next <= &law[after - 1] * &exact(window.ratio_above));
        }
    }
}

#[test]
fn what_is_beyond_a_window_is_at_most_a_geometric_series() {
    for (end, ratio) in [(1.0, 0.5), (3e-7, 0.1), (0.7, 0.999), (1e200, 1e-9)] {
        let beyond = exact(binomial::geometric_rest(end, ratio).expect("a ratio below 1"));
        let rest = (&Rational::one() - &exact(ratio)).reciprocal();
        let series = &(&exact(end) * &exact(ratio)) * &rest.expect("below 1");
        assert!(series <= beyond, "{end} {ratio}");
        assert!(beyond <= &series * &exact(1.0 + 1e-12), "{end} {ratio}");
    }
    assert_eq!(binomial::geometric_rest(1.0, 0.0), Some(0.0));
    assert_eq!(binomial::geometric_rest(1.0, 1.0), None);
}

#[test]
fn a_root_is_rounded_up() {
    for value in (0..2000).chain([u64::from(u32::MAX), 1 << 62]) {
        let root = noisy::root_up(value);
        assert!(root * root >= value && (root == 0 || (root - 1) * (root - 1) < value));
    }
}

#[test]
fn what_a_walk_exceeds_a_threshold_by_is_enclosed() {
    for steps in [1u32, 2, 7, 50, 300] {
        let table = |side| Excess::new(u64::from(steps), 60.0, side).expect("resolved");
        let (lower, upper) = (table(Side::Lower), table(Side::Upper));
        let scale = fraction(1, 2).pow(steps);
        let mut ways = vec![Rational::one()];
        for a in 0..steps {
            let next = &ways[ways.len() - 1] * &fraction(u64::from(steps - a), u64::from(a) + 1);
            ways.push(next);
        }
        for place in 0..60u32 {
            let threshold = f64::from(place) * 0.63;
            let terms = (0..=steps).zip(&ways).filter_map(|(a, ways)| {
                let d = Rational::from(2 * i64::from(a) - i64::from(steps));
                let excess = &d - &exact(threshold);
                excess.is_positive().then(|| ways * &excess)
            });
            let value = &sum(&terms.collect::<Vec<_>>()) * &scale;
            let (low, high) = (lower.at(threshold), upper.at(threshold));
            assert!(exact(low) <= value, "{steps} {threshold}: {low}");
            assert!(value <= exact(high), "{steps} {threshold}: {high}");
            assert!(high - low <= high * 1e-12 + 1e-20, "{low} {high}");
        }
    }
}

/// Values that sums in floating point lose bits of, on both sides.
fn uneven(length: u64) -> Vec<f64> {
    let share = |i: u64| 1e200 / (3.0 + count(i * i)) * (1.0 + 1e-9 * count(i));
    (0..length).map(share).collect()
}

#[test]
fn sums_of_sums_are_rounded_to_their_side() {
    let total = Bounds {
        lower: 1e200,
        upper: 1e200,
    };
    let law = Binomial {
        trials: 299,
        first: 0,
        lower: uneven(300),
        upper: uneven(300),
        below: 0.0,
        above: 0.0,
        ratio_above: 0.0,
        total,
    };
    for middle in [0, 1, 150, 298] {
        let (lower, upper) = (walk::lower(&law, middle), walk::upper(&law, middle));
        let upper = upper.expect("no series");
        let (mut tail, mut value) = (Rational::zero(), Rational::zero());
        let two = &fraction(2, 1) * &exact(1e200).reciprocal().expect("positive");
        for place in (middle + 1..300).rev() {
            tail = &tail + &exact(law.lower[place]);
            value = &value + &tail;
            let (low, high) = (lower[place - 1 - middle], upper[place - 1 - middle]);
            let scaled = &value * &two;
            assert!(
                exact(low) <= scaled && scaled <= exact(high),
                "{middle} {place}"
            );
            assert!(high - low <= high * 1e-12, "{middle} {place}");
        }
    }
}

#[test]
fn values_that_are_put_together_keep_their_mean() {
    let odds = Bounds {
        lower: 0.7,
        upper: 0.7,
    };
    for trials in [1, 3, 40, 5_000] {
        let law = Binomial::new(trials, odds, 40.0).expect("a window");
        let nodes = thirds::together(&law);
        let gap = law.lower.len().div_ceil(nodes.len());
        assert_eq!(law.lower.len().div_ceil(gap), nodes.len());
        let total = exact(law.total.upper).reciprocal().expect("positive");
        for (group, (values, &(place, mass))) in law.lower.chunks(gap).zip(&nodes).enumerate() {
            let values: Vec<Rational> = values.iter().map(|&value| exact(value)).collect();
            let inside = sum(&values);
            let first = law.first + index_of(group * gap);
            let moment = values
                .iter()
                .zip(first..)
                .map(|(value, m)| value * &Rational::from(2 * m));
            let mean = sum(&moment.collect::<Vec<_>>()).checked_div(&inside);
            let mean = mean.expect("positive");
            assert!(mean <= exact(place), "{trials} {group}");
            let most = &(&mean * &exact(1.0 + 1e-12)) + &exact(1e-12);
            assert!(exact(place) <= most, "{trials} {group}");
            let share = &inside * &total;
            assert!(exact(mass) <= share && share <= &exact(mass) * &exact(1.0 + 1e-10));
        }
    }
}

fn index_of(place: usize) -> u64 {
    u64::try_from(place).expect("few")
}
