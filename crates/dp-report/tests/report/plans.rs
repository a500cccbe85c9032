//! Reports of plans.

use std::sync::LazyLock;
use std::thread;

use dp_calibration::Adjacency;
use dp_exact::{Rational, Rounding, figure};
use dp_planner::{Accuracy, Budget, BudgetScope, Job, Plan, Target, Task, TrustModel};
use dp_report::model::{Block, Report};
use dp_report::{html, plan};

use crate::pages::{check, tables};

fn budget(epsilon: &str, delta: &str) -> Target {
    let epsilon = epsilon.parse().expect("an epsilon");
    let budget = match delta {
        "0" => Budget::Pure { epsilon },
        delta => Budget::Approximate { epsilon, delta: delta.parse().expect("a delta") },
    };
    Target::budget(budget)
}

fn job(query: &str, clients: u64, releases: u32) -> Job {
    Job { releases, ..Job::new(query.parse().expect("a query"), clients) }
}

/// Jobs of every kind, small enough for a test, with their reports. The first is the one of the
/// project's README: forty buckets, a quarter of a million clients, thirty days.
static PLANS: LazyLock<Vec<(&str, Plan, Report)>> = LazyLock::new(|| {
    let total = Target { scope: BudgetScope::Total, ..budget("1", "1e-6") };
    let std = Accuracy::StandardDeviation("5%".parse().expect("an amount"));
    let accurate = Target::accuracy(std, "1e-9".parse().expect("a delta"));
    let local = Target { trust_model: TrustModel::OneClient, ..budget("1", "0") };
    let (often, most) = (12, dp_planner::MAX_RELEASES);
    let plans = [
        ("judged", job("histogram:40", 250_000, 30), &budget("1", "1e-8")),
        ("count", job("count", 1000, 1), &budget("0.5", "0")),
        ("average", job("average:80", 5000, 1), &budget("1", "1e-9")),
        ("often", job("sum:80", 1000, often), &total),
        ("accurate", job("sumvec:3:80", 10_000, 1), &accurate),
        ("local", job("histogram:5", 10_000, 1), &local),
        ("hopeless", job("sum:80", 10, 1), &local),
        ("huge", job("count", 1000, 1), &budget("100", "0")),
        ("huge-often", job("count", 1000, most), &budget("100", "0")),
    ];
    // In parallel: all tests wait for them.
    thread::scope(|scope| {
        let plans = plans.map(|(name, job, target)| {
            scope.spawn(move || {
                let plan = dp_planner::plan(&job, target).expect("a plan");
                let report = plan::report(&plan, plan.chosen(), None);
                (name, plan, report)
            })
        });
        plans.map(|plan| plan.join().expect("a plan")).to_vec()
    })
});

#[test]
fn every_plan_has_a_report_with_the_figures_of_its_text_and_of_its_document() {
    for (name, made, report) in &*PLANS {
        let page = check(name, report);
        let answer = plan::PlanAnswer::of(made, made.chosen());
        let text = answer.text_of_all(made, 100, usize::MAX);
        let policies = report.sections.iter().filter(|section| section.id == "policies");
        let shared = policies.flat_map(|section| &section.blocks).filter_map(|block| match block {
            Block::Table(table) => Some(table.rows.iter().flatten()),
            _ => None,
        });
        for cell in shared.flatten() {
            assert!(text.contains(cell.as_str()), "{name}: {cell} in the text");
        }
        assert!(text.ends_with('\n') && report.question.contains(&answer.question));
        let json = serde_json::to_value(made).expect("JSON");
        let choices = json["choices"].as_array().expect("choices");
        for (choice, row) in choices.iter().zip(&answer.errors.rows) {
            assert_eq!(choice["policy"].as_str(), Some(&*row[0]), "{name}");
            for (field, column) in [("std", "std"), ("margin_95", "± 95 %")] {
                let mut columns = answer.errors.columns.iter();
                let place = columns.position(|one| one.name == column).expect("a column");
                let exact = choice[field].as_str().expect("a number").parse();
                let exact: Rational = exact.expect("a number");
                assert_eq!(figure(&exact, 4, Rounding::Up), row[place], "{name}");
            }
        }
        // A guarantee whose ε is beyond 20 protects nobody, in whatever words.
        let begins = match *name {
            "hopeless" => "This cannot be done as it is asked.",
            "huge" | "huge-often" => "Nobody is protected: ",
            _ => "Each person is ",
        };
        assert!(report.verdict.starts_with(begins), "{name}: {}", report.verdict);
        // Numbers are grouped, and integers have no decimals.
        let cells = tables(report).into_iter().flat_map(|table| table.rows.iter().flatten());
        let texts = [&report.title, &report.answer, &report.verdict].into_iter().chain(cells);
        for word in texts.flat_map(|text| text.split([' ', ',', '\n', '*', '≤'])) {
            let word = word.trim_end_matches(['.', ',', ':']);
            let Ok(number) = word.parse::<Rational>() else {
                continue;
            };
            let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
            let is_plain = !word.contains(['e', '/']);
            assert!(!is_plain || whole.trim_start_matches('-').len() <= 3, "{name}: {word}");
            assert!(fraction.is_empty() || !number.is_integer(), "{name}: {word}");
        }
        assert_eq!(page, html::document(report), "{name}");
    }
}

