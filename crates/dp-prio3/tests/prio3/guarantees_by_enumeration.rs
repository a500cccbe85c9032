//! Every guarantee of every policy at toy size, against the adversary's whole view in its trust
//! model: the verdict on each report, the number of reports, and the totals with what honest
//! aggregators add. For all data of the other honest clients, for every number of them from what
//! the guarantee counts on to what the batch holds, for every number of malicious reports (which
//! are known, but change how many reports compensation makes up), for any two measurements in both
//! directions.
//!
//! A malicious aggregator rejects honest reports as it likes, once it has seen the verdicts. So a
//! guarantee must hold given the others' measurements, for every set of them that is left, of the
//! size that it counts on, and these sets are listed.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::compensation::{BatchCounts, Compensation};

use crate::support::toy::*;
use crate::support::view::ToyClient;
use crate::support::*;

/// The first δ is below what short batches can do.
const QUESTIONS: &[Question] = &[("1e-6", 1), ("1/20", 1), ("1/20", 2), ("1/4", 2), ("1/10", 3)];

/// Asserts that the policy keeps its guarantees.
fn assert_guarantees(parts: Parts, clients: &[ToyClient], questions: &[Question]) {
    let policy = policy_of(parts);
    let name = format!("{}, {:?}", policy.name(), policy.parameters());
    ToyPolicy::new(&policy, clients.to_vec(), questions).assert_claims(&name);
}

/// Asserts that clients keep their guarantees alone, and with each noise and each kind of budget.
fn assert_alone_and_hedged(parts: &Parts, clients: &[ToyClient]) {
    assert_guarantees(parts.clone(), clients, QUESTIONS);
    for (noise, questions) in [
        (laplace(pure("2.5")), &[("1/20", 2), ("1/4", 1)][..]),
        (laplace(epsilon_delta("3", "1/30")), &[("1/20", 2)]),
        (gaussian(epsilon_delta("2", "1/20")), &[("1/20", 2)]),
    ] {
        assert_guarantees(with_noise(parts, noise), clients, questions);
    }
}

/// The slowest budget; one such budget is enough.
#[test]
fn noise_for_a_zero_concentrated_budget_keeps_every_guarantee() {
    let parts = limited_parts(&one_hot_rappor(2, "1", "1/5"), 1, 3);
    let clients = rappor_clients(&parts, "1", 1..=1);
    assert_guarantees(with_noise(&parts, gaussian(concentrated("1"))), &clients, &[("1/5", 2)]);
}

#[test]
fn response_and_coin_flips_keep_every_guarantee() {
    for epsilon in ["0.3", "2"] {
        let parts = limited_parts(&randomized_response(epsilon), 1, 5);
        assert_alone_and_hedged(&parts, &bit_clients(flip_probability(epsilon)));
    }
    assert_alone_and_hedged(&limited_parts(&coin_flip(), 1, 5), &bit_clients(0.25));
}

#[test]
fn answers_keep_every_guarantee() {
    for (epsilon, answers) in [("0.3", 3), ("2", 3), ("1", 2)] {
        let parts = limited_parts(&kary_response(answers, epsilon), 1, 4);
        assert_alone_and_hedged(&parts, &kary_clients(epsilon, answers));
    }
}

#[test]
fn rappor_of_one_bit_of_several_keeps_every_guarantee() {
    for (length, epsilon0, rate) in [(2, "1", "1/5"), (3, "0.5", "1/3"), (3, "3", "1/10")] {
        let parts = limited_parts(&one_hot_rappor(length, epsilon0, rate), 1, 4);
        assert_alone_and_hedged(&parts, &rappor_clients(&parts, epsilon0, 1..=1));
    }
}

#[test]
fn rappor_of_vectors_keeps_every_guarantee() {
    for (length, weight, epsilon0, rate) in
        [(2, 1, "1", "1/5"), (2, 2, "0.7", "1/3"), (3, 1, "3", "1/5"), (3, 2, "0.5", "1/3")]
    {
        let parts = limited_parts(&rappor(length, weight, epsilon0, rate), 1, 3);
        assert_alone_and_hedged(&parts, &rappor_clients(&parts, epsilon0, 0..=weight));
    }
}

#[test]
fn basic_rappor_keeps_every_guarantee() {
    let parts = limited_parts(&basic_rappor(4, "2", "1/4"), 1, 3);
    let clients = rappor_clients(&parts, "1", 1..=1);
    assert_guarantees(parts, &clients, QUESTIONS);
}

