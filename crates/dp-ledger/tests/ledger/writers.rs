//! Several processes at one ledger, some of them killed.
//!
//! `DP_LEDGER_KILLS=1000 cargo test --release --package dp-ledger --test ledger writers` kills more
//! of them; 8 by default.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use dp_ledger::{Journal, LedgerError, Opening, Snapshot, Terms};

use crate::{day, new_path, pure};

const PATH: &str = "DP_LEDGER_TEST_PATH";
const WRITER: &str = "DP_LEDGER_TEST_WRITER";
const KILLS: &str = "DP_LEDGER_KILLS";

/// How many are killed.
fn kills() -> usize {
    env::var(KILLS).map_or(8, |text| text.parse().expect("an integer"))
}

/// This test, run as a process of its own: it spends one release after the other until nothing is
/// left, and prints each name once it is confirmed.
#[test]
fn a_writer() {
    let (Ok(path), Ok(writer)) = (env::var(PATH), env::var(WRITER)) else {
        return;
    };
    let opening = Opening { patience: Duration::from_secs(60), ..Opening::default() };
    for number in 0.. {
        let mut journal = Journal::open_with(&path, &opening).expect("a whole ledger");
        let name = format!("{writer}-{number}");
        match journal.spend(&name, &day("0.001"), None) {
            Ok(_) => println!("confirmed {name}"),
            Err(LedgerError::Overspend { .. }) => return,
            Err(error) => panic!("{error}"),
        }
    }
}

fn start(path: &Path, writer: usize) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(env::current_exe().expect("this test"))
        .args(["writers::a_writer", "--exact", "--nocapture"])
        .env(PATH, path)
        .env(WRITER, writer.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let output = child.stdout.take().expect("a pipe");
    (child, BufReader::new(output))
}

fn confirmed(text: &str) -> Vec<String> {
    // A line that was cut off by a kill may be a shorter name.
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let names = whole.lines().filter_map(|line| line.strip_prefix("confirmed "));
    names.map(str::to_owned).collect()
}

/// They are killed after a few confirmations, at whatever point they have reached.
#[test]
fn killed_writers_lose_nothing_confirmed_and_never_overspend() {
    let (_folder, path) = new_path();
    drop(Journal::create(&path, Terms::new(pure("1"))).unwrap());
    let mut names = Vec::new();
    for writer in 0..kills() {
        let (mut child, mut output) = start(&path, writer);
        let mut text = String::new();
        while confirmed(&text).len() <= writer % 4 && output.read_line(&mut text).unwrap() > 0 {}
        // A moment within the first milliseconds, another one each time.
        std::thread::sleep(Duration::from_micros(70 * (writer as u64 * 37 % 20)));
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut text).unwrap();
        names.extend(confirmed(&text));
        let snapshot = Snapshot::read(&path, None).unwrap();
        for name in &names {
            assert!(snapshot.ledger().entry(name).is_some(), "{name} is lost");
        }
    }
    // Two at a time spend the rest.
    let mut writers = [0, 1].map(|number| start(&path, kills() + number));
    for (child, output) in &mut writers {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success());
        names.extend(confirmed(&text));
    }
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.head().entries, 1000);
    let is_there = |name: &String| journal.ledger().entry(name).is_some();
    assert!(names.iter().all(is_there));
}
