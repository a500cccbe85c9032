//! Two aggregators, clients and a collector as processes: crashes, restarts and replays.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

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
fn upload(folder: &Path, leader: &Server, day: &str, buckets: &[&str]) {
    for bucket in buckets {
        output(folder, &["client", &leader.address, day, bucket]).expect("an upload");
    }
}

/// The address of a connection to the helper that breaks after some halves of an exchange: messages
/// and answers, by turns.
fn broken(helper: &Server, halves: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (address, helper) = (listener.local_addr().expect("a port"), helper.address.clone());
    thread::spawn(move || {
        for (number, leader) in listener.incoming().take(halves.div_ceil(2)).enumerate() {
            let (leader, stream) = (leader.expect("a message"), TcpStream::connect(&helper));
            let stream = stream.expect("the helper");
            io::copy(&mut &leader, &mut &stream).expect("a message");
            stream.shutdown(Shutdown::Write).expect("the end of a message");
            let answer = io::read_to_string(&stream).expect("an answer");
            if 2 * number + 1 < halves {
                (&leader).write_all(answer.as_bytes()).expect("an answer");
            }
        }
    });
    address.to_string()
}

#[test]
fn no_crash_loses_a_report_or_counts_it_twice() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = &place.path().join("parties");
    let setup = ["setup", concat!(env!("CARGO_MANIFEST_DIR"), "/task.toml")];
    output(folder, &setup).expect("empty stores");
    output(folder, &setup).expect_err("stores are not replaced");
    let collect = |leader: &Server, day| output(folder, &["collect", &leader.address, day]);
    let uploads = || -> Vec<_> {
        let files = fs::read_dir(folder.join("leader/uploads")).expect("a folder");
        files.map(|entry| fs::read(entry.expect("an entry").path()).expect("an upload")).collect()
    };

    let helper = Server::start(folder, "helper", &[]);
    let mut leader = Server::start(folder, "leader", &[&helper.address]);
    upload(folder, &leader, "2026-07-01", &["0", "1"]);
    let refused = collect(&leader, "2026-07-01").expect_err("two reports");
    assert!(refused.contains("batch 20260701 has 2 reports"), "{refused}");
    upload(folder, &leader, "2026-07-01", &["1", "3"]);
    let refused = collect(&leader, "2026-07-02").expect_err("another day");
    assert!(refused.contains("batch 20260702 has 0 reports"), "{refused}");

    // The helper is to begin, to verify four reports and to release: six messages and answers.
    for halves in 0..12 {
        leader = Server::start(folder, "leader", &[&broken(&helper, halves)]);
        collect(&leader, "2026-07-01").expect_err("a broken connection");
    }
    let replayed = uploads();
    drop((leader, helper));
    let helper = Server::start(folder, "helper", &[]);
    let leader = Server::start(folder, "leader", &[&helper.address]);
    output(folder, &["client", &leader.address, "2026-07-01", "0"]).expect_err("a released day");
    let first = collect(&leader, "2026-07-01").expect("a batch");
    assert!(first.starts_with("batch 20260701: 4 reports, totals ["), "{first}");
    assert_eq!((first.lines().count(), uploads().len()), (6, 0));

    drop((leader, helper));
    let helper = Server::start(folder, "helper", &[]);
    let leader = Server::start(folder, "leader", &[&helper.address]);
    // Fresh noise on five buckets would be the same less than once in a thousand times.
    assert_eq!(collect(&leader, "2026-07-01"), Ok(first));

    // The leader gets the reports of the first batch once more, and three new ones twice.
    upload(folder, &leader, "2026-07-02", &["2", "2", "4"]);
    for (number, report) in replayed.iter().chain(&uploads()).enumerate() {
        let file = folder.join(format!("leader/uploads/20260702.{number}"));
        fs::write(file, report).expect("a replay");
    }
    let second = collect(&leader, "2026-07-02").expect("a batch");
    assert!(second.starts_with("batch 20260702: 3 reports,"), "{second}");

    fs::rename(folder.join("helper/releases"), folder.join("lost")).expect("a folder");
    fs::create_dir(folder.join("helper/releases")).expect("a folder");
    let lost = collect(&leader, "2026-07-01").expect_err("half of a release");
    assert!(lost.contains("the helper has lost its release"), "{lost}");
}