#[test]
fn a_report_has_its_parts_in_the_order_in_which_they_are_asked_for() {
    let (_, made, report) = &PLANS[0];
    let parts: Vec<&str> = report.sections.iter().map(|section| section.id).collect();
    let target = ["estimates", "trust", "guarantee", "risk", "accuracy", "policies", "details"];
    assert_eq!(parts, target);
    let page = html::document(report);
    let choice = made.chosen().expect("a choice");
    let digest = choice.task(&made.target).expect("a task").digest().to_string();
    for part in [
        "Take histogram-laplace (scale 2): an estimate is off by at most 8.025 in 95 % of cases",
        "guarantee epsilon 25.72 at delta 1e-8: that protects nobody.",
        "releases the batch once",
        "multihot-rappor-gaussian: one bit of a bucket is set",
        // e/(1 + e), e/(9 + e), e/(99 + e), rounded up.
        "73.11 %",
        "23.2 %",
        "2.673 %",
        &digest,
    ] {
        assert!(page.replace('\u{a0}', " ").contains(part), "{part}");
    }
    for (name, parts) in [
        ("histogram-gaussian", ["Take histogram-gaussian (variance 51.9637): ", "51.9637"]),
        // A guarantee that is carried over comes with its conditions.
        (
            "histogram-response",
            [
                "The task guarantees in OC for one report in one release",
                "draws its randomness from a sound generator",
            ],
        ),
    ] {
        let choice = made.choice(name).expect("it does the job");
        let page = html::document(&plan::report(made, Some(choice), None));
        assert!(parts.iter().all(|part| page.contains(part)), "{name}: {page}");
    }
    // The digest is the one of the task with the smallest batch that is asked for.
    let mut document = choice.document(&made.target);
    document.batch.min_reports = 7;
    let digest = Task::new(document).expect("a task").digest().to_string();
    let page = html::document(&plan::report(made, Some(choice), Some(7)));
    assert!(page.contains(&digest) && page.contains("<dd>7 reports</dd>"), "{page}");
}

/// A report begins with what a lawyer asks: what about, when, and who is protected.
#[test]
fn a_report_begins_for_readers_who_are_no_engineers() {
    let (.., report) = &PLANS[0];
    assert_eq!(report.title, "Privacy plan: how many of 250 000 people are in each of 40 groups");
    let verdict = "Each person is protected in one result: whoever was 50 % sure of a guess about one person can become at \
                   most 73.11 % sure. But nobody is protected in all 30 results together. This holds if at least one of \
                   the 2 operators follows the rules.";
    assert_eq!(report.verdict, verdict);
    assert!(html::document(report).contains("not stated"));
    let dated = Report { date: Some("2027-02-28".to_owned()), ..report.clone() };
    let page = html::document(&dated);
    let (head, _) = page.split_once("The question").expect("the question");
    assert!(head.contains("2027-02-28"), "{head}");
}