/// One honest aggregator and two; all other reports are known. With 1 % less noise a guarantee
/// breaks.
#[test]
fn every_type_keeps_the_guarantee_of_one_and_of_two_honest_aggregators() {
    for (vdaf, measurements) in [
        (COUNT, all_vectors(1, 1, 0..=1)),
        (sum(2, 3), all_vectors(1, 3, 0..=3)),
        (average(2, 2), all_vectors(1, 2, 0..=2)),
        (sum_vec(2, 2, 2), all_vectors(2, 2, 0..=4)),
        (histogram(2, 3), all_vectors(3, 1, 1..=1)),
        (multihot(2, Some(2)), all_vectors(2, 1, 0..=2)),
        (l1_bound_sum(2, 2), all_vectors(2, 2, 0..=2)),
    ] {
        let clients: Vec<ToyClient> = measurements.into_iter().map(ToyClient::plain).collect();
        for noise in [
            laplace(pure("0.5")),
            laplace(pure("2")),
            laplace(epsilon_delta("3", "1/50")),
            gaussian(epsilon_delta("1.5", "1/50")),
            gaussian(concentrated("1/3")),
        ] {
            let name = format!("{vdaf:?}, {noise:?}");
            let policy = policy_of(limited_parts(&noise_parts(vdaf.clone(), noise), 1, 2));
            let toy = ToyPolicy::new(&policy, clients.clone(), &[("1/50", 1)]);
            toy.assert_claims(&name);
            let faulty = toy.with_less_noise();
            assert!(faulty.claims.iter().any(|claim| faulty.refutes(*claim)), "{name}");
        }
    }
}

/// Bits with drops and without, alone and hedged, and the noise of aggregators on every type. The
/// guarantee for one coordinate does not hold for whole measurements.
#[test]
fn one_coordinate_keeps_every_guarantee_and_whole_measurements_break_it() {
    let assert_kept = |parts: Parts, clients: Vec<ToyClient>, questions: &[Question]| {
        let policy = policy_of(parts);
        let toy = ToyPolicy::under(Adjacency::OneCoordinate, &policy, clients, questions);
        toy.assert_claims(&format!("{}, {:?}", policy.name(), policy.parameters()));
        let whole = ToyPolicy { adjacency: Adjacency::Replacement, ..toy };
        whole.claims.iter().any(|claim| whole.refutes(*claim))
    };
    for (length, weight, epsilon0, rate) in
        [(2, 2, "0.7", "1/3"), (3, 1, "3", "1/5"), (3, 2, "0.5", "1/3"), (3, 3, "1", "0")]
    {
        let parts = limited_parts(&rappor(length, weight, epsilon0, rate), 1, 3);
        let clients = || rappor_clients(&parts, epsilon0, 0..=weight);
        assert!(assert_kept(parts.clone(), clients(), QUESTIONS));
        for noise in [laplace(pure("2.5")), gaussian(epsilon_delta("2", "1/20"))] {
            let hedged = with_noise(&parts, noise);
            assert!(assert_kept(hedged, clients(), &[("1/20", 2), ("1/4", 1)]));
        }
    }
    for (vdaf, measurements, is_vector) in [
        (COUNT, all_vectors(1, 1, 0..=1), false),
        (average(2, 2), all_vectors(1, 2, 0..=2), false),
        (sum_vec(2, 2, 2), all_vectors(2, 2, 0..=4), true),
        (multihot(2, Some(2)), all_vectors(2, 1, 0..=2), true),
        (l1_bound_sum(2, 2), all_vectors(2, 2, 0..=2), true),
    ] {
        let clients: Vec<ToyClient> = measurements.into_iter().map(ToyClient::plain).collect();
        for noise in [laplace(pure("2")), gaussian(epsilon_delta("1.5", "1/50"))] {
            let parts = limited_parts(&noise_parts(vdaf.clone(), noise), 1, 2);
            assert_eq!(assert_kept(parts, clients.clone(), &[("1/50", 1)]), is_vector, "{vdaf:?}");
        }
    }
    for parts in [
        one_hot_rappor(3, "1", "0"),
        kary_response(3, "1"),
        noise_parts(histogram(2, 3), laplace(pure("2"))),
    ] {
        let circumstances = alone().with_adjacency(Adjacency::OneCoordinate);
        let bound = policy_of(parts).guarantee(OAOC, &circumstances).bound;
        assert!(bound.to_string().contains("two counts change or none"), "{bound}");
    }
}

