//! Hedged policies: bits and noise together, against known figures and their limits.

use crate::common::number;
use dp_amplification::hedged::{Hedged, Route};
use dp_calibration::Adjacency;
use dp_calibration::NoiseLaw;
use dp_exact::Epsilon;

const ADJACENCIES: [Adjacency; 2] = [Adjacency::Replacement, Adjacency::Deletion];

fn gaussian(variance: &str) -> NoiseLaw {
    let variance = number(variance);
    NoiseLaw::DiscreteGaussian { variance }
}

fn laplace(scale: &str) -> NoiseLaw {
    let scale = number(scale);
    NoiseLaw::DiscreteLaplace { scale }
}

fn policy(epsilon0: &str, clients: u64, noise: NoiseLaw, honest: u32) -> Hedged {
    let epsilon0 = epsilon0.parse().expect("positive");
    Hedged::new(epsilon0, clients, noise, honest).expect("accepted")
}

#[test]
fn bits_and_noise_together_promise_more_than_each() {
    // σ = 23.3916
    let policy = policy("5", 100_000, gaussian("547.16695056"), 1);
    let delta = "1e-9".parse().unwrap();
    let bounds = policy.epsilon(&delta, Adjacency::Replacement).unwrap();
    let near = |value: &dp_exact::Rational, figure: f64| (value.to_f64() - figure).abs() < 5e-4;
    assert!(near(&bounds.parts.clients, 0.2974), "{bounds:?}");
    assert!(near(bounds.parts.aggregator.as_ref().unwrap(), 0.317));
    assert!(near(&bounds.upper, 0.211) && near(&bounds.lower, 0.211));
    assert_eq!(bounds.route, Route::Joint);
    assert!(bounds.upper <= &bounds.lower * &number("1.001"));

    // With one honest aggregator and no other client the flips still amplify a little.
    let alone = policy.one_client().unwrap();
    let alone = alone.epsilon(&delta, Adjacency::Replacement).unwrap();
    assert!(alone.upper < number("0.3126") && alone.lower > number("0.3125"));
    assert_eq!(policy.local_epsilon(Adjacency::Replacement), 10);
}

#[test]
fn much_weaker_flips_leave_the_noise() {
    let delta = "1e-6".parse().unwrap();
    for noise in [gaussian("60"), laplace("3")] {
        let policy = policy("40", 50, noise, 1);
        for adjacency in ADJACENCIES {
            let bounds = policy.epsilon(&delta, adjacency).unwrap();
            let alone = bounds.parts.aggregator.clone().unwrap();
            assert!(bounds.upper <= alone, "{bounds:?}");
            assert!(&bounds.lower * &number("1.0001") >= alone, "{bounds:?}");
        }
    }
}

#[test]
fn much_weaker_noise_leaves_the_flips() {
    let delta = "1e-6".parse().unwrap();
    for noise in [gaussian("1e-3"), laplace("0.02")] {
        for (epsilon0, clients) in [("0.5", 7), ("3", 200), ("5", 50_000)] {
            let policy = policy(epsilon0, clients, noise.clone(), 1);
            for adjacency in ADJACENCIES {
                let bounds = policy.epsilon(&delta, adjacency).unwrap();
                let alone = policy.rappor().epsilon(&delta, adjacency).unwrap();
                assert!(bounds.upper <= alone.upper, "{bounds:?} {alone:?}");
                assert!(&bounds.upper * &number("1.0002") >= alone.upper);
                assert!(bounds.lower <= &alone.lower * &number("1.000001"));
            }
        }
    }
}

#[test]
fn more_noise_more_clients_and_more_honest_aggregators_never_hurt() {
    let delta = "1e-5".parse().unwrap();
    let upper = |clients, noise, honest| {
        let bounds = policy("2", clients, noise, honest).epsilon(&delta, Adjacency::Replacement);
        bounds.expect("accepted").upper
    };
    // Each bound is within a thousandth of the truth.
    let slack = number("1.001");
    let chain = |uppers: Vec<dp_exact::Rational>| {
        for pair in uppers.windows(2) {
            assert!(pair[1] <= &pair[0] * &slack, "{pair:?}");
        }
        assert!(uppers.last() < uppers.first());
    };
    let variances = ["0.01", "0.3", "3", "30", "300"];
    chain(variances.map(|v| upper(80, gaussian(v), 1)).to_vec());
    chain(
        ["0.1", "1", "5", "20"]
            .map(|t| upper(80, laplace(t), 1))
            .to_vec(),
    );
    chain(
        [1, 8, 60, 400]
            .map(|n| upper(n, gaussian("20"), 1))
            .to_vec(),
    );
    chain(
        [1, 2, 5]
            .map(|honest| upper(50, gaussian("20"), honest))
            .to_vec(),
    );
    chain(
        [1, 2, 5]
            .map(|honest| upper(50, laplace("4"), honest))
            .to_vec(),
    );
}

