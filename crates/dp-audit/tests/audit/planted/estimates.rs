//! Faults of clients and of the collector, found in collections.

use dp_audit::{Fault, FaultStatus, OwnedMeasurement, Policy};
use dp_prio3::{MeasurementRange, Vdaf};

use super::deployments::{all, buckets, finds, result};
use super::{answers, bits, histogram, laplace, response, with_clients, with_estimates};

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
