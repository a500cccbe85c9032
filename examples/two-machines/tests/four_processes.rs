//! Two aggregators, clients and a collector as processes: reports, a restart, a replay and two
//! collections.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The program with these arguments, of which the folder of the parties is the second.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_two-machines"));
    command.arg(arguments[0]).arg(folder).args(&arguments[1..]).stderr(Stdio::piped());
    command
}

/// The output of a command that succeeds, and `Err` with its error otherwise.
fn output(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = program(folder, arguments).output().expect("a process");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// A running aggregator, which dies by SIGKILL when dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path, role: &str, rest: &[&str]) -> Self {
        let arguments = [&[role, "127.0.0.1:0"], rest].concat();
        let command = &mut program(folder, &arguments);
        let mut process = command.stdout(Stdio::piped()).spawn().expect("a process");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        Self { process, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).expect("an end");
    }
}

/// Uploads the reports of clients with these answers.
fn upload(folder: &Path, leader: &Server, buckets: &[&str]) {
    for bucket in buckets {
        output(folder, &["client", &leader.address, bucket]).expect("an upload");
    }
}

#[test]
fn a_restart_repeats_a_release_and_a_replayed_report_does_not_count() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = &place.path().join("parties");
    let setup = ["setup", concat!(env!("CARGO_MANIFEST_DIR"), "/task.toml")];
    output(folder, &setup).expect("empty stores");
    output(folder, &setup).expect_err("stores are not replaced");

    let helper = Server::start(folder, "helper", &[]);
    let leader = Server::start(folder, "leader", &[&helper.address]);
    upload(folder, &leader, &["0", "1", "1", "3"]);
    let uploads = fs::read_dir(folder.join("leader/uploads")).expect("a folder");
    let kept: Vec<_> = uploads.map(|entry| entry.expect("an entry").path()).collect();
    let reports: Vec<_> = kept.iter().map(|file| fs::read(file).expect("a report")).collect();
    let first = output(folder, &["collect", &leader.address, "day 1"]).expect("a batch");
    assert!(first.starts_with("batch day 1: 4 reports\n"), "{first}");
    assert_eq!(first.lines().count(), 6);

    drop((leader, helper));
    let helper = Server::start(folder, "helper", &[]);
    let leader = Server::start(folder, "leader", &[&helper.address]);
    let again = output(folder, &["collect", &leader.address, "day 1"]).expect("a batch");
    // Fresh noise on five buckets would be the same less than once in a thousand times.
    assert_eq!(again, first);

    // The leader gets the reports of the first batch once more, beside three new ones.
    for (file, report) in kept.iter().zip(&reports) {
        fs::write(file, report).expect("a replay");
    }
    upload(folder, &leader, &["2", "2", "4"]);
    let second = output(folder, &["collect", &leader.address, "day 2"]).expect("a batch");
    assert!(second.starts_with("batch day 2: 3 reports\n"), "{second}");

    upload(folder, &leader, &["0", "1"]);
    let refused = output(folder, &["collect", &leader.address, "day 3"]).expect_err("two reports");
    assert!(refused.contains("batch day 3 has 2 reports"), "{refused}");
}
