//! Reports of runs.

use std::sync::OnceLock;

use dp_prio3::{Circumstances, TrustModel};
use dp_report::model::{Block, Fact, Report, Table};
use dp_report::simulation::{self, ComparedRun, RunTable, description, report};
use dp_simulation::data::RowCounts;
use dp_simulation::dp_task::{PolicyName, Task};
use dp_simulation::report::{Question, SimulationPlan, SimulationReport};
use dp_simulation::{Coordinate, Outcome, Population, Simulation, ValueDistribution};

use crate::pages::{check, in_html, tables};

fn ran(policy: &str, trials: u64) -> (SimulationPlan, Outcome) {
    let policy = PolicyName::find(policy).expect("a policy");
    let task = Task::new(policy.example()).expect("a task");
    // Fifty clients who differ.
    let rows = ValueDistribution::suited_to(task.query()).measurements(task.query(), 1);
    let population = Population::bootstrap(rows.expect("rows"), 50, 1).expect("clients");
    let simulation = Simulation::new(task.policy().clone(), population, trials, 1, 1);
    let outcome = simulation.expect("valid").run(&|_| ()).expect("honest parties");
    let circumstances = Circumstances::new(50, "1e-9".parse().expect("a delta"));
    let guarantees = TrustModel::ALL.map(|model| task.policy().guarantee(model, &circumstances));
    let labels = (0..outcome.trials[0].coordinates.len()).map(|place| format!("bin {place}"));
    let plan = SimulationPlan {
        question: Question { asked: "How many people are there".to_owned(), remark: String::new() },
        synthetic: None,
        reading: RowCounts::default(),
        post_processing: None,
        percentiles: None,
        is_ideal: false,
        clients: "50 clients, one for each row.".to_owned(),
        parameters: task.policy().parameters(),
        guarantees: guarantees.to_vec(),
        circumstances,
        pairs: OnceLock::new(),
        labels: labels.collect(),
        seed: 1,
        task,
    };
    (plan, outcome)
}

/// The table behind the chart of the estimates.
fn estimates(report: &Report) -> &Table {
    tables(report)[0]
}

/// The statistics over all trials.
fn summary(report: &Report) -> &[Fact] {
    let Some(Block::Group(_, blocks)) = report.sections[0].blocks.last() else {
        panic!("{report:?}");
    };
    let [Block::Facts(facts)] = &blocks[..] else { panic!("{blocks:?}") };
    facts
}

#[test]
fn a_run_of_every_type_has_a_report_with_the_figures_of_its_text() {
    for name in [
        "count-response",
        "sum-gaussian",
        "average-laplace",
        "sumvec-gaussian",
        "histogram-response-gaussian",
        "multihot-rappor",
        "l1boundsum-laplace",
    ] {
        let (plan, outcome) = ran(name, 2);
        let run = SimulationReport { plan: &plan, outcome: &outcome };
        let made = report(run);
        let page = check(&format!("run-{name}"), &made);
        let text = description(&plan, 100) + &simulation::outcome(run, 100);
        let written = page.replace('\u{a0}', " ");
        for cell in estimates(&made).rows.iter().flatten() {
            assert!(text.contains(cell.as_str()) && page.contains(cell.as_str()), "{name}: {cell}");
        }
        assert!(page.contains("your own data, without protection"), "{name}");
        let summary = summary(&made);
        assert!(summary.len() > 5);
        for fact in summary {
            let is_there = text.contains(&fact.value) && written.contains(&fact.value);
            assert!(is_there, "{name}: {}", fact.value);
        }
    }
}

#[test]
fn one_estimate_is_told_in_the_answer_and_a_run_that_guarantees_nothing_says_so() {
    let (mut plan, outcome) = ran("count-laplace", 1);
    let run = SimulationReport { plan: &plan, outcome: &outcome };
    let made = report(run);
    let row = &estimates(&made).rows[0];
    let [_, truth, estimate, margin, ..] = &row[..] else { panic!("{row:?}") };
    let begin = format!("The estimate is {estimate} ± {margin}, where the truth is {truth}, and");
    assert!(made.answer.starts_with(&begin), "{}", made.answer);
    assert!(made.answer.contains("epsilon 1"), "{}", made.answer);
    plan.guarantees.truncate(1);
    let made = report(SimulationReport { plan: &plan, outcome: &outcome });
    assert!(made.answer.contains("nobody is guaranteed anything"), "{}", made.answer);
    assert!(check("run-nothing", &made).contains("so nothing bounds what can be learned"));
}

