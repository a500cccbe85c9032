//! The page for people leaves nothing out that weakens a guarantee.

use std::collections::HashSet;

use dp_calibration::TrustModel;
use dp_report::statement::{Deployment, Statement, Task, in_plain_words, posterior_percent};

use crate::{all, document, of, statement, task};

const NOTHING: &str = "**Then nothing protects you.**";
const NOBODY: &str = "**which protects nobody**";

/// The text of a section of a page.
fn section(page: &str, heading: &str) -> String {
    let mut sections = page.split("\n## ");
    let found = sections.find(|section| section.starts_with(heading));
    let found = found.unwrap_or_else(|| panic!("no {heading} in {page}"));
    found.to_owned()
}

/// Against all operators only the clients' own noise remains, and against fewer honest ones what
/// they guarantee.
#[test]
fn what_remains_if_the_operators_work_together_is_said_of_every_task() {
    for (name, kind) in [
        ("average", ""),
        ("count", ""),
        ("sum", ""),
        ("multihot", "Even if all of them"),
        ("hedged", "their own random errors are of no use"),
        ("compensated", "their made-up reports are of no use"),
    ] {
        let page = of(name).to_markdown();
        let text = section(&page, "What if the operators work together?");
        assert!(text.contains(kind), "{name}: {text}");
        assert_eq!(text.contains(NOTHING), kind.is_empty(), "{name}: {text}");
        let is_between = ["average", "hedged", "compensated"].contains(&name);
        let paragraphs = text.matches("What if only this is true").count();
        assert_eq!(paragraphs, usize::from(is_between), "{name}: {text}");
        for (model, is_there) in [("OC", !kind.is_empty()), ("OAOC", is_between)] {
            let model = model.parse().expect("a trust model");
            let left = of(name).in_model(model).expect("a trust model of the statement");
            let once = format!("at most {} % likely", posterior_percent(&left.once, 50));
            assert!(!is_there || text.contains(&once), "{name}: {once}: {text}");
        }
        // 30 releases of epsilon 4 or 6 are no protection, and that is said.
        assert!(kind.is_empty() || text.contains(NOBODY), "{name}: {text}");
    }
}

#[test]
fn limits_are_about_the_model_that_the_task_relies_on_with_what_weakens_them() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let text = section(&page, "How sure could anybody become");
        let relied = statement.relied();
        let (once, total) = (&relied.once, &relied.all);
        for prior in [1, 10, 50] {
            let (once, total) = (posterior_percent(once, prior), posterior_percent(total, prior));
            let row = format!("| {prior} % | {once} % | {total} % |");
            assert!(text.contains(&row), "{name}: {row}: {text}");
        }
        assert_eq!(text.contains(NOBODY), total.protects_nobody(), "{name}: {text}");
        let order = [once, total].map(|total| posterior_percent(total, 50));
        assert!(order.is_sorted() && order[0] >= 50, "{name}: {order:?}");
        // A limit without a delta holds always, and no page says that it is an average.
        let totals = [once, total];
        let is_average = totals.iter().any(|total| total.delta().is_some_and(|one| !one.is_zero()));
        let conditions = section(&page, "When do these limits hold?");
        assert_eq!(
            conditions.contains("All limits above hold on average"),
            is_average,
            "{name}: {conditions}"
        );
    }
}

#[test]
fn every_condition_and_what_is_not_protected_is_said_in_plain_words() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let conditions = section(&page, "When do these limits hold?");
        let guarantee = &statement.relied().guarantee;
        let alone = statement.in_model(TrustModel::OneClient).expect("a model");
        let all = guarantee.conditions.iter().chain(&alone.guarantee.conditions);
        let lines: HashSet<String> = all.map(in_plain_words).collect();
        assert!(!lines.is_empty(), "{name}");
        for line in &lines {
            assert!(conditions.contains(&format!("- {line}")), "{name}: {line}: {conditions}");
        }
        let on_average = usize::from(conditions.contains("All limits above hold on average"));
        let written = conditions.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(written, lines.len() + on_average, "{name}: {conditions}");
        let has_people = conditions.contains("At least 900 reports");
        assert!(has_people || !guarantee.trust_model.needs_other_clients(), "{name}");
        let text = section(&page, "What is not protected");
        assert_eq!(
            text.contains("your device sends none"),
            matches!(name.as_str(), "hedged" | "compensated"),
            "{name}: {text}"
        );
    }
}

/// A count with Laplace noise for this ε, with this further field of trust.
fn laplace_count(epsilon: &str, trust: &str) -> Task {
    laplace("type = \"Prio3Count\"", epsilon, trust)
}

/// A task of these measurements with Laplace noise for this ε, with this further field of trust.
fn laplace(vdaf: &str, epsilon: &str, trust: &str) -> Task {
    let task = format!(
        "version = 2\nname = \"answers\"\n[vdaf]\n{vdaf}\naggregators = 2\n\
         [aggregator_noise]\ntype = \"discrete-laplace\"\nbudget = {{ pure = {{ epsilon = \"{epsilon}\" }} }}\n\
         [trust]\nmodel = \"OAOC\"\n{trust}\n[batch]\nmin_reports = 10\n"
    );
    Task::from_toml(task).expect("a task")
}

