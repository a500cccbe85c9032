//! Every guarantee of every policy at toy size, against the adversary's whole view in its trust
//! model: the verdict on each report, the number of reports, and the totals with what honest
//! aggregators add. For all data of the other honest clients, for every number of them from what
//! the guarantee counts on to what the batch holds, for every number of malicious reports (which
//! are known, but change how many zeros compensation adds), for any two measurements in both
//! directions.
//!
//! A malicious aggregator rejects honest reports as it likes, once it has seen the verdicts. So a
//! guarantee must hold given the others' measurements, for every set of them that is left, of the size
//! that it counts on, and these sets are listed. Every pair (ε, δ) is checked that a guarantee
//! prints, those beside the stated one included.

use crate::support::toy::{
    Claim, Toy, answered, flipped, lying_bits, probability, reported, vectors,
};
use crate::support::view::Client;
use crate::support::{OAMC, OAOC, epsilon, epsilon_delta, rational};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_calibration::{Adjacency, Budget};
use dp_exact::Rho;
use dp_prio3::mechanisms::NoiseKind::{self, DiscreteGaussian, DiscreteLaplace};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, ClientNoise, MultihotRappor, PolicyDescription};

/// At which δ, counting on how many honest clients. The first is below what short batches can do.
const ASKED: &[(&str, usize)] = &[("1e-6", 1), ("1/20", 1), ("1/20", 2), ("1/4", 2), ("1/10", 3)];

/// Whether the policy keeps its guarantees with noise of aggregators as well.
fn hedged<V: MeasurementType, R: LocalRandomizer<V>>(
    policy: &ClientNoise<V, R>,
    clients: &[Client],
    (kind, budget): (NoiseKind, Budget),
    asked: &[(&str, usize)],
) {
    let policy = policy.clone().with_noise(kind, budget).expect("valid");
    let toy = Toy::new(&policy, clients.to_vec(), asked);
    toy.with_noise(policy.mechanism().expect("noise")).check(&policy.name());
}

/// By itself, and hedged with either noise and each kind of budget.
fn alone_and_hedged<V: MeasurementType, R: LocalRandomizer<V>>(
    policy: &ClientNoise<V, R>,
    clients: &[Client],
) {
    Toy::new(policy, clients.to_vec(), ASKED).check(&policy.name());
    let pure = (DiscreteLaplace, epsilon("2.5").into());
    hedged(policy, clients, pure, &[("1/20", 2), ("1/4", 1)]);
    hedged(policy, clients, (DiscreteLaplace, epsilon_delta("3", "1/30")), &[("1/20", 2)]);
    hedged(policy, clients, (DiscreteGaussian, epsilon_delta("2", "1/20")), &[("1/20", 2)]);
}

/// The slowest budget; one such budget is enough.
#[test]
fn noise_for_a_zero_concentrated_budget_keeps_every_guarantee() {
    let rappor = MultihotRappor::one_hot(2, 2, epsilon("1"), &rational("1/5")).unwrap();
    let policy = rappor.with_max_reports(3).unwrap();
    let rho: Rho = "1".parse().unwrap();
    let clients = reported(&policy, "1", 1..=1);
    hedged(&policy, &clients, (DiscreteGaussian, rho.into()), &[("1/5", 2)]);
}

#[test]
fn response_and_coin_flips_keep_every_guarantee() {
    for epsilon0 in ["0.3", "2"] {
        let response = RandomizedResponse::new(epsilon(epsilon0)).unwrap();
        let policy = ClientNoise::new(Count::new(2).unwrap(), response).unwrap();
        let policy = policy.with_max_reports(5).unwrap();
        alone_and_hedged(&policy, &lying_bits(probability(epsilon0)));
    }
    let policy = ClientNoise::new(Count::new(2).unwrap(), CoinFlip).unwrap();
    alone_and_hedged(&policy.with_max_reports(5).unwrap(), &lying_bits(0.25));
}

#[test]
fn answers_keep_every_guarantee() {
    for (epsilon0, answers) in [("0.3", 3), ("2", 3), ("1", 2)] {
        let response = KaryRandomizedResponse::new(epsilon(epsilon0), answers).unwrap();
        let answers = usize::try_from(answers).unwrap();
        let histogram = Histogram::new(2, answers).unwrap();
        let policy = ClientNoise::new(histogram, response).unwrap();
        let policy = policy.with_max_reports(4).unwrap();
        alone_and_hedged(&policy, &answered(epsilon0, answers));
    }
}

