//! Faults of clients and of the collector, found in collections.

use dp_audit::{
    Collected, Conformance, ExpectedRelease, Fault, FaultStatus, FaultyPolicy, OwnedMeasurement,
};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Average, Count, Histogram, MultihotCountVec};
use dp_prio3::{AggregatorNoise, ClientNoise, CompensatedRappor, MultihotRappor};
use dp_rappor::SymmetricRappor;

use super::deployments::{buckets, epsilon, finds, finds_one_of, parties, result, running, sound};

#[test]
fn parties_without_faults_conform() {
    for result in [
        result(parties(sound(), [sound(), sound()], buckets()), 2000),
        result(parties(response("1"), [response("1"), response("1")], bits()), 6000),
        result(parties(answers(), [answers(), answers()], buckets()), 6000),
        result(parties(average(), [average(), average()], integers()), 4000),
    ] {
        assert!(result.conforms(), "{result:?}");
        assert!(result.verdicts.iter().any(|verdict| verdict.outcome == FaultStatus::Excluded));
    }
}

#[test]
fn estimates_with_a_wrong_sign() {
    type Alter = fn(i128, u64, f64) -> f64;
    let wrong: [(Fault, Alter); 4] = [
        (Fault::Negated, |_, _, estimate| -estimate),
        (Fault::Absolute, |_, _, estimate| estimate.abs()),
        (Fault::Clamped, |_, _, estimate| estimate.max(0.0)),
        (Fault::Unsigned, |_, _, estimate| match estimate < 0.0 {
            true => estimate + 3.4e38,
            false => estimate,
        }),
    ];
    for (fault, estimate) in wrong {
        let collector = sound().with_estimate(estimate);
        finds(fault, parties(collector, [sound(), sound()], buckets()));
    }
}

fn response(text: &str) -> FaultyPolicy<ClientNoise<Count, RandomizedResponse>> {
    let randomizer = RandomizedResponse::new(epsilon(text)).expect("a randomizer");
    let policy = ClientNoise::new(Count::new(2).expect("a type"), randomizer);
    FaultyPolicy::sound(policy.expect("a policy"))
}

fn bits() -> Vec<OwnedMeasurement> {
    (0..10).map(|client| OwnedMeasurement::Bit(client < 7)).collect()
}

fn answers() -> FaultyPolicy<ClientNoise<Histogram, KaryRandomizedResponse>> {
    let randomizer = KaryRandomizedResponse::new(epsilon("2"), 4).expect("a randomizer");
    let policy = ClientNoise::new(Histogram::new(2, 4).expect("a type"), randomizer);
    FaultyPolicy::sound(policy.expect("a policy"))
}

fn average() -> FaultyPolicy<AggregatorNoise<Average, DiscreteLaplace>> {
    let policy = AggregatorNoise::new(Average::new(2, 3).expect("a type"), epsilon("1"));
    FaultyPolicy::sound(policy.expect("a policy"))
}

fn integers() -> Vec<OwnedMeasurement> {
    [0, 1, 3, 3].map(OwnedMeasurement::Integer).to_vec()
}

#[test]
fn clients_and_debiasing() {
    let of =
        |collector: FaultyPolicy<_>| parties(collector, [response("1"), response("1")], bits());
    let policy = |text: &str| {
        ClientNoise::new(
            Count::new(2).expect("a type"),
            RandomizedResponse::new(epsilon(text)).expect("a randomizer"),
        )
        .expect("a policy")
    };
    let plain = response("1").with_clients(policy("15"));
    finds(Fault::NotRandomized, of(plain));
    // Flipped with probability 0.135 in place of 0.269.
    finds(Fault::FlipRate(1, 2), of(response("1").with_clients(policy("1.861"))));
    let raw = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    finds(Fault::NotDebiased, of(response("1").with_estimate(raw)));
    // (y − b·(n + 1))/(a − b)
    let flip = 1.0 / (1.0 + 1.0_f64.exp());
    let one_more = move |_: i128, _: u64, estimate: f64| estimate - flip / (1.0 - 2.0 * flip);
    finds(Fault::Miscounted(1), of(response("1").with_estimate(one_more)));
    let as_sum = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    let averages = parties(average().with_estimate(as_sum), [average(), average()], integers());
    finds(Fault::NotDebiased, averages);
}

