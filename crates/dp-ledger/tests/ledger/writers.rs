//! Several processes at one ledger, some of them killed.
//!
//! `DP_LEDGER_KILLS=1000 cargo test --release --package dp-ledger --test ledger writers` kills more of
//! them; 8 by default.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use dp_ledger::{Journal, LedgerError, Opening, Snapshot, Terms};

use crate::{day, pure};

const PATH: &str = "DP_LEDGER_TEST_PATH";
const WRITER: &str = "DP_LEDGER_TEST_WRITER";
const KILLS: &str = "DP_LEDGER_KILLS";

/// How many are killed.
fn kills() -> usize {
    env::var(KILLS).map_or(8, |text| text.parse().expect("an integer"))
}

/// A moment within the first third of a millisecond, another one each time.
fn moment(number: usize) -> Duration {
    Duration::from_micros(17 * (number as u64 * 37 % 20))
}

/// This test, run as a process of its own: it spends until nothing is left, and prints each name
/// once it is confirmed.
#[test]
fn a_writer() {
    let (Ok(path), Ok(writer)) = (env::var(PATH), env::var(WRITER)) else {
        return;
    };
    let opening = Opening::new().waiting(Duration::from_secs(60));
    for number in 0.. {
        let mut journal = Journal::open_with(&path, &opening).expect("a whole ledger");
        let name = format!("{writer}-{number}");
        match journal.spend(&name, &day("0.01"), None) {
            Ok(_) => println!("confirmed {name}"),
            Err(LedgerError::Overspend { .. }) => return,
            Err(error) => panic!("{error}"),
        }
    }
}

/// This test, run as a process of its own: it records seven at once, again and again.
#[test]
fn a_writer_of_several() {
    let (Ok(path), Ok(writer)) = (env::var(PATH), env::var(WRITER)) else {
        return;
    };
    let opening = Opening::new().waiting(Duration::from_secs(60));
    for number in 0..100_000 {
        let mut journal = Journal::open_with(&path, &opening).expect("a whole ledger");
        let name = format!("{writer}-{number}");
        journal
            .spend_times(&name, SEVERAL, &day("1e-9"))
            .expect("it fits");
        println!("confirmed {name}");
    }
}

/// How many are recorded at once.
const SEVERAL: u64 = 7;

fn start(path: &Path, writer: usize) -> (Child, BufReader<ChildStdout>) {
    start_as("writers::a_writer", path, writer)
}

fn start_as(test: &str, path: &Path, writer: usize) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(env::current_exe().expect("this test"))
        .args([test, "--exact", "--nocapture"])
        .env(PATH, path)
        .env(WRITER, writer.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let output = child.stdout.take().expect("a pipe");
    (child, BufReader::new(output))
}

fn confirmed(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("confirmed "));
    lines
        .map(|line| line["confirmed ".len()..].to_owned())
        .collect()
}

#[test]
fn killed_writers_lose_nothing_confirmed_and_never_overspend() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    drop(Journal::create(&path, Terms::new(pure("1"))).unwrap());
    let mut names = Vec::new();
    // They are killed after a few confirmations, at whatever point they have reached. A limit of one
    // hundred is spent by a hundred of them at the latest: then the next ledger begins.
    for writer in 0..kills() {
        if Snapshot::read(&path).unwrap().head().entries() > 60 {
            std::fs::remove_file(&path).unwrap();
            drop(Journal::create(&path, Terms::new(pure("1"))).unwrap());
            names.clear();
        }
        let (mut child, mut output) = start(&path, writer);
        let mut text = String::new();
        while confirmed(&text).len() <= writer % 4 {
            assert!(output.read_line(&mut text).unwrap() > 0, "{text}");
        }
        std::thread::sleep(moment(writer));
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut text).unwrap();
        // A line that was cut off by the kill may be a shorter name.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        names.extend(confirmed(&text[..whole]));
        let snapshot = Snapshot::read(&path).unwrap();
        for name in &names {
            assert!(snapshot.ledger().entry(name).is_some(), "{name} is lost");
        }
    }
    // Two at a time spend the rest.
    let mut writers: Vec<_> = (0..2)
        .map(|number| start(&path, kills() + number))
        .collect();
    for (child, output) in &mut writers {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success());
        names.extend(confirmed(&text));
    }
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.ledger().entries().len(), 100);
    assert_eq!(journal.ledger().spent().unwrap(), Some(pure("1").into()));
    assert!(
        names
            .iter()
            .all(|name| journal.ledger().entry(name).is_some())
    );
}

#[test]
fn killed_writers_of_several_record_all_of_them_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    drop(Journal::create(&path, Terms::new(pure("1"))).unwrap());
    let mut names = Vec::new();
    for writer in 0..kills() {
        let (mut child, mut output) = start_as("writers::a_writer_of_several", &path, writer);
        let mut text = String::new();
        while confirmed(&text).len() <= writer % 4 {
            assert!(output.read_line(&mut text).unwrap() > 0, "{text}");
        }
        std::thread::sleep(moment(writer) * 8);
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut text).unwrap();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        names.extend(confirmed(&text[..whole]));
        let snapshot = Snapshot::read(&path).unwrap();
        let entries = snapshot.ledger().entries();
        assert_eq!(entries.len() as u64 % SEVERAL, 0, "all of them or none");
        for name in &names {
            let last = format!("{name} {SEVERAL}");
            assert!(snapshot.ledger().entry(&last).is_some(), "{name} is lost");
        }
    }
}
