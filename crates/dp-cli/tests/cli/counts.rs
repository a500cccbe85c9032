//! Data as counts, and runs without reports.

use std::fs;

use crate::support::{refusal, simulated, success, text};

/// A folder with a file of this text, and its path.
fn written(content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("counts.csv");
    fs::write(&path, content).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

const COUNTS: &str = "os,count\nios,7\nandroid,4\nios,2\nother,0\n";

const QUESTION: [&str; 4] = ["--column", "os", "--bins", "ios,android,other"];

fn truths(document: &serde_json::Value) -> Vec<&str> {
    let rows = document["coordinates"].as_array().expect("an array");
    rows.iter().map(|row| text(&row["truth"])).collect()
}

#[test]
fn counts_are_clients_with_and_without_reports() {
    let (_folder, path) = written(COUNTS);
    let line = [&["--counts", &path], QUESTION.as_slice()].concat();
    let (real, ideal) = (
        simulated(&line),
        simulated(&[&line[..], &["--ideal"]].concat()),
    );
    assert_eq!(text(&real["functionality"]), "prio3");
    assert_eq!(text(&ideal["functionality"]), "ideal");
    for document in [&real, &ideal] {
        assert_eq!(truths(document), ["9", "4", "0"]);
        assert_eq!(text(&document["summary"]["clients"]), "13");
        assert_eq!(text(&document["data"]["rows"]), "13");
    }
    // Clients do not randomize: the estimates are the same too.
    assert_eq!(real["coordinates"], ideal["coordinates"]);
    let stages = |document: &serde_json::Value| {
        let stages = document["summary"]["stage_seconds"].as_array();
        let stages = stages.expect("an array").iter();
        stages
            .map(|stage| text(&stage[0]).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(stages(&ideal), ["totals", "noise", "collection"]);
    assert_eq!(stages(&real)[..2], ["clients", "verification"]);
}

#[test]
fn people_of_a_large_file_are_those_of_its_rows() {
    let rows = "ios\nandroid\nios\nios\n".repeat(500);
    let (_folder, path) = written(&format!("os\n{rows}"));
    let line = [
        &["--data", &path, "--policy", "histogram-response"],
        &QUESTION[..],
    ]
    .concat();
    let ideal = simulated(&[&line[..], &["--ideal"]].concat());
    assert_eq!(truths(&ideal), ["1500", "500", "0"]);
    // As many as a file of counts says.
    let (_other, counts) = written("os,n\nandroid,500\nios,1500\n");
    let line = ["--counts", &counts, "--count-column", "n", "--ideal"];
    let line = [&line[..], &["--policy", "histogram-response"], &QUESTION].concat();
    assert_eq!(simulated(&line)["coordinates"], ideal["coordinates"]);
    let drawn = simulated(&[&line[..], &["--clients", "1e10"]].concat());
    assert_eq!(text(&drawn["summary"]["clients"]), "10000000000");
    assert_eq!(text(&drawn["parameters"]["max_reports"]), "10000000000");
    let ios: f64 = truths(&drawn)[0].parse().expect("a number");
    // Ten deviations of a binomial number.
    assert!((ios - 7.5e9).abs() < 433_013.0, "{ios}");
}

#[test]
fn what_ran_is_named_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (html, markdown) = (file("run.html"), file("run.md"));
    let line = ["simulate", "--ideal", "--clients", "1000000", "--seed", "1"];
    let reports = ["--html", &html, "--markdown", &markdown];
    let printed = success(&[&line[..], &reports].concat());
    let read = |path: &str| fs::read_to_string(path).expect("a file");
    for form in [printed, read(&html), read(&markdown)] {
        let words: Vec<&str> = form.split_whitespace().collect();
        let form = words.join(" ");
        for said in [
            "its ideal functionality: the totals and the number of reports are drawn from the exact law",
            "No report was made, sharded or verified.",
            "without Prio3 (the ideal functionality)",
        ] {
            let escaped = said.replace('(', "\\(").replace(')', "\\)");
            assert!(
                form.contains(said) || form.contains(&escaped),
                "{said}: {form}"
            );
        }
        for stage in ["verification", "accumulation"] {
            assert!(!form.contains(&format!("{stage} 0.")), "{stage}: {form}");
            assert!(
                !form.contains(&format!("time of {stage}")),
                "{stage}: {form}"
            );
        }
    }
    let real = success(&["simulate", "--clients", "20", "--seed", "1"]);
    assert!(!real.contains("ideal"), "{real}");
}

#[test]
fn counts_that_cannot_be_meant_are_refused() {
    let (_folder, path) = written(COUNTS);
    let (_many, many) = written("os,count\nios,5e9\nandroid,1\n");
    for (options, reason) in [
        (
            vec!["--counts", &path, "--data", &path],
            "has no meaning with --data",
        ),
        (
            vec!["--data", &path, "--count-column", "count"],
            "count-column count has no meaning without --counts",
        ),
        (
            vec!["--counts", &path, "--count-column", "n"],
            "count-column is n: expected one of os, count",
        ),
        (
            vec!["--counts", &many],
            "clients is 5000000001: expected an integer from 1 to 4294967295, or --ideal",
        ),
    ] {
        let line = [&["simulate"], &options[..], &QUESTION].concat();
        let error = refusal(&line);
        assert!(error.contains(reason), "{options:?}: {error}");
    }
    let line = [&["simulate", "--counts", &many, "--ideal"], &QUESTION[..]].concat();
    assert!(success(&line).contains("5 000 000 001 clients, as many as the data count."));
}