/// One release has one column, and no sentence about many; a guarantee that protects nobody says
/// so.
#[test]
fn one_release_is_told_as_one() {
    let page = statement(&task("count"), 1).to_markdown();
    let text = section(&page, "How sure could anybody become");
    assert!(text.contains("| sure before | sure after the result |"), "{text}");
    assert!(!text.contains("after all"), "{text}");
    // e^0.5/(1 + e^0.5) = 0.62246
    assert!(text.contains("| 50 % | 63 % |"), "{text}");
    let statement = statement(&laplace_count("30", "accept_weak_guarantee = true"), 1);
    let text = section(&statement.to_markdown(), "How sure could anybody");
    assert!(text.contains(NOBODY), "{text}");
    // One release has the same digest whether it is written or left out.
    let [written, left_out] = ["releases = 1", ""].map(|trust| laplace_count("0.5", trust));
    assert_eq!(super::statement(&written, 12).record(), super::statement(&left_out, 12).record());
    let record = serde_json::to_string(&statement.record()).expect("JSON");
    for said in ["protects nobody", "; in total epsilon 30", "at most 1 release;"] {
        assert!(record.contains(said) && !record.contains("1 releases"), "{said}: {record}");
    }
}

/// What the limits are about is said, and e/(1 + e) = 0.73106 bounds a guess: for two reports of
/// ε 1/2; for a guess between two answers, which passes through the one that counts nothing, twice
/// ε 1/2; for one answer of ε 1 among others, with a warning that it is not about the person.
#[test]
fn several_reports_deletion_and_one_answer_are_said_on_the_page_and_in_the_record() {
    let answers = "type = \"Prio3MultihotCountVec\"\nlength = 5\nmax_weight = 5";
    for (task, on_page, in_record) in [
        (
            laplace_count("0.5", "reports_per_client = 2"),
            &[
                "takes part in 1 result, with at most 2 reports for each.",
                "- You have at most 2 reports in each result.",
                "- More than 2 reports of yours in a result.",
            ][..],
            ["epsilon: 1.0", "at most 2 reports"],
        ),
        (
            laplace_count("0.5", "adjacency = \"deletion\""),
            &[],
            ["epsilon: 0.5", "by what counts nothing"],
        ),
        (
            laplace(answers, "5", "adjacency = \"one-coordinate\""),
            &["**One answer of a person"],
            ["privacy_unit: one answer of a person at a time", "differs in one answer"],
        ),
    ] {
        let statement = statement(&task, 1);
        let page = statement.to_markdown();
        for said in on_page.iter().chain(&["| 50 % | 74 % |"]) {
            assert!(page.contains(said), "{said}: {page}");
        }
        let yaml = statement.to_yaml().replace("\n", " ").replace("  ", "");
        assert!(in_record.iter().all(|said| yaml.contains(said)), "{in_record:?}: {yaml}");
    }
}

/// One operator of both aggregators, or of two where two must be honest, is named in bold and in
/// the record; and HTML says what the Markdown says, without a mark of it.
#[test]
fn one_operator_of_too_many_is_a_warning_and_html_has_every_word() {
    let alone = document().replace("Example Hosting", "example university");
    let third = "[[aggregators]]\noperator = \"example university\"\ntrust = \"Ours\"\n[collector]";
    let two = document().replace("[collector]", third);
    for (name, text, number) in [("count", alone, "2 of the 2"), ("average", two, "2 of the 3")] {
        let deployment = Deployment::from_toml(text).expect("a deployment");
        let made = Statement::new(task(name), deployment, 1).expect("a statement");
        let said = format!("Warning: Example University is {number} operators");
        let forms = [made.to_markdown(), made.to_html(), made.to_yaml()];
        assert!(forms.iter().all(|form| form.contains(&said)), "{forms:?}");
    }
    for (name, statement) in all() {
        let (page, html) = (statement.to_markdown(), statement.to_html());
        assert!(!page.contains("Warning") && html.starts_with("<!-- "), "{name}");
        let body = html.split_once("<body>").expect("a body").1;
        assert!(!body.contains(['*', '`', '|']), "{name}: {body}");
        let words = page.split_once("-->").expect("a comment").1;
        let words = words.split(|one: char| !one.is_alphanumeric()).filter(|one| one.len() > 2);
        let missing: Vec<&str> = words.filter(|word| !body.contains(word)).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

/// Two draws of discrete Laplace noise of scale 2: 1.96·√(2·7.835) = 7.759, with the variance
/// 2a/(1 − a)² = 7.835 of one, a = e^(−1/2).
#[test]
fn the_error_that_remains_is_stated_in_people() {
    let page = of("count").to_markdown();
    let text = section(&page, "How exact are the results?");
    assert!(text.contains("are off by at most 7.7"), "{text}");
}

/// No symbols, no word that only experts know, and no more than a page: 810 words with little space
/// between the lines.
#[test]
fn a_page_is_one_page_without_greek_or_jargon() {
    let jargon = "epsilon delta rho budget aggregator differential adversary collector randomiz guarantee parameter \
                  batch OAOC OAMC VDAF Prio3";
    for (name, statement) in all() {
        let page = statement.to_markdown();
        // The comment in front and the digest at the end are for experts.
        let text = page.split_once("-->").expect("a comment").1;
        for word in jargon.split(' ') {
            assert!(!text.contains(word), "{name}: {word}");
        }
        let is_greek = |character: char| ('\u{370}'..'\u{400}').contains(&character);
        assert!(!text.contains(is_greek), "{name}");
        let words = page.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphanumeric));
        assert!(words.count() <= 810, "{name}");
    }
}
