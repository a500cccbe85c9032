//! What several releases of a policy guarantee together.

use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::types::{Count, Histogram};
use dp_prio3::{
    Adjacency, AggregatorNoise, Circumstances, ClientNoise, MultihotRappor, PolicyDescription,
    SlackReason, TrustModel,
};

use crate::support::{epsilon, epsilon_delta, epsilon_of, rational};

fn delta(text: &str) -> dp_prio3::Delta {
    text.parse().expect("a delta")
}

/// Drops over a year cost little where δ affords them, and what the other clients hide where it
/// does not.
#[test]
fn drops_are_charged_in_every_release() {
    let model = TrustModel::OneAggregatorMostClients;
    let year = |rate: &str| {
        let policy = MultihotRappor::one_hot(2, 60, epsilon("3"), &rational(rate)).expect("valid");
        let circumstances = Circumstances::new(5000, delta("1e-9")).over(365);
        epsilon_of(&policy.pair(model, &circumstances))
    };
    let (never, rarely, often) = (year("0"), year("1e-14"), year("1e-9"));
    assert!(
        never < rarely && rarely < never * 1.01 && often > 10.0 * never,
        "{never} {rarely} {often}"
    );
}

#[test]
fn noise_of_aggregators_adds_up_as_one_release_of_more_counts() {
    let histogram = || Histogram::new(2, 40).expect("valid");
    let model = TrustModel::OneAggregatorOneClient;
    let month = Circumstances::new(1, delta("1e-8")).over(30);
    let laplace = AggregatorNoise::laplace(histogram(), epsilon("1")).expect("valid");
    let found = epsilon_of(&laplace.pair(model, &month));
    assert!((25.71..25.73).contains(&found), "{found}");
    let gaussian =
        AggregatorNoise::gaussian(histogram(), epsilon_delta("1", "1e-8")).expect("valid");
    let found = epsilon_of(&gaussian.pair(model, &month));
    assert!((6.258..6.26).contains(&found), "{found}");
    assert!(gaussian.slack_reason(model, &month).is_none());
}

#[test]
fn with_several_reports_of_a_person_other_clients_do_not_count_and_the_policy_says_so() {
    let response = RandomizedResponse::new(epsilon("1")).expect("in range");
    let policy = ClientNoise::new(Count::new(2).expect("valid"), response).expect("fits");
    let model = TrustModel::OneAggregatorMostClients;
    let twice = Circumstances::new(1000, delta("0")).with_reports_per_client(2);
    assert_eq!(epsilon_of(&policy.pair(model, &twice)), 2.0);
    assert_eq!(policy.slack_reason(model, &twice), Some(SlackReason::SeveralReports));
    let guarantee = policy.guarantee(model, &twice.with_adjacency(Adjacency::Deletion));
    assert_eq!(guarantee.adjacency, Adjacency::Deletion);
}
