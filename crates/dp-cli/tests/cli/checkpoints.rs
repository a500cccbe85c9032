//! Runs in several processes and after restarts: the same report, and files that do not belong to them are refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Six blocks, of which three are a trial.
const RUN: &str = "simulate --seed 7 --clients 7000 --trials 2";

/// Trials without reports, of which each is a block.
const IDEAL: &str =
    "simulate --seed 7 --ideal --policy multihot-rappor --clients 1e6 --trials 30 --consistent";

fn program(line: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dp-cli"));
    command.args(line.split(' ')).current_dir(folder);
    command
}

fn output(line: &str, folder: &Path) -> Output {
    program(line, folder).output().expect("it runs")
}

fn success(line: &str, folder: &Path) -> String {
    let output = output(line, folder);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one line of a refusal.
fn refusal(line: &str, folder: &Path) -> String {
    let output = output(line, folder);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    assert_eq!(text.lines().count(), 1, "{line}: {text}");
    text.trim_end().to_owned()
}

/// A report without times, and without those inputs that are about threads.
fn report(line: &str, folder: &Path) -> Value {
    let text = success(&format!("{line} --json"), folder);
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    let summary = report["summary"].as_object_mut().expect("a summary");
    for time in ["seconds", "stage_seconds"] {
        assert!(summary.remove(time).is_some());
    }
    let inputs = report["inputs"].as_object_mut().expect("inputs");
    inputs.remove("threads");
    report
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The files of parts, in order.
fn parts(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_part = |path: &PathBuf| path.to_string_lossy().contains("/part-");
    let mut parts: Vec<PathBuf> = paths.filter(is_part).collect();
    parts.sort();
    parts
}

#[test]
fn any_number_of_processes_and_threads_reports_the_same() {
    let place = folder();
    let place = place.path();
    for (line, all) in [
        (RUN, &[(2, 2), (7, 1)][..]),
        (IDEAL, &[(1, 1), (2, 2), (4, 1), (7, 2), (40, 1)]),
    ] {
        let whole = report(&format!("{line} --threads 1"), place);
        for (processes, threads) in all {
            let run = format!("run-{processes}");
            let shares: Vec<Child> = (1..=*processes)
                .map(|share| {
                    let range = format!("--checkpoints {run} --range {share}/{processes}");
                    let line = format!("{line} --threads {threads} {range}");
                    let mut command = program(&line, place);
                    command.stdout(Stdio::null()).spawn().expect("it runs")
                })
                .collect();
            for mut share in shares {
                assert!(share.wait().expect("it ends").success());
            }
            assert_eq!(whole, report(&format!("merge {run}"), place), "{processes}");
            // The run itself has nothing left to do.
            let resumed = format!("{line} --checkpoints {run} --resume");
            assert_eq!(whole, report(&resumed, place));
            fs::remove_dir_all(place.join(&run)).expect("it is there");
        }
    }
}

/// Kills so many processes, each at a moment below so many milliseconds, of which each works at some share of the run; then
/// the run is finished, and reports as one that was never stopped.
fn killed(run: &str, kills: u64, most: u64) {
    let place = folder();
    let place = place.path();
    // Moments and shares that any generator would give.
    let mut state = 12_345_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..kills {
        let of = 1 + random(7);
        let range = format!("{}/{of}", 1 + random(of));
        let line = format!("{run} --checkpoints run --resume --range {range}");
        let mut command = program(&line, place);
        let mut process = command.stdout(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(random(most)));
        process.kill().expect("SIGKILL");
        process.wait().expect("it ends");
    }
    success(&format!("{run} --checkpoints run --range 2/2"), place);
    success(&format!("{run} --checkpoints run --resume"), place);
    assert_eq!(report(run, place), report("merge run", place));
    // Nothing is left of those that were killed.
    let names = fs::read_dir(place.join("run")).expect("a folder");
    for name in names {
        let name = name.expect("an entry").file_name();
        let name = name.to_str().expect("UTF-8");
        let is_known = name.starts_with("part-") || ["run.json", "claims.lock"].contains(&name);
        assert!(is_known, "{name}");
    }
}

#[test]
fn what_is_killed_goes_on_with_any_number_of_ranges() {
    killed(RUN, 12, 500);
}

#[test]
#[ignore = "it takes minutes: files that grow are killed as well"]
fn fifty_kills_lose_nothing() {
    let trials = "simulate --seed 7 --clients 60000 --trials 8 --policy multihot-rappor";
    killed(trials, 50, 5000);
}

#[test]
fn a_folder_is_begun_once_and_continued_by_the_same_run_alone() {
    let place = folder();
    let place = place.path();
    let line = "simulate --clients 40 --checkpoints run";
    let text = success(&format!("{line} --resume"), place);
    assert_eq!(text.matches("in the clear").count(), 1, "{text}");
    // Also where a document is printed.
    let printed = output(&format!("{line} --resume --json"), place);
    let said = String::from_utf8(printed.stderr).expect("UTF-8");
    assert_eq!(said.matches("in the clear").count(), 1, "{said}");
    // The seed is that of the folder.
    let merged = report("merge run", place);
    assert_eq!(merged, report(&format!("{line} --resume"), place));
    assert_eq!(merged["inputs"]["seed"], merged["seed"]);

    let refused = refusal(line, place);
    assert_eq!(
        refused,
        "error: run: there is a run in it already: resume it, or name another folder"
    );
    for other in [
        "--seed 1",
        "--trials 2",
        "--epsilon 2",
        "--consistent",
        "--ideal",
        "--honest-clients 30",
        "--column weight_kg --bins 0..600/50",
    ] {
        let before: Vec<_> = parts(&place.join("run"))
            .iter()
            .map(fs::read)
            .map(Result::ok)
            .collect();
        let refused = refusal(&format!("{line} --resume {other}"), place);
        assert!(
            refused.starts_with("error: run/run.json: it is of another run: its digest is"),
            "{other}: {refused}"
        );
        let after: Vec<_> = parts(&place.join("run"))
            .iter()
            .map(fs::read)
            .map(Result::ok)
            .collect();
        assert!(before == after, "{other}");
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let place = folder();
    let place = place.path();
    for (line, said) in [
        (
            "simulate --resume",
            "checkpoints is missing: expected a folder, with --resume",
        ),
        (
            "simulate --range 1/2",
            "checkpoints is missing: expected a folder, with --range",
        ),
        (
            "simulate --range 1/2 --checkpoints run",
            "seed is missing: expected an integer, the same for all ranges of a run",
        ),
        (
            "simulate --range 3/2 --checkpoints run --seed 1",
            "range is 3/2: expected I/N, the I-th of N shares, such as 2/4, with N up to 1000000",
        ),
        (
            "simulate --range 1/2 --checkpoints run --seed 1 --json out.json",
            "range 1/2 has no meaning with --json, --html or --markdown: let `merge` write the report once all \
             ranges are done",
        ),
        ("merge run", "run: there is no run in it: no run.json"),
        ("merge .", ".: there is no run in it: no run.json"),
    ] {
        assert_eq!(refusal(line, place), format!("error: {said}"));
    }
    assert_eq!(fs::read_dir(place).expect("a folder").count(), 0);
    // A file in the place of the folder.
    fs::write(place.join("file"), "text").expect("a file");
    let refused = refusal("simulate --clients 40 --checkpoints file", place);
    assert!(refused.starts_with("error: file: "), "{refused}");
    assert_eq!(fs::read(place.join("file")).expect("a file"), b"text");
}

/// A run of three parts.
fn three_parts(place: &Path, seed: u64) -> PathBuf {
    let run = place.join(format!("run-{seed}"));
    let line = format!("simulate --seed {seed} --ideal --trials 6 --checkpoints run-{seed}");
    for share in 1..=3 {
        success(&format!("{line} --range {share}/3"), place);
    }
    assert_eq!(parts(&run).len(), 3);
    run
}

#[test]
fn parts_that_are_damaged_missing_doubled_or_foreign_are_named() {
    let place = folder();
    let place = place.path();
    let run = three_parts(place, 1);
    let (files, others) = (parts(&run), parts(&three_parts(place, 2)));
    success("merge run-1", place);
    let refused = || refusal("merge run-1", place);
    for (file, other) in files.iter().zip(&others) {
        let name = file.file_name().expect("a name").to_str().expect("UTF-8");
        let name = format!("error: run-1/{name}: ");
        let bytes = fs::read(file).expect("a part");
        // Every byte of the beginning, and some others.
        let places = (0..100).chain((100..bytes.len()).step_by(53));
        for place in places {
            let mut altered = bytes.clone();
            altered[place] ^= 0x20;
            fs::write(file, &altered).expect("written");
            let line = refused();
            let is_named = line.starts_with(&name)
                || line.starts_with("error: run-1: ")
                || line.contains("has block");
            assert!(is_named, "{place}: {line}");
        }
        for length in [0, 1, 40, bytes.len() / 2, bytes.len() - 1] {
            fs::write(file, &bytes[..length]).expect("written");
            assert!(refused().starts_with(&format!("{name}damaged")), "{length}");
        }
        fs::remove_file(file).expect("removed");
        assert!(refused().starts_with("error: run-1: no file has blocks "));
        fs::copy(other, file).expect("copied");
        assert!(refused().starts_with(&format!("{name}it is of another run")));
        fs::write(file, &bytes).expect("written");
        let double = run.join("part-000000000009");
        fs::write(&double, &bytes).expect("written");
        let line = refused();
        assert!(line.contains(": it has block ") && line.contains("part-000000000009"));
        fs::remove_file(&double).expect("removed");
    }
    success("merge run-1", place);

    let file = run.join("run.json");
    let text = fs::read_to_string(&file).expect("a file");
    for altered in [
        text.replace("simulate", "simulant"),
        text.replace("\\\"trials\\\":6", "\\\"trials\\\":7"),
        text[..text.len() / 2].to_owned(),
        "{}".to_owned(),
    ] {
        assert_ne!(text, altered);
        fs::write(&file, altered).expect("written");
        assert!(refused().starts_with("error: run-1/run.json: damaged: "));
    }
}

#[test]
fn a_full_disk_is_one_line_and_what_was_written_stays() {
    let place = folder();
    let place = place.path();
    // What is said of the run fits, and the shares of a trial that is cut do not.
    let line = "simulate --seed 7 --bins 0..500/1 --column seqn --overflow-bins --clients 600 --checkpoints run";
    success(&format!("{line} --range 2/2"), place);
    let before = parts(&place.join("run"));
    let script = format!("ulimit -f 24; exec \"$0\" {line} --range 1/2");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_dp-cli")]);
    let output = shell.current_dir(place).output().expect("it runs");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let named = "error: run/part-000000000000: ";
    assert!(
        text.starts_with(named) && text.contains("too large"),
        "{text}"
    );
    assert_eq!(parts(&place.join("run")), before);
    // With room again it goes on.
    success(&format!("{line} --resume"), place);
    assert_eq!(
        report("merge run", place),
        report(&line.replace(" --checkpoints run", ""), place)
    );
}

#[test]
fn files_of_a_run_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = folder();
    success("simulate --clients 40 --checkpoints run", place.path());
    let run = place.path().join("run");
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&run), 0o700);
    for entry in fs::read_dir(&run).expect("a folder") {
        assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
    }
}

/// The digest of a run is not over the number of its blocks, which follows from the rest.
#[test]
fn a_run_with_another_number_of_blocks_is_refused() {
    let place = folder();
    let place = place.path();
    let run = three_parts(place, 1);
    let run = dp_simulation::parts::Folder::read(run)
        .expect("a run")
        .run()
        .clone();
    for blocks in [0, 5, 7, u64::MAX] {
        let other = dp_simulation::parts::Run {
            blocks,
            ..run.clone()
        };
        let name = format!("other-{blocks}");
        dp_simulation::parts::Folder::create(place.join(&name), &other).expect("a new folder");
        let said = format!("error: {name}: its run is said to have {blocks} blocks: expected 6");
        let line = format!("simulate --seed 1 --ideal --trials 6 --checkpoints {name}");
        assert_eq!(refusal(&format!("{line} --resume"), place), said);
        assert_eq!(refusal(&format!("{line} --range 1/7"), place), said);
        assert_eq!(refusal(&format!("merge {name}"), place), said);
    }
}
