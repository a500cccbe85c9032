//! Signals in the middle of a run: what they leave, and what the next run makes of it.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A run that does not outlive its test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a run that takes hours, and waits until it has prepared its file.
fn start(program: &mut Command, path: &Path) -> Run {
    let arguments = ["simulate", "--seed", "1", "--trials", "100000", "--json"];
    let program = program.args(arguments).arg(path);
    let run = Run(program.stdout(Stdio::null()).spawn().expect("it starts"));
    let folder = path.parent().expect("a folder");
    while fs::read_dir(folder).expect("a folder").count() == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    // Until its name was tried as well, which takes no time at all.
    thread::sleep(Duration::from_millis(200));
    run
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_dp-cli"))
}

fn kill(run: &Run, signal: &str) {
    let id = run.0.id().to_string();
    let killed = Command::new("kill").args([signal, &id]).status();
    assert!(killed.expect("kill").success());
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

#[test]
fn a_signal_ends_the_run_and_leaves_nothing() {
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1), ("-USR1", 10)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = start(&mut program(), &folder.path().join("out.json"));
        kill(&run, signal);
        // What a shell shows as 128 and the number.
        let status = run.0.wait().expect("it ends");
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(entries(folder.path()), 0, "{signal}");
    }
}

#[test]
fn the_next_run_clears_up_after_one_that_could_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let mut run = start(&mut program(), &path);
    let other = program()
        .args(["simulate", "--clients", "30", "--json"])
        .arg(&path)
        .output()
        .expect("it runs");
    assert_eq!(other.status.code(), Some(2));
    let line = String::from_utf8(other.stderr).expect("UTF-8");
    assert!(
        line.contains("out.json: another process is writing it"),
        "{line}"
    );
    kill(&run, "-KILL");
    run.0.wait().expect("it ends");
    assert_eq!(entries(folder.path()), 1, "what was left");
    let next = program()
        .args(["simulate", "--clients", "30", "--json"])
        .arg(&path)
        .stdout(Stdio::null())
        .status();
    assert!(next.expect("it runs").success());
    assert_eq!(entries(folder.path()), 1);
    assert!(path.exists(), "the report alone");
}

/// A signal that was ignored when the process began stays so: `nohup` keeps its promise.
#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut nohup = Command::new("nohup");
    nohup
        .arg(env!("CARGO_BIN_EXE_dp-cli"))
        .stderr(Stdio::null());
    let mut run = start(&mut nohup, &folder.path().join("out.json"));
    kill(&run, "-HUP");
    thread::sleep(Duration::from_millis(300));
    assert!(run.0.try_wait().expect("waited").is_none(), "still at work");
    kill(&run, "-TERM");
    assert_eq!(run.0.wait().expect("it ends").signal(), Some(15));
    assert_eq!(entries(folder.path()), 0);
}
