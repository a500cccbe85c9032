//! What outputs replace: reports of the same command, by force other files, and never an input, a ledger, a
//! checkpoint or a store.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use dp_prio3::releases::{ReleaseKey, ReleaseStore as _};
use dp_store::{DirectoryReleases, DirectoryReports};
use tempfile::TempDir;

use crate::support::{refusal, success};

const LEDGER: &str = "calibrate ledger create {} --epsilon 1 --delta 1e-6";
const SWEEP: &str = "policies = [\"histogram-laplace\"]\nbudgets = [{ epsilon = \"1\" }]\n\
                     clients = 100\nlengths = 3\ntrials = 1\n";

/// Every option that writes a file, of a command that is quick.
const OUTPUTS: [&str; 13] = [
    "plan --type count --clients 100 --epsilon 1 --json",
    "plan --type count --clients 100 --epsilon 1 --html",
    "plan --type count --clients 100 --epsilon 1 --markdown",
    "plan --type count --clients 100 --epsilon 1 --task",
    "plan --type count --clients 100 --epsilon 1 --strategy",
    "policies --type count --json",
    "simulate --clients 20 --seed 1 --json",
    "simulate --clients 20 --seed 1 --html",
    "calibrate laplace --epsilon 1 --json",
    "calibrate gaussian --epsilon 1 --delta 1e-6 --certificate",
    "sweep SWEEP --seed 1 --csv",
    "sweep SWEEP --seed 1 --json",
    "statement --task TASK --deployment DEPLOYMENT --releases 2 --yaml",
];

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().expect("a folder"));
        fs::write(files.path("sweep.toml"), SWEEP).expect("written");
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// A command line with the names of files filled in.
    fn line(&self, line: &str) -> Vec<String> {
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let line = line
            .replace("SWEEP", &self.text("sweep.toml"))
            .replace("TASK", &format!("{examples}/tasks/count.toml"))
            .replace(
                "DEPLOYMENT",
                &format!("{examples}/deployments/heights.toml"),
            );
        line.split(' ').map(str::to_owned).collect()
    }

    fn success(&self, line: &str) -> String {
        success(&strs(&self.line(line)))
    }

    fn refusal(&self, line: &str) -> String {
        refusal(&strs(&self.line(line)))
    }
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_file()).collect()
}

#[test]
fn a_ledger_a_checkpoint_and_a_store_are_never_replaced() {
    let files = Files::new();
    let ledger = files.text("visits.ledger");
    files.success(&LEDGER.replace("{}", &ledger));
    symlink("visits.ledger", files.path("link")).expect("a link");
    fs::hard_link(files.path("visits.ledger"), files.path("hard")).expect("a link");
    let run = files.text("run");
    files.success(&format!(
        "simulate --clients 20 --seed 1 --checkpoints {run}"
    ));
    let (seen, released) = (files.path("seen"), files.path("released"));
    fs::create_dir(&released).expect("a folder");
    drop(DirectoryReports::create(&seen, 3).expect("a store"));
    let releases = DirectoryReleases::open(&released).expect("a store");
    releases.keep(&ReleaseKey([7; 32]), b"share").expect("kept");

    let mut kept = vec![(files.path("visits.ledger"), "a budget ledger")];
    kept.extend(["link", "hard"].map(|name| (files.path(name), "a budget ledger")));
    for path in all_files(Path::new(&run)) {
        kept.push((path, "a checkpoint of a run"));
    }
    for path in [all_files(&seen), all_files(&released)].concat() {
        kept.push((path, "a file of an aggregator's store"));
    }
    assert!(kept.len() >= 9, "{kept:?}");
    for (place, (path, is)) in kept.iter().enumerate() {
        let before = fs::read(path).expect("a file");
        // Every option for the ledger, and some for each other file.
        let outputs = OUTPUTS.iter().enumerate();
        let chosen = outputs.filter(|(number, _)| place == 0 || number % 5 == place % 5);
        for (_, output) in chosen {
            let path = path.to_str().expect("UTF-8");
            for force in ["", " --force"] {
                let refused = files.refusal(&format!("{output} {path}{force}"));
                assert!(refused.contains(path), "{refused}");
                assert!(refused.contains(is), "{output} {path}: {refused}");
                assert!(refused.contains("choose another name"), "{refused}");
            }
        }
        assert_eq!(
            fs::read(path).expect("a file"),
            before,
            "{}",
            path.display()
        );
    }
}

