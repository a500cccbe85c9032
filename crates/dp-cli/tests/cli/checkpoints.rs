//! Runs in several processes and after restarts: the same report, and files that do not belong to them are refused.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Folder, json, program, refusal, run as output, success};

/// A run of six blocks, three for each trial.
const RUN: &str = "simulate --seed 7 --policy count-laplace --clients 7000 --trials 2";

/// A run without reports, with a block for each trial.
const IDEAL: &str = "simulate --seed 7 --ideal --policy histogram-ranges-laplace --bins 140..200/1 \
                     --trials 30 --percentiles 5,50 --between 150..170 --consistent";

/// A report without times, and without those inputs that are about threads.
fn report(line: &str) -> Value {
    let mut report = json(line);
    let summary = report["summary"].as_object_mut().expect("a summary");
    assert!(summary.remove("seconds").is_some());
    report["inputs"].as_object_mut().expect("inputs").remove("threads");
    report
}

/// The files of parts, in order.
fn parts(run: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut parts: Vec<PathBuf> =
        entries.filter(|path| path.to_string_lossy().contains("/part-")).collect();
    parts.sort();
    parts
}

#[test]
fn any_number_of_processes_and_threads_reports_the_same() {
    for (line, all) in [(RUN, [(2, 2), (7, 1)]), (IDEAL, [(1, 1), (7, 2)])] {
        let whole = report(&format!("{line} --threads 1"));
        for (processes, threads) in &all {
            let folder = Folder::new();
            let run = folder.at("run");
            let shares: Vec<Child> = (1..=*processes)
                .map(|share| {
                    let range = format!(
                        "--threads {threads} --checkpoints {run} --range {share}/{processes}"
                    );
                    program(&format!("{line} {range}"))
                        .stdout(Stdio::null())
                        .spawn()
                        .expect("it runs")
                })
                .collect();
            for mut share in shares {
                assert!(share.wait().expect("it ends").success());
            }
            assert_eq!(whole, report(&format!("merge {run}")), "{processes}");
            // The run itself has nothing left to do.
            assert_eq!(whole, report(&format!("{line} --checkpoints {run} --resume")));
        }
    }
}

/// Processes that are killed at some moment, each at work at some share of the run; then the run is finished, and
/// reports as one that was never stopped.
#[test]
fn what_is_killed_goes_on_with_any_number_of_ranges() {
    let folder = Folder::new();
    let run = folder.at("run");
    for kill in 1..=10_u64 {
        let of = 1 + kill * 3 % 7;
        let line = format!("{RUN} --checkpoints {run} --resume --range {}/{of}", 1 + kill * 5 % of);
        let mut process = program(&line).stdout(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(kill * 137 % 500));
        process.kill().expect("SIGKILL");
        process.wait().expect("it ends");
    }
    success(&format!("{RUN} --checkpoints {run} --range 2/2"));
    success(&format!("{RUN} --checkpoints {run} --resume"));
    assert_eq!(report(RUN), report(&format!("merge {run}")));
}

#[test]
fn a_folder_is_begun_once_and_continued_by_the_same_run_alone() {
    let folder = Folder::new();
    let run = folder.at("run");
    let line = format!("simulate --clients 40 --checkpoints {run}");
    assert_eq!(success(&format!("{line} --resume")).matches("in the clear").count(), 1);
    // Also where a document is printed.
    let said = String::from_utf8(output(&format!("{line} --resume --json")).stderr).expect("UTF-8");
    assert_eq!(said.matches("in the clear").count(), 1, "{said}");
    // The folder gives the seed.
    let merged = report(&format!("merge {run}"));
    assert_eq!(merged, report(&format!("{line} --resume")));
    assert_eq!(merged["inputs"]["seed"], merged["seed"]);
    let refused = refusal(&line);
    assert!(
        refused.ends_with("run: there is a run in it already: resume it, or name another folder"),
        "{refused}"
    );
    let content =
        || parts(&run).iter().map(|part| fs::read(part).expect("a part")).collect::<Vec<_>>();
    let before = content();
    for other in [
        "--seed 1",
        "--trials 2",
        "--epsilon 2",
        "--consistent",
        "--ideal",
        "--honest-clients 30",
        "--column weight_kg --bins 0..600/50",
    ] {
        let refused = refusal(&format!("{line} --resume {other}"));
        assert!(
            refused.contains("run.json: it is of another run: its digest is"),
            "{other}: {refused}"
        );
        assert!(before == content(), "{other}");
    }
    let file = folder.with("file", "text");
    assert!(
        refusal(&format!("simulate --clients 40 --checkpoints {file}"))
            .starts_with(&format!("{file}: "))
    );
    assert_eq!(folder.read("file"), "text");
}

