//! Statements of every task of the examples: what is said, what is refused, and that both forms say
//! the same.

mod deployment;
mod page;
mod record;

use std::fs;
use std::sync::OnceLock;
use std::thread;

use dp_exact::Rational;
use dp_planner::PairGuarantee;
use dp_report::statement::{Deployment, Statement, Task};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// The releases of the statements.
const RELEASES: u32 = 30;

/// The deployment of the examples, in TOML.
fn document() -> String {
    fs::read_to_string(format!("{EXAMPLES}/deployments/heights.toml")).expect("a file")
}

/// A task of the examples.
fn task(name: &str) -> Task {
    let path = format!("{EXAMPLES}/tasks/{name}.toml");
    Task::from_toml(fs::read(path).expect("a file"))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The statement of a task, with as many operators as it has aggregators.
fn statement(task: &Task, releases: u32) -> Statement {
    let more = task.document().vdaf.aggregators() - 2;
    let further =
        "[[aggregators]]\noperator = \"Example Post\"\ntrust = \"The law forbids it\"\n\n";
    let further = format!("{}[collector]", further.repeat(more));
    let deployment = Deployment::from_toml(document().replace("[collector]", &further));
    Statement::new(task.clone(), deployment.expect("a deployment"), releases).expect("a statement")
}

/// A statement of every task of the examples, by its name: computed once.
fn all() -> &'static [(String, Statement)] {
    static ALL: OnceLock<Vec<(String, Statement)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let entries = fs::read_dir(format!("{EXAMPLES}/tasks")).expect("a folder");
        let names = entries.map(|entry| {
            let name = entry.expect("an entry").file_name();
            let name = name.into_string().expect("UTF-8");
            name.strip_suffix(".toml").expect("TOML").to_owned()
        });
        // In parallel: all tests wait for them.
        thread::scope(|scope| {
            let statements = names.map(|name| {
                scope.spawn(|| {
                    let statement = statement(&task(&name), RELEASES);
                    (name, statement)
                })
            });
            let statements: Vec<_> = statements.collect();
            statements.into_iter().map(|one| one.join().expect("a statement")).collect()
        })
    })
}

/// The statement of the example task `name`.
fn of(name: &str) -> &'static Statement {
    let found = all().iter().find(|(one, _)| one == name);
    &found.expect("a task of the examples").1
}

/// A task for percentiles of 64 buckets.
fn percentiles() -> Task {
    let task = "version = 2\nname = \"heights\"\n\
        vdaf = { type = \"Prio3Histogram\", aggregators = 2, length = 64 }\n\
        trust = { model = \"OAOC\" }\nbatch = { min_reports = 1000 }\n\
        [aggregator_noise]\ntype = \"percentiles-gaussian\"\n\
        budget = { zero_concentrated = { rho = \"0.01\" } }\n";
    Task::from_toml(task).expect("a task")
}

fn pair(total: &PairGuarantee) -> (&Rational, &Rational) {
    let (epsilon, delta) = (total.epsilon(), total.delta());
    epsilon.zip(delta).expect("a guarantee")
}

/// From elsewhere: the README's 365 days of the histogram come to 23.44; pure guarantees add up
/// exactly; ρ does.
#[test]
fn totals_are_the_known_ones() {
    let year = |name| pair(&statement(&task(name), 365).relied().all).0.to_f64();
    assert!((23.435..23.445).contains(&year("histogram")));
    // Of compensation among 900 honest clients.
    assert!((10.7..10.92).contains(&year("compensated")));
    // 30 · 1/2 as a sum; a δ of 1e-9 would gain 0.01 %, and a pure total is more.
    let (epsilon, delta) = pair(&of("count").relied().all);
    assert!(*epsilon == 15 && delta.is_zero(), "{epsilon} {delta}");
    let PairGuarantee::Kept { rho: Some(rho), .. } = &of("sum").relied().all else {
        panic!("no rho");
    };
    assert_eq!(*rho, "15/4".parse::<Rational>().expect("30/8"));
    // The noise of hedged clients is composed by its law, not by the guarantees of single releases.
    assert!(*pair(&of("hedged").relied().all).0 < 7);
}

#[test]
fn releases_out_of_range_and_operators_and_people_that_do_not_fit_are_refused() {
    let refused = |name: &str, releases: u32| {
        let deployment = Deployment::from_toml(document()).expect("a deployment");
        let refused = Statement::new(task(name), deployment, releases);
        refused.expect_err("refused").to_string()
    };
    let range = "expected an integer from 1 to 1048576";
    assert_eq!(refused("count", 0), format!("releases is 0: {range}"));
    let most = (1 << 20) + 1;
    assert_eq!(refused("count", most), format!("releases is {most}: {range}"));
    assert_eq!(
        refused("average", 1),
        "aggregators is 2: expected 3 tables, one for each aggregator of the task"
    );
    let few = Deployment::from_toml(document().replace("people = 500000", "people = 999"));
    let refused = Statement::new(task("count"), few.expect("a deployment"), 1);
    let refused = refused.expect_err("batches of 1000").to_string();
    assert!(refused.starts_with("record.people is 999: expected people with 1000 reports"));
}
