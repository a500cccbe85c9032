//! What each policy guarantees, to whom, and what it says where it guarantees nothing.

use dp_calibration::{Adjacency, Budget};
use dp_exact::Epsilon;
use dp_prio3::randomizers::Rappor;
use dp_prio3::{Condition, Guarantee, TrustModel};
use dp_rappor::WeightDistribution;

use crate::support::{
    OAMC, OAOC, OC, alone, among, basic_rappor, coin_flip, delta, epsilon, epsilon_delta, gaussian,
    histogram_gaussian, histogram_laplace, kary_response, limited_parts, one_hot_rappor, policy_of,
    pure, randomized_response, rappor, rational, sum_vec_laplace, with_noise,
};

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
        assert!(text.contains(fewer) && text.contains("epsilon 0.906"), "{text}");
    }
    let all = policy.guarantee(several("3AOC"), &alone());
    assert!(all.to_string().contains("each honest aggregator draws its noise"), "{all}");
    assert!(
        all.to_string().contains(
            "all 3 aggregators are honest: any one of them voids this guarantee by itself"
        )
    );
    let everyone = Condition::SeveralAggregators { honest: 3, aggregators: 3 };
    assert_eq!(all.conditions[0], everyone, "{all}");
    let beyond = policy.guarantee(several("4AOC"), &alone());
    assert_eq!(beyond.budget(), None);
    assert!(beyond.to_string().contains("there are only 3 aggregators"));
}

/// Of 40 buckets at ε₀ = 1 10 000 honest clients give 0.075; a rate of δ takes all of it.
#[test]
fn a_rate_that_eats_delta_is_named_and_the_chosen_one_does_not() {
    fn approximate(guarantee: &Guarantee) -> &Epsilon {
        match guarantee.budget() {
            Some(Budget::Approximate { epsilon, .. }) => epsilon,
            _ => panic!("{guarantee}"),
        }
    }
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
    let (least, most) = (approximate(&free), approximate(&kept));
    assert!(most.value() < &rational("0.0753"), "{most}");
    assert!(most.value() <= &(least.value() * &rational("1.001")), "{most}, {least}");
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
        let rappor = Rappor::new(length, weight, epsilon(epsilon0), &rate).unwrap();
        let outside = length - 2 * weight;
        let lost = |bound: usize| {
            let (ones, rest) = (weight.min(outside), bound - 2 * weight);
            dp_rappor::rejection_rate(rappor.bits(), outside, ones, rest, WeightDistribution::Exact)
                .unwrap()
                .midpoint()
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
