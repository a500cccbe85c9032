//! `sweep`: its rows, its parts, and each cell alone.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{refusal, success};

const FILE: &str = "examples/sweeps/heights.toml";

fn printed(arguments: &[&str]) -> Value {
    serde_json::from_str(&success(arguments)).expect("JSON")
}

fn digest(document: &Value) -> String {
    let digest = document["summary"]["results_digest"].as_str();
    digest.expect("a digest").to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_cell_is_a_simulation_with_the_seed_of_its_row() {
    let whole = printed(&["sweep", FILE, "--json"]);
    let rows = whole["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 16);
    for row in [&rows[2], &rows[9], &rows[15]] {
        let command = row["command"].as_str().expect("a command");
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--json");
        let alone = printed(&words);
        assert_eq!(
            alone["summary"]["observed_std"], row["observed_std"],
            "{command}"
        );
        assert_eq!(alone["summary"]["bias"], row["bias"], "{command}");
        let number = row["cell"].as_str().expect("a number");
        let alone = printed(&["sweep", FILE, "--cell", number, "--threads", "1", "--json"]);
        let mut own = alone["rows"][0].clone();
        own["seconds"] = row["seconds"].clone();
        assert_eq!(&own, row);
    }
}

#[test]
fn ranges_of_a_sweep_merge_to_the_same_rows() {
    let whole = printed(&["sweep", FILE, "--threads", "1", "--json"]);
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("run");
    let run = text(&place);
    for range in ["3/3", "1/3"] {
        let said = success(&["sweep", FILE, "--checkpoints", run, "--range", range]);
        assert!(
            said.starts_with(&format!("Range {range} is done")),
            "{said}"
        );
        assert!(said.contains("of 0 to 15"), "{said}");
    }
    let said = refusal(&["merge", run]);
    assert!(said.contains("run"), "{said}");
    // Whoever goes on does what is missing, and reports.
    let resumed = ["sweep", FILE, "--checkpoints", run, "--resume", "--json"];
    assert_eq!(digest(&printed(&resumed)), digest(&whole));
    let (csv, html) = (
        folder.path().join("rows.csv"),
        folder.path().join("page.html"),
    );
    let merged = success(&["merge", run, "--csv", text(&csv), "--html", text(&html)]);
    assert!(
        merged.ends_with(&format!("Results digest: {}\n", digest(&whole))),
        "{merged}"
    );
    assert_eq!(digest(&printed(&["merge", run, "--json"])), digest(&whole));
    assert_eq!(
        fs::read_to_string(&csv).expect("a file").lines().count(),
        17
    );
    assert!(fs::metadata(&html).expect("a file").len() < 150_000);
    let said = refusal(&[
        "sweep",
        FILE,
        "--seed",
        "2",
        "--checkpoints",
        run,
        "--resume",
    ]);
    assert!(said.contains(run), "{said}");
    let said = refusal(&["sweep", FILE, "--checkpoints", run]);
    assert!(said.contains(run), "{said}");
}

#[test]
fn what_a_sweep_cannot_do_is_refused_on_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.toml");
    fs::write(
        &file,
        "policies = 'histogram-laplace'\nclients = 10\nlengths = 4\n",
    )
    .expect("written");
    let path = text(&file);
    for (arguments, said) in [
        (vec!["sweep"], "FILE"),
        (vec!["sweep", "no.toml"], "no.toml: No such file"),
        (
            vec!["sweep", path],
            "a.toml: budgets is \"no budget\": expected budgets of which one goes with histogram-laplace",
        ),
        (
            vec!["sweep", FILE, "--cell", "17"],
            "cell is 17: expected numbers from 1 to 16",
        ),
        (
            vec!["sweep", FILE, "--json", "--csv"],
            "has no meaning with --csv, which is printed as well",
        ),
        (vec!["sweep", FILE, "--force"], "force true has no meaning"),
        (vec!["sweep", FILE, "--resume"], "checkpoints is missing"),
        (
            vec!["sweep", FILE, "--cell", "1", "--checkpoints", "x"],
            "cell 1 has no meaning with --checkpoints",
        ),
        (
            vec![
                "sweep",
                FILE,
                "--checkpoints",
                "x",
                "--range",
                "1/2",
                "--csv",
            ],
            "range 1/2 has no meaning with --csv",
        ),
    ] {
        let refused = refusal(&arguments);
        assert!(refused.contains(said), "{arguments:?}: {refused}");
    }
    // A table of somebody else is not replaced.
    let csv = folder.path().join("people.csv");
    fs::write(&csv, "age\n3\n").expect("written");
    assert!(refusal(&["sweep", FILE, "--cell", "1", "--csv", text(&csv)]).contains("--force"));
    let rows = success(&["sweep", FILE, "--cell", "1", "--csv"]);
    assert!(rows.starts_with("cell,policy,functionality,"), "{rows}");
    assert_eq!(rows.lines().count(), 2);
}
