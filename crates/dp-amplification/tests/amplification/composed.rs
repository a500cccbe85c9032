//! Sums of randomized bits, with noise and without, composed by the accountant.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::accounting::{Accountant, AccountedMechanism, ComposedEpsilon};
use dp_calibration::{Adjacency, WorstCaseDifference};
use dp_exact::Rational;

use crate::common::{delta, gaussian, hedged, laplace, noise_pmf, number, rappor, response};
use crate::datasets::{datasets, slow_delta};

/// The ε at δ of each release as often as the number beside it says.
fn epsilon(releases: &[(AccountedMechanism, u32)], delta: &str) -> ComposedEpsilon {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release.clone(), *times).expect("accepted");
    }
    accountant.epsilon(&delta.parse().expect("a delta")).expect("an answer")
}

fn composed(
    sum: &AggregatedRappor,
    adjacency: Adjacency,
    times: u32,
    delta: &str,
) -> ComposedEpsilon {
    epsilon(&[(AccountedMechanism::Dominated(sum.dominating_pair(adjacency)), times)], delta)
}

/// |a − b|/|b|
fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// Three clients and Laplace noise: every dataset of the others, enumerated.
#[test]
fn every_dataset_of_three_clients_is_dominated_and_one_attains_the_lower_bound() {
    let noise = noise_pmf(&laplace("2"), 120);
    let sum = hedged("1", 3, &laplace("2"), 1);
    let exact = |held, epsilon: &Rational| {
        slow_delta((1.0, &noise), held, 0, Adjacency::Replacement, epsilon.to_f64())
    };
    for (delta, text) in [(0.1, "0.1"), (0.01, "0.01"), (1e-4, "1e-4")] {
        let bounds = composed(&sum, Adjacency::Replacement, 1, text);
        for held in datasets(2) {
            let found = exact(held, &bounds.upper);
            assert!(found <= delta * (1.0 + 1e-9), "{held:?} {found} {bounds:?}");
        }
        let attained = exact([2, 0, 0], &bounds.lower);
        assert!(attained >= delta * (1.0 - 1e-9), "{attained} {bounds:?}");
        assert!(bounds.lower.is_positive() && bounds.lower <= bounds.upper, "{bounds:?}");
        // Two counts of one release are two releases of one count.
        let deleted = composed(&sum, Adjacency::Deletion, 2, text);
        assert!(relative(&deleted.upper, &bounds.upper) < 1e-9);
    }
}

/// The answers of one client alone compose as the privacy losses of its answers.
#[test]
fn answers_of_one_client_compose_as_their_losses_do() {
    let alone = response("0.7", 4, 1).epsilon_of_releases(&delta("1e-3"), 6).unwrap();
    let answer = AccountedMechanism::KaryResponse { epsilon: "0.7".parse().unwrap(), answers: 4 };
    let exact = epsilon(&[(answer, 6)], "1e-3");
    assert!(alone >= exact.lower && relative(&alone, &exact.lower) < 1e-3, "{alone} {exact:?}");
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

/// Where noise and bits are both spread over thousands, the pair says what to compose instead.
#[test]
fn what_takes_too_long_is_refused_with_a_way_out() {
    let sum = hedged("1", 10_000_000_000, &gaussian("1e11"), 1);
    let release = AccountedMechanism::Dominated(sum.dominating_pair(Adjacency::Replacement));
    let refused = Accountant::new().add(release, 2).unwrap_err();
    assert!(refused.to_string().contains("the bits or the noise alone"), "{refused}");
}
