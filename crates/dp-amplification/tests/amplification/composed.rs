//! Sums of randomized bits, with noise and without, composed by the accountant.

use dp_amplification::hedged::Hedged;
use dp_calibration::accounting::{Accountant, AccountedMechanism, ComposedEpsilon};
use dp_calibration::{Adjacency, NoiseDistribution, WorstCaseDifference};
use dp_exact::Rational;

use crate::common::{count, gaussian, laplace, noise_pmf, number, rappor};

fn hedged(epsilon0: &str, clients: u64, noise: NoiseDistribution) -> Hedged {
    crate::common::hedged(epsilon0, clients, noise, 1)
}

/// The ε at δ of each release as often as the number beside it says.
fn epsilon(releases: &[(AccountedMechanism, u32)], delta: &str) -> ComposedEpsilon {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release.clone(), *times).expect("accepted");
    }
    accountant.epsilon(&delta.parse().expect("a delta")).expect("an answer")
}

fn composed(sum: &Hedged, adjacency: Adjacency, times: u32, delta: &str) -> ComposedEpsilon {
    epsilon(&[(AccountedMechanism::Dominated(sum.dominating_pair(adjacency)), times)], delta)
}

/// |a − b|/|b|
fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// Three clients and Laplace noise, twice: every dataset of the others, enumerated.
#[test]
fn every_dataset_of_three_clients_is_dominated_and_one_attains_the_lower_bound() {
    let noise = noise_pmf(&laplace("2"), 120);
    let sum = hedged("1", 3, laplace("2"));
    // The client's own bit beside `ones` ones and the rest zeros, and the other bit.
    let pair = |ones: u64, own: bool| {
        [own, !own].map(u64::from).map(|own| count(1.0, 3 - ones - own, ones + own, &noise))
    };
    // All pairs of outcomes of two counts.
    let delta_of_two = |first: &[Vec<f64>; 2], second: &[Vec<f64>; 2], epsilon: f64| -> f64 {
        let both = |side: usize| {
            first[side]
                .iter()
                .flat_map(move |one| second[side].iter().map(move |other| one * other))
        };
        both(0).zip(both(1)).map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
    };
    for (delta, text) in [(0.1, "0.1"), (0.01, "0.01"), (1e-4, "1e-4")] {
        let bounds = composed(&sum, Adjacency::Deletion, 2, text);
        let (lower, upper) = (bounds.lower.to_f64(), bounds.upper.to_f64());
        for first in 0..=2 {
            for second in 0..=2 {
                for own in [true, false] {
                    let [one, two] = [first, second].map(|ones| pair(ones, own));
                    let found = delta_of_two(&one, &two, upper);
                    assert!(found <= delta * (1.0 + 1e-9), "{first} {second} {found} {bounds:?}");
                }
            }
        }
        let worst = pair(2, true);
        let attained = delta_of_two(&worst, &worst, lower);
        assert!(attained >= delta * (1.0 - 1e-9), "{attained} {bounds:?}");
        assert!(0.0 < lower && lower <= upper, "{bounds:?}");
        // Two counts of one release are two releases of one count.
        let replaced = composed(&sum, Adjacency::Replacement, 1, text);
        assert!(relative(&replaced.upper, &bounds.upper) < 1e-9);
    }
}

#[test]
fn aggregated_rappor_composes_with_itself_and_with_noise() {
    let sum = rappor("5", 100_000);
    let release = AccountedMechanism::Dominated(sum.dominating_pair(Adjacency::Replacement));
    let alone = sum.epsilon(&"1e-9".parse().unwrap(), Adjacency::Replacement).unwrap();
    let one = epsilon(&[(release.clone(), 1)], "1e-9");
    let is_near = relative(&one.upper, &alone.upper) < 1e-3;
    assert!(one.upper >= alone.lower && is_near, "{one:?} {alone:?}");
    assert!(one.lower <= alone.upper && relative(&one.lower, &alone.lower) < 1e-5);
    let many = epsilon(&[(release.clone(), 10)], "1e-9");
    assert!(many.upper > one.upper && many.upper < number("1.2"));
    assert!(many.lower < many.upper && relative(&many.upper, &many.lower) < 3e-3);
    let noise = AccountedMechanism::Noise {
        law: gaussian("900"),
        difference: WorstCaseDifference::one_hot(),
    };
    let mixed = epsilon(&[(release, 10), (noise, 5)], "1e-9");
    assert!(mixed.upper > many.upper && mixed.upper > mixed.lower);
    assert!(mixed.lower > many.lower && relative(&mixed.upper, &mixed.lower) < 3e-3);
}

/// The largest loss 2·artanh(tanh(1/2)·tanh(1/4)) of a count is known rounded up.
#[test]
fn at_no_delta_the_largest_losses_are_above_what_is_attained() {
    let sum = hedged("1", 3, laplace("2"));
    let bounds = composed(&sum, Adjacency::Deletion, 2, "0");
    let attained = 4.0 * (0.5f64.tanh() * 0.25f64.tanh()).atanh();
    assert!((bounds.upper.to_f64() / attained - 1.0).abs() < 1e-10, "{bounds:?}");
    assert!(bounds.lower < bounds.upper, "{bounds:?}");
}

/// Where noise and bits are both spread over thousands, the pair says what to compose instead.
#[test]
fn what_takes_too_long_is_refused_with_a_way_out() {
    let sum = hedged("1", 10_000_000_000, gaussian("1e11"));
    let release = AccountedMechanism::Dominated(sum.dominating_pair(Adjacency::Replacement));
    let refused = Accountant::new().add(release, 2).unwrap_err();
    assert!(refused.to_string().contains("the bits or the noise alone"), "{refused}");
}
