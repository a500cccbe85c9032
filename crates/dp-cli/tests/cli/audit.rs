//! `audit` as a user types it.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{refusal, success, text, xtask};

const TASK: &str = "examples/tasks/histogram.toml";

#[test]
fn a_policy_is_not_refuted_and_every_form_says_so() {
    let line = ["audit", "--policy", "count-laplace", "--runs", "2e4"];
    let printed = success(&line);
    assert!(
        printed.contains("No promise is refuted.") && printed.contains("count-laplace"),
        "{printed}"
    );
    let document: Value =
        serde_json::from_str(&success(&[&line[..], &["--json"]].concat())).expect("JSON");
    let promise = &document["promises"][0];
    let number = |name: &str| text(&promise[name]).parse::<f64>().expect("a number");
    let (bound, promised) = (number("lower_bound"), number("epsilon"));
    assert!(bound > 0.8 && bound <= promised, "{promise}");
    let report = success(&[&line[..], &["--html", "-"]].concat());
    assert!(report.contains("No promise is refuted."), "{report}");
}

/// What two aggregators release for one report in the first of twelve buckets, if their noise is all 0.
fn without_noise() -> String {
    let mut lines = "batch,attempt,reports,truth,released\n".to_owned();
    for batch in 0..6 {
        for bucket in 0..12 {
            let total = u8::from(bucket == 0);
            writeln!(lines, "{batch},1,1,{total},{total}").expect("a line");
        }
    }
    lines
}

#[test]
fn a_deployment_without_noise_is_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("collected.csv");
    fs::write(&path, without_noise()).expect("written");
    let path = path.to_str().expect("UTF-8");
    let output = xtask(&["audit", "--task", TASK, "--collections", path]);
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(told.contains("2 aggregators add no noise"), "{told}");

    fs::write(path, "batch,attempt\n").expect("written");
    let refused = refusal(&["audit", "--task", TASK, "--collections", path]);
    assert!(refused.contains("collected.csv: line 1"), "{refused}");
    let refused = refusal(&["audit", "--collections", path]);
    assert!(refused.contains("task is missing"), "{refused}");
}

#[test]
fn what_cannot_be_audited_is_refused_by_name() {
    for (option, value) in [
        ("--runs", "99"),
        ("--error", "1/2"),
        ("--honest-clients", "0"),
        ("--policy", "sum"),
    ] {
        let refused = refusal(&["audit", option, value]);
        let name = option.trim_start_matches('-');
        assert!(refused.contains(&format!("{name} is")), "{refused}");
    }
}
