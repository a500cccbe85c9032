//! Faults of clients and of the collector, found in collections.

use dp_audit::{Conformance, Fault, FaultStatus, OwnedMeasurement, Policy};
use dp_prio3::{AggregatorNoise, MeasurementRange, Parts, Vdaf};
use dp_rappor::SymmetricRappor;

use super::deployments::{all, buckets, finds, parties, result};
use super::{
    answers, bits, collected, histogram, laplace, rappor, response, vectors, with_clients,
    with_each_noise, with_estimates,
};

fn average() -> Policy {
    let range = MeasurementRange::MaxMeasurement(3);
    laplace(Vdaf::Average { aggregators: 2, range }, "1")
}

fn integers() -> Vec<OwnedMeasurement> {
    [0, 1, 3, 3].map(OwnedMeasurement::Integer).to_vec()
}

#[test]
fn parties_without_faults_conform() {
    for (policy, measurements, most) in [
        (histogram("1"), buckets(), 2000),
        (response("1"), bits(), 6000),
        (answers("2", 4), buckets(), 6000),
        (average(), integers(), 4000),
    ] {
        let result = result(all(&policy, measurements), most);
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
        finds(&[fault], all(&with_estimates(&histogram("1"), estimate), buckets()));
    }
}

#[test]
fn clients_and_debiasing() {
    let sound = response("1");
    let raw = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    // (y − b·(n + 1))/(a − b)
    let flip = 1.0 / (1.0 + 1.0_f64.exp());
    let one_more = move |_: i128, _: u64, estimate: f64| estimate - flip / (1.0 - 2.0 * flip);
    for (fault, faulty, measurements) in [
        (Fault::NotRandomized, with_clients(&sound, &response("15")), bits()),
        // Flipped with probability 0.135 in place of 0.269.
        (Fault::FlipRate(1, 2), with_clients(&sound, &response("1.861")), bits()),
        (Fault::NotDebiased, with_estimates(&sound, raw), bits()),
        (Fault::Miscounted(1), with_estimates(&sound, one_more), bits()),
        (Fault::NotDebiased, with_estimates(&average(), raw), integers()),
    ] {
        finds(&[fault], all(&faulty, measurements));
    }
}

#[test]
fn compensation() {
    // Batches are filled up to 12 clients.
    let filled =
        AggregatorNoise::Compensation { target_honest_clients: 12, assumed_malicious_clients: 0 };
    let parts = rappor(4, "1", "1e-12").parts().clone();
    let sound = &Policy::new(Parts { aggregator_noise: Some(filled), ..parts }).expect("a policy");
    let deployment = |collector: &Policy, second: &Policy| {
        parties(collector, [sound, second], vectors(4, [0, 1, 1, 3, 3]))
    };
    let conforming = result(deployment(sound, sound), 4000);
    assert!(conforming.conforms(), "{conforming:?}");
    // One of two noises, or half of both: the same variance.
    let silent = with_each_noise(sound, |_| 0);
    finds(&[Fault::Missing(1), Fault::Scaled(1, 2)], deployment(sound, &silent));
    // Two independent draws and one that is doubled differ in the variance only.
    let twice = with_each_noise(sound, |bits| 2 * bits);
    finds(&[Fault::Twice, Fault::ScaledAtOne(2, 1)], deployment(sound, &twice));
    // Corrected for 5 + 7 bits, and there are 5 + 2·7.
    let bits = SymmetricRappor::new("1".parse().expect("an epsilon")).expect("RAPPOR");
    let for_one = with_estimates(sound, move |total, reports, _| bits.debias(total, reports + 7));
    finds(&[Fault::Miscounted(-7)], deployment(&for_one, sound));
    let (expected, ..) = deployment(sound, sound);
    let of_another_size = collected("a", 6, &[0; 4], vec![0.0; 4]);
    let refused = Conformance::new(expected, 0.1).expect("a test").observe(&of_another_size);
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.starts_with("reports is 6: expected 5"), "{refused}");
}

#[test]
fn dropped_reports() {
    let dropping = |rate| rappor(8, "1", rate);
    // 7 % of the reports are dropped, or 23 %.
    assert_eq!(["1/7", "2/5"].map(|rate| dropping(rate).max_weight()), [4, 3]);
    let sound = &dropping("1/7");
    let of = |clients: &Policy| {
        all(&with_clients(sound, clients), vectors(8, [0, 1, 1, 1, 3, 3, 7, 7, 7, 7]))
    };
    let conforming = result(of(sound), 6000);
    assert!(conforming.conforms(), "{conforming:?}");
    finds(&[Fault::Heavier(-1)], of(&dropping("2/5")));
    // Where clients send too heavy reports, proofs fail.
    let (expected, submissions, mut heavier) = of(&dropping("1/20"));
    let failed = Conformance::of(&mut heavier, &submissions, expected, 1e-6, 1000);
    assert!(failed.is_err(), "{failed:?}");
}