/// One-hot RAPPOR with this ε₀, whose batches are filled up to H honest clients while f may be
/// malicious.
fn compensated(clients: &Parts, epsilon0: &str, [target, malicious]: [u64; 2]) -> ToyPolicy {
    let policy = policy_of(with_noise(clients, compensation(target, malicious)));
    let nothing = vec![0; policy.query().totals()];
    let compensation = Some(ToyCompensation {
        target_honest_clients: target,
        assumed_malicious_clients: malicious,
        empty_client: flipping_client(&nothing, flip_probability(epsilon0), nothing.len()),
    });
    let measurements = rappor_clients(clients, epsilon0, 1..=1);
    ToyPolicy { compensation, ..ToyPolicy::new(&policy, measurements, QUESTIONS) }
}

#[test]
fn compensation_keeps_every_guarantee() {
    for (length, epsilon0, rate, counts, [fewest, most]) in [
        (2, "3", "0", [4, 1], [2, 4]),
        (2, "5", "0", [6, 2], [3, 5]),
        (2, "1", "1/5", [3, 0], [1, 4]),
        (3, "0.5", "1/3", [5, 1], [2, 4]),
        (3, "2", "1/10", [2, 1], [2, 4]),
    ] {
        let clients = limited_parts(&one_hot_rappor(length, epsilon0, rate), fewest, most);
        let name = format!("compensation of {length} {epsilon0} {rate} {counts:?}");
        compensated(&clients, epsilon0, counts).assert_claims(&name);
    }
}

#[test]
fn compensation_guaranteed_at_one_number_of_reports_is_caught() {
    let toy = compensated(&limited_parts(&one_hot_rappor(2, "3", "0"), 2, 4), "3", [4, 1]);
    let (reports, malicious) = (2, 1);
    let fewest = Compensation::new(epsilon("3"), BatchCounts { reports, malicious }, 4, 2).unwrap();
    for (model, plan) in [(OAMC, fewest.clone()), (OAOC, fewest.with_honest(1).unwrap())] {
        let upper = plan.epsilon(&delta("1/20"), Adjacency::Replacement).unwrap();
        let claim = Claim { model, honest_clients: 1, epsilon: upper.to_f64(), delta: 0.05 };
        assert!(toy.refutes(claim));
    }
}

#[test]
fn an_aggregate_whose_drops_are_forgotten_and_one_of_a_client_too_many_are_caught() {
    let without_drops = AggregatedRappor::new(epsilon("0.5"), 3).unwrap();
    let upper = without_drops.epsilon(&delta("1/20"), Adjacency::Replacement).unwrap().upper;
    let claim = |honest_clients| {
        let (model, epsilon, delta) = (OAMC, upper.to_f64(), 0.05);
        Claim { model, honest_clients, epsilon, delta }
    };
    let toy = |rate| {
        let parts = limited_parts(&one_hot_rappor(3, "0.5", rate), 1, 4);
        ToyPolicy::new(&policy_of(parts.clone()), rappor_clients(&parts, "0.5", 1..=1), &[])
    };
    assert!(toy("1/3").refutes(claim(3)));
    assert!(!toy("0").refutes(claim(3)));
    assert!(toy("0").refutes(claim(2)));
}

/// Noise that is calibrated to one moved count, and the noise of two aggregators where one is
/// honest.
#[test]
fn too_little_noise_and_noise_that_is_not_there_are_caught() {
    let noise = || gaussian(epsilon_delta("1.5", "1/50"));
    let policy = policy_of(limited_parts(&noise_parts(histogram(2, 3), noise()), 1, 2));
    let clients = all_vectors(3, 1, 1..=1).into_iter().map(ToyClient::plain);
    let toy = ToyPolicy::new(&policy, clients.collect(), &[("1/50", 1)]);
    for claim in toy.claims.iter().filter(|claim| claim.model.honest_aggregators() > 1) {
        assert!(toy.refutes(Claim { model: OAOC, ..*claim }));
    }
    let one_count = policy_of(noise_parts(COUNT, noise()));
    let distribution = one_count.mechanism().map(|noise| noise.distribution().accounted());
    let faulty = ToyPolicy { noise: distribution, ..toy };
    assert!(faulty.claims.iter().any(|claim| faulty.refutes(*claim)));
}
