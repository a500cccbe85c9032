//! The parties of every policy of the catalogue release what they should.

use std::sync::Arc;

use dp_audit::{
    Collected, CollectionRequest, Conformance, ConformanceResult, Deployment, Error,
    ExpectedRelease, InProcessDeployment, Submissions,
};
use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, POLICIES, PolicyVisitor, Task};

use crate::policies::example;

/// Number of collections of each policy.
const COLLECTIONS: u64 = 40;

/// Parties to which other measurements are submitted from collection to collection.
struct Submitted<P> {
    parties: InProcessDeployment<P>,
    submissions: Submissions,
    collections: u64,
}

impl<P> Deployment for Submitted<P>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    fn collect(&mut self) -> Result<Collected, Error> {
        let (measurements, _) = self.submissions.of_collection(self.collections)?;
        self.collections += 1;
        let request = CollectionRequest {
            batch: format!("collection {}", self.collections),
            attempts: 1,
            measurements,
        };
        let answers = self.parties.answers(&request)?;
        Ok(answers.into_iter().next().expect("an answer"))
    }
}

/// What a test finds in the parties of a policy.
struct Tested<'a>(&'a Task);

impl PolicyVisitor for Tested<'_> {
    type Output = Result<ConformanceResult, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let submissions = Submissions::of_task(self.0, None)?;
        let expected = ExpectedRelease::of(self.0.policy(), submissions.clients())?;
        let policy = Arc::new(policy);
        let aggregators = vec![Arc::clone(&policy); policy.aggregators()];
        let mut deployment = Submitted {
            parties: InProcessDeployment::new(&policy, &aggregators, Vec::new(), 1)?,
            submissions,
            collections: 0,
        };
        Conformance::of(&mut deployment, expected, 1e-9, COLLECTIONS)
    }
}

#[test]
fn nothing_is_found_in_any_policy_of_the_catalogue() {
    let mut left_out = Vec::new();
    for policy in POLICIES {
        let task = example(policy.name);
        match task.with_policy(Tested(&task)) {
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
