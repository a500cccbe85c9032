//! Contributions of several reports against all differences of small instances.

use super::*;
use crate::strategy_matrix::StrategyFamily;

/// δ at ε of independent Laplace noise against changes by `moved`, one for each coordinate, by
/// adding up all noise from −60 to 60.
fn enumerated(scale: f64, epsilon: f64, moved: &[i64]) -> f64 {
    let far = 60;
    let q = (-1.0 / scale).exp();
    let p = |x: i64| (1.0 - q) / (1.0 + q) * q.powi(i32::try_from(x.abs()).expect("short"));
    // Distributions of the loss, in units of 1/t, coordinate by coordinate.
    let mut distribution = std::collections::BTreeMap::from([(0i64, 1.0)]);
    for &step in moved {
        let mut next = std::collections::BTreeMap::new();
        for x in -far..=far {
            for (loss, mass) in &distribution {
                *next.entry(loss + (x + step).abs() - x.abs()).or_insert(0.0) += mass * p(x);
            }
        }
        distribution = next;
    }
    let terms = distribution.iter().map(|(&loss, mass)| {
        #[allow(clippy::cast_precision_loss)]
        let loss = loss as f64 / scale;
        mass * (1.0 - (epsilon - loss).exp()).max(0.0)
    });
    terms.sum()
}

/// Moving a unit from a smaller change to a larger one never makes δ smaller.
#[test]
fn laplace_noise_hides_unequal_moves_less() {
    for scale in [0.3, 1.0, 2.5] {
        for (a, b) in [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (5, 1)] {
            for part in 1..20 {
                let epsilon = f64::from(part) * 0.05 * f64::from(a + b) / scale;
                let equal = enumerated(scale, epsilon, &[a.into(), b.into()]);
                let apart = enumerated(scale, epsilon, &[(a + 1).into(), (b - 1).into()]);
                assert!(apart >= equal - 1e-12, "{scale} {a} {b} {epsilon}");
            }
        }
    }
}

/// Two reports of three bits out of six with weight one: every difference, by enumeration.
#[test]
fn no_difference_of_several_reports_exceeds_the_claimed_loss() -> Result<()> {
    let query = Query::MultihotCountVec { length: 3, max_weight: 1 };
    let (scale, delta): (Rational, Delta) = ("2".parse()?, "1e-3".parse()?);
    let distribution = NoiseDistribution::DiscreteLaplace { scale };
    for (adjacency, signed) in [(Adjacency::Deletion, false), (Adjacency::Replacement, true)] {
        let contribution = query.contribution(adjacency, 2, 1)?;
        let (epsilon, _) = contribution.loss(&distribution, &delta, 1)?;
        let at = epsilon.to_f64();
        let mut worst = 0.0_f64;
        let vectors = [[0i64, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        for one in vectors {
            for two in vectors {
                for three in vectors {
                    for four in vectors {
                        let removed = |i: usize| if signed { three[i] + four[i] } else { 0 };
                        let moved: Vec<i64> =
                            (0..3).map(|i| one[i] + two[i] - removed(i)).collect();
                        worst = worst.max(enumerated(2.0, at, &moved));
                    }
                }
            }
        }
        assert!(worst <= 1e-3 * (1.0 + 1e-9), "{adjacency:?}: {worst}");
        assert!(worst >= 1e-3 * 0.999, "{adjacency:?}: {worst} is not tight");
    }
    Ok(())
}

#[test]
fn a_scale_for_a_rho_keeps_it_and_little_less_does_not() -> Result<()> {
    let contribution = Query::Histogram { length: 8 }.contribution(Adjacency::Replacement, 1, 3)?;
    for rho in ["0.0001", "0.125", "3"] {
        let target: Rho = rho.parse()?;
        let scale = contribution.scale(&Budget::ZeroConcentrated { rho: target.clone() })?;
        let distribution = |scale: Rational| NoiseDistribution::DiscreteLaplace { scale };
        assert!(contribution.rho(&distribution(scale.clone())).expect("a rho") <= target);
        let less = &scale * &"0.999".parse()?;
        assert!(contribution.rho(&distribution(less)).expect("a rho") > target, "{rho}");
    }
    Ok(())
}

/// Noise for a strategy matrix keeps its budget over many releases, and two honest aggregators
/// together have nearly 1/√2 of the ε of one where ε is small.
#[test]
fn noise_for_a_strategy_matrix_keeps_its_budget() {
    let query = Query::HistogramRanges { length: 64, family: StrategyFamily::Toeplitz };
    let budget =
        Budget::Approximate { epsilon: "0.01".parse().unwrap(), delta: "1e-8".parse().unwrap() };
    let contribution = query.contribution(Adjacency::Replacement, 1, 12).unwrap();
    let variance = contribution.variance(&budget).unwrap();
    let law = NoiseDistribution::DiscreteGaussian { variance };
    let loss =
        |honest| contribution.loss(&law, &"1e-8".parse().unwrap(), honest).unwrap().0.to_f64();
    assert!((0.00999..=0.01).contains(&loss(1)), "{}", loss(1));
    assert!((0.0069..0.0072).contains(&loss(2)), "{}", loss(2));

    let query = Query::HistogramRanges { length: 64, family: StrategyFamily::FoldedTree };
    let contribution = query.contribution(Adjacency::Replacement, 1, 1).unwrap();
    let pure = Budget::Pure { epsilon: "0.5".parse().unwrap() };
    // Blocks of 9 buckets: 4·(9 − 1)/ε.
    assert_eq!(contribution.scale(&pure).unwrap(), Rational::integer(64));
    let delta = "1e-8".parse().unwrap();
    let law = NoiseDistribution::DiscreteLaplace { scale: Rational::integer(64) };
    let (epsilon, _) = contribution.loss(&law, &delta, 1).unwrap();
    assert_eq!(epsilon.to_string(), "0.5");
}
