//! Processes that are killed at random moments: what they confirmed is there.
//!
//! Each test starts this program again, as a child that runs the ignored test of the same subject,
//! and kills it. `DP_STORE_KILLS` sets how often; 6 unless it does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use crate::directory_reports::spend;
use dp_prio3::releases::{ReleaseKey, ReleaseStore};
use dp_prio3::replay::{ReplayCheck, SeenReports};
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use sha2::{Digest as _, Sha256};

const PLACE: &str = "DP_STORE_KILLED_CHILD";
const CONFIRMED: &str = "DP_STORE_CONFIRMED";

fn kills() -> u64 {
    let number = env::var("DP_STORE_KILLS").ok();
    number.map_or(6, |number| number.parse().expect("a number"))
}

/// A number that looks random, for the moment of a kill and the contents of shares.
fn number(seed: &str) -> u64 {
    let digest = Sha256::digest(seed);
    u64::from_be_bytes(digest[..8].try_into().expect("8 bytes"))
}

/// Runs the child for some milliseconds, kills it, and gives the lines that it had finished.
fn killed_child(test: &str, place: &Path, moment: u64, confirmed: u64) -> Vec<u64> {
    let program = env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .env(CONFIRMED, confirmed.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = child.stdout.take().expect("a pipe");
    let reader = thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let confirmed = lines.filter_map(|line| line.strip_prefix("kept ")?.parse().ok());
        confirmed.collect()
    });
    thread::sleep(Duration::from_micros(20_000 + moment % 60_000));
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    reader.join().expect("it read")
}

/// One write, so that a line is whole or not there.
fn confirm(number: u64) {
    let mut output = std::io::stdout().lock();
    let line = format!("\nkept {number}\n");
    output.write_all(line.as_bytes()).expect("the parent reads");
    output.flush().expect("the parent reads");
}

#[test]
#[ignore = "the child of a test"]
fn child_that_spends() {
    let Some(place) = env::var_os(PLACE) else {
        return;
    };
    let store = DirectoryReports::open(place, 500).unwrap();
    let mut next: u64 = env::var(CONFIRMED).unwrap().parse().unwrap();
    for step in 0.. {
        for _ in 0..number(&format!("{step}")) % 300 {
            // Some that were not confirmed may be known.
            spend(&store, next % 3, next);
            next += 1;
        }
        store.sync().unwrap();
        confirm(next);
    }
}

#[test]
fn a_report_that_was_synced_before_a_kill_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("seen");
    drop(DirectoryReports::create(&place, 500).unwrap());
    let mut confirmed = 0;
    for kill in 0..kills() {
        let lines = killed_child(
            "kills::child_that_spends",
            &place,
            number(&format!("kill {kill}")),
            confirmed,
        );
        confirmed = lines.last().copied().unwrap_or(confirmed);
        let store = DirectoryReports::open(&place, 500).unwrap();
        assert!(store.reports() >= confirmed, "kill {kill}");
        for report in 0..confirmed {
            assert_eq!(
                spend(&store, report % 3, report),
                ReplayCheck::Repeated,
                "kill {kill}: {report}"
            );
        }
        assert_eq!(spend(&store, 499, u64::MAX - kill), ReplayCheck::New);
    }
    assert!(confirmed > 0, "every child was killed before it confirmed anything");
}

fn release(number: u64) -> ReleaseKey {
    ReleaseKey(Sha256::digest(number.to_be_bytes()).into())
}

/// A share of some thousand bytes, which nobody computes again.
fn share(number: u64, attempt: u32) -> Vec<u8> {
    let seed = format!("{number} of {attempt}");
    let block = Sha256::digest(seed).to_vec();
    block.repeat(1 + usize::try_from(number % 100).expect("small"))
}

#[test]
#[ignore = "the child of a test"]
fn child_that_releases() {
    let Some(place) = env::var_os(PLACE) else {
        return;
    };
    let releases = DirectoryReleases::open(place).unwrap();
    let attempt = std::process::id();
    for number in 0.. {
        let kept = releases.keep(&release(number), &share(number, attempt)).unwrap();
        if kept.is_none() {
            confirm(number);
            confirm(u64::from(attempt));
        }
    }
}

#[test]
fn a_share_that_was_released_before_a_kill_is_the_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let mut released = Vec::new();
    for kill in 0..kills() {
        let moment = number(&format!("releasing {kill}"));
        let lines = killed_child("kills::child_that_releases", place, moment, 0);
        for pair in lines.chunks_exact(2) {
            released.push((pair[0], u32::try_from(pair[1]).unwrap()));
        }
        let releases = DirectoryReleases::open(place).unwrap();
        let names = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.filter(|name| name.to_string_lossy().starts_with('.')).count(), 0);
        for (number, attempt) in &released {
            let known = releases.keep(&release(*number), b"fresh noise").unwrap();
            assert_eq!(known, Some(share(*number, *attempt)), "kill {kill}: {number}");
        }
    }
    assert!(!released.is_empty(), "every child was killed before it confirmed anything");
    // Nothing was released twice.
    let mut numbers: Vec<_> = released.iter().map(|(number, _)| number).collect();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), released.len());
}
