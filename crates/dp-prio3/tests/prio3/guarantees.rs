//! What each policy guarantees, to whom, what it says where it guarantees nothing, and what several
//! of its releases guarantee together.

use dp_prio3::randomizers::Rappor;
use dp_prio3::{AbsenceReason, Circumstances, Condition, SlackReason};

use crate::support::toy::rappor_clients;
use crate::support::view::{ToyClient, ToyReport, View};
use crate::support::*;

#[test]
fn noise_at_the_aggregators_guarantees_its_budget_with_one_honest_aggregator_and_else_nothing() {
    for (parts, budget) in [
        (histogram_gaussian(2, 4), epsilon_delta("0.906", "1e-9")),
        (histogram_laplace(5, 4), pure("0.5")),
        (sum_vec_laplace(2, 4, 3), pure("1")),
    ] {
        let policy = policy_of(parts);
        for model in [OAOC, OAMC] {
            let guarantee = policy.guarantee(model, &alone());
            assert_eq!(guarantee.budget(), Some(&budget));
            assert_eq!(guarantee.adjacency, Adjacency::Replacement);
            assert_eq!(guarantee.trust_model, model);
        }
        let none = policy.guarantee(OC, &alone());
        assert_eq!(none.budget(), None);
        assert!(none.to_string().starts_with("OC: no guarantee: "));
    }
}

#[test]
fn every_randomizer_guarantees_its_local_epsilon_against_everybody() {
    for (parts, expected) in [
        (rappor(10, 1, "0.3", "1e-9"), "0.6"),
        (rappor(10, 2, "0.3", "1e-9"), "1.2"),
        (rappor(10, 5, "0.3", "1e-9"), "3"),
        (rappor(10, 9, "0.3", "1e-9"), "3"),
        (rappor(3, 2, "0.3", "1e-9"), "0.9"),
        (rappor(1, 1, "0.3", "1e-9"), "0.3"),
        (basic_rappor(5, "3", "1e-9"), "3"),
        (randomized_response("0.7"), "0.7"),
        (kary_response(4, "0.7"), "0.7"),
        // ln 3 = 1.09861228866810969139524523692…, rounded up.
        (coin_flip(), "1.098612288668109691395246"),
    ] {
        let policy = policy_of(parts);
        for model in [OC, OAOC] {
            assert_eq!(policy.guarantee(model, &alone()).budget(), Some(&pure(expected)));
        }
    }
}

#[test]
fn one_aggregator_is_what_oaoc_and_oamc_count_on_and_two_are_a_model_of_their_own() {
    let several = |abbreviation: &str| -> TrustModel { abbreviation.parse().expect("valid") };
    let policy = policy_of(histogram_gaussian(3, 4));
    for (model, carried) in [("2AOC", None), ("2AMC", Some(several("2AOC")))] {
        let guarantee = policy.guarantee(several(model), &alone());
        let Some(Budget::Approximate { epsilon, delta }) = guarantee.budget() else {
            panic!("{guarantee:?}");
        };
        assert_eq!(delta.to_string(), "1e-9");
        // A sum over all outcomes, in double precision, gives 0.63108381072.
        assert!(epsilon.value() >= &rational("0.631083810"));
        assert!(epsilon.value() < &rational("0.631083812"));
        assert_eq!(guarantee.carried_over_from, carried);
        let text = guarantee.to_string();
        let fewer = "2 of the 3 aggregators are honest, one fewer voids this guarantee";
        assert!(text.contains(fewer), "{text}");
    }
    let all = policy.guarantee(several("3AOC"), &alone());
    for said in [
        "each honest aggregator draws its noise",
        "all 3 aggregators are honest: any one of them voids this guarantee by itself",
    ] {
        assert!(all.to_string().contains(said), "{all}");
    }
    let everyone = Condition::SeveralAggregators { honest: 3, aggregators: 3 };
    assert_eq!(all.conditions[0], everyone, "{all}");
    let beyond = policy.guarantee(several("4AOC"), &alone());
    assert!(beyond.to_string().contains("there are only 3 aggregators"));
    let reason = AbsenceReason::TooFewAggregators { aggregators: 3 };
    assert_eq!(policy.pair(several("4AOC"), &alone()), Err(reason.clone()));
    assert_eq!(beyond.bound, PrivacyBound::Absent { reason });

    let plain = Policy::without_noise(COUNT).expect("a fault to plant");
    let none = || Err(AbsenceReason::NoNoise);
    assert_eq!([OC, OAMC].map(|model| plain.pair(model, &alone())), [none(), none()]);
}

