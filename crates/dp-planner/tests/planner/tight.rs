//! Parameters of clients who hide each other are as large as the guarantee allows.

use dp_planner::{
    Accuracy, BudgetScope, Error, Job, PairGuarantee, PolicyChoice, Target, TrustModel, plan,
};
use dp_task::Budget;

use crate::answers::{alone, approximate, job};

fn against_the_collector(epsilon: &str, delta: &str) -> Result<Target, Error> {
    Ok(Target {
        trust_model: TrustModel::OneAggregatorMostClients,
        ..Target::budget(approximate(epsilon, delta))
    })
}

fn parameter(choice: &PolicyChoice) -> f64 {
    choice.parameters[0].1.to_f64()
}

/// The parameter is the largest but for a part of a percent: its guarantee comes as near to the
/// budget.
fn check_parameters(jobs: &[(&str, u64, &str, &str, &str, f64)]) -> Result<(), Error> {
    for (query, clients, epsilon, delta, name, least) in jobs {
        let target = against_the_collector(epsilon, delta)?;
        let choice = alone(&job(query, *clients), &target, name)?;
        assert!(parameter(&choice) >= *least, "{query} {}", parameter(&choice));
        let kept = choice.per_release.oamc().epsilon().expect("a guarantee");
        let budget: f64 = epsilon.parse().expect("a number");
        assert!(kept.to_f64() <= budget, "{query} {clients}: {kept}");
        assert!(kept.to_f64() > 0.997 * budget, "{query} {clients}: {kept}");
    }
    Ok(())
}

#[test]
fn the_guarantee_comes_within_a_percent_of_the_budget() -> Result<(), Error> {
    check_parameters(&[
        ("histogram:40", 20_000, "1", "1e-6", "multihot-one-hot-rappor", 5.96),
        ("count", 700, "3", "1e-5", "count-response", 3.5),
        ("histogram:12", 10_000, "4", "1e-6", "histogram-response", 6.5),
    ])
}

#[test]
#[ignore = "takes seconds: many clients, and a steep guarantee"]
fn the_guarantees_of_many_clients_come_within_a_percent_of_the_budget() -> Result<(), Error> {
    check_parameters(&[
        ("histogram:12", 10_000, "4", "1e-6", "multihot-one-hot-rappor", 6.5),
        ("count", 1_000_000, "1", "1e-6", "count-response", 10.2),
        ("multihot:14:3", 1_000_000, "1", "1e-6", "multihot-rappor", 9.0),
    ])
}

#[test]
fn the_fewest_clients_among_honest_ones_are_found() -> Result<(), Error> {
    let target = Target {
        accuracy: Some(Accuracy::StandardDeviation("0.05%".parse()?)),
        ..against_the_collector("1", "1e-6")?
    };
    let choice = alone(&job("histogram:40", 1), &target, "multihot-one-hot-rappor")?;
    assert!((14_000..14_260).contains(&choice.clients), "{}", choice.clients);
    assert!(choice.errors.std <= 5e-4 * dp_exact::directed::count(choice.clients));
    assert!(*choice.per_release.oamc().epsilon().expect("a guarantee") <= 1);
    Ok(())
}

/// Two reports of four bits out of seven in each of seven releases, deleted.
#[test]
fn several_reports_change_no_more_than_they_can() -> Result<(), Error> {
    let job = Job {
        reports_per_client: 2,
        releases: 7,
        adjacency: dp_planner::Adjacency::Deletion,
        ..job("multihot:7:4", 1000)
    };
    let pure = Target::budget(Budget::Pure { epsilon: "1".parse()? });
    let target = Target { scope: BudgetScope::Total, ..pure };
    let choice = alone(&job, &target, "multihot-laplace")?;
    // Δ₁ = 4 bits · 2 reports · 7 releases
    assert_eq!(choice.parameters[0].1.to_string(), "56");
    let target = Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", "1e-6")) };
    let choice = alone(&job, &target, "multihot-laplace")?;
    let total = choice.total.oaoc.epsilon().expect("a guarantee");
    assert!(total.to_f64() > 0.999 && *total <= 1, "{total}");
    assert!(choice.parameters[0].1.to_f64() < 42.5, "{:?}", choice.parameters);
    Ok(())
}

/// Both noises are for those who ask what is left if all aggregators collude.
#[test]
fn what_is_left_if_all_aggregators_collude_is_asked_for() -> Result<(), Error> {
    let plain = Target::budget(approximate("1", "1e-8"));
    let of = |plan: &dp_planner::Plan| -> Vec<&'static str> {
        plan.choices.iter().map(|one| one.policy.name).collect()
    };
    let names = of(&plan(&job("count", 10_000), &plain)?);
    assert!(!names.contains(&"count-response-laplace"), "{names:?}");
    let target = Target { if_all_collude: Some("5".parse()?), ..plain };
    let plan = plan(&job("count", 10_000), &target)?;
    let names = of(&plan);
    assert!(!names.contains(&"count-laplace"), "{names:?}");
    let hedged = plan.choice("count-response-laplace")?;
    assert_eq!(hedged.parameters[0].1.to_string(), "5");
    assert_eq!(hedged.per_release.oc.epsilon(), Some(&"5".parse()?));
    assert!(*hedged.per_release.oaoc.epsilon().expect("a guarantee") <= 1);
    // Where clients alone keep the budget, and where no aggregator is honest, clients' noise is
    // all.
    let (within, nobody) = (Some("1".parse()?), TrustModel::OneClient);
    for (target, said) in [
        (Target { if_all_collude: within, ..target.clone() }, "keeps the budget alone"),
        (Target { trust_model: nobody, ..target }, "counts for nothing"),
    ] {
        let refused = alone(&job("count", 10_000), &target, "count-response-laplace");
        let refused = refused.expect_err("one noise").to_string();
        assert!(refused.contains(said), "{refused}");
    }
    Ok(())
}

/// The noise of clients counts beside the aggregators', in the plan and in the task that it writes.
#[test]
fn both_noises_together_come_near_to_the_budget() -> Result<(), Error> {
    let target = Target {
        scope: BudgetScope::Total,
        if_all_collude: Some("6".parse()?),
        ..Target::budget(approximate("1", "1e-8"))
    };
    // Laplace or Gaussian noise for the whole budget made 860, 801, 526 and 485.
    for (query, clients, name, most) in [
        ("histogram:12", 2000, "multihot-one-hot-rappor-gaussian", 324.0),
        ("histogram:12", 100, "multihot-one-hot-rappor-gaussian", 90.5),
        ("count", 2000, "count-response-laplace", 215.0),
        ("count", 100, "count-response-laplace", 70.0),
    ] {
        let job = Job { releases: 30, ..job(query, clients) };
        let choice = alone(&job, &target, name)?;
        let found = choice.errors.std;
        assert!(found < most, "{name} {clients}: {found}");
        let total = choice.total.oaoc.epsilon().expect("a guarantee").to_f64();
        assert!((0.997..=1.0).contains(&total), "{name} {clients}: {total}");
        assert!(*choice.total.oc.epsilon().expect("a guarantee") <= 6);
        let task = choice.task(&target)?;
        let all = task.circumstances().clone().over(task.releases());
        let stated = PairGuarantee::of(task.policy().pair("OAOC".parse()?, &all));
        assert_eq!(stated.epsilon(), choice.total.oaoc.epsilon(), "{name} {clients}");
    }
    Ok(())
}
