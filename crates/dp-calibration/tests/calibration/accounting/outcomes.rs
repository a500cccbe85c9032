//! δ of mixtures of releases against all their outcomes, by the definition.

use dp_calibration::NoiseDistribution;
use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_exact::{Interval, Rational};

use super::{accountant, gaussian, kary, laplace, odd};
use crate::common::epsilon;

/// The chance and the loss of each outcome of one coordinate, outcomes with one loss together;
/// outcomes with a chance below 1e-18 are left out.
fn outcomes(release: &AccountedMechanism) -> Vec<(f64, f64)> {
    let weights: Vec<(f64, f64)> = match release {
        AccountedMechanism::Noise { law, difference } => {
            let step: f64 = difference.step().to_string().parse().expect("short");
            let exponent = |x: f64| match law {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    -x * x / (2.0 * variance.to_f64())
                }
                NoiseDistribution::DiscreteLaplace { scale } => -x.abs() / scale.to_f64(),
            };
            let of = |x: f64| (exponent(x).exp(), exponent(x) - exponent(x + step));
            (-2000..=2000).map(f64::from).map(of).collect()
        }
        AccountedMechanism::KaryResponse { epsilon, answers } => {
            let epsilon = epsilon.value().to_f64();
            let others = Rational::from(*answers).to_f64() - 2.0;
            vec![(epsilon.exp(), epsilon), (others, 0.0), (1.0, -epsilon)]
        }
        other => panic!("{other:?}"),
    };
    let total: f64 = weights.iter().map(|(weight, _)| weight).sum();
    let mut all: Vec<(f64, f64)> = Vec::new();
    for (weight, loss) in weights {
        match all.iter_mut().find(|(_, known)| (*known - loss).abs() < 1e-12) {
            Some((chance, _)) => *chance += weight / total,
            None if weight > 1e-18 * total => all.push((weight / total, loss)),
            None => {}
        }
    }
    all
}

/// The chance and the loss of all combinations of outcomes of all `releases`.
fn combinations(releases: &[AccountedMechanism]) -> Vec<(f64, f64)> {
    let mut sums = vec![(1.0, 0.0)];
    for release in releases {
        let coordinates = match release {
            AccountedMechanism::Noise { difference, .. } => difference.coordinates(),
            _ => 1,
        };
        let one = outcomes(release);
        for _ in 0..coordinates {
            let pairs = sums.iter().flat_map(|&(chance, loss)| {
                one.iter().map(move |&(each, more)| (chance * each, loss + more))
            });
            sums = pairs.collect();
        }
    }
    sums
}

/// δ at ε of outcomes with these chances and losses.
fn delta_of(combinations: &[(f64, f64)], epsilon: f64) -> f64 {
    let above = combinations.iter().filter(|(_, loss)| *loss > epsilon);
    above.map(|(chance, loss)| chance * -(epsilon - loss).exp_m1()).sum()
}

fn all(releases: &[AccountedMechanism]) -> Accountant {
    accountant(releases.iter().map(|release| (release.clone(), 1)))
}

fn found(accountant: &Accountant, rate: &str) -> Interval {
    accountant.delta(&epsilon(rate)).expect("an enclosure")
}

#[test]
fn every_mixture_of_releases_agrees_with_all_its_outcomes() {
    let gaussian = |variance: &str, coordinates, step| gaussian(variance, coordinates, step);
    let narrow = ["0.313", "0.477", "0.601", "0.919", "1.337"];
    let scales = [3, 5, 7, 8, 11, 13, 17, 19, 20, 23, 29, 31, 37, 40];
    for (releases, epsilons, width) in [
        (vec![laplace("2.5", 1, 4)], vec!["0.7"], 1e-3),
        (vec![laplace("1.9", 2, 3), laplace("1.7", 1, 2)], vec!["1.1"], 1e-3),
        (vec![gaussian("6", 2, 3)], vec!["1.3"], 1e-3),
        (vec![gaussian("15.5", 1, 3), gaussian("16", 1, 3)], vec!["0.7", "3"], 1e-3),
        (vec![gaussian("30000", 1, 7)], vec!["0.01", "0.2"], 1e-9),
        (vec![gaussian("5", 1, 5), gaussian("3.3", 1, 2)], vec!["2"], 1e-3),
        (vec![gaussian("6.1", 1, 2), laplace("2.2", 1, 7)], vec!["0.4"], 1e-3),
        (vec![kary("0.8", 5), kary("0.8", 5)], vec!["0.05", "0.5", "1.2"], 1e-11),
        (vec![kary("0.3", 40), kary("0.3", 40)], vec!["0.05", "0.2", "0.45"], 1e-11),
        (narrow.map(|variance| gaussian(variance, 1, 1)).to_vec(), vec!["1", "4", "8"], 0.02),
        (scales.map(|scale| laplace(odd(scale), 1, 1)).to_vec(), vec!["0.3", "0.8", "1.2"], 0.02),
    ] {
        let (combinations, accountant) = (combinations(&releases), all(&releases));
        for epsilon in epsilons {
            let exact = delta_of(&combinations, epsilon.parse().expect("a number"));
            let found = found(&accountant, epsilon);
            let (lower, upper) = (found.lower().to_f64(), found.upper().to_f64());
            let case = format!("{releases:?} {epsilon}: {found} {exact}");
            assert!(lower <= exact * (1.0 + 1e-9) && upper >= exact * (1.0 - 1e-9), "{case}");
            assert!(upper < lower * (1.0 + width), "{case}");
        }
    }
}

#[test]
fn a_move_rounded_to_the_nearest_cell_is_caught() {
    // The planted fault: a move by 4 taken for one by 3. The enumeration tells them apart.
    let exact = delta_of(&combinations(&[laplace("2.5", 1, 4)]), 0.7);
    assert!(found(&all(&[laplace("2.5", 1, 3)]), "0.7").upper().to_f64() < exact);
}
