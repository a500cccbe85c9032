//! Processes that are killed at random moments: what they confirmed is there, and nothing is
//! released twice.
//!
//! The test starts this program again, as a child that runs the ignored test, and kills it.
//! `DP_STORE_KILLS` sets how often; 6 unless it does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use super::{names, spend};
use dp_prio3::releases::{ReleaseKey, ReleaseStore};
use dp_prio3::replay::{ReplayCheck, SeenReports};
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use sha2::{Digest as _, Sha256};

const PLACE: &str = "DP_STORE_KILLED_CHILD";
const FIRST: &str = "DP_STORE_FIRST";

/// A number that looks random, for the moment of a kill and the contents of shares.
fn number(seed: &str) -> u64 {
    let digest = Sha256::digest(seed);
    u64::from_be_bytes(digest[..8].try_into().expect("8 bytes"))
}

fn release(number: u64) -> ReleaseKey {
    ReleaseKey(Sha256::digest(number.to_be_bytes()).into())
}

/// A share of some thousand bytes, which nobody computes again.
fn share(number: u64, attempt: u64) -> Vec<u8> {
    let block = Sha256::digest(format!("{number} of {attempt}")).to_vec();
    block.repeat(1 + usize::try_from(number % 100).expect("small"))
}

/// Spends reports from the first one on, and releases the batch of the number behind the last of
/// them. Prints that number and the attempt, in one write, so that a line is whole or not there.
#[test]
#[ignore = "the child of a test"]
fn child() {
    let Some(place) = env::var_os(PLACE) else {
        return;
    };
    let seen = DirectoryReports::open(Path::new(&place).join("seen"), 500).unwrap();
    let releases = DirectoryReleases::open(Path::new(&place).join("released")).unwrap();
    let mut next: u64 = env::var(FIRST).unwrap().parse().unwrap();
    let attempt = u64::from(std::process::id());
    for step in 0.. {
        for _ in 0..number(&format!("{step}")) % 300 {
            // Some that were not confirmed may be known.
            spend(&seen, next % 3, next);
            next += 1;
        }
        seen.sync().unwrap();
        if releases.keep(&release(next), &share(next, attempt)).unwrap().is_none() {
            let mut output = std::io::stdout().lock();
            output.write_all(format!("\nkept {next} {attempt}\n").as_bytes()).unwrap();
            output.flush().unwrap();
        }
    }
}

/// Runs the child for some milliseconds, kills it, and gives what it had confirmed.
fn killed_child(place: &Path, moment: u64, first: u64) -> Vec<(u64, u64)> {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "store::kills::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = child.stdout.take().expect("a pipe");
    let reader = thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let confirmed = lines.filter_map(|line| {
            let (number, attempt) = line.strip_prefix("kept ")?.split_once(' ')?;
            Some((number.parse().ok()?, attempt.parse().ok()?))
        });
        confirmed.collect()
    });
    thread::sleep(Duration::from_micros(20_000 + moment % 60_000));
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    reader.join().expect("it read")
}

#[test]
fn what_was_confirmed_before_a_kill_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (seen, released) = (folder.path().join("seen"), folder.path().join("released"));
    drop(DirectoryReports::create(&seen, 500).unwrap());
    drop(DirectoryReleases::create(&released).unwrap());
    let (mut confirmed, mut shares) = (0, Vec::new());
    let kills = env::var("DP_STORE_KILLS").map_or(6, |kills| kills.parse().expect("a number"));
    for kill in 0..kills {
        let moment = number(&format!("kill {kill}"));
        shares.extend(killed_child(folder.path(), moment, confirmed));
        confirmed = shares.last().map_or(0, |(next, _)| *next);
        let store = DirectoryReports::open(&seen, 500).unwrap();
        for report in 0..confirmed {
            let found = spend(&store, report % 3, report);
            assert_eq!(found, ReplayCheck::Repeated, "kill {kill}: {report}");
        }
        assert_eq!(spend(&store, 499, u64::MAX - kill), ReplayCheck::New);
        let releases = DirectoryReleases::open(&released).unwrap();
        for (number, attempt) in &shares {
            let known = releases.keep(&release(*number), b"fresh noise").unwrap();
            assert_eq!(known, Some(share(*number, *attempt)), "kill {kill}: {number}");
        }
        assert!(names(&released).iter().all(|name| !name.starts_with('.')));
    }
    assert!(confirmed > 0, "every child was killed before it confirmed anything");
    // Nothing was released twice.
    let numbers: std::collections::BTreeSet<_> = shares.iter().map(|(number, _)| number).collect();
    assert_eq!(numbers.len(), shares.len());
}
