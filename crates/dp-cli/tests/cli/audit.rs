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

#[test]
fn every_seed_of_64_bits_is_one() {
    let line = ["audit", "--policy", "count-laplace", "--runs", "1000"];
    let largest = u64::MAX.to_string();
    let printed = success(&[&line[..], &["--seed", &largest]].concat());
    assert!(printed.contains("No promise is refuted."), "{printed}");
    let refused = refusal(&[&line[..], &["--seed", "18446744073709551616"]].concat());
    assert!(refused.contains(&format!("0 to {largest}")), "{refused}");
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
fn collections_that_are_none_of_the_task_are_refused_by_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("collected.csv");
    let given = path.to_str().expect("UTF-8");
    let whole = without_noise();
    let lines: Vec<&str> = whole.lines().collect();
    let cut = |from: usize, to: usize| [&lines[..from], &lines[to..]].concat().join("\n");
    let header = lines[0];
    for (text, told) in [
        // The second of six batches lacks its last two totals, or has two more.
        (
            cut(23, 25),
            "line 14, batch 1, attempt 1: totals is 10: expected 12",
        ),
        (
            format!("{}\n5,1,1,0,0\n5,1,1,0,0\n", cut(73, 73)),
            "line 62, batch 5, attempt 1: totals is 14: expected 12",
        ),
        (format!("{header}\n"), "line 2 is missing"),
        (
            format!("{header}\n,1,1,0,0\n"),
            "line 2 is ,1,1,0,0: expected a batch",
        ),
        (
            format!("{header}\na,1,1,1.0,0\n"),
            "line 2 is a,1,1,1.0,0: expected a true",
        ),
        (
            format!("{header}\na,1,-1,1,0\n"),
            "line 2 is a,1,-1,1,0: expected a number of rep",
        ),
        (
            format!("{header}\na,1,1,99999999999999999999,0\n"),
            "line 2 is a,1,1,99999999999999999999,0: expected a true total",
        ),
        (
            cut(0, 0).replace("\n0,1,1,1,1", "\n0,1,1,2,1"),
            "line 2, batch 0, attempt 1: truth is 2: expected a total from 0 to 1",
        ),
        (
            format!("{whole}0,1,1,1,1\n"),
            "line 74 is \"batch 0, attempt 1\": expected a batch and attempt whose totals",
        ),
    ] {
        fs::write(&path, text).expect("written");
        let refused = refusal(&["audit", "--task", TASK, "--collections", given]);
        assert!(refused.contains("collected.csv: "), "{refused}");
        assert!(refused.contains(told), "{told}: {refused}");
    }
    let folder = folder.path().to_str().expect("UTF-8");
    refusal(&["audit", "--task", TASK, "--collections", folder]);
}

/// A count, of batches of 1000 reports.
const COUNT: &str = "examples/tasks/count.toml";

/// The command that runs this script.
#[cfg(unix)]
fn script(folder: &tempfile::TempDir, text: &str) -> String {
    let path = folder.path().join("collect.sh");
    fs::write(&path, text).expect("written");
    format!("sh {}", path.display())
}

#[cfg(unix)]
#[test]
fn a_command_that_collects_without_noise_is_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let counts = r#"
yes=$(grep -o true | wc -l)
echo '{"attempt":1,"reports":1000,"released":['$yes']}'
"#;
    let command = script(&folder, counts);
    let output = xtask(&["audit", "--task", COUNT, "--command", &command]);
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("2 aggregators add no noise"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_command_without_a_usable_answer_is_refused_by_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = |fields: &str| format!("cat >/dev/null; echo '{{{fields}}}'");
    for (text, told) in [
        (answer(""), "line 1 of the answer is"),
        (
            answer(r#""attempt":1,"reports":1000,"released":[1],"truth":1"#),
            "line 1 of the answer is",
        ),
        (
            answer(r#""attempt":2,"reports":1000,"released":[1]"#),
            "attempt is 2: expected an integer from 1 to 1",
        ),
        (
            answer(r#""attempt":1,"reports":999,"released":[1]"#),
            "reports is 999: expected 1000",
        ),
        (
            answer(r#""attempt":1,"reports":1000,"released":[1,2]"#),
            "released is 2: expected 1",
        ),
        ("exit 0".to_owned(), "answers is 0: expected one line"),
        (
            "echo out of order >&2; exit 7".to_owned(),
            "exit status: 7: out of order",
        ),
        (
            "yes log | head -c 1000000 >&2; echo out of order >&2; exit 7".to_owned(),
            "exit status: 7: out of order",
        ),
        ("exec sleep 600".to_owned(), "did not end within 1 s"),
    ] {
        let command = script(&folder, &text);
        let line = ["audit", "--task", COUNT, "--time-limit", "1", "--command"];
        let refused = refusal(&[&line[..], &[&command]].concat());
        assert!(refused.contains(told), "{text}: {refused}");
        // Which batch it was, by the name that the deployment was given, where its answer cannot be read.
        let is_read = told.starts_with("reports");
        assert!(is_read || refused.contains(" 0: "), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_that_a_command_started_outlives_its_collection() {
    let folder = tempfile::tempdir().expect("a folder");
    let fifo = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo").success());
    // What is started in the background has the FIFO open, and none of the streams that are read.
    let starts = format!(
        "cat >/dev/null; exec 3>{}; echo started >&3; sleep 600 <&- >&- 2>&- & ",
        fifo.display()
    );
    let answer = r#"echo '{"attempt":1,"reports":1000,"released":[500]}'"#;
    for (then, status) in [("wait", Some(2)), ("exit 7", Some(2)), (answer, Some(3))] {
        let (sender, receiver) = std::sync::mpsc::channel();
        let path = fifo.clone();
        std::thread::spawn(move || sender.send(fs::read_to_string(path)));
        let command = script(&folder, &format!("{starts}{then}"));
        let line = ["audit", "--task", COUNT, "--time-limit", "2"];
        let most = ["--most-collections", "1", "--command", &command];
        let output = xtask(&[&line[..], &most[..]].concat());
        assert_eq!(output.status.code(), status, "{then}: {output:?}");
        // It is read to the end when nobody can write to it any more.
        let patience = std::time::Duration::from_secs(60);
        let read = receiver.recv_timeout(patience).expect("nobody is left");
        assert_eq!(read.expect("read"), "started\n", "{then}");
    }
}

#[test]
fn a_command_needs_a_task_and_a_program_that_starts() {
    for (options, told) in [
        (&["--command", "true"][..], "task is missing"),
        (
            &["--task", COUNT, "--command", "true", "--collections", "x"],
            "command given",
        ),
        (&["--task", COUNT, "--command", " "], "command is"),
        (
            &["--task", COUNT, "--command", "no-such-program-here x"],
            "no-such-program-here does not start",
        ),
        (
            &["--task", COUNT, "--command", "true", "--clients", "999"],
            "clients is 999: expected an integer from 1000",
        ),
        (
            &["--task", COUNT, "--command", "true", "--time-limit", "0"],
            "time-limit is 0",
        ),
        (
            &["--task", COUNT, "--command", "true", "--time-limit", "1e9"],
            "time-limit is 1e9: expected an integer from 1 to 86400",
        ),
        (
            &[
                "--task",
                COUNT,
                "--command",
                "true",
                "--most-collections",
                "0",
            ],
            "most-collections is 0",
        ),
    ] {
        let refused = refusal(&[&["audit"], options].concat());
        assert!(refused.contains(told), "{options:?}: {refused}");
    }
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
