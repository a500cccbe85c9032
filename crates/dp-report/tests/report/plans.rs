//! Reports of plans.

use dp_calibration::Adjacency;
use dp_exact::{Rational, Rounding, figure};
use dp_planner::{Budget, Job, Wanted};
use dp_report::model::{Block, Origin, Report};
use dp_report::{html, markdown, plan};

use crate::common::{PLANS, judged, shown};
use crate::pages::{cells, check, tables};

#[test]
fn every_plan_has_a_report_that_is_a_whole_page() {
    for (name, _, report) in &*PLANS {
        shown(&format!("plan-{name}.html"), &check(name, report));
        shown(&format!("plan-{name}.md"), &markdown::document(report));
    }
}

#[test]
fn the_figures_are_the_same_strings_in_every_form() {
    for (name, made, report) in &*PLANS {
        let answer = plan::Answer::of(made);
        let page = cells(&html::document(report));
        let written = markdown::document(report).replace('\\', "");
        let text = answer.text_of_all(100, usize::MAX);
        let json = serde_json::to_string(report).expect("JSON");
        for table in tables(report) {
            for cell in table.rows.iter().flatten() {
                let is_there = page
                    .iter()
                    .any(|one| one.trim_end_matches(" (chosen)") == cell);
                assert!(is_there, "{name}: {cell} in HTML");
                assert!(
                    written.contains(cell.as_str()),
                    "{name}: {cell} in Markdown"
                );
                let quoted = serde_json::to_string(cell).expect("JSON");
                assert!(json.contains(&quoted), "{name}: {cell} in the model");
            }
        }
        let shared = answer
            .errors
            .rows
            .iter()
            .chain(&answer.promises.rows)
            .flatten();
        for cell in shared {
            assert!(text.contains(cell.as_str()), "{name}: {cell} in the text");
            assert!(
                page.contains(cell) || page.contains(&format!("{cell} (chosen)")),
                "{name}: {cell}"
            );
        }
        assert!(text.ends_with('\n') && report.question.contains(&answer.question));
    }
}