#[test]
fn an_input_is_never_replaced_under_whatever_name() {
    let files = Files::new();
    let data = files.text("people.csv");
    fs::write(&data, "age\n1\n2\n3\n").expect("written");
    symlink("people.csv", files.path("link")).expect("a link");
    fs::hard_link(&data, files.path("hard")).expect("a link");
    let here = format!("{}/./people.csv", files.0.path().display());
    let simulate = "simulate --column age --bins 0..9/3 --seed 1 --data";
    for input in [&data, &files.text("link"), &files.text("hard")] {
        for output in [&data, &files.text("link"), &files.text("hard"), &here] {
            for option in ["--json", "--html", "--markdown"] {
                let line = format!("{simulate} {input} {option} {output} --force");
                let refused = files.refusal(&line);
                assert!(
                    refused.contains("an input of the same command"),
                    "{refused}"
                );
                assert!(refused.contains(output.as_str()), "{refused}");
            }
        }
    }
    assert_eq!(fs::read_to_string(&data).expect("a file"), "age\n1\n2\n3\n");

    // Other inputs: a task, a sweep and its data, a deployment, a ledger that is begun, a folder that is.
    let task = files.text("task.toml");
    fs::copy(files.line("TASK").remove(0), &task).expect("copied");
    let deployment = files.text("deployment.toml");
    fs::copy(files.line("DEPLOYMENT").remove(0), &deployment).expect("copied");
    fs::write(
        files.path("heights.toml"),
        SWEEP.replace(
            "lengths = 3",
            "data = { file = 'people.csv', column = 'age', bins = ['0..9/3'] }",
        ),
    )
    .expect("written");
    let heights = files.text("heights.toml");
    let (ledger, run) = (files.text("new.ledger"), files.text("run"));
    fs::create_dir(&run).expect("a folder");
    let lines = [
        format!("simulate --task {task} --column asthma --json {task}"),
        format!("simulate --counts {data} --json {data}"),
        format!("statement --task {task} --deployment {deployment} --releases 2 --markdown {task}"),
        format!(
            "statement --task {task} --deployment {deployment} --releases 2 --yaml {deployment}"
        ),
        format!("sweep {heights} --csv {heights}"),
        format!("sweep {heights} --csv {data}"),
        format!("audit --task {task} --collections {data} --json {data}"),
        format!("audit --task {task} --command {data} --json {data}"),
        format!("simulate --clients 20 --checkpoints {run} --json {run}/run.json"),
    ];
    for line in lines {
        let refused = files.refusal(&format!("{line} --force"));
        assert!(
            refused.contains("an input of the same command"),
            "{line}: {refused}"
        );
    }
    let refused = files.refusal(&format!(
        "{} --json {ledger} --force",
        LEDGER.replace("{}", &ledger)
    ));
    assert!(
        refused.contains("an input of the same command"),
        "{refused}"
    );
    assert!(!Path::new(&ledger).exists(), "nothing was begun");
    assert_eq!(fs::read_to_string(&data).expect("a file"), "age\n1\n2\n3\n");
}

#[test]
fn a_report_of_another_command_is_replaced_by_force_alone() {
    let files = Files::new();
    let (json, html, markdown) = (
        files.text("a.json"),
        files.text("a.html"),
        files.text("a.md"),
    );
    let plan = format!(
        "plan --type count --clients 100 --epsilon 1 --json {json} --html {html} --markdown {markdown}"
    );
    files.success(&plan);
    files.success(&plan);
    for (line, is) in [
        (
            format!("policies --type count --json {json}"),
            "a document of another kind, dp-cli plan",
        ),
        (
            format!("calibrate laplace --epsilon 1 --json {json}"),
            "another kind, dp-cli plan",
        ),
        (
            format!("simulate --clients 20 --html {html}"),
            "a report of another kind, plan",
        ),
        (
            format!("simulate --clients 20 --markdown {markdown}"),
            "a report of another kind, plan",
        ),
        (
            format!("simulate --clients 20 --json {html}"),
            "a report of another kind, plan",
        ),
    ] {
        let refused = files.refusal(&line);
        assert!(
            refused.contains("exists already") && refused.contains(is),
            "{refused}"
        );
        assert!(refused.contains("--force"), "{refused}");
    }
    files.success(&format!("policies --type count --json {json} --force"));
    files.success(&format!("policies --type count --json {json}"));
    // Another question of one command is another kind.
    files.success(&format!(
        "calibrate laplace --epsilon 1 --json {json} --force"
    ));
    assert!(
        files
            .refusal(&format!(
                "calibrate convert --rho 1 --delta 1e-6 --json {json}"
            ))
            .contains("dp-cli calibrate laplace")
    );
}

#[test]
fn a_file_that_begins_much_like_a_report_is_not_one() {
    let files = Files::new();
    let path = files.text("notes");
    for (option, content) in [
        ("--json", "{\"format\":\"dp-thesis\",\"pages\":300}"),
        ("--json", "{\"format\":\"dp-cli plans\",\"pages\":300}"),
        ("--json", "{\"format\": \"dp-cliplan\", \"pages\": 300}"),
        ("--markdown", "# My thesis\n\n## The question\n\nWhy?\n"),
        ("--html", "<!DOCTYPE html><title>A thesis</title>"),
        ("--strategy", "{\"version\":1,\"laws\":[]}"),
        ("--task", "{\"version\":1,\"law\":\"discrete_laplace\"}"),
    ] {
        fs::write(&path, content).expect("written");
        let line = format!("plan --type count --clients 100 --epsilon 1 {option} {path}");
        let refused = files.refusal(&line);
        assert!(refused.contains("exists already"), "{content}: {refused}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), content);
    }
    fs::write(&path, "cell,policy,functionality,notes\n1,a,b,c\n").expect("written");
    let refused = files.refusal(&format!("sweep SWEEP --csv {path}"));
    assert!(refused.contains("exists already"), "{refused}");
}