/// Under deletion the guarantee is about a report against none that counts: between two reports the
/// odds may grow twice as much, e^2 for epsilon 1. A report says what a delta makes useless, and no
/// epsilon is too large for a figure.
#[test]
fn weak_and_unusual_guarantees_are_told_as_what_they_are() {
    let deleted = Job { adjacency: Adjacency::Deletion, ..job("histogram:5", 1000, 1) };
    let local = Target { trust_model: TrustModel::OneClient, ..budget("100", "0") };
    for (job, target, parts, absent) in [
        (
            deleted,
            budget("1", "0"),
            // 1/(1 + e^-2) = 0.880797…
            [
                "whether one person gave a certain report, or one that counts nothing",
                "becomes at most 88.08 % sure on average after the release.",
                ">Each person is protected: whoever sees the result and was 50 % sure of a guess about one person can become \
                 at most 88.08 % sure.",
            ],
            "guesses what one person reported",
        ),
        (
            job("count", 1000, 1),
            budget("1", "0.01"),
            ["epsilon 1 at delta 0.01 is guaranteed of the release. This protects nobody", "", ""],
            "NaN",
        ),
        (job("histogram:2", 2, 1), local, ["Nobody is protected", "", ""], "NaN"),
        (
            job("count", 1, 1),
            budget("10", "0"),
            ["Each person is hardly protected", "count, 1 client, 2 aggregators", "of 1 person"],
            "1 clients",
        ),
    ] {
        let made = dp_planner::plan(&job, &target).expect("a plan");
        let page = html::document(&plan::report(&made, made.chosen(), None)).replace('\u{a0}', " ");
        assert!(parts.iter().all(|part| page.contains(part)), "{parts:?}: {page}");
        assert!(!page.contains(absent), "{absent}: {page}");
    }
}

/// The curve has the point of the report on it and goes on beyond it to both sides, and so has the
/// alternative's.
#[test]
fn the_curve_is_beside_the_one_of_other_noise() {
    let (.., report) = &PLANS[0];
    let section = report.sections.iter().find(|section| section.id == "accuracy").expect("it");
    let [Block::Chart(chart)] = &section.blocks[..] else { panic!("{section:?}") };
    let line = |name: &str| {
        let mut series = chart.series.iter();
        series.find(|series| series.name.starts_with(name)).expect(name)
    };
    let (own, other) = (line("histogram-laplace"), line("histogram-gaussian, "));
    let at = line("this plan").points[0];
    for line in [own, other] {
        let (first, last) = (line.points[0].0, line.points[line.points.len() - 1].0);
        assert!(line.points.len() >= 6 && first < at.0 && at.0 < last);
    }
    assert!(own.points.contains(&at));
    let mut pairs = other.points.iter().zip(&own.points);
    assert!(pairs.all(|(other, own)| other.1 > own.1));
}

/// The draft's section 3.1: δ has to be far below one over the reports.
#[test]
fn a_delta_that_is_not_far_below_one_over_the_reports_is_warned_of() {
    let is_warned = |target: &Target, clients| {
        let plan = dp_planner::plan(&job("histogram:40", clients, 1), target).expect("a plan");
        let answer = plan::PlanAnswer::of(&plan, plan.chosen());
        answer.first_lines.iter().any(|line| line.contains("is not far below one over the"))
    };
    let warned = |delta, clients| is_warned(&budget("1", delta), clients);
    assert!(warned("1e-3", 250_000) && warned("1e-6", 250_000) && warned("1e-3", 100));
    assert!(!warned("1e-8", 250_000) && !warned("1e-3", 99) && !warned("0", 250_000));
    // The δ for which a ρ is converted.
    let rho = Budget::ZeroConcentrated { rho: "1/8".parse().expect("a number") };
    let at = |delta: &str| Target {
        delta: delta.parse().expect("a delta"),
        ..Target::budget(rho.clone())
    };
    assert!(is_warned(&at("1e-6"), 250_000) && !is_warned(&at("1e-9"), 250_000));
}
