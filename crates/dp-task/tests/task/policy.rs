//! The policy of a task is built once, and takes measurements of one kind.

use dp_prio3::DpPolicy;
use dp_prio3::types::vdaf_name;
use dp_task::{FromMeasurement, Measurement, POLICIES, PolicyVisitor, Task, VdafType};

/// A visitor that returns the VDAF of the policy, and whether a client of it takes the measurement.
struct Takes<'a>(Measurement<'a>);

impl PolicyVisitor for Takes<'_> {
    type Output = (&'static str, bool);

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let measurement = P::Measurement::from_measurement(self.0);
        (vdaf_name(&policy.query()), measurement.is_ok())
    }
}

/// The index of the test measurement that a VDAF takes.
const fn kind(vdaf: VdafType) -> usize {
    match vdaf {
        VdafType::Count => 0,
        VdafType::Sum | VdafType::Average => 1,
        VdafType::Histogram => 2,
        VdafType::MultihotCountVec => 3,
        _ => 4,
    }
}

#[test]
fn each_policy_takes_one_kind_of_measurement() {
    let measurements = [
        Measurement::Bit(true),
        Measurement::Integer(1),
        Measurement::Bucket(1),
        Measurement::Bits(&[true]),
        Measurement::Integers(&[1]),
    ];
    for policy in POLICIES {
        let task = Task::new(policy.example().expect(policy.name)).expect(policy.name);
        for (place, measurement) in measurements.into_iter().enumerate() {
            let (vdaf, takes) = task.with_policy(Takes(measurement));
            assert_eq!(vdaf, policy.vdaf.name());
            assert_eq!(takes, place == kind(policy.vdaf), "{}", policy.name);
        }
    }
}

#[test]
fn a_measurement_of_another_kind_is_refused_without_its_value() {
    let error = u64::from_measurement(Measurement::Integer(1 << 100)).expect_err("too large");
    assert_eq!(error.to_string(), "measurement is hidden: expected an integer of at most 64 bits");
    let error = bool::from_measurement(Measurement::Bucket(3)).expect_err("no bit");
    assert_eq!(error.to_string(), "measurement is \"a bucket\": expected a bit");
}
