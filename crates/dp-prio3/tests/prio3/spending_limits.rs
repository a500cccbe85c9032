//! Whatever is asked, in whatever order: what was spent stays within the limit, and what is refused changes
//! nothing.

use std::sync::Arc;

use dp_calibration::{Adjacency, Budget};
use dp_exact::Rational;
use dp_ledger::{Cost, Declared, DominatedBy, Ledger, Rule, Terms};
use dp_prio3::mechanisms::DiscreteGaussian;
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::spending::{IndividualClient, SpendingClient, SpendingError};
use dp_prio3::types::{Count, Sum};
use dp_prio3::{AggregatorNoise, Client, ClientNoise, CountResponse, TrustModel};
use proptest::prelude::*;

use crate::support::{alone, epsilon, epsilon_delta, rational};

const OC: TrustModel = TrustModel::OneClient;
const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;

/// The ε of a report.
const DAY: &str = "0.3";

fn client() -> Client<CountResponse> {
    let response = RandomizedResponse::new(epsilon(DAY)).expect("a valid epsilon");
    let policy = ClientNoise::new(Count::new(2).expect("two"), response).expect("a count");
    Client::new(Arc::new(policy), b"daily").expect("a short context")
}

/// A rule with a limit, and how many reports fit at the most.
fn rules() -> [(Terms, u64); 3] {
    let pure = Budget::Pure {
        epsilon: epsilon("2"),
    };
    let approximate = epsilon_delta("2", "1e-6");
    let by_rho = Rule::zero_concentrated(&approximate).expect("a rule");
    let declared = Declared {
        dominated_by: DominatedBy::Private {
            epsilon: epsilon(DAY),
            delta: "0".parse().expect("none"),
        },
        times: 5,
    };
    let releases = vec![declared];
    [
        (Terms::new(pure.clone()), 6),
        (Terms::new(approximate).with_rule(by_rho), 6),
        (Terms::new(pure).with_rule(Rule::Declared { releases }), 5),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn a_client_never_spends_more_than_its_limit(days in prop::collection::vec(0..12u8, 1..30)) {
        for (terms, least) in rules() {
            let ledger = Ledger::new(terms.with_trust_model(OC)).expect("a limit");
            let mut client = SpendingClient::new(client(), ledger, OC, &alone()).expect("a promise");
            let mut reported = Vec::new();
            for day in &days {
                let (entries, spent) = (client.ledger().entries().len(), client.ledger().spent().expect("a sum"));
                let room = client.ledger().room_for(client.cost()).expect("a cost");
                match client.report(&day.to_string(), &true) {
                    Ok(_) => {
                        prop_assert!(!reported.contains(day) && room > 0);
                        reported.push(*day);
                        prop_assert_eq!(client.ledger().entries().len(), entries + 1);
                    }
                    Err(error) => {
                        let is_repeated = matches!(error, SpendingError::AlreadyReported { .. });
                        prop_assert_eq!(is_repeated, reported.contains(day));
                        prop_assert!(is_repeated || room == 0);
                        prop_assert_eq!(client.ledger().entries().len(), entries);
                        prop_assert_eq!(client.ledger().spent().expect("a sum"), spent);
                    }
                }
            }
            let distinct = (0..12).filter(|day| days.contains(day)).count() as u64;
            let count = reported.len() as u64;
            prop_assert!(count >= distinct.min(least));
            // As many as fit add up to at most the limit, exactly.
            if let Some(Cost::Sum(Budget::Pure { epsilon })) = client.ledger().spent().expect("a sum") {
                prop_assert_eq!(epsilon.value(), &(rational(DAY) * rational(&count.to_string())));
                prop_assert!(epsilon.value() <= &rational("2"));
            }
            let delta = "1e-6".parse().expect("a delta");
            let shown = client.ledger().spent_epsilon(&delta).expect("in range").expect("an epsilon");
            prop_assert!(shown <= rational("2"), "{}", shown);
        }
    }

    /// Sums up to 80 with ρ = 0.01 for the largest: the sum of what is spent is that of the squares that were sent.
    #[test]
    fn what_single_measurements_cost_adds_up_to_at_most_the_limit(
        measurements in prop::collection::vec(0..=80u64, 1..40),
    ) {
        let limit = Budget::ZeroConcentrated { rho: "0.03".parse().expect("positive") };
        let rule = Rule::zero_concentrated(&limit).expect("a rule");
        let terms = Terms::new(limit).with_rule(rule).with_adjacency(Adjacency::Deletion);
        let rho: dp_exact::Rho = "0.01".parse().expect("positive");
        let policy: AggregatorNoise<_, DiscreteGaussian> =
            AggregatorNoise::new(Sum::new(2, 80).expect("valid"), rho).expect("valid");
        let client = Client::new(Arc::new(policy), b"daily").expect("a short context");
        let ledger = Ledger::new(terms).expect("a limit");
        let mut client = IndividualClient::new(client, ledger, OAOC, &alone(), 0).expect("zeros");
        let mut squares = Rational::zero();
        let unit = rational("0.01") * rational("1/6400");
        for (day, measurement) in measurements.iter().enumerate() {
            let square = rational(&(measurement * measurement).to_string()) * &unit;
            // A report in every round, of zeros where not enough is left.
            client.report(&day.to_string(), measurement).expect("a report");
            if &squares + &square <= rational("0.03") {
                squares = squares + square;
            }
            let spent = match client.ledger().spent().expect("a sum") {
                Some(Cost::Concentrated { rho, .. }) => rho,
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert_eq!(&spent, &squares);
            prop_assert_eq!(client.ledger().entries().len(), day + 1);
            prop_assert!(client.report(&day.to_string(), measurement).is_err());
            prop_assert_eq!(client.ledger().entries().len(), day + 1);
        }
    }
}
