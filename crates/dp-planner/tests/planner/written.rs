//! What a plan writes is read back: tasks and strategies.

use std::sync::LazyLock;

use dp_planner::{BudgetScope, Error, Job, Plan, PolicyChoice, Target, Task, Workload, plan};

use crate::answers::{approximate, job};

/// Plans of several types for one release and in total for two.
static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| plans().expect("plans"));

fn plans() -> Result<Vec<Plan>, Error> {
    let mut plans = Vec::new();
    for query in ["histogram:6", "count", "average:80", "multihot:4:2", "l1boundsum:4:9"] {
        let is_histogram = query == "histogram:6";
        for (scope, releases) in [(BudgetScope::Total, 2), (BudgetScope::Release, 1)] {
            if releases == 1 && !is_histogram {
                continue;
            }
            let job = Job { releases, ..job(query, 100) };
            let target = Target { scope, ..Target::budget(approximate("1", "1e-6"))? };
            plans.push(plan(&job, &target)?);
            if is_histogram {
                plans.push(plan(&Job { workload: Workload::Percentiles, ..job }, &target)?);
            }
        }
    }
    Ok(plans)
}

/// The strategy is read by libprio's side, and gives the noise that the plan says.
fn check_strategy(choice: &PolicyChoice, task: &Task) -> Result<(), Error> {
    let Some(strategy) = choice.strategy() else {
        assert!(choice.policy.aggregator_noise.is_none());
        return Ok(());
    };
    let text = serde_json::to_string(&strategy).expect("JSON");
    let read: dp_libprio::Strategy = serde_json::from_str(&text).expect("a strategy");
    assert_eq!(read.matrix(), choice.policy.strategy());
    let noise = read.noise(task.query()).expect("noise");
    let distribution = noise.distribution();
    let (name, value) = distribution.parameter();
    assert!(choice.parameters.contains(&(name, value.clone())), "{name} {value} {choice:?}");
    Ok(())
}

#[test]
fn tasks_and_strategies_are_read_back_with_the_noise_of_the_plan() -> Result<(), Error> {
    for plan in &*PLANS {
        assert!(plan.choices.len() > 1);
        for choice in &plan.choices {
            let task = choice.task(&plan.target)?;
            let toml = Task::from_toml(task.to_toml())?;
            let json = Task::from_json(task.to_json())?;
            assert_eq!((&toml, &json), (&task, &task));
            assert_eq!(toml.policy_name(), choice.policy);
            check_strategy(choice, &task)?;
            // The parameters of the built policy.
            for (name, value) in &choice.parameters {
                // Hedged policies call the epsilon of answers `local_epsilon`; coins have none.
                let names = [*name, if *name == "epsilon" { "local_epsilon" } else { name }];
                let mut built = task.policy().parameters().into_iter();
                let is_built =
                    built.any(|(of, text)| names.contains(&of) && text == value.to_string());
                let policy = choice.policy.name;
                assert!(is_built || policy.contains("coin-flip"), "{policy} {name} {value}");
            }
        }
    }
    Ok(())
}

/// What libprio's side refuses unless it is accepted by name is written with the name.
#[test]
fn a_strategy_that_protects_nobody_says_so() -> Result<(), Error> {
    let job = job("count", 300);
    for (epsilon, is_weak) in [("20", false), ("21", true)] {
        let plan = plan(&job, &Target::budget(approximate(epsilon, "1e-6"))?)?;
        let strategies = plan.choices.iter().filter_map(|choice| choice.strategy());
        let texts = strategies.map(|strategy| serde_json::to_string(&strategy).expect("JSON"));
        let texts: Vec<String> = texts.collect();
        assert!(!texts.is_empty());
        let said = "\"accept_weak_guarantee\":true";
        for text in texts.iter().filter(|text| text.contains("epsilon")) {
            let read: dp_libprio::Strategy = serde_json::from_str(text).expect(text);
            assert_eq!(read.accepts_weak_guarantee(), is_weak, "{text}");
            assert_eq!(text.contains(said), is_weak, "{text}");
        }
    }
    Ok(())
}
