//! Signals in the middle of a run: what they leave, and what the next run makes of it.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A run that does not outlive its test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Run {
    /// How it ended. A run that does not end fails the test, and does not hold it up.
    fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.0.try_wait().expect("waited") {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end");
    }
}

/// How long a machine that has much to do may take for what takes no time.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a run that takes hours, and waits until it has prepared its file.
fn start(program: &mut Command, path: &Path) -> Run {
    let arguments = ["simulate", "--seed", "1", "--trials", "100000", "--json"];
    let program = program.args(arguments).arg(path);
    let mut run = Run(program.stdout(Stdio::null()).spawn().expect("it starts"));
    let folder = path.parent().expect("a folder");
    while entries(folder) == 0 {
        let ended = run.0.try_wait().expect("waited");
        assert!(ended.is_none(), "{ended:?}");
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

/// Whether the processes that this one starts ignore the signal, as those that a shell runs in the
/// background ignore SIGINT, and those under `nohup` SIGHUP.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
fn a_signal_ends_the_run_and_leaves_nothing() {
    let signals = [("-INT", 2), ("-TERM", 15), ("-HUP", 1), ("-ABRT", 6)];
    for (signal, number) in signals {
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = start(&mut program(), &folder.path().join("out.json"));
        kill(&run, signal);
        if is_ignored(number) {
            thread::sleep(Duration::from_millis(300));
            assert!(run.0.try_wait().expect("waited").is_none(), "{signal}");
            continue;
        }
        // What a shell shows as 128 and the number.
        let status = run.ended();
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(entries(folder.path()), 0, "{signal}");
    }
}

/// SIGSTKFLT, SIGIO, SIGPWR and two real-time signals.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_signals_of_one_system_leave_nothing_either() {
    for signal in [16, 29, 30, 40, 64] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = start(&mut program(), &folder.path().join("out.json"));
        kill(&run, &format!("-{signal}"));
        assert_eq!(run.ended().code(), Some(128 + signal));
        assert_eq!(entries(folder.path()), 0, "{signal}");
    }
}

/// SIGXFSZ is an error of the file, standard output among them, and ends no process.
#[test]
fn a_limit_of_the_size_of_files_is_an_error_with_a_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let text = folder.path().join("text");
    let run = |script: &str| {
        let script = format!("ulimit -f 1; exec \"$0\" simulate --clients 30 {script}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_dp-cli")]);
        shell.arg(&path).arg(&text);
        shell.output().expect("it runs")
    };
    for (script, name) in [
        ("--json \"$1\"", "out.json"),
        (">\"$2\"", "standard output"),
    ] {
        let output = run(script);
        let line = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{}: {line}", output.status);
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(line.contains(name) && line.contains("too large"), "{line}");
    }
    assert_eq!(entries(folder.path()), 1, "the text alone");
}

#[test]
fn the_longest_run_says_so_at_its_beginning() {
    // Very many clients, and such that one of them takes long.
    for arguments in [
        "--clients 4294967295",
        "--clients 30000 --bins 0..300000/1 --column seqn",
        // Before the first client starts.
        "--clients 3e9",
    ] {
        says_so(arguments);
    }
}

fn says_so(arguments: &str) {
    let mut program = program();
    let program = program.arg("simulate").args(arguments.split(' '));
    let program = program.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut run = Run(program.spawn().expect("it starts"));
    let stderr = run.0.stderr.take().expect("a pipe");
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stderr).read_line(&mut line);
        sender.send(read.map(|_| line))
    });
    let line = receiver
        .recv_timeout(PATIENCE)
        .expect("in time")
        .expect("read");
    assert!(line.contains(" reports will take about "), "{line}");
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
        line.contains("out.json: it is being written, by another process"),
        "{line}"
    );
    kill(&run, "-KILL");
    run.ended();
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
    assert_eq!(run.ended().signal(), Some(15));
    assert_eq!(entries(folder.path()), 0);
}