#[test]
fn no_release_and_no_report_cost_what_one_does() {
    let hedged = with_noise(&kary_response(4, "1"), laplace(pure("1")));
    for parts in [histogram_laplace(2, 4), randomized_response("0.7"), hedged] {
        let policy = policy_of(parts);
        for model in [OAOC, OAMC] {
            let one = among(100, "1e-6");
            let none = Circumstances { releases: 0, reports_per_client: 0, ..one.clone() };
            assert_eq!(policy.pair(model, &none), policy.pair(model, &one));
            assert_eq!(policy.guarantee(model, &none), policy.guarantee(model, &one));
        }
    }
}

/// Of 40 buckets at ε₀ = 1 10 000 honest clients give 0.075; a rate of δ takes all of it.
#[test]
fn a_rate_that_eats_delta_is_named_and_the_chosen_one_does_not() {
    let at_rate =
        |rate: &str| policy_of(rappor(40, 1, "1", rate)).guarantee(OAMC, &among(10_000, "1e-9"));
    let eaten = at_rate("1e-9");
    assert_eq!(eaten.budget(), Some(&pure("2")));
    let text = eaten.to_string();
    assert!(text.contains("a lower false-positive rate gives a smaller epsilon"), "{text}");

    let rate = Rappor::negligible_rate(40, 1, epsilon("1"), &delta("1e-9")).unwrap();
    assert!(rate < rational("1e-10") && rate > rational("1e-18"), "{rate}");
    // Without any dropping it is as much, to three digits.
    let (kept, free) = (at_rate(&rate.to_string()), at_rate("0"));
    let (least, most) = (epsilon_of(&free.bound), epsilon_of(&kept.bound));
    assert!(most < 0.0753 && most <= least * 1.001, "{most}, {least}");
    assert!(kept.remarks.is_empty(), "{kept}");
}

/// Of D = min(d, 2w) places that two neighbours may differ in and the V ones of the others: the
/// least m for which P(V > m − D) is at most a thousandth of δ.
#[test]
fn the_chosen_rate_is_that_of_the_least_bound_that_costs_a_thousandth_of_delta() {
    for (length, weight, epsilon0, delta) in
        [(40, 1, "2", "1e-6"), (30, 3, "1.5", "1e-3"), (60, 2, "3", "1e-4"), (50, 4, "6", "0.1")]
    {
        let delta = self::delta(delta);
        let rate = Rappor::negligible_rate(length, weight, epsilon(epsilon0), &delta).unwrap();
        assert!(rate.is_positive(), "{length} {weight}");
        let rappor = Rappor::new(length, [0, weight], epsilon(epsilon0), &rate).unwrap();
        let bits = dp_rappor::SymmetricRappor::new(epsilon(epsilon0)).unwrap();
        let outside = length - 2 * weight;
        let lost = |bound: usize| {
            let (ones, rest) = (weight.min(outside), bound - 2 * weight);
            dp_rappor::rejection_rate(&bits, outside, ones, rest).unwrap().midpoint()
        };
        let (bound, most) = (rappor.max_weight(), delta.value().to_f64() / 1000.0);
        assert!(lost(bound) <= most, "{length} {weight}: {}", lost(bound));
        let one_less = bound == 2 * weight || lost(bound - 1) > most;
        assert!(one_less, "{length} {weight}: {bound}");
    }
}

/// No batch has more reports of honest clients than reports.
#[test]
fn no_guarantee_counts_on_more_honest_clients_than_a_batch_holds() {
    let clients = limited_parts(&one_hot_rappor(4, "2", "0"), 1, 20);
    let hedged = with_noise(&clients, gaussian(epsilon_delta("1", "1e-6")));
    for policy in [policy_of(clients), policy_of(hedged)] {
        for honest in [21, 1_000_000, u64::MAX] {
            let (all, more) = (among(20, "1e-6"), among(honest, "1e-6"));
            assert_eq!(policy.guarantee(OAMC, &more), policy.guarantee(OAMC, &all));
        }
    }
}

