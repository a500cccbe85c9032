//! The parties of every policy of the catalogue release what they should.

use std::sync::Arc;

use dp_audit::{
    Conformance, ConformanceResult, Error, ExpectedRelease, InProcessDeployment, Submissions,
};
use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, POLICIES, PolicyVisitor, Task};

use crate::bounds::example;

/// What a test finds in this number of collections of the parties of a policy.
struct Tested<'a>(&'a Task, u64);

impl PolicyVisitor for Tested<'_> {
    type Output = Result<ConformanceResult, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let clients = self.0.policy().min_reports().max(4);
        let submissions = Submissions::of_task("catalogue", self.0, Some(clients))?;
        let expected = ExpectedRelease::of(self.0.policy(), submissions.clients())?;
        let policy = Arc::new(policy);
        let aggregators = vec![Arc::clone(&policy); policy.aggregators()];
        let mut parties = InProcessDeployment::new(&policy, &aggregators, 1)?;
        Conformance::of(&mut parties, &submissions, expected, 1e-9, self.1)
    }
}

fn nothing_is_found_in_any_policy(collections: u64) {
    let mut left_out = Vec::new();
    for policy in POLICIES {
        let task = example(policy.name);
        match task.with_policy(Tested(&task, collections)) {
            Ok(result) => {
                assert_eq!(result.found(), None, "{}: {result:?}", policy.name);
                let is_decided = |verdict: &dp_audit::Verdict| verdict.evidence != 0.0;
                assert!(result.verdicts.iter().any(is_decided), "{}", policy.name);
            }
            Err(Error::Parameter(_)) => left_out.push(policy.name),
            Err(error) => panic!("{}: {error}", policy.name),
        }
    }
    // The noise of sums of vectors has tables that are too long.
    assert_eq!(left_out, ["sumvec-laplace", "sumvec-gaussian"]);
}

#[test]
fn nothing_is_found_in_any_policy_of_the_catalogue() {
    // The last two of four batches are asked for twice.
    nothing_is_found_in_any_policy(6);
}

#[test]
#[ignore = "a quarter of a minute"]
fn nothing_is_found_in_more_collections_of_any_policy() {
    nothing_is_found_in_any_policy(60);
}
