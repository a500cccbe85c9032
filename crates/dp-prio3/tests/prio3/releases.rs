//! What several releases of a policy guarantee together.

use std::collections::BTreeMap;

use dp_prio3::{Adjacency, SlackReason};

use crate::support::{
    OAMC, OAOC, among, checked, epsilon_delta, epsilon_of, gaussian, histogram, laplace, noisy,
    one_hot_rappor, pure, randomized_response,
};

/// The largest hockey-stick divergence at `epsilon` of two distributions, in both directions.
fn divergence(one: &BTreeMap<Vec<u8>, f64>, other: &BTreeMap<Vec<u8>, f64>, epsilon: f64) -> f64 {
    let directed = |one: &BTreeMap<Vec<u8>, f64>, other: &BTreeMap<Vec<u8>, f64>| -> f64 {
        let terms = one.iter().map(|(outcome, mass)| {
            let there = other.get(outcome).copied().unwrap_or(0.0);
            (mass - epsilon.exp() * there).max(0.0)
        });
        terms.sum()
    };
    directed(one, other).max(directed(other, one))
}

/// The joint distribution of two independent releases.
fn product(one: &BTreeMap<Vec<u8>, f64>, other: &BTreeMap<Vec<u8>, f64>) -> BTreeMap<Vec<u8>, f64> {
    let mut both = BTreeMap::new();
    for (first, mass) in one {
        for (second, weight) in other {
            let outcome = [first.as_slice(), second.as_slice()].concat();
            *both.entry(outcome).or_insert(0.0) += mass * weight;
        }
    }
    both
}

/// The sum of reports of two clients with one bit of two, where reports with two ones are dropped,
/// and how many are left.
fn release(epsilon0: f64, held: [usize; 2]) -> BTreeMap<Vec<u8>, f64> {
    let flip = 1.0 / (epsilon0.exp() + 1.0);
    let mut probabilities = BTreeMap::new();
    for bits in 0..16_u8 {
        let bit = |client: usize, place: usize| (bits >> (2 * client + place)) & 1;
        let (mut mass, mut sum, mut sent) = (1.0, [0_u8; 2], 0);
        for (client, &bucket) in held.iter().enumerate() {
            let report = [bit(client, 0), bit(client, 1)];
            for (place, &one) in report.iter().enumerate() {
                let is_kept = one == u8::from(place == bucket);
                mass *= if is_kept { 1.0 - flip } else { flip };
            }
            if report[0] + report[1] <= 1 {
                sent += 1;
                (sum[0], sum[1]) = (sum[0] + report[0], sum[1] + report[1]);
            }
        }
        *probabilities.entry(vec![sent, sum[0], sum[1]]).or_insert(0.0) += mass;
    }
    probabilities
}

#[test]
fn three_releases_with_dropped_reports_lie_below_the_stated_guarantee() {
    for (epsilon0, slack) in [("1", "1e-2"), ("0.5", "0.2"), ("2", "1e-3")] {
        // Of two bits at most one is sent.
        let policy = checked(one_hot_rappor(2, epsilon0, "1/2"));
        assert_eq!(policy.max_weight(), 1);
        let claimed = policy.pair(OAMC, &among(2, slack).over(3));
        let claimed = epsilon_of(&claimed);
        let at: f64 = epsilon0.parse().expect("a number");
        for others in [[0, 0, 0], [0, 1, 1], [1, 1, 1]] {
            let run = |own: usize| {
                let releases = others.map(|other| release(at, [own, other]));
                product(&product(&releases[0], &releases[1]), &releases[2])
            };
            let found = divergence(&run(0), &run(1), claimed);
            let most: f64 = slack.parse().expect("a number");
            assert!(found <= most * (1.0 + 1e-9), "{epsilon0} {slack} {others:?}: {found}");
        }
    }
}

/// A release in which the client's own report may be dropped costs no more than its local loss.
#[test]
fn rare_drops_cost_little_over_a_year() {
    let over = |releases: u32, rate: &str| {
        let policy = checked(one_hot_rappor(12, "3", rate));
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
    let with_laplace = checked(noisy(histogram(2, 40), laplace(pure("1"))));
    let found = epsilon_of(&with_laplace.pair(OAOC, &month));
    assert!((25.71..25.73).contains(&found), "{found}");
    let with_gaussian = checked(noisy(histogram(2, 40), gaussian(epsilon_delta("1", "1e-8"))));
    let found = epsilon_of(&with_gaussian.pair(OAOC, &month));
    assert!((6.258..6.26).contains(&found), "{found}");
    assert!(with_gaussian.slack_reason(OAOC, &month).is_none());
}

#[test]
fn with_several_reports_of_a_person_other_clients_do_not_count_and_the_policy_says_so() {
    let policy = checked(randomized_response("1"));
    let twice = among(1000, "0").with_reports_per_client(2);
    assert_eq!(epsilon_of(&policy.pair(OAMC, &twice)), 2.0);
    assert_eq!(policy.slack_reason(OAMC, &twice), Some(SlackReason::SeveralReports));
    let guarantee = policy.guarantee(OAMC, &twice.with_adjacency(Adjacency::Deletion));
    assert_eq!(guarantee.adjacency, Adjacency::Deletion);
}
