//! What a plan writes for servers that are built on libprio is read back.

use dp_planner::{Error, Job, Target, Workload, plan};

use crate::answers::{approximate, job};

/// The noise is the plan's, and what libprio's side refuses unless it is accepted by name is
/// written with the name: ε above 20.
#[test]
fn strategies_are_read_back_with_the_noise_of_the_plan() -> Result<(), Error> {
    let others = ["count", "average:80", "multihot:4:2", "l1boundsum:4:9"];
    let others = others.map(|query| (query, Workload::Buckets));
    let histograms = [Workload::Buckets, Workload::Percentiles].map(|of| ("histogram:6", of));
    for (query, workload) in others.into_iter().chain(histograms) {
        for (releases, epsilon, is_weak) in [(2, "1", false), (1, "20", false), (1, "21", true)] {
            let job = Job { releases, workload, ..job(query, 300) };
            let plan = plan(&job, &Target::budget(approximate(epsilon, "1e-6")))?;
            assert!(plan.choices.len() > 1);
            for choice in &plan.choices {
                let Some(strategy) = choice.strategy() else {
                    assert!(choice.policy.aggregator_noise.is_none());
                    continue;
                };
                let text = serde_json::to_string(&strategy).expect("JSON");
                let read: dp_libprio::Strategy = serde_json::from_str(&text).expect("a strategy");
                assert_eq!(read.matrix(), choice.policy.strategy());
                let distribution =
                    read.noise(choice.query()).expect("noise").distribution().clone();
                let (name, value) = distribution.parameter();
                assert!(choice.parameters.contains(&(name, value.clone())), "{text} {choice:?}");
                if text.contains("epsilon") {
                    assert_eq!(read.accepts_weak_guarantee(), is_weak, "{text}");
                    assert_eq!(text.contains("\"accept_weak_guarantee\":true"), is_weak, "{text}");
                }
            }
        }
    }
    Ok(())
}
