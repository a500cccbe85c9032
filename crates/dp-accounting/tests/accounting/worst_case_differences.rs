//! Noise on several coordinates that move by any step: against the definition, and against what is
//! known of a single release.

use dp_accounting::{
    Accountant, AccountedMechanism, Interval, NoiseDistribution, WorstCaseDifference,
};

use dp_exact::Epsilon;

use crate::common::number;

fn laplace(scale: &str) -> NoiseDistribution {
    let scale = number(scale);
    NoiseDistribution::DiscreteLaplace { scale }
}

fn gaussian(variance: &str) -> NoiseDistribution {
    let variance = number(variance);
    NoiseDistribution::DiscreteGaussian { variance }
}

fn difference(coordinates: u64, step: u128) -> WorstCaseDifference {
    WorstCaseDifference::new(coordinates, step).expect("a worst-case difference")
}

fn delta(
    releases: &[(&NoiseDistribution, WorstCaseDifference, u32)],
    epsilon: &Epsilon,
) -> Interval {
    let mut accountant = Accountant::new();
    for (law, difference, times) in releases {
        let (law, difference) = ((*law).clone(), difference.clone());
        accountant.add(AccountedMechanism::Noise { law, difference }, *times).expect("accepted");
    }
    accountant.delta(epsilon).expect("an enclosure")
}

/// e^(−|x|/t) or e^(−x²/(2σ²)), on the integers that matter.
fn weights(law: &NoiseDistribution, reach: i32) -> Vec<f64> {
    let exponent = |x: f64| match law {
        NoiseDistribution::DiscreteLaplace { scale } => -x.abs() / scale.to_f64(),
        NoiseDistribution::DiscreteGaussian { variance } => -x * x / (2.0 * variance.to_f64()),
    };
    let weights: Vec<f64> = (-reach..=reach).map(|x| exponent(f64::from(x)).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// δ by its definition, with all outcomes of all coordinates enumerated.
fn enumerated(releases: &[(NoiseDistribution, u64, usize)], epsilon: f64, reach: i32) -> f64 {
    let mut outcomes = vec![(1.0f64, 1.0f64)];
    for (law, coordinates, step) in releases {
        let weights = weights(law, reach);
        let at = |place: usize| weights.get(place).copied().unwrap_or(0.0);
        for _ in 0..*coordinates {
            let mut next = Vec::with_capacity(outcomes.len() * weights.len());
            for &(p, q) in &outcomes {
                next.extend((0..weights.len() + step).map(|place| {
                    let moved = place.checked_sub(*step).map_or(0.0, at);
                    (p * moved, q * at(place))
                }));
            }
            outcomes = next;
        }
    }
    let growth = epsilon.exp();
    outcomes.iter().map(|&(p, q)| (p - growth * q).max(0.0)).sum()
}

#[test]
fn every_worst_case_difference_agrees_with_the_enumeration_of_all_outcomes() {
    for (releases, epsilon) in [
        (vec![(laplace("2.5"), 1, 4)], "0.7"),
        (vec![(laplace("1.9"), 2, 3), (laplace("1.7"), 1, 2)], "1.1"),
        (vec![(gaussian("6"), 2, 3)], "1.3"),
        (vec![(gaussian("5"), 1, 5), (gaussian("3.3"), 1, 2)], "2"),
        (vec![(gaussian("6.1"), 1, 2), (laplace("2.2"), 1, 7)], "0.4"),
    ] {
        let exact = enumerated(&releases, epsilon.parse().expect("a number"), 60);
        let typed: Vec<_> = releases
            .iter()
            .map(|(law, count, step)| (law, difference(*count, *step as u128), 1))
            .collect();
        let found = delta(&typed, &epsilon.parse().expect("positive"));
        let (lower, upper) = (found.lower().to_f64(), found.upper().to_f64());
        assert!(lower <= exact * (1.0 + 1e-9), "{releases:?} {lower} {exact}");
        assert!(upper >= exact * (1.0 - 1e-9), "{releases:?} {upper} {exact}");
        assert!(upper < exact * 1.001 && lower > exact * 0.999, "{releases:?} {found} {exact}");
    }
}

#[test]
fn a_move_rounded_to_the_nearest_cell_is_caught() {
    // The planted fault: a move by 4 taken for one by 3. The enumeration tells them apart.
    let law = laplace("2.5");
    let exact = enumerated(&[(law.clone(), 1, 4)], 0.7, 60);
    let planted = delta(&[(&law, difference(1, 3), 1)], &"0.7".parse().expect("positive"));
    assert!(planted.upper().to_f64() < exact);
}
