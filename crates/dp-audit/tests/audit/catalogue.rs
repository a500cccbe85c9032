//! The parties of every policy of the catalogue release what they should.

use dp_audit::{
    Conformance, ConformanceResult, Error, ExpectedRelease, InProcessDeployment, Submissions, Task,
};
use dp_task::POLICIES;

use crate::bounds::example;

/// What a test finds in this number of collections of the parties of a task.
fn tested(task: &Task, collections: u64) -> Result<ConformanceResult, Error> {
    let policy = task.policy();
    let clients = policy.min_reports().max(4);
    let submissions = Submissions::of_task("catalogue", task, Some(clients))?;
    let expected = ExpectedRelease::of(policy)?;
    let aggregators = vec![policy.clone(); policy.aggregators()];
    let mut parties = InProcessDeployment::new(policy, &aggregators, 1)?;
    let mut collect = |request: &_| parties.answers(request);
    Conformance::of(&mut collect, &submissions, expected, 1e-9, collections)
}

#[test]
fn nothing_is_found_in_any_policy_of_the_catalogue() {
    let mut left_out = Vec::new();
    for policy in POLICIES {
        // The last two of four batches are asked for twice.
        match tested(&example(policy.name), 6) {
            Ok(result) => {
                assert_eq!(result.found(), None, "{}: {result:?}", policy.name);
                let is_decided = |verdict: &dp_audit::Verdict| verdict.evidence != 0.0;
                assert!(result.verdicts.iter().any(is_decided), "{}", policy.name);
            }
            Err(Error::Parameter(_)) => left_out.push(policy.name),
            Err(error) => panic!("{}: {error}", policy.name),
        }
    }
    // Compensation depends on the number of reports, and the noise of sums of vectors has tables
    // that are too long.
    assert_eq!(left_out, ["sumvec-laplace", "sumvec-gaussian", "compensated-rappor"]);
}
