//! What several tests need.

use dp_audit::PolicyAudit;
use dp_calibration::TrustModel;
use dp_task::{PolicyName, Task};

/// The example of the policy of this name, in which ε = 1.
pub(crate) fn example(name: &str) -> Task {
    let policy = PolicyName::find(name).expect("a policy");
    Task::new(policy.example().expect("an example")).expect("a task")
}

/// All trust models of two aggregators at the policy's own δ and at 1/100, with so many honest clients.
pub(crate) fn questions(honest_clients: u64) -> PolicyAudit {
    PolicyAudit {
        models: TrustModel::with_honest_aggregators(2).expect("models"),
        honest_clients,
        deltas: ["1e-9", "1/100"].map(|delta| delta.parse().expect("a delta")).to_vec(),
    }
}