#[test]
fn rappor_of_one_bit_of_several_keeps_every_guarantee() {
    for (length, epsilon0, rate) in [(2, "1", "1/5"), (3, "0.5", "1/3"), (3, "3", "1/10")] {
        let policy =
            MultihotRappor::one_hot(2, length, epsilon(epsilon0), &rational(rate)).unwrap();
        let policy = policy.with_max_reports(4).unwrap();
        let clients = reported(&policy, epsilon0, 1..=1);
        alone_and_hedged(&policy, &clients);
    }
}

#[test]
fn rappor_of_vectors_keeps_every_guarantee() {
    for (length, weight, epsilon0, rate) in
        [(2, 1, "1", "1/5"), (2, 2, "0.7", "1/3"), (3, 1, "3", "1/5"), (3, 2, "0.5", "1/3")]
    {
        let policy =
            MultihotRappor::vectors(2, length, weight, epsilon(epsilon0), &rational(rate)).unwrap();
        let policy = policy.with_max_reports(3).unwrap();
        let clients = reported(&policy, epsilon0, 0..=weight);
        alone_and_hedged(&policy, &clients);
    }
}

#[test]
fn basic_rappor_keeps_every_guarantee() {
    let rappor = Rappor::basic(4, &epsilon("2"), &rational("1/4")).unwrap();
    let vectors = MultihotCountVec::new(2, 4, rappor.max_weight()).unwrap();
    let policy = MultihotRappor::new(vectors, rappor).unwrap();
    let policy = policy.with_max_reports(3).unwrap();
    let clients = reported(&policy, "1", 1..=1);
    Toy::new(&policy, clients, ASKED).check("basic RAPPOR");
}

/// One honest aggregator and two; all other reports are known. With 1 % less noise a guarantee breaks.
fn noisy<V: MeasurementType>(measurement_type: &V, measurements: Vec<Vec<usize>>) {
    let clients: Vec<Client> = measurements.into_iter().map(Client::plain).collect();
    let rho: Rho = "1/3".parse().expect("positive");
    for (kind, budget) in [
        (DiscreteLaplace, epsilon("0.5").into()),
        (DiscreteLaplace, epsilon("2").into()),
        (DiscreteLaplace, epsilon_delta("3", "1/50")),
        (DiscreteGaussian, epsilon_delta("1.5", "1/50")),
        (DiscreteGaussian, rho.into()),
    ] {
        let policy = AggregatorNoise::new(kind, measurement_type.clone(), budget).expect("valid");
        let policy = policy.with_max_reports(2).expect("valid");
        let name = format!("{}, {}", policy.name(), policy.mechanism().budget());
        let toy = Toy::new(&policy, clients.clone(), &[("1/50", 1)]);
        let toy = toy.with_noise(policy.mechanism());
        toy.check(&name);
        let less = toy.with_less_noise();
        assert!(less.claims.iter().any(|claim| is_refuted(&less, *claim)), "{name}");
    }
}

#[test]
fn every_type_keeps_the_guarantee_of_one_and_of_two_honest_aggregators() {
    noisy(&Count::new(2).unwrap(), vectors(1, 1, 0..=1));
    noisy(&Sum::new(2, 3).unwrap(), vectors(1, 3, 0..=3));
    noisy(&Average::new(2, 2).unwrap(), vectors(1, 2, 0..=2));
    noisy(&SumVec::new(2, 2, 2).unwrap(), vectors(2, 2, 0..=4));
    noisy(&Histogram::new(2, 3).unwrap(), vectors(3, 1, 1..=1));
    let bits = MultihotCountVec::new(2, 2, 2).unwrap();
    noisy(&bits, vectors(2, 1, 0..=2));
    noisy(&L1BoundSum::new(2, 2, 2).unwrap(), vectors(2, 2, 0..=2));
}