#[test]
fn no_delta_at_all_takes_laplace_noise() {
    let zero = "0".parse().unwrap();
    let bounds = policy("3", 100, gaussian("50"), 1)
        .epsilon(&zero, Adjacency::Replacement)
        .unwrap();
    assert_eq!((bounds.upper, bounds.route), (number("6"), Route::Client));
    // tanh(ε/4) = tanh(ε₀/2)·tanh(1/(2t)): 2·ln((e³ + e^(−1/2))/(1 + e^(5/2))) = 0.903…
    let bounds = policy("3", 100, laplace("2"), 1)
        .epsilon(&zero, Adjacency::Replacement)
        .unwrap();
    let expected = 4.0 * (1.5f64.tanh() * 0.25f64.tanh()).atanh();
    assert!(
        (bounds.upper.to_f64() - expected).abs() < 1e-10,
        "{bounds:?}"
    );
    assert!(bounds.lower < bounds.upper && bounds.route == Route::Joint);
    let beyond = Epsilon::new(bounds.upper).unwrap();
    let none = policy("3", 100, laplace("2"), 1).delta(&beyond, Adjacency::Replacement);
    assert_eq!(none.unwrap().upper, number("0"));
}

#[test]
fn delta_at_epsilon_is_the_inverse_of_epsilon_at_delta() {
    for noise in [gaussian("9"), laplace("5")] {
        let policy = policy("3", 300, noise, 1);
        for adjacency in ADJACENCIES {
            for delta in ["1e-3", "1e-9", "1e-40"] {
                let bounds = policy.epsilon(&delta.parse().unwrap(), adjacency).unwrap();
                let epsilon = Epsilon::new(bounds.upper).unwrap();
                let back = policy.delta(&epsilon, adjacency).unwrap();
                assert!(back.lower <= number(delta), "{back:?}");
                let near = &number(delta) * &number("1.05");
                assert!(back.upper <= near, "{delta} {back:?}");
                assert!(back.upper >= back.lower);
            }
        }
    }
}

#[test]
fn tiny_deltas_are_answered_by_bits_and_noise_together() {
    let policy = policy("5", 100_000, gaussian("100"), 1);
    let bounds = policy.epsilon(&"1e-100".parse().unwrap(), Adjacency::Replacement);
    let bounds = bounds.unwrap();
    assert_eq!(bounds.route, Route::Joint);
    assert!(
        bounds.upper <= &bounds.lower * &number("1.001"),
        "{bounds:?}"
    );
}

#[test]
fn what_is_too_wide_is_answered_by_the_best_part() {
    let policy = policy("5", 1000, gaussian("1e12"), 1);
    let bounds = policy.epsilon(&"1e-9".parse().unwrap(), Adjacency::Replacement);
    let bounds = bounds.unwrap();
    assert_eq!(bounds.route, Route::Aggregator);
    assert_eq!(Some(bounds.upper), bounds.parts.aggregator);
}

#[test]
fn errors_of_both_sources_add_up_as_variances() {
    let errors = policy("5", 1, gaussian("547"), 1).standard_errors(100_000, 2);
    assert!((errors.clients - 26.13364).abs() < 1e-4, "{errors:?}");
    let noise = (2.0f64 * 547.0).sqrt() / 2.5f64.tanh();
    assert!((errors.aggregators - noise).abs() < 1e-9);
    assert!((errors.total.powi(2) - errors.clients.powi(2) - noise.powi(2)).abs() < 1e-6);
}

#[test]
fn parameters_out_of_range_are_errors() {
    let new = |epsilon0: &str, clients, noise, honest| {
        Hedged::new(epsilon0.parse().expect("positive"), clients, noise, honest)
    };
    assert!(new("101", 10, gaussian("4"), 1).is_err());
    assert!(new("1", 0, gaussian("4"), 1).is_err());
    assert!(new("1", u64::MAX, gaussian("4"), 1).is_err());
    assert!(new("1", 10, gaussian("1e-5"), 1).is_err());
    assert!(new("1", 10, gaussian("1e13"), 1).is_err());
    assert!(new("1", 10, laplace("0"), 1).is_err());
    assert!(new("1", 10, laplace("1e7"), 1).is_err());
    assert!(new("1", 10, laplace("1"), 0).is_err());
    assert!(new("1", 10, laplace("1"), 65).is_err());
    let policy = new("1", 10, laplace("1"), 1).unwrap();
    let epsilon = |delta: &str| policy.epsilon(&delta.parse().unwrap(), Adjacency::Deletion);
    assert!(epsilon("1e-300").is_err() && epsilon("0.95").is_err());
    assert!(epsilon("1e-200").is_ok() && epsilon("0.5").is_ok());
}
