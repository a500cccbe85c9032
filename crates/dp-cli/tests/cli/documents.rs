//! Documents and reports.

use clap::Subcommand as _;
use serde_json::json;

use crate::support::{Folder, json as printed, refusal, success};

#[test]
fn inputs_are_echoed_as_typed() {
    let line = "calibrate compose --mechanism gaussian:900:pair --times 1e2 --mechanism laplace:20:pair --times 2 --delta 1e-6";
    let inputs = json!({
        "mechanism": ["gaussian:900:pair", "laplace:20:pair"],
        "times": ["1e2", "2"],
        "delta": "1e-6",
        "adjacency": "replacement",
    });
    assert_eq!(printed(line)["inputs"], inputs);
}

/// The names under `inputs` are the names of the options.
#[test]
fn an_option_is_echoed_by_the_name_it_is_typed_by() {
    fn check(command: &clap::Command) {
        for argument in command.get_arguments() {
            if let Some(name) = argument.get_long() {
                assert_eq!(argument.get_id().as_str(), name.replace('-', "_"));
            }
        }
        command.get_subcommands().for_each(check);
    }
    check(&dp_cli::Command::augment_subcommands(clap::Command::new("dp-cli")));
}

const PLAN: &str = "plan --type histogram:6 --clients 2000 --epsilon 1";

/// A report has its question and its day.
#[test]
fn a_report_is_printed_in_place_of_the_text_or_written_beside_it() {
    let plan = "Privacy plan: how many of 2 000 people are in each of 6 groups";
    let run = "simulate --policy count-laplace --column asthma --seed 1 --clients 30";
    for (line, title) in
        [(PLAN, plan), (run, "Trial run: how many people of nhefs.csv have the value 1 in asthma")]
    {
        let page = success(&format!("{line} --html"));
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
        assert!(
            page.contains(&format!("<h1>{title}</h1>").replace("2 000", "2\u{a0}000")),
            "{page}"
        );
        assert!(page.contains("<dt>Date</dt><dd>2027-01-15</dd>"), "{page}");
    }
    let folder = Folder::new();
    let line = format!("{PLAN} --html {}", folder.at("a.html"));
    let text = success(&line);
    assert!(text.contains("Take histogram-laplace ("), "{text}");
    let page = folder.read("a.html");
    assert_eq!(success(&line), text, "a second run replaces them");
    assert_eq!(folder.read("a.html"), page);
}

/// The noise of clients and aggregators together is counted for one report of a person alone.
#[test]
fn a_plan_says_beside_its_figure_why_less_could_be_proved() {
    let line = "plan --type histogram:12 --clients 2000 --epsilon 1 --if-all-collude 6 \
                --policy histogram-response-laplace --reports-per-client 2";
    let said = "epsilon 1 to each person, if the client itself and one aggregator are honest (OAOC). \
                It holds, and less could be proved: it is the better one of the guarantees of";
    let text = success(line).replace('\n', " ");
    assert!(text.contains(said), "{text}");
}

/// One answer is protected by every command that speaks of it; the written budget is said to be of
/// whole measurements.
#[test]
fn one_answer_of_a_person_is_named_by_every_command() {
    let folder = Folder::new();
    let plan = "plan --type sumvec:3:5 --clients 1000 --epsilon 1 --adjacency one-coordinate";
    let task = folder.at("task.toml");
    let planned = success(&format!("{plan} --task {task}"));
    let run = success(&format!(
        "simulate --seed 1 --ideal --synthetic uniform --clients 500 --task {task} --html -"
    ));
    for (text, said) in [
        (planned, "The budget of the written noise is its guarantee under replacement."),
        (folder.read("task.toml"), "replacement; trust is about one-coordinate.\n"),
        (run, "each answer of a person is guaranteed pure"),
        (success(&format!("policies --task {task}")), "a guarantee to one answer of a person"),
    ] {
        assert!(text.replace("\n", " ").contains(&said.replace("\n", " ")), "{text}");
        assert!(!text.contains("under one-coordinate"), "{text}");
    }
}

/// Of a closed standard output Rust makes `/dev/null`; a redirection to it, in whatever mode, is
/// the user's.
#[cfg(unix)]
#[test]
fn a_closed_standard_output_takes_no_answer() {
    for (redirected, status, said) in [
        (">&-", Some(1), "error: standard output: it is closed\n"),
        (">/dev/null", Some(0), ""),
        ("1<>/dev/null", Some(0), ""),
    ] {
        let line = format!("exec \"$0\" calibrate laplace --epsilon 1/2 {redirected}");
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &line, env!("CARGO_BIN_EXE_dp-cli")]).output();
        let output = output.expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*error), (status, said), "{redirected}");
    }
}

#[test]
fn an_answer_in_process_is_what_the_program_prints_and_refuses() {
    let line = "calibrate laplace --epsilon 1/2";
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let part =
        |answer: &dp_cli::Answer, part| String::from_utf8(answer[part].clone()).expect("UTF-8");
    let both = dp_cli::answer(words(&format!("{line} --json -"))).expect("an answer");
    assert_eq!(both.len(), 2);
    assert_eq!(part(&both, "text"), success(line));
    assert_eq!(part(&both, "json"), success(&format!("{line} --json")));
    let plan = "plan --type count --clients 100 --epsilon 1 --json - --html -";
    let parts = dp_cli::answer(words(plan)).expect("two documents at once");
    assert_eq!(parts.keys().copied().collect::<Vec<_>>(), ["html", "json", "text"]);
    let help = dp_cli::answer(["plan", "--help"]).expect("a text");
    assert_eq!(part(&help, "text"), success("plan --help"));
    for refused in ["calibrate laplace --epsilon -1", "plam", "plan --espilon 1"] {
        let failure = dp_cli::answer(words(refused)).expect_err(refused);
        assert_eq!(failure.sentence(), refusal(refused));
    }
}