/// Compensation at toy size: H, f, the fewest and the most reports.
fn compensated(
    length: usize,
    epsilon0: &str,
    rate: &str,
    [wanted, malicious, min, max]: [u64; 4],
) -> Toy {
    let clients =
        MultihotRappor::one_hot(2, length, epsilon(epsilon0), &rational(rate)).expect("valid");
    let clients = clients.with_max_reports(max).expect("valid");
    let clients = clients.with_min_reports(min).expect("valid");
    let held = reported(&clients, epsilon0, 1..=1);
    let policy = clients.with_compensation(wanted, malicious).expect("valid");
    let nothing = flipped(&vec![0; length], probability(epsilon0), length);
    Toy { compensation: Some((wanted, malicious, nothing)), ..Toy::new(&policy, held, ASKED) }
}

#[test]
fn compensation_keeps_every_guarantee() {
    for (length, epsilon0, rate, counts) in [
        (2, "3", "0", [4, 1, 1, 4]),
        (2, "5", "0", [6, 2, 3, 5]),
        (2, "1", "1/5", [3, 0, 1, 4]),
        (3, "0.5", "1/3", [5, 1, 2, 4]),
        (3, "2", "1/10", [2, 1, 2, 4]),
    ] {
        let name = format!("compensation of {length} {epsilon0} {rate} {counts:?}");
        compensated(length, epsilon0, rate, counts).check(&name);
    }
}

/// The claim alone, of the toy whose own claims it replaces.
fn is_refuted(toy: &Toy, claim: Claim) -> bool {
    !toy.broken(&[claim]).is_empty()
}

#[test]
fn compensation_guaranteed_at_one_number_of_reports_is_caught() {
    let toy = compensated(2, "3", "0", [4, 1, 1, 4]);
    let (reports, malicious) = (2, 1);
    let fewest = Compensation::new(epsilon("3"), BatchCounts { reports, malicious }, 4, 2).unwrap();
    for (model, plan) in [(OAMC, fewest.clone()), (OAOC, fewest.with_honest(1).unwrap())] {
        let delta = "1/20".parse().unwrap();
        let upper = plan.epsilon(&delta, Adjacency::Replacement).unwrap();
        let (epsilon, delta, honest) = (upper.to_f64(), 0.05, 1);
        assert!(is_refuted(&toy, Claim { model, honest, epsilon, delta }));
    }
}

#[test]
fn an_aggregate_whose_drops_are_forgotten_and_one_of_a_client_too_many_are_caught() {
    let policy = MultihotRappor::one_hot(2, 3, epsilon("0.5"), &rational("1/3")).unwrap();
    let policy = policy.with_max_reports(4).unwrap();
    let toy = Toy::new(&policy, reported(&policy, "0.5", 1..=1), &[]);
    let delta = "1/20".parse().unwrap();
    let without_drops = AggregatedRappor::new(epsilon("0.5"), 3).unwrap();
    let upper = without_drops.epsilon(&delta, Adjacency::Replacement).unwrap().upper;
    let claim = |honest| Claim { model: OAMC, honest, epsilon: upper.to_f64(), delta: 0.05 };
    assert!(is_refuted(&toy, claim(3)));
    let rate = rational("0");
    let policy = MultihotRappor::one_hot(2, 3, epsilon("0.5"), &rate).unwrap();
    let policy = policy.with_max_reports(4).unwrap();
    let toy = Toy::new(&policy, reported(&policy, "0.5", 1..=1), &[]);
    assert!(!is_refuted(&toy, claim(3)));
    assert!(is_refuted(&toy, claim(2)));
}

/// Noise that is calibrated to one moved count, and the noise of two aggregators where one is
/// honest.
#[test]
fn too_little_noise_and_noise_that_is_not_there_are_caught() {
    let budget = || epsilon_delta("1.5", "1/50");
    let policy = AggregatorNoise::gaussian(Histogram::new(2, 3).unwrap(), budget()).unwrap();
    let policy = policy.with_max_reports(2).unwrap();
    let clients: Vec<Client> = vectors(3, 1, 1..=1).into_iter().map(Client::plain).collect();
    let toy = Toy::new(&policy, clients, &[("1/50", 1)]).with_noise(policy.mechanism());
    for claim in toy.claims.iter().filter(|claim| claim.model.honest_aggregators() > 1) {
        assert!(is_refuted(&toy, Claim { model: OAOC, ..*claim }));
    }
    let one_count = AggregatorNoise::gaussian(Count::new(2).unwrap(), budget()).unwrap();
    let less = toy.with_noise(one_count.mechanism());
    assert!(less.claims.iter().any(|claim| is_refuted(&less, *claim)));
}
