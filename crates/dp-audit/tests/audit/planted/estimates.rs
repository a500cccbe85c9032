//! Faults of clients and of the collector, found in collections.

use dp_audit::{
    Collected, Conformance, ExpectedRelease, Fault, FaultStatus, FaultyPolicy, InProcessDeployment,
    OwnedMeasurement,
};
use dp_prio3::types::Average;
use dp_prio3::{AggregatorNoise, DpPolicy};
use dp_rappor::SymmetricRappor;
use dp_task::FromMeasurement;

use super::deployments::{Tested, buckets, finds, finds_one_of, parties, result, running, sound};
use super::{answers, epsilon, rappor, response, vectors};

#[test]
fn parties_without_faults_conform() {
    for result in [
        result(parties(sound(), [sound(), sound()], buckets()), 2000),
        result(of_clients(response("1"), bits()), 6000),
        result(of_clients(answers("2", 4), buckets()), 6000),
        result(parties(average(), [average(), average()], integers()), 4000),
    ] {
        assert!(result.conforms(), "{result:?}");
        assert!(result.verdicts.iter().any(|verdict| verdict.outcome == FaultStatus::Excluded));
    }
}

/// Parties without faults.
fn of_clients<P>(
    policy: P,
    measurements: Vec<OwnedMeasurement>,
) -> Tested<InProcessDeployment<FaultyPolicy<P>>>
where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    let sound = || FaultyPolicy::sound(policy.clone());
    parties(sound(), [sound(), sound()], measurements)
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

fn bits() -> Vec<OwnedMeasurement> {
    (0..10).map(|client| OwnedMeasurement::Bit(client < 7)).collect()
}

fn average() -> FaultyPolicy<AggregatorNoise<Average>> {
    let policy = AggregatorNoise::laplace(Average::new(2, 3).expect("a type"), epsilon("1"));
    FaultyPolicy::sound(policy.expect("a policy"))
}

fn integers() -> Vec<OwnedMeasurement> {
    [0, 1, 3, 3].map(OwnedMeasurement::Integer).to_vec()
}

#[test]
fn clients_and_debiasing() {
    let of = |collector| {
        let sound = || FaultyPolicy::sound(response("1"));
        parties(collector, [sound(), sound()], bits())
    };
    let sound = || FaultyPolicy::sound(response("1"));
    let plain = sound().with_clients(response("15"));
    finds(Fault::NotRandomized, of(plain));
    // Flipped with probability 0.135 in place of 0.269.
    finds(Fault::FlipRate(1, 2), of(sound().with_clients(response("1.861"))));
    let raw = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    finds(Fault::NotDebiased, of(sound().with_estimate(raw)));
    // (y − b·(n + 1))/(a − b)
    let flip = 1.0 / (1.0 + 1.0_f64.exp());
    let one_more = move |_: i128, _: u64, estimate: f64| estimate - flip / (1.0 - 2.0 * flip);
    finds(Fault::Miscounted(1), of(sound().with_estimate(one_more)));
    let as_sum = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    let averages = parties(average().with_estimate(as_sum), [average(), average()], integers());
    finds(Fault::NotDebiased, averages);
}

#[test]
fn compensation() {
    // Batches are filled up to 12 clients.
    let policy = rappor(4, "1", "1e-12").with_compensation(12, 0).expect("a policy");
    let expected = ExpectedRelease::of(&policy, 5).expect("a distribution");
    let deployment = |collector: FaultyPolicy<_>, aggregators: [FaultyPolicy<_>; 2]| {
        let vectors = vectors(4, [0, 1, 1, 3, 3]);
        running(expected.clone(), collector, aggregators, vectors)
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
    // Corrected for 5 + 7 bits, and there are 5 + 2·7.
    let bits = SymmetricRappor::new(epsilon("1")).expect("RAPPOR");
    let for_one = sound().with_estimate(move |total, reports, _| bits.debias(total, reports + 7));
    finds(Fault::Miscounted(-7), deployment(for_one, [sound(), sound()]));
    let refused = Conformance::new(expected.clone(), 0.1).expect("a test").observe(&Collected {
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

#[test]
fn dropped_reports() {
    let dropping = |rate: &'static str| rappor(8, "1", rate);
    let weight = |rate| dropping(rate).randomizer().weight_bound().bound;
    // 7 % of the reports are dropped, or 23 %.
    assert_eq!((weight("1/7"), weight("2/5")), (4, 3));
    let sound = || FaultyPolicy::sound(dropping("1/7"));
    let of = |collector: FaultyPolicy<_>| {
        parties(collector, [sound(), sound()], vectors(8, [0, 1, 1, 1, 3, 3, 7, 7, 7, 7]))
    };
    let conforming = result(of(sound()), 6000);
    assert!(conforming.conforms(), "{conforming:?}");
    finds(Fault::Heavier(-1), of(sound().with_clients(dropping("2/5"))));
    // Where clients send too heavy reports, proofs fail.
    let (expected, submissions, mut heavier) = of(sound().with_clients(dropping("1/20")));
    let failed = Conformance::of(&mut heavier, &submissions, expected, 1e-6, 1000);
    assert!(failed.is_err(), "{failed:?}");
}
