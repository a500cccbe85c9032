//! Contributions of several reports against all differences of small instances.

use crate::common::{delta_of, distribution, epsilon, gaussian, hockey_stick, laplace, number};
use dp_calibration::Adjacency::{self, Deletion, OneCoordinate, Replacement};
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Budget, NoiseDistribution, Query};
use dp_exact::{Rational, Rho};

/// Moving a unit from a smaller change to a larger one never makes δ smaller.
#[test]
fn laplace_noise_hides_unequal_moves_less() {
    for scale in [0.3, 1.0, 2.5] {
        let law = distribution(60, |x| (-x.abs() / scale).exp());
        for (a, b) in [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (5, 1)] {
            for part in 1..20 {
                let epsilon = f64::from(part) * 0.05 * f64::from(a + b) / scale;
                let equal = hockey_stick(&law, &[a.into(), b.into()], epsilon);
                let apart = hockey_stick(&law, &[(a + 1).into(), (b - 1).into()], epsilon);
                assert!(apart >= equal - 1e-12, "{scale} {a} {b} {epsilon}");
            }
        }
    }
}

/// Two reports of three bits with weight one: every difference, by enumeration.
#[test]
fn no_difference_of_several_reports_exceeds_the_claimed_loss() {
    let query = Query::MultihotCountVec { length: 3, max_weight: 1 };
    let exponential = distribution(60, |x| (-x.abs() / 2.0).exp());
    let bell = distribution(60, |x| (-x * x / 6.0).exp());
    let reports = [[0i64, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let plus = |one: [i64; 3], other: [i64; 3], sign: i64| {
        [0, 1, 2].map(|place| one[place] + sign * other[place])
    };
    let are_neighbours = |adjacency: Adjacency, new: [i64; 3], old: [i64; 3]| match adjacency {
        Replacement => true,
        Deletion => old == [0; 3],
        OneCoordinate => plus(new, old, -1).iter().filter(|step| **step != 0).count() < 2,
    };
    for (adjacency, noise, law) in [
        (Deletion, laplace("2"), &exponential),
        (Replacement, laplace("2"), &exponential),
        (OneCoordinate, laplace("2"), &exponential),
        (OneCoordinate, gaussian("3"), &bell),
    ] {
        let contribution = query.contribution(adjacency, 2, 1).unwrap();
        let (epsilon, _) = contribution.loss(&noise, &delta_of("1e-3"), 1).unwrap();
        let pairs = reports.iter().flat_map(|new| reports.map(|old| (*new, old)));
        let pairs = pairs.filter(|(new, old)| are_neighbours(adjacency, *new, *old));
        let each: Vec<_> = pairs.map(|(new, old)| plus(new, old, -1)).collect();
        let moved = each.iter().flat_map(|one| each.iter().map(|other| plus(*one, *other, 1)));
        let worst = moved.map(|moved| hockey_stick(law, &moved, epsilon.to_f64()));
        let worst = worst.fold(0.0, f64::max);
        assert!((0.999e-3..=1e-3 * (1.0 + 1e-9)).contains(&worst), "{adjacency:?}: {worst}");
    }
}

#[test]
fn a_scale_for_a_rho_keeps_it_and_little_less_does_not() {
    let contribution = Query::Histogram { length: 8 }.contribution(Replacement, 1, 3).unwrap();
    for rho in ["0.0001", "0.125", "3"] {
        let target: Rho = rho.parse().unwrap();
        let scale = contribution.scale(&Budget::ZeroConcentrated { rho: target.clone() }).unwrap();
        let rho_of = |part: &str| {
            let scale = &scale * &number(part);
            contribution.rho(&NoiseDistribution::DiscreteLaplace { scale }).expect("a rho")
        };
        assert!(rho_of("1") <= target && rho_of("0.999") > target, "{rho}");
    }
}

/// Noise for a strategy matrix keeps its budget over many releases, and two honest aggregators
/// together have nearly 1/√2 of the ε of one where ε is small.
#[test]
fn noise_for_a_strategy_matrix_keeps_its_budget() {
    let query = Query::HistogramRanges { length: 64, family: StrategyFamily::Toeplitz };
    let (rate, delta) = (epsilon("0.01"), delta_of("1e-8"));
    let contribution = query.contribution(Replacement, 1, 12).unwrap();
    let variance = contribution.variance(&Budget::approximate(rate, delta.clone())).unwrap();
    let law = NoiseDistribution::DiscreteGaussian { variance };
    let loss = |honest| contribution.loss(&law, &delta, honest).unwrap().0.to_f64();
    assert!((0.00999..=0.01).contains(&loss(1)), "{}", loss(1));
    assert!((0.0069..0.0072).contains(&loss(2)), "{}", loss(2));

    let query = Query::HistogramRanges { length: 64, family: StrategyFamily::FoldedTree };
    let contribution = query.contribution(Replacement, 1, 1).unwrap();
    let pure = Budget::Pure { epsilon: epsilon("0.5") };
    // Blocks of 9 buckets: 4·(9 − 1)/ε.
    assert_eq!(contribution.scale(&pure).unwrap(), Rational::integer(64));
    let (epsilon, _) = contribution.loss(&laplace("64"), &delta, 1).unwrap();
    assert_eq!(epsilon.to_string(), "0.5");
}
