//! Reports for people: where they go, and what they replace.

use std::fs;

use crate::support::{refusal, success};

const PLAN: &str = "plan --type histogram:6 --clients 2000 --epsilon 1";
const RUN: &str = "simulate --policy count-laplace --column asthma --seed 1 --clients 30";

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn a_report_is_printed_in_place_of_the_text() {
    for (line, title) in [
        (PLAN, "A plan for histogram:6"),
        (RUN, "A simulation of count-laplace"),
    ] {
        for html in ["--html", "--html -"] {
            let page = success(&words(&format!("{line} {html}")));
            assert!(
                page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"),
                "{page}"
            );
            assert!(page.contains(&format!("<h1>{title}</h1>")), "{page}");
        }
        let written = success(&words(&format!("{line} --markdown")));
        assert!(written.starts_with(&format!("# {title}\n")), "{written}");
    }
}

#[test]
fn reports_go_to_files_beside_the_text_and_replace_only_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (html, markdown, json) = (path("a.html"), path("a.md"), path("a.json"));
    let line = format!("{PLAN} --html {html} --markdown {markdown} --json {json}");
    let first = success(&words(&line));
    assert!(first.contains("Take histogram-laplace: "), "{first}");
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
