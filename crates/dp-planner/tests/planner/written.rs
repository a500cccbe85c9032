//! What a plan writes is read back: tasks, strategies, JSON.

use std::sync::LazyLock;

use dp_planner::{
    BudgetScope, Error, Job, Plan, PolicyChoice, Query, Target, Task, Workload, plan,
};
use serde_json::Value;

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

fn is_decimal(value: &Value) -> bool {
    let text = value.as_str().unwrap_or("/");
    text.parse::<dp_planner::Rational>().is_ok() && !text.contains('/')
}

fn check_guarantees(guarantees: &Value) {
    for model in ["oc", "oaoc", "oamc"] {
        let guarantee = &guarantees[model];
        if guarantee.is_null() {
            assert!(guarantees[format!("{model}_reason")].is_string(), "{guarantees}");
        } else {
            assert!(
                is_decimal(&guarantee["epsilon"]) && is_decimal(&guarantee["delta"]),
                "{guarantee}"
            );
        }
    }
}

#[test]
fn the_document_has_the_shape_that_is_written_down() {
    for plan in &*PLANS {
        let document = serde_json::to_value(plan).expect("JSON");
        let mut keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
        keys.sort();
        assert_eq!(keys, ["choices", "chosen", "excluded", "job", "over_all", "schema_version"]);
        assert_eq!(document["schema_version"], 1);
        assert_eq!(document["job"]["type"], plan.job.query.to_string());
        let asked = document["job"].get("for").and_then(Value::as_str);
        let is_histogram = matches!(plan.job.query, Query::Histogram { .. });
        assert_eq!(asked, is_histogram.then(|| plan.job.workload.name()));
        assert_eq!(document["chosen"], plan.choices[0].policy.name);
        for choice in document["choices"].as_array().expect("choices") {
            for name in ["std", "margin_95", "max_error_95"] {
                assert!(is_decimal(&choice[name]), "{choice}");
            }
            assert!(!choice["parameter"].as_object().expect("a map").is_empty());
            check_guarantees(&choice["per_release"]);
            check_guarantees(&choice["total"]);
        }
        for excluded in document["excluded"].as_array().expect("a list") {
            assert!(excluded["policy"].is_string() && excluded["reason"].is_string());
        }
    }
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
