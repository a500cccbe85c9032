//! What each policy guarantees, to whom, and what it says where it guarantees nothing.

use crate::support::{
    OAMC, OAOC, OC, alone, epsilon, epsilon_delta, histogram_gaussian, histogram_laplace, rational,
    sum_vec_laplace,
};
use dp_calibration::{Adjacency, Budget};
use dp_exact::{Delta, Rational};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::{CoinFlip, KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Count, Histogram, MultihotCountVec};
use dp_prio3::{
    Circumstances, ClientNoise, Condition, MultihotRappor, PolicyDescription, TrustModel,
};
use dp_rappor::WeightDistribution;

fn pure(text: &str) -> Budget {
    Budget::Pure { epsilon: epsilon(text) }
}

#[test]
fn noise_at_the_aggregators_guarantees_its_budget_with_one_honest_aggregator_and_else_nothing() {
    let gaussian = epsilon_delta("0.906", "1e-9");
    let policies: [(&dyn PolicyDescription, Budget); 3] = [
        (&histogram_gaussian(2, 4), gaussian),
        (&histogram_laplace(5, 4), pure("0.5")),
        (&sum_vec_laplace(2, 4, 3), pure("1")),
    ];
    for (policy, budget) in policies {
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
    let rate = rational("1e-9");
    for (length, weight, expected) in
        [(10, 1, "0.6"), (10, 2, "1.2"), (10, 5, "3"), (10, 9, "3"), (3, 2, "0.9"), (1, 1, "0.3")]
    {
        let policy = MultihotRappor::vectors(2, length, weight, epsilon("0.3"), &rate).unwrap();
        for model in [OC, OAOC] {
            assert_eq!(policy.guarantee(model, &alone()).budget(), Some(&pure(expected)));
        }
    }
    let (count, response) = (Count::new(2).unwrap(), RandomizedResponse::new(epsilon("0.7")));
    let kary = KaryRandomizedResponse::new(epsilon("0.7"), 4).unwrap();
    let rappor = Rappor::basic(5, &epsilon("3"), &rate).unwrap();
    let vectors = MultihotCountVec::new(2, 5, rappor.max_weight()).unwrap();
    let policies: [(&dyn PolicyDescription, &str); 4] = [
        (&ClientNoise::new(count.clone(), response.unwrap()).unwrap(), "0.7"),
        (&ClientNoise::new(Histogram::new(2, 4).unwrap(), kary).unwrap(), "0.7"),
        // ln 3 = 1.09861228866810969139524523692…, rounded up.
        (&ClientNoise::new(count, CoinFlip).unwrap(), "1.098612288668109691395246"),
        (&ClientNoise::new(vectors, rappor).unwrap(), "3"),
    ];
    for (policy, expected) in policies {
        assert_eq!(policy.guarantee(OC, &alone()).budget(), Some(&pure(expected)));
    }
}

#[test]
fn a_randomizer_of_another_length_is_refused() {
    let response = KaryRandomizedResponse::new(epsilon("1"), 4).unwrap();
    let error = ClientNoise::new(Histogram::new(2, 5).unwrap(), response).unwrap_err();
    assert_eq!(error.to_string(), "answers is 4: expected 5, the number of buckets");
    let rappor = Rappor::new(4, 1, epsilon("1"), &rational("1e-9")).unwrap();
    let error = ClientNoise::new(MultihotCountVec::new(2, 5, 1).unwrap(), rappor).unwrap_err();
    assert_eq!(
        error.to_string(),
        "query is multihot:5:1: expected multihot:4:4, which is randomized"
    );
}

fn several(abbreviation: &str) -> TrustModel {
    abbreviation.parse().expect("a trust model")
}

#[test]
fn one_aggregator_is_what_oaoc_and_oamc_count_on_and_two_are_a_model_of_their_own() {
    let policy = histogram_gaussian(3, 4);
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
    let many_clients = Circumstances::new(10_000, "1e-9".parse().unwrap());
    let policy = |rate: &Rational| MultihotRappor::vectors(2, 40, 1, epsilon("1"), rate).unwrap();
    let eaten = policy(&rational("1e-9")).guarantee(OAMC, &many_clients);
    assert_eq!(eaten.budget(), Some(&pure("2")));
    let text = eaten.to_string();
    assert!(text.contains("a lower false-positive rate gives a smaller epsilon"), "{text}");

    let rate = Rappor::negligible_rate(40, 1, epsilon("1"), &many_clients.delta).unwrap();
    assert!(rate < rational("1e-10") && rate > rational("1e-18"), "{rate}");
    let kept = policy(&rate).guarantee(OAMC, &many_clients);
    let Some(Budget::Approximate { epsilon, .. }) = kept.budget() else {
        panic!("{kept}");
    };
    // Without any dropping it is as much, to three digits.
    let free = policy(&rational("0")).guarantee(OAMC, &many_clients);
    let Some(Budget::Approximate { epsilon: free, .. }) = free.budget() else {
        panic!("{free}");
    };
    assert!(epsilon.value() < &rational("0.0753"), "{epsilon}");
    assert!(epsilon.value() <= &(free.value() * &rational("1.001")), "{epsilon}, {free}");
    assert!(kept.remarks.is_empty(), "{kept}");
}

/// Of D = min(d, 2w) places that two neighbours may differ in and the V ones of the others: the
/// least m for which P(V > m − D) is at most a thousandth of δ.
#[test]
fn the_chosen_rate_is_that_of_the_least_bound_that_costs_a_thousandth_of_delta() {
    for (length, weight, epsilon0, delta) in
        [(40, 1, "2", "1e-6"), (30, 3, "1.5", "1e-3"), (60, 2, "3", "1e-4"), (50, 4, "6", "0.1")]
    {
        let delta: Delta = delta.parse().unwrap();
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
    let policy = MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("0")).unwrap();
    let policy = policy.with_max_reports(20).unwrap();
    let among = |clients| Circumstances::new(clients, "1e-6".parse().unwrap());
    let hedged =
        policy.clone().with_noise(NoiseKind::DiscreteGaussian, epsilon_delta("1", "1e-6")).unwrap();
    for clients in [21, 1_000_000, u64::MAX] {
        let (all, more) = (among(20), among(clients));
        assert_eq!(policy.guarantee(OAMC, &more), policy.guarantee(OAMC, &all));
        assert_eq!(hedged.guarantee(OAMC, &more), hedged.guarantee(OAMC, &all));
    }
}
