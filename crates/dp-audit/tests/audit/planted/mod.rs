//! Planted faults. An audit or a test of conformance finds each of them.

mod clients;
mod deployments;
mod estimates;
mod matrices;
mod noise;

use std::sync::Arc;

use dp_audit::{Audit, FaultyPolicy, Finding, FromFn, Generator, Input, PolicyAudit};
use dp_calibration::TrustModel;
use dp_prio3::DpPolicy;
use dp_task::FromMeasurement;

fn audit() -> Audit {
    Audit::new(60_000, 1e-9, 1).expect("an audit")
}

/// Whether an audit refutes what a policy guarantees in this trust model.
fn is_refuted<P>(model: TrustModel, policy: &FaultyPolicy<P>) -> bool
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    let questions = PolicyAudit {
        models: vec![model],
        honest_clients: 1,
        deltas: ["1e-9", "1/100"].map(|delta| delta.parse().expect("a delta")).to_vec(),
    };
    let findings = questions.audit(&Arc::new(policy.clone()), &audit());
    let findings = findings.expect("an audit");
    assert!(!findings.is_empty(), "nothing is guaranteed");
    findings.iter().any(Finding::is_refuted)
}

/// That an audit refutes what each of these policies guarantees, but not what the sound one does.
fn refutes<P>(
    model: TrustModel,
    sound: &FaultyPolicy<P>,
    planted: impl IntoIterator<Item = (&'static str, FaultyPolicy<P>)>,
) where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    assert!(!is_refuted(model, sound), "the sound policy is refuted");
    for (fault, policy) in planted {
        assert!(is_refuted(model, &policy), "{fault}");
    }
}

/// That an audit refutes that this mechanism is (1, 0)-differentially private.
fn refutes_views<F>(fault: &str, width: usize, observe: F)
where
    F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), dp_audit::Error> + Sync,
{
    let bound = audit().lower_bound(&FromFn::new(width, observe), 0.0);
    let bound = bound.expect("a bound");
    assert!(bound.epsilon > 1.0, "{fault}: {bound:?}");
}