/// A run of three parts.
fn three_parts(folder: &Folder, seed: u64) -> String {
    let run = folder.at(&format!("run-{seed}"));
    for share in 1..=3 {
        success(&format!(
            "simulate --seed {seed} --ideal --trials 3 --checkpoints {run} --range {share}/3"
        ));
    }
    assert_eq!(parts(&run).len(), 3);
    run
}

/// Every fault of a part and of the description is named with the file or the folder. dp-simulation
/// tests that every changed byte is noticed.
#[test]
fn parts_that_are_damaged_missing_doubled_or_foreign_are_named() {
    let folder = Folder::new();
    let (run, other) = (three_parts(&folder, 1), three_parts(&folder, 2));
    let merge = format!("merge {run}");
    success(&merge);
    let (file, other) = (&parts(&run)[1], &parts(&other)[1]);
    let name = file.display();
    let bytes = fs::read(file).expect("a part");
    fs::write(file, &bytes[..bytes.len() - 1]).expect("written");
    assert!(refusal(&merge).starts_with(&format!("{name}: damaged")));
    fs::remove_file(file).expect("removed");
    assert!(refusal(&merge).starts_with(&format!("{run}: no file has blocks ")));
    fs::copy(other, file).expect("copied");
    assert!(refusal(&merge).starts_with(&format!("{name}: it is of another run")));
    fs::write(file, &bytes).expect("written");
    let double = file.with_file_name("part-000000000001-000000000003");
    fs::write(&double, &bytes).expect("written");
    assert!(refusal(&merge).starts_with(&format!("{}: damaged", double.display())));
    fs::remove_file(&double).expect("removed");
    success(&merge);
    let text = folder.read("run-1/run.json");
    for (altered, said) in [
        (text.replace("simulate", "simulant"), ": a run of the kind \"simulant\", which this"),
        (text.replace("\\\"trials\\\":3", "\\\"trials\\\":7"), ": its digest is not"),
        ("{}".to_owned(), "/run.json: damaged: it is not what was written; take a copy"),
    ] {
        assert_ne!(text, altered);
        folder.with("run-1/run.json", altered);
        let refused = refusal(&merge);
        assert!(refused.starts_with(&format!("{run}{said}")), "{refused}");
    }
}

/// The digest of a run is not over the number of its blocks, which follows from the rest.
#[test]
fn a_run_with_another_number_of_blocks_is_refused() {
    let folder = Folder::new();
    let run = dp_simulation::checkpoints::RunFolder::read(three_parts(&folder, 1))
        .expect("a run")
        .run()
        .clone();
    for blocks in [0, 7, u64::MAX] {
        let other = dp_simulation::checkpoints::RunIdentity { blocks, ..run.clone() };
        let place = folder.at(&format!("other-{blocks}"));
        dp_simulation::checkpoints::RunFolder::create(&place, &other).expect("a new folder");
        let line = format!("simulate --seed 1 --ideal --trials 3 --checkpoints {place}");
        for line in
            [format!("{line} --resume"), format!("{line} --range 1/7"), format!("merge {place}")]
        {
            let said = format!("{place}: its run is said to have {blocks} blocks: expected 3");
            assert_eq!(refusal(&line), said);
        }
    }
}
