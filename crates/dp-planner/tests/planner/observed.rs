//! The standard deviation of a plan is the standard error that the collector reports.

use dp_planner::{Error, Job, Target, plan};

use crate::answers::{approximate, job};

#[test]
fn every_policy_reports_the_standard_error_that_was_planned() -> Result<(), Error> {
    let mut tried = 0;
    let queries = "count sum:9 average:80 sumvec:4:7 histogram:6 multihot:5:2 l1boundsum:4:9";
    for query in queries.split(' ') {
        for (if_all_collude, aggregators) in [(None, 2), (Some("3".parse()?), 3)] {
            let job = Job { aggregators, ..job(query, 600) };
            let target = Target { if_all_collude, ..Target::budget(approximate("1", "1e-6"))? };
            for choice in plan(&job, &target)?.choices {
                // Equal shares, which k-ary randomized response leaves as they are.
                let length = i128::from(job.estimates());
                let totals = vec![600 / length; usize::try_from(length).expect("few")];
                let task = choice.task(&target)?;
                let error = task.policy().estimate(&totals, job.clients)[0].standard_error;
                let ratio = error / choice.errors.std;
                assert!((ratio - 1.0).abs() < 1e-3, "{query} {}: {ratio}", choice.policy.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
    Ok(())
}