/// One-hot vectors of four bits; batches are filled up to 20 clients.
fn compensated() -> CompensatedRappor {
    let rate = "1e-12".parse().expect("a rate");
    let randomizer = Rappor::one_hot(4, epsilon("1"), &rate).expect("RAPPOR");
    let weight = randomizer.weight_bound().bound();
    let vectors = MultihotCountVec::new(2, 4, weight).expect("a type");
    let clients = ClientNoise::new(vectors, randomizer).expect("a policy");
    CompensatedRappor::new(clients, 20, 0).expect("a policy")
}

#[test]
fn compensation() {
    let policy = compensated();
    let deployment = |collector: FaultyPolicy<_>, aggregators: [FaultyPolicy<_>; 2]| {
        let vector =
            |place: usize| OwnedMeasurement::Bits((0..4).map(|other| other == place).collect());
        let vectors = [0, 1, 1, 3, 3].map(vector).to_vec();
        let expected = ExpectedRelease::of_compensated(&policy, 5).expect("a law");
        (expected, running(collector, aggregators, vectors))
    };
    let sound = || FaultyPolicy::sound(policy.clone());
    let silent = || sound().with_noise(|_, noise| noise.fill(0));
    let conforming = result(deployment(sound(), [sound(), sound()]), 4000);
    assert!(conforming.conforms(), "{conforming:?}");
    // One of two noises, or half of both: the same variance.
    finds_one_of(
        &[Fault::Missing(1), Fault::Scaled(1, 2)],
        deployment(sound(), [sound(), silent()]),
    );
    let twice = || sound().with_noise(|_, noise| noise.iter_mut().for_each(|bits| *bits *= 2));
    // Two independent draws and one that is doubled differ in the variance only.
    finds_one_of(
        &[Fault::Twice, Fault::ScaledAtOne(2, 1)],
        deployment(sound(), [sound(), twice()]),
    );
    // Corrected for 5 + 15 bits, and there are 5 + 2·15.
    let bits = SymmetricRappor::new(epsilon("1")).expect("RAPPOR");
    let for_one = sound().with_estimate(move |total, reports, _| bits.debias(total, reports + 15));
    finds(Fault::Miscounted(-15), deployment(for_one, [sound(), sound()]));
    let refused =
        Conformance::new(ExpectedRelease::of_compensated(&policy, 5).expect("a law"), 0.1)
            .expect("a test")
            .observe(&Collected {
                batch: "of another size".to_owned(),
                attempt: 1,
                reports: 6,
                submitted: 6,
                truths: vec![0; 4],
                released: vec![0.0; 4],
            });
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.starts_with("reports is 6: expected 5"), "{refused}");
}

/// One-hot vectors of eight bits; at most the fraction `rate` is dropped.
fn dropping(rate: &str) -> MultihotRappor {
    let rate = rate.parse().expect("a rate");
    let randomizer = Rappor::one_hot(8, epsilon("1"), &rate).expect("RAPPOR");
    let weight = randomizer.weight_bound().bound();
    let vectors = MultihotCountVec::new(2, 8, weight).expect("a type");
    ClientNoise::new(vectors, randomizer).expect("a policy")
}

#[test]
fn dropped_reports() {
    let weight = |rate: &str| dropping(rate).randomizer().weight_bound().bound();
    // 7 % of the reports are dropped, or 23 %.
    assert_eq!((weight("1/7"), weight("2/5")), (4, 3));
    let sound = || FaultyPolicy::sound(dropping("1/7"));
    let of = |collector: FaultyPolicy<_>| {
        let vector =
            |place: usize| OwnedMeasurement::Bits((0..8).map(|other| other == place).collect());
        let vectors = [0, 1, 1, 1, 3, 3, 7, 7, 7, 7].map(vector).to_vec();
        parties(collector, [sound(), sound()], vectors)
    };
    let conforming = result(of(sound()), 6000);
    assert!(conforming.conforms(), "{conforming:?}");
    finds(Fault::Heavier(-1), of(sound().with_clients(dropping("2/5"))));
    // Where clients send too heavy reports, proofs fail.
    let (expected, mut heavier) = of(sound().with_clients(dropping("1/20")));
    let failed = Conformance::of(&mut heavier, expected, 1e-6, 1000);
    assert!(failed.is_err(), "{failed:?}");
}
