//! The standard deviation of a plan is the standard error that the collector reports.

use dp_planner::{Error, Job, Target, plan};
use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, PolicyVisitor};

use crate::answers::{approximate, job};

/// The standard error of the first estimate over these totals.
struct StandardError {
    totals: Vec<i128>,
    reports: u64,
}

impl PolicyVisitor for StandardError {
    type Output = f64;

    fn visit<P>(self, policy: P) -> f64
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        policy.estimate(&self.totals, self.reports)[0].standard_error
    }
}

#[test]
fn every_policy_reports_the_standard_error_that_was_planned() -> Result<(), Error> {
    let mut tried = 0;
    for query in [
        "count",
        "sum:9",
        "average:80",
        "sumvec:4:7",
        "histogram:6",
        "multihot:5:2",
        "l1boundsum:4:9",
    ] {
        for (if_all_collude, aggregators) in [(None, 2), (Some("3".parse()?), 3)] {
            let job = Job { aggregators, ..job(query, 600) };
            let target = Target { if_all_collude, ..Target::budget(approximate("1", "1e-6"))? };
            for choice in plan(&job, &target)?.choices {
                // Equal shares, which k-ary randomized response leaves as they are.
                let length = i128::from(job.estimates());
                let totals = vec![600 / length; usize::try_from(length).expect("few")];
                let error = choice
                    .task(&target)?
                    .with_policy(StandardError { totals, reports: job.clients });
                let ratio = error / choice.errors.std;
                assert!((ratio - 1.0).abs() < 1e-3, "{query} {}: {ratio}", choice.policy.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
    Ok(())
}