#[test]
fn the_document_for_programs_rounds_to_the_figures_of_the_report() {
    for (name, made, _) in &*PLANS {
        let answer = plan::Answer::of(made);
        let json = serde_json::to_value(made).expect("JSON");
        let choices = json["choices"].as_array().expect("choices");
        assert_eq!(choices.len(), answer.errors.rows.len());
        let place = |column: &str| {
            let mut columns = answer.errors.columns.iter();
            columns
                .position(|one| one.name == column)
                .expect("a column")
        };
        for (choice, row) in choices.iter().zip(&answer.errors.rows) {
            assert_eq!(choice["policy"].as_str(), Some(&*row[0]), "{name}");
            for (field, column) in [("std", "std"), ("margin_95", "± 95 %")] {
                let exact: Rational = choice[field]
                    .as_str()
                    .expect("a number")
                    .parse()
                    .expect("one");
                assert_eq!(
                    figure(&exact, 4, Rounding::Up),
                    row[place(column)],
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn a_report_has_its_parts_in_the_order_in_which_they_are_asked_for() {
    let (_, made, report) = judged();
    let parts: Vec<&str> = report.sections.iter().map(|section| section.id).collect();
    let wanted = [
        "estimates",
        "trust",
        "guarantee",
        "risk",
        "accuracy",
        "policies",
        "details",
    ];
    assert_eq!(parts, wanted);
    assert!(
        report.answer.starts_with("Take histogram-laplace: "),
        "{}",
        report.answer
    );
    assert!(report.answer.contains("at most 8 in 95 %") && report.answer.contains("epsilon 1 to"));
    let total = "epsilon 25.72 at delta 1e-8, which protects nobody";
    assert!(report.answer.contains(total), "{}", report.answer);
    let page = html::document(report);
    assert!(page.contains("releases the batch once"), "conditions");
    let choice = made.chosen().expect("a choice");
    let digest = choice.task(&made.wanted).expect("a task").digest();
    assert!(page.contains(&digest.to_string()));
    assert!(page.contains("multihot-rappor-gaussian: one bit of a bucket is set"));
}

#[test]
fn a_report_is_about_the_policy_that_is_chosen_by_name() {
    let (_, made, _) = judged();
    let choice = made.choice("histogram-gaussian").expect("it does the job");
    let report = plan::report_on(made, Some(choice));
    assert!(
        report.answer.starts_with("Take histogram-gaussian: "),
        "{}",
        report.answer
    );
    let page = html::document(&report);
    assert!(page.contains("variance 51.9637") && page.contains("histogram-laplace"));
}

#[test]
fn a_guess_grows_by_the_odds_of_the_promise() {
    let (.., report) = judged();
    let risk = report.sections.iter().find(|section| section.id == "risk");
    let page = serde_json::to_string(risk.expect("a section")).expect("JSON");
    // e/(1 + e), e/(9 + e), e/(99 + e), rounded up.
    for sure in ["73.11 %", "23.2 %", "2.673 %"] {
        assert!(page.contains(sure), "{sure} in {page}");
    }
}

#[test]
fn the_same_plan_gives_the_same_page() {
    let (_, made, report) = judged();
    assert_eq!(html::document(report), html::document(&plan::report(made)));
}

#[test]
fn this_program_knows_its_reports_again() {
    let (.., report) = judged();
    let page = html::document(report);
    let written = markdown::document(report);
    assert_eq!(html::kind(&page.as_bytes()[..1024]), Some("plan"));
    let beginning = &written.as_bytes()[..written.len().min(1024)];
    assert_eq!(markdown::kind(beginning), Some("plan"));
    for other in [
        "",
        "<!DOCTYPE html><title>thesis",
        "# thesis\n\n## Introduction\n",
        // Headings alone do not make a report.
        "# thesis\n\n## The question\n",
        "<!-- dp-report -->\n# thesis\n",
        "<!-- dp-report 1, <b> -->\n# thesis\n",
        "<!DOCTYPE html><p>&lt;meta name=\"generator\" content=\"dp-report 1, plan\"&gt;",
    ] {
        let kinds = (
            html::kind(other.as_bytes()),
            markdown::kind(other.as_bytes()),
        );
        assert_eq!(kinds, (None, None), "{other}");
    }
}

#[test]
fn a_promise_that_is_carried_over_comes_with_its_conditions() {
    let (_, made, _) = judged();
    let choice = made.choice("histogram-response").expect("it does the job");
    let report = plan::report_on(made, Some(choice));
    let page = html::document(&report);
    assert!(
        page.contains("The task promises in OC for one report in one release, under replacement: "),
        "proved for the client alone"
    );
    assert!(
        page.contains("draws its randomness from a sound generator"),
        "{page}"
    );
}

/// Under deletion the promise is about a report against none that counts: between two reports the odds may grow twice
/// as much, e^2 for epsilon 1.
#[test]
fn a_promise_under_deletion_is_not_told_as_one_between_two_reports() {
    let job = Job {
        adjacency: Adjacency::Deletion,
        ..Job::new("histogram:5".parse().expect("a query"), 1000)
    };
    let budget = Budget::Pure {
        epsilon: "1".parse().expect("an epsilon"),
    };
    let made = dp_planner::plan(&job, &Wanted::budget(budget).expect("wanted")).expect("a plan");
    let page = markdown::document(&plan::report(&made));
    assert!(page.contains("whether one person gave a certain report, or one that counts nothing"));
    // 1/(1 + e^-2) = 0.880797…
    assert!(
        page.contains("becomes at most 88.08 % sure on average after the release."),
        "{page}"
    );
    assert!(!page.contains("which of two things a person reported either"));
    assert!(!page.contains("guesses what one person reported"));
}

#[test]
fn a_promise_that_its_delta_makes_useless_is_told_with_it() {
    let budget = Budget::Approximate {
        epsilon: "1".parse().expect("an epsilon"),
        delta: "0.01".parse().expect("a delta"),
    };
    let job = Job::new("count".parse().expect("a query"), 1000);
    let made = dp_planner::plan(&job, &Wanted::budget(budget).expect("wanted")).expect("a plan");
    let page = markdown::document(&plan::report(&made));
    assert!(
        page.contains("epsilon 1 at delta 0.01 is promised of the release. This protects nobody"),
        "{page}"
    );
}

/// Randomized response of an epsilon whose e^epsilon no floating-point number holds has no error to speak of.
#[test]
fn no_epsilon_is_too_large_for_a_figure() {
    for epsilon in ["72", "100"] {
        let budget = Budget::Pure {
            epsilon: epsilon.parse().expect("an epsilon"),
        };
        let wanted = Wanted {
            against: dp_planner::Against::AllAggregators,
            ..Wanted::budget(budget).expect("wanted")
        };
        let job = Job::new("histogram:2".parse().expect("a query"), 2);
        let made = dp_planner::plan(&job, &wanted).expect("a plan");
        let page = markdown::document(&plan::report(&made));
        assert!(!page.contains("NaN") && !page.contains(" inf"), "{page}");
    }
}

/// A report begins with what a lawyer asks: what about, when, for whom, and who is protected.
#[test]
fn a_report_begins_for_readers_who_are_no_engineers() {
    let (.., report) = judged();
    assert_eq!(
        report.title,
        "Privacy plan: how many of 250 000 people are in each of 40 groups"
    );
    let verdict = "Each person is protected in one result: whoever was 50 % sure of a guess about one person can become at \
                   most 73.11 % sure. But nobody is protected in all 30 results together. This holds if at least one of \
                   the 2 operators follows the rules.";
    assert_eq!(report.verdict, verdict);
    let pages = |report: &Report| {
        [
            html::document(report),
            markdown::document(report).replace('\\', ""),
        ]
    };
    for page in pages(report) {
        assert_eq!(page.matches("not stated").count(), 2, "{page}");
    }
    let named = Report {
        origin: Origin {
            date: Some("2027-02-28".to_owned()),
            prepared_for: Some("Example & Sons".to_owned()),
        },
        ..report.clone()
    };
    for page in pages(&named) {
        let before = page.find("The question").expect("the question");
        for text in ["2027-02-28", "Example &amp; Sons"] {
            assert!(page.find(text).expect(text) < before, "{text}: {page}");
        }
    }
    for (name, _, report) in &*PLANS {
        let kept = report
            .sections
            .iter()
            .any(|section| section.id == "guarantee");
        let begins = report.verdict.starts_with("Each person is ")
            || report.verdict.starts_with("Nobody is protected: ")
            || !kept && report.verdict == "This cannot be done as it is asked.";
        assert!(begins, "{name}: {}", report.verdict);
        // A promise whose ε is beyond 20 protects nobody, however it is told.
        let is_huge = name.starts_with("huge");
        assert_eq!(
            report.verdict.starts_with("Nobody is protected"),
            is_huge,
            "{name}"
        );
    }
}

/// No number of a report has more than three digits in a row before its point, nor zeros alone behind it.
#[test]
fn numbers_are_grouped_and_integers_have_no_decimals() {
    // A budget is written as it is typed, epsilon 10000 as well.
    let plans = PLANS.iter().filter(|(name, ..)| !name.starts_with("huge"));
    for (name, made, report) in plans {
        let answer = plan::Answer::of(made).text_of_all(100, 100);
        let tables = tables(report);
        let cells = tables.iter().flat_map(|table| table.rows.iter().flatten());
        let texts = cells.map(String::as_str).chain([
            &*report.title,
            &*report.answer,
            &*report.verdict,
            &*answer,
        ]);
        for text in texts {
            for word in text.split([' ', ',', '\n', '*', '≤']) {
                let Ok(number) = word.trim_end_matches(['.', ',', ':']).parse::<Rational>() else {
                    continue;
                };
                let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
                let is_plain = !word.contains(['e', '/']);
                assert!(
                    !is_plain || whole.trim_start_matches('-').len() <= 3,
                    "{name}: {word} in {text}"
                );
                let is_short = fraction.is_empty() || !number.is_integer();
                assert!(is_short, "{name}: {word} in {text}");
            }
        }
    }
}

/// Each curve has the point of the report on it and goes on beyond it to both sides, and so has the alternative's.
#[test]
fn curves_are_beside_those_of_other_noise() {
    let (.., report) = judged();
    let section = report
        .sections
        .iter()
        .find(|section| section.id == "accuracy");
    let charts = section
        .expect("a section")
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        });
    let mut count = 0;
    for chart in charts {
        count += 1;
        let line = |name: &str| {
            chart
                .series
                .iter()
                .find(|series| series.name.starts_with(name))
                .expect(name)
        };
        let (own, other, chosen) = (
            line("histogram-laplace"),
            line("histogram-gaussian, "),
            line("this plan"),
        );
        let at = chosen.points[0];
        for line in [own, other] {
            assert!(
                line.points.len() >= 12,
                "{}: {}",
                chart.id,
                line.points.len()
            );
            let (first, last) = (line.points[0].0, line.points[line.points.len() - 1].0);
            assert!(first < at.0 && at.0 < last, "{}", chart.id);
        }
        assert!(own.points.contains(&at), "{}", chart.id);
        assert!(
            other
                .points
                .iter()
                .zip(&own.points)
                .all(|(other, own)| other.1 > own.1),
            "{}",
            chart.id
        );
    }
    assert_eq!(count, 2);
}
