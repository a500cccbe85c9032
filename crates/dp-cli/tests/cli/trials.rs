//! Shares of the trials of a run: the report of one process, and files that do not fit are refused.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, json, refusal, success};

/// Clients that randomize; some send nothing.
const RUN: &str = "simulate --seed 7 --policy multihot-one-hot-rappor --epsilon0 2 \
                   --false-positive-rate 0.01 --clients 300 --trials 5 --consistent";

const IDEAL: &str = "simulate --seed 7 --ideal --policy histogram-ranges-laplace --bins 140..200/1 \
                     --trials 30 --percentiles 5,50 --between 150..170 --consistent";

/// A report without times, and without the number of threads.
fn report(line: &str) -> Value {
    let mut report = json(line);
    let summary = report["summary"].as_object_mut().expect("a summary");
    assert!(summary.remove("seconds").is_some());
    report["inputs"].as_object_mut().expect("inputs").remove("threads");
    report
}

/// The files of all shares, the last one first.
fn files(folder: &Folder, line: &str, shares: u32) -> Vec<String> {
    let file = |share: u32| {
        let path = folder.at(&format!("{share} of {shares}.json").replace(' ', "-"));
        let said =
            success(&format!("{line} --threads {share} --share {share}/{shares} --json {path}"));
        assert!(said.contains(&format!("Share {share}/{shares} is done (")), "{said}");
        path
    };
    (1..=shares).rev().map(file).collect()
}

#[test]
fn any_number_of_processes_and_threads_reports_the_same() {
    for (line, all) in [(RUN, [1, 5]), (IDEAL, [2, 7])] {
        let whole = report(line);
        assert_eq!(whole["summary"]["dropped"] != "0", line == RUN);
        for shares in all {
            let folder = Folder::new();
            let files = files(&folder, line, shares).join(" ");
            assert_eq!(whole, report(&format!("merge {files}")), "{shares}");
        }
    }
}

#[test]
fn a_share_that_is_done_is_kept_and_another_is_computed() {
    let folder = Folder::new();
    let path = folder.at("one.json");
    let line = format!("{RUN} --share 2/5 --json {path}");
    success(&line);
    let before = folder.read("one.json");
    let said = success(&line);
    assert!(said.starts_with("Share 2/5 was done before (1 of 5 trials): its file is "), "{said}");
    assert_eq!(folder.read("one.json"), before);
    // A damaged file, and one of other settings or trials, is computed again.
    folder.with("one.json", &before[..before.len() - 9]);
    assert!(success(&line).contains("Share 2/5 is done"));
    assert!(success(&line.replace("epsilon0 2", "epsilon0 3")).contains("Share 2/5 is done"));
    let other = format!("{RUN} --share 3/5 --json {path}");
    assert!(success(&other).contains("Share 3/5 is done (1 of 5 trials)"));
    // A file of another command is not replaced.
    let foreign = folder.with("foreign.json", "{}");
    let refused = refusal(&format!("{RUN} --share 1/5 --json {foreign}"));
    assert!(refused.starts_with(&foreign), "{refused}");
}

#[test]
fn trials_that_are_damaged_missing_doubled_or_of_another_run_are_named() {
    let folder = Folder::new();
    let line = "simulate --seed 1 --ideal --trials 30";
    let files = files(&folder, line, 3);
    let [third, second, first] = &files[..] else { panic!("{files:?}") };
    let refused = refusal(&format!("merge {third} {first}"));
    assert_eq!(refused, format!("{third}: trials is 20..30: expected the next ones of 10..30"));
    assert_eq!(refusal(&format!("merge {first} {second}")), "trials is 20: expected all 30");
    let wide = folder.at("wide.json");
    success(&format!("{line} --share 1/2 --json {wide}"));
    let refused = refusal(&format!("merge {third} {wide} {second} {first}"));
    assert_eq!(refused, format!("{first}: trials is 0..10: expected the next ones of 15..30"));
    for (option, other, name) in [
        ("--seed 1", "--seed 2", "option --seed"),
        ("--trials 30", "--trials 33", "option --trials"),
        ("--ideal", "--ideal --clients 30", "option --clients"),
        ("--ideal", "--ideal --consistent", "option --consistent"),
    ] {
        let path = folder.at("other.json");
        success(&format!("{} --share 1/3 --json {path}", line.replace(option, other)));
        let refused = refusal(&format!("merge {second} {path} {third}"));
        let said = format!("{path}: it is of another run than {second}: its {name} differs");
        assert_eq!(refused, said, "{other}");
    }
    // The same options over other data.
    let line = format!("{line} --column x --bins 0,1 --data {}", folder.with("x.csv", "x\n1\n0\n"));
    let share = |number: u32| {
        let path = folder.at(&format!("x{number}.json"));
        success(&format!("{line} --share {number}/2 --json {path}"));
        path
    };
    let one = share(1);
    folder.with("x.csv", "x\n1\n1\n");
    let refused = refusal(&format!("merge {one} {}", share(2)));
    assert!(refused.ends_with(&format!("another run than {one}: its task or data differs")));
    let refused = refusal(&format!("merge {one}"));
    assert!(refused.starts_with(&format!("{one}: its task or data is not what it was: ")));
    let bytes = fs::read(second).expect("trials");
    fs::write(second, &bytes[..bytes.len() - 1]).expect("written");
    let refused = refusal(&format!("merge {first} {second} {third}"));
    assert!(refused.starts_with(&format!("{second}: damaged: ")), "{refused}");
    let text = String::from_utf8(bytes).expect("JSON").replacen("\"reports\":", "\"reports\":1", 1);
    fs::write(second, text).expect("written");
    let refused = refusal(&format!("merge {first} {second} {third}"));
    assert!(refused.starts_with(&format!("{second}: damaged: its last line")), "{refused}");
}
