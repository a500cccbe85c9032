//! What the first calibration of a strategy costs a server, in operations that are counted: on a core that was
//! shared by several builds a million of them took up to 4 milliseconds.

use dp_exact::work;
use dp_libprio::{Budget, Query, Strategy};

use crate::approximate;

/// Less than 100 milliseconds.
const MOST: u64 = 25_000_000;

/// The ends of the range of promises that protect, and what lies between.
const EPSILONS: [&str; 5] = ["1e-9", "0.001", "0.906", "5", "20"];
const DELTAS: [&str; 5] = ["1/1000", "1e-6", "1e-9", "1e-30", "1e-500"];

fn cost(strategy: &Strategy, query: &Query) -> u64 {
    let before = work::spent();
    strategy.noise(query).expect("noise");
    work::spent() - before
}

fn budgets() -> impl Iterator<Item = Budget> {
    let pairs = EPSILONS
        .into_iter()
        .flat_map(|epsilon| DELTAS.map(|delta| (epsilon, delta)));
    pairs.map(|(epsilon, delta)| approximate(epsilon, delta))
}

#[test]
fn gaussian_noise_is_calibrated_within_the_bound_whatever_the_query() {
    for budget in budgets() {
        let strategy = Strategy::discrete_gaussian(budget).expect("it protects");
        for query in [
            Query::Count,
            Query::Histogram { length: 1000 },
            Query::Sum {
                max_measurement: 1 << 40,
            },
            Query::SumVec {
                length: 1000,
                max_measurement: 255,
            },
            Query::SumVec {
                length: 1_000_000,
                max_measurement: 1 << 32,
            },
        ] {
            let cost = cost(&strategy, &query);
            assert!(cost <= MOST, "{query:?} {}: {cost}", strategy.budget());
        }
    }
}

/// A vector of longer numbers takes up to some seconds: its loss takes more values.
#[test]
fn laplace_noise_is_calibrated_within_the_bound_but_for_long_vectors() {
    for budget in budgets() {
        let strategy = Strategy::discrete_laplace(budget).expect("it protects");
        for query in [
            Query::Count,
            Query::Histogram { length: 1000 },
            Query::Sum {
                max_measurement: 1 << 40,
            },
            Query::MultihotCountVec {
                length: 1000,
                max_weight: 250,
            },
            Query::L1BoundSum {
                length: 1000,
                max_measurement: 1 << 20,
            },
            Query::SumVec {
                length: 500,
                max_measurement: 1,
            },
        ] {
            let cost = cost(&strategy, &query);
            assert!(cost <= MOST, "{query:?} {}: {cost}", strategy.budget());
        }
    }
}

/// The promise of a zero-concentrated budget is judged by its ε when the strategy is read.
#[test]
fn reading_a_strategy_costs_next_to_nothing() {
    let cost = |rho: &str, is_weak: bool| {
        let mut value = serde_json::json!({
            "version": 1, "law": "discrete_gaussian", "budget": {"zero_concentrated": {"rho": rho}},
        });
        if is_weak {
            value["accept_weak_promise"] = true.into();
        }
        let before = work::spent();
        serde_json::from_value::<Strategy>(value).expect(rho);
        work::spent() - before
    };
    for rho in ["1e-30", "0.02", "1", "3.3"] {
        assert!(cost(rho, false) <= MOST / 20, "{rho}");
        assert!(cost(rho, false) < 10_000, "{rho}");
    }
    // Beyond the ceiling the first conversion is costly.
    cost("5", true);
    assert!(cost("5", true) < 10_000);
}

#[test]
fn what_was_calibrated_costs_nothing_again() {
    let read = || {
        let text = r#"{"version": 1, "law": "discrete_laplace",
            "budget": {"approximate": {"epsilon": "0.907", "delta": "1e-9"}}}"#;
        serde_json::from_str::<Strategy>(text).expect("a strategy")
    };
    let query = Query::SumVec {
        length: 300,
        max_measurement: 1,
    };
    assert!(cost(&read(), &query) > 10_000);
    assert!(cost(&read(), &query) < 10_000);
}