#[test]
fn a_run_of_a_task_of_several_releases_speaks_of_all_of_them() {
    let (mut plan, outcome) = ran("count-laplace", 1);
    plan.circumstances = plan.circumstances.over(30);
    let made = report(SimulationReport { plan: &plan, outcome: &outcome });
    assert!(made.verdict.contains("nobody is protected in all 30 results together"), "{made:?}");
    assert!(made.answer.contains("with epsilon 1 (all 30 releases: epsilon "), "{}", made.answer);
    assert!(check("run-often", &made).contains("at most, after all 30 releases"));
    // The name of a task is no number.
    plan.parameters.push(("task", "20260701".to_owned()));
    let text = description(&plan, 100);
    assert!(text.contains("\n    All 30 releases: epsilon ") && text.contains("  20260701\n"));
}

#[test]
fn whatever_a_label_says_it_is_text() {
    let (mut plan, outcome) = ran("histogram-laplace", 1);
    let hostile = "<script>alert(1)</script>";
    plan.question.asked = format!("How many of {hostile} & \"others\" of people'.csv");
    let long = "x".repeat(5000);
    plan.labels = [
        hostile,
        "\"><img src=x onerror=alert(1)>",
        "a & b | c",
        "\u{202e}right to left",
        "שלום",
        "$x^2$ `code` [a](b)",
        &long,
        "",
        "&lt;",
        "-->",
    ]
    .map(str::to_owned)
    .to_vec();
    let made = report(SimulationReport { plan: &plan, outcome: &outcome });
    let page = check("run-hostile", &made);
    assert!(page.contains(&in_html("\"><img src=x onerror=alert(1)>")));
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
}

#[test]
fn ten_thousand_estimates_are_a_page_that_says_how_many_it_leaves_out() {
    let (mut plan, mut outcome) = ran("histogram-laplace", 1);
    plan.labels = (0..10_000).map(|place| format!("a bin with a long name {place}")).collect();
    let one = Coordinate {
        truth: 123_456.0,
        estimate: 123_460.0,
        standard_error: 5.0,
        margin_95: 9.81,
        consistent: Some(123_456.5),
    };
    outcome.trials[0].coordinates = vec![one; 10_000];
    let run = SimulationReport { plan: &plan, outcome: &outcome };
    assert!(check("run-long", &report(run)).contains("9\u{a0}900 more are in the JSON"));
    assert!(simulation::outcome(run, 100).contains("9 900 more are in the JSON"));
}

#[test]
fn runs_that_differ_have_a_row_each_and_their_values_are_text() {
    let figures = |name| {
        let (plan, outcome) = ran(name, 2);
        Ok((plan.guarantees, outcome.summary))
    };
    let hostile = "<b>a, \"b\"</b>";
    let reason = || Err("it is <b>refused</b>, said \"they\"".to_owned());
    let runs = [
        ("count-laplace", "1", figures("count-laplace")),
        ("sum-gaussian", "", figures("sum-gaussian")),
        (hostile, "1", reason()),
        ("other", "2", reason()),
    ];
    let run = |(policy, epsilon, figures): (&str, &str, _)| ComparedRun {
        values: vec![policy.to_owned(), epsilon.to_owned()],
        figures,
    };
    let table = RunTable {
        options: vec!["policy".to_owned(), "local-epsilon".to_owned()],
        runs: runs.into_iter().map(run).collect(),
        seed: 7,
        questions: vec!["How many?".to_owned()],
    };
    let page = check("runs", &table.report());
    assert!(page.contains("2 of them are refused.") && page.contains(&in_html(hostile)));
    let text = table.text(100, usize::MAX);
    let refused = format!("Refused: policy {hostile}, local-epsilon 1: it is");
    assert!(text.contains(&refused), "{text}");
    let mut csv = Vec::new();
    table.write_csv(&mut csv).expect("written");
    let csv = String::from_utf8(csv).expect("UTF-8");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("policy,local_epsilon,oc_epsilon,"), "{csv}");
    assert!(lines[3].starts_with("\"<b>a, \"\"b\"\"</b>\",1,,"), "{csv}");
    assert!(lines[4].ends_with("\"it is <b>refused</b>, said \"\"they\"\"\""), "{csv}");
    let (head, rows) = table.cells();
    assert!(rows.iter().all(|row| row.len() == head.len()));
}
