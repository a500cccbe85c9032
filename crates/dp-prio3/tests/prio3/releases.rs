//! What several releases of a policy guarantee together.

use std::collections::BTreeMap;

use dp_prio3::{Adjacency, SlackReason};

use crate::support::toy::rappor_clients;
use crate::support::view::ToyClient;
use crate::support::{
    OAMC, OAOC, among, epsilon_delta, epsilon_of, gaussian, histogram, laplace, noise_parts,
    one_hot_rappor, policy_of, pure, randomized_response, rational,
};

/// The probability of each outcome: for each release the number of reports and their sum.
type Outcomes = BTreeMap<Vec<usize>, f64>;

/// The largest hockey-stick divergence at `epsilon`, in both directions.
fn divergence(one: &Outcomes, other: &Outcomes, epsilon: f64) -> f64 {
    let directed = |one: &Outcomes, other: &Outcomes| -> f64 {
        let terms = one.iter().map(|(outcome, mass)| {
            let there = other.get(outcome).copied().unwrap_or(0.0);
            (mass - epsilon.exp() * there).max(0.0)
        });
        terms.sum()
    };
    directed(one, other).max(directed(other, one))
}

/// The joint distribution of two independent releases.
fn product(one: &Outcomes, other: &Outcomes) -> Outcomes {
    let joined = one.iter().flat_map(|(first, mass)| {
        other.iter().map(move |(second, weight)| {
            ([first.as_slice(), second.as_slice()].concat(), mass * weight)
        })
    });
    joined.collect()
}

/// One release of two clients, whose reports with two ones are dropped.
fn release(clients: [&ToyClient; 2]) -> Outcomes {
    let mut outcomes = Outcomes::from([(vec![0, 0, 0], 1.0)]);
    for client in clients {
        let mut longer = Outcomes::new();
        for (outcome, mass) in outcomes {
            let mut dropped = 1.0;
            for report in &client.reports {
                dropped -= report.probability;
                let [one, two] = [report.entries[0], report.entries[1]];
                let sum = vec![outcome[0] + 1, outcome[1] + one, outcome[2] + two];
                *longer.entry(sum).or_insert(0.0) += mass * report.probability;
            }
            *longer.entry(outcome).or_insert(0.0) += mass * dropped;
        }
        outcomes = longer;
    }
    outcomes
}

#[test]
fn three_releases_with_dropped_reports_lie_below_the_stated_guarantee() {
    for (epsilon0, slack) in [("1", "1e-2"), ("0.5", "0.2"), ("2", "1e-3")] {
        // Of two bits at most one is sent.
        let policy = policy_of(one_hot_rappor(2, epsilon0, "1/2"));
        assert_eq!(policy.max_weight(), 1);
        let claimed = epsilon_of(&policy.pair(OAMC, &among(2, slack).over(3)));
        let clients = rappor_clients(&policy, epsilon0, 1..=1);
        let most = rational(slack).to_f64();
        for others in [[0, 0, 0], [0, 1, 1], [1, 1, 1]] {
            let run = |own: usize| {
                let releases = others.map(|other| release([&clients[own], &clients[other]]));
                product(&product(&releases[0], &releases[1]), &releases[2])
            };
            let found = divergence(&run(0), &run(1), claimed);
            assert!(found <= most * (1.0 + 1e-9), "{epsilon0} {slack} {others:?}: {found}");
        }
    }
}

/// A release in which the client's own report may be dropped costs no more than its local loss.
#[test]
fn rare_drops_cost_little_over_a_year() {
    let over = |releases: u32, rate: &str| {
        let policy = policy_of(one_hot_rappor(12, "3", rate));
        epsilon_of(&policy.pair(OAMC, &among(5000, "1e-9").over(releases)))
    };
    let (never, rarely) = (over(365, "1e-30"), over(365, "1e-12"));
    assert!(never < rarely && rarely < never * 1.01, "{never} {rarely}");
    // Nor does it cost that loss where δ pays for it: in 30 releases with a probability of δ/3.
    let (never, rarely) = (over(30, "1e-30"), over(30, "1e-12"));
    assert!(never < rarely && rarely < never * 1.02, "{never} {rarely}");
    assert!(rarely < 6.0, "{rarely}");
}

#[test]
fn noise_of_aggregators_adds_up_as_one_release_of_more_counts() {
    let month = among(1, "1e-8").over(30);
    let with_laplace = policy_of(noise_parts(histogram(2, 40), laplace(pure("1"))));
    let found = epsilon_of(&with_laplace.pair(OAOC, &month));
    assert!((25.71..25.73).contains(&found), "{found}");
    let with_gaussian =
        policy_of(noise_parts(histogram(2, 40), gaussian(epsilon_delta("1", "1e-8"))));
    let found = epsilon_of(&with_gaussian.pair(OAOC, &month));
    assert!((6.258..6.26).contains(&found), "{found}");
    assert!(with_gaussian.slack_reason(OAOC, &month).is_none());
}

#[test]
fn with_several_reports_of_a_person_other_clients_do_not_count_and_the_policy_says_so() {
    let policy = policy_of(randomized_response("1"));
    let twice = among(1000, "0").with_reports_per_client(2);
    assert_eq!(epsilon_of(&policy.pair(OAMC, &twice)), 2.0);
    assert_eq!(policy.slack_reason(OAMC, &twice), Some(SlackReason::SeveralReports));
    let guarantee = policy.guarantee(OAMC, &twice.with_adjacency(Adjacency::Deletion));
    assert_eq!(guarantee.adjacency, Adjacency::Deletion);
}
