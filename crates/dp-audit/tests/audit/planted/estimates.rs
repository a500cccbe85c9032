//! Faults of clients and of the collector, found in collections.

use dp_audit::{
    ExpectedRelease, Fault, FaultStatus, FaultyPolicy, InProcessDeployment, OwnedMeasurement,
};
use dp_prio3::types::Average;
use dp_prio3::{AggregatorNoise, DpPolicy};
use dp_task::FromMeasurement;

use super::deployments::{buckets, finds, parties, result, sound};
use super::{answers, epsilon, rappor, response};

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
) -> (ExpectedRelease, InProcessDeployment<FaultyPolicy<P>>)
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
fn dropped_reports_and_compensation_are_refused() {
    let refused = ExpectedRelease::of(&rappor(8, "1", "1/7")).expect_err("drops").to_string();
    assert!(refused.starts_with("false_positive_rate is 0.0"), "{refused}");
    let policy = rappor(4, "1", "1e-12").with_compensation(20, 0).expect("a policy");
    let refused = ExpectedRelease::of(&policy).expect_err("compensation").to_string();
    assert!(refused.starts_with("policy is "), "{refused}");
}
