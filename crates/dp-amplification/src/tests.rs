//! Counts, curves and covers against slow sums and exact fractions, with planted faults.

pub(crate) mod exact_fractions;

use dp_exact::Rational;
use dp_exact::directed::count;

use crate::aggregated_rappor::AggregatedRappor;
use crate::bit_odds::BitOdds;
use crate::coarse_hockey_stick::upper_at;
use crate::dominating_curve::DominatingCurve;
use crate::hockey_stick::HockeyStick;
use crate::pair_product::halves;

/// The number that a float is.
pub(crate) fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("finite")
}

fn flip(epsilon0: &str) -> BitOdds {
    BitOdds::new(&epsilon0.parse().expect("a number")).expect("in range")
}

/// The probabilities of a sum of randomized bits, one client after the other, in plain floats.
pub(crate) fn slow_pmf(p: f64, zeros: u64, ones: u64) -> Vec<f64> {
    (0..zeros + ones).fold(vec![1.0], |pmf, client| {
        let (zero, one) = if client < zeros { (1.0 - p, p) } else { (p, 1.0 - p) };
        let mut next = vec![0.0; pmf.len() + 1];
        for (count, weight) in pmf.iter().enumerate() {
            next[count] += weight * zero;
            next[count + 1] += weight * one;
        }
        next
    })
}

#[test]
fn a_cover_that_forgets_the_extreme_dataset_is_caught() {
    // A planted fault: the cover stops short of b = n − 1, where the worst datasets are.
    let sum = AggregatedRappor::new("2".parse().unwrap(), 40).unwrap();
    let alpha = 1.2f64.exp();
    let at = |ones: u64| {
        let count = HockeyStick::new(&sum.flip, &sum.flip, 39 - ones, ones, 60.0).unwrap();
        count.upper_at(&[alpha])[0]
    };
    let bits = sum.bits(60.0, 1.0);
    let short = bits.envelope(&[1.0, alpha, sum.flip.e.upper], 0..=29).unwrap();
    assert!(short[1] < at(39) * 0.99);
    assert!(sum.bits(60.0, 1.0).curve().unwrap().one_count(alpha) >= at(39));
}

#[test]
fn few_probabilities_of_a_wide_count_bound_it_from_above_and_closely() {
    // The curve from all probabilities is certified by itself, and within rounding of the truth.
    let (clients, flip) = (4_400_000u64, flip("0.5"));
    let mut caught = false;
    for ones in [0, clients / 3, clients] {
        let known = BitOdds::known();
        let own = if ones == 0 { &known } else { &flip };
        let each = HockeyStick::new(&flip, own, clients - ones, ones, 30.0).unwrap();
        let nodes = (0..200).map(|i| (f64::from(i) / 199.0 * each.largest_loss()).exp());
        let nodes: Vec<f64> = nodes.collect();
        let tightest = each.upper_at(&nodes);
        let few = upper_at(&nodes, [&flip, own], [clients - ones, ones], 30.0).unwrap();
        let values = few.into_iter().zip(tightest);
        // Below, the window that it is compared with ends.
        for (above, exact) in values.filter(|(_, exact)| *exact > 1e-12) {
            assert!(above >= exact * (1.0 - 1e-9), "{ones}: {above} {exact}");
            assert!(above <= exact * 1.03, "{ones}: {above} {exact}");
            // A planted fault in the scale of the curve.
            caught |= above * 0.97 < exact;
        }
    }
    assert!(caught);
    assert!(upper_at(&[1.0], [&flip, &flip], [10_000, 10_000], 30.0).is_none(), "too narrow");
}

#[test]
fn powers_of_a_bit_are_binomial() {
    for epsilon0 in [0.05f64, 0.4, 1.3] {
        let p = (epsilon0.exp() + 1.0).recip();
        let bit = || {
            let nodes = vec![1.0, epsilon0.exp()];
            DominatingCurve::new(&nodes, &[(epsilon0 / 2.0).tanh(), 0.0]).expect("a curve")
        };
        for times in 2..=15 {
            let [first, second] = halves(&bit(), times, 1e-6).expect("few");
            let (more, less) = (slow_pmf(p, 0, times), slow_pmf(p, times, 0));
            for part in [0.0, 0.2, 0.5, 0.9] {
                let alpha = (part * epsilon0 * count(times)).exp();
                let pairs = more.iter().zip(&less);
                let exact: f64 = pairs.map(|(p, q)| (p - alpha * q).max(0.0)).sum();
                let upper = first.with(&second, alpha);
                let case = format!("{epsilon0} {times} {alpha}: {upper} {exact}");
                assert!(upper >= exact * (1.0 - 1e-12), "{case}");
                assert!(upper <= exact * (1.0 + 1e-3) + 2e-12, "{case}");
            }
        }
    }
    // Infinite losses of all parts add up.
    let curve = DominatingCurve::new(&[1.0, 2.0], &[0.25, 0.0]).expect("a curve");
    let delta = |infinite| {
        let [first, second] =
            halves(&DominatingCurve { infinite, ..curve.clone() }, 5, 1e-6).expect("few");
        first.with(&second, 1.5)
    };
    let more = delta(0.01) - delta(0.0);
    assert!((0.05..0.0603).contains(&more), "{more}");
}
