//! Every policy of the catalogue.

use dp_audit::{Audit, Finding, PolicyAudit, Task};
use dp_calibration::TrustModel;
use dp_task::{POLICIES, PolicyName};

/// The example of the policy of this name, in which ε = 1.
pub(crate) fn example(name: &str) -> Task {
    let policy = PolicyName::find(name).expect("a policy");
    Task::new(policy.example().expect("an example")).expect("a task")
}

/// All trust models of two aggregators, at the policy's own δ and at 1/100.
fn questions(honest_clients: u64) -> PolicyAudit {
    PolicyAudit {
        models: TrustModel::with_honest_aggregators(2).expect("models"),
        honest_clients,
        deltas: ["1e-9", "1/100"].map(|delta| delta.parse().expect("a delta")).to_vec(),
    }
}

/// The lower bound over the guaranteed ε.
fn tightness(finding: &Finding) -> f64 {
    finding.bound.epsilon / finding.claim.epsilon
}

#[test]
fn no_guarantee_of_the_catalogue_is_refuted() {
    let mut guarantees = 0;
    for policy in POLICIES {
        // Its aggregators build a table for each draw.
        let is_slow = policy.name == "compensated-rappor";
        let runs = if is_slow { 100 } else { 1_000 };
        let audit = Audit::new(runs, 1e-9, 1).expect("an audit");
        let findings = questions(4).audit_task(&example(policy.name), &audit).expect("an audit");
        for finding in &findings {
            assert!(!finding.is_refuted(), "{}: {finding:?}", policy.name);
        }
        guarantees += findings.len();
    }
    assert!(guarantees > 90, "{guarantees}");
}

#[test]
fn bounds_come_within_a_tenth_of_what_pure_policies_guarantee() {
    let audit = Audit::new(600_000, 1e-6, 1).expect("an audit");
    let within = |name: &str, least: f64| {
        // Of several draws of Laplace noise the loss is reached in the tails alone.
        let questions = PolicyAudit { models: TrustModel::ALL.to_vec(), ..questions(1) };
        let findings = questions.audit_task(&example(name), &audit).expect("an audit");
        assert!(!findings.is_empty(), "{name}");
        for finding in findings {
            assert!(!finding.is_refuted(), "{name}: {finding:?}");
            let tightness = tightness(&finding);
            assert!(tightness >= least, "{name}: {tightness}, {finding:?}");
        }
    };
    for name in ["count-laplace", "histogram-laplace", "count-response", "multihot-one-hot-rappor"]
    {
        within(name, 0.9);
    }
    // Behind the folded tree four totals change, and what is guaranteed at δ = 1/100 is the ε of one that changes by as much.
    within("histogram-ranges-laplace", 0.75);
}

#[test]
fn what_gaussian_noise_gives_by_its_distribution_at_a_larger_delta_is_near() {
    for (name, runs, least) in [
        ("count-gaussian", 600_000, 0.7),
        ("histogram-gaussian", 600_000, 0.7),
        ("histogram-percentiles-gaussian", 300_000, 0.6),
    ] {
        let audit = Audit::new(runs, 1e-6, 1).expect("an audit");
        let findings = questions(1).audit_task(&example(name), &audit).expect("an audit");
        let of_law = findings.iter().filter(|finding| finding.claim.delta > 1e-3);
        let tightness: Vec<f64> = of_law.map(tightness).collect();
        assert!(tightness.len() > 1, "{name}: {tightness:?}");
        assert!(tightness.iter().all(|part| (least..=1.0).contains(part)), "{name}: {tightness:?}");
    }
}