/// The client with the number of its reports as the first total, whose dropped report is of zeros:
/// nobody sees who of several clients dropped one.
fn counted(client: &ToyClient) -> ToyClient {
    let mut dropped = ToyReport { entries: vec![0; 3], probability: 1.0 };
    let mut reports = Vec::new();
    for report in &client.reports {
        dropped.probability -= report.probability;
        let entries = [&[1], &report.entries[..]].concat();
        reports.push(ToyReport { entries, ..report.clone() });
    }
    reports.push(dropped);
    ToyClient { measurement: client.measurement.clone(), reports }
}

/// ε of the pair of a policy.
fn epsilon_of_pair(policy: &Policy, model: TrustModel, circumstances: &Circumstances) -> f64 {
    policy.pair(model, circumstances).expect("a guarantee").epsilon.value().to_f64()
}

#[test]
fn three_releases_with_dropped_reports_lie_below_the_stated_guarantee() {
    for (epsilon0, slack) in [("1", "1e-2"), ("0.5", "0.2"), ("2", "1e-3")] {
        // Of two bits at most one is sent.
        let policy = policy_of(one_hot_rappor(2, epsilon0, "1/2"));
        assert_eq!(policy.max_weight(), 1);
        let claimed = epsilon_of_pair(&policy, OAMC, &among(2, slack).over(3));
        let clients = rappor_clients(policy.parts(), epsilon0, 1..=1);
        let clients: Vec<_> = clients.iter().map(counted).collect();
        let most = rational(slack).to_f64();
        for others in [[0, 0, 0], [0, 1, 1], [1, 1, 1]] {
            let replacement = Adjacency::Replacement;
            let release = |other: usize| View::new(replacement, &clients, &[&clients[other]], None);
            let [first, second, third] = others.map(release);
            let found = first.and(&second).and(&third).delta(claimed);
            assert!(found <= most * (1.0 + 1e-9), "{epsilon0} {slack} {others:?}: {found}");
        }
    }
}

/// A release in which the client's own report may be dropped costs no more than its local loss.
#[test]
fn rare_drops_cost_little_over_a_year() {
    let over = |releases: u32, rate: &str| {
        let policy = policy_of(one_hot_rappor(12, "3", rate));
        epsilon_of_pair(&policy, OAMC, &among(5000, "1e-9").over(releases))
    };
    let (never, rarely) = (over(365, "1e-30"), over(365, "1e-12"));
    assert!(never < rarely && rarely < never * 1.01, "{never} {rarely}");
    // Nor does it cost that loss where δ pays for it: in 30 releases with a probability of δ/3.
    let (never, rarely) = (over(30, "1e-30"), over(30, "1e-12"));
    assert!(never < rarely && rarely < never * 1.02, "{never} {rarely}");
    assert!(rarely < 6.0, "{rarely}");
}

#[test]
fn with_several_reports_of_a_person_other_clients_do_not_count_and_the_policy_says_so() {
    let policy = policy_of(randomized_response("1"));
    let twice = among(1000, "0").with_reports_per_client(2);
    assert_eq!(epsilon_of_pair(&policy, OAMC, &twice), 2.0);
    assert_eq!(policy.slack_reason(OAMC, &twice), Some(SlackReason::SeveralReports));
    let guarantee = policy.guarantee(OAMC, &twice.with_adjacency(Adjacency::Deletion));
    assert_eq!(guarantee.adjacency, Adjacency::Deletion);
}

/// Behind a strategy matrix the budget is kept. At another δ and for several honest aggregators the
/// bound is the noise's.
#[test]
fn guarantees_behind_a_strategy_matrix_are_those_of_the_product() {
    let noise = AggregatorNoise::PercentilesGaussian { budget: epsilon_delta("1", "1e-8") };
    let policy = policy_of(noise_parts(histogram(2, 64), noise));
    for (model, delta, releases, range) in [
        ("OAOC", "1e-8", 1, 1.0 - 1e-9..1.0 + 1e-9),
        ("OAOC", "1e-10", 1, 1.05..1.2),
        ("2AOC", "1e-8", 1, 0.0..0.72),
        ("OAOC", "1e-8", 12, 3.5..4.5),
    ] {
        let model: TrustModel = model.parse().unwrap();
        let found = epsilon_of_pair(&policy, model, &among(1, delta).over(releases));
        assert!(range.contains(&found), "{found}");
    }
    let none = policy.guarantee(OC, &among(1, "1e-8")).bound;
    assert!(matches!(none, PrivacyBound::Absent { .. }));
}
