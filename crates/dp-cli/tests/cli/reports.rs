//! Reports for people: where they go, and what they replace.

use std::fs;
use std::process::Command;

use crate::support::{refusal, success};

const PLAN: &str = "plan --type histogram:6 --clients 2000 --epsilon 1";
const RUN: &str = "simulate --policy count-laplace --column asthma --seed 1 --clients 30";

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn a_report_is_printed_in_place_of_the_text() {
    for (line, title) in [
        (
            PLAN,
            "Privacy plan: how many of 2 000 people are in each of 6 groups",
        ),
        (
            RUN,
            "Trial run: how many people of nhefs.csv have the value 1 in asthma",
        ),
    ] {
        for html in ["--html", "--html -"] {
            let page = success(&words(&format!("{line} {html}")));
            assert!(
                page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"),
                "{page}"
            );
            let heading = format!("<h1>{title}</h1>").replace("2 000", "2\u{a0}000");
            assert!(page.contains(&heading), "{page}");
        }
        let written = success(&words(&format!("{line} --markdown")));
        assert!(written.contains(&format!("-->\n# {title}\n")), "{written}");
    }
}

#[test]
fn reports_go_to_files_beside_the_text_and_replace_only_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (html, markdown, json) = (path("a.html"), path("a.md"), path("a.json"));
    let line = format!("{PLAN} --html {html} --markdown {markdown} --json {json}");
    let first = success(&words(&line));
    assert!(first.contains("Take histogram-laplace ("), "{first}");
    let page = fs::read_to_string(&html).expect("a file");
    assert_eq!(success(&words(&line)), first, "a second run replaces them");
    assert_eq!(fs::read_to_string(&html).expect("a file"), page);
    for (foreign, option) in [("b.html", "--html"), ("b.md", "--markdown")] {
        let foreign = path(foreign);
        fs::write(&foreign, "# A thesis\n").expect("a file");
        let refused = refusal(&words(&format!("{PLAN} {option} {foreign}")));
        assert!(refused.contains("--force"), "{refused}");
        success(&words(&format!("{PLAN} {option} {foreign} --force")));
        assert_ne!(
            fs::read_to_string(&foreign).expect("a file"),
            "# A thesis\n"
        );
    }
}

#[test]
fn standard_output_has_room_for_one_document() {
    let refused = refusal(&words(&format!("{PLAN} --json --html -")));
    assert!(
        refused.contains("html") && refused.contains("--json"),
        "{refused}"
    );
    let refused = refusal(&words(&format!("{RUN} --force")));
    assert!(refused.contains("--html"), "{refused}");
}

/// A report says on which day it was made, and for whom if that is said.
#[test]
fn a_report_has_a_date_and_says_for_whom_it_is() {
    let made = |options: &str| {
        let line = format!("{PLAN} --markdown{options}");
        Command::new(env!("CARGO_BIN_EXE_dp-cli"))
            .args(words(&line))
            .env("SOURCE_DATE_EPOCH", "1800000000")
            .output()
            .expect("the binary runs")
    };
    let text = |options: &str| String::from_utf8(made(options).stdout).expect("UTF-8");
    let page = text("");
    assert!(
        page.contains("\nDate: 2027-01-15\n") && page.contains("\nPrepared for: not stated\n"),
        "{page}"
    );
    let page = text(" --prepared-for Example|Sons");
    assert!(page.contains("\nPrepared for: Example\\|Sons\n"), "{page}");
    // Without the variable it is the day on which it is made.
    let page = success(&words(&format!("{PLAN} --markdown")));
    let date = page
        .lines()
        .find_map(|line| line.strip_prefix("Date: "))
        .expect("a date");
    assert!(date.len() == 10 && date > "2026-01-01", "{date}");
    let refused = refusal(&words(&format!("{PLAN} --prepared-for us")));
    assert!(
        refused.contains("prepared-for us has no meaning without --html or --markdown"),
        "{refused}"
    );
}
