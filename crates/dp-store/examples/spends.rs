//! How fast reports are spent, and what they take: `cargo run --release -p dp-store --example spends --
//! 10000000`.
//!
//! Reports have random keys, seven windows, and a sync after each million of them. The store stands in the
//! current directory meanwhile.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::fs;
use std::time::Instant;

use dp_prio3::replay::{ReportKey, Seen, SeenReports, Window};
use dp_store::DirectoryReports;
use sha2::{Digest as _, Sha256};

const WINDOWS: u64 = 7;

/// The memory that this process holds, where Linux says so.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn key(number: u64) -> ReportKey {
    ReportKey(Sha256::digest(number.to_be_bytes()).into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let reports: u64 = std::env::args()
        .nth(1)
        .ok_or("how many reports?")?
        .parse()?;
    let folder = tempfile::tempdir_in(".")?;
    let path = folder.path().join("seen");
    let store = DirectoryReports::create(&path, WINDOWS)?;

    let start = Instant::now();
    for number in 0..reports {
        let new = store.spend(Window(number % WINDOWS), &key(number))?;
        assert_eq!(new, Seen::New);
        if number % 1_000_000 == 999_999 {
            store.sync()?;
        }
    }
    store.sync()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{reports} reports spent in {seconds:.1} s");
    drop(store);

    let start = Instant::now();
    let before = resident().unwrap_or(0);
    let store = DirectoryReports::open(&path, WINDOWS)?;
    println!("opened again in {:.1} s", start.elapsed().as_secs_f64());
    let memory = resident().unwrap_or(0).saturating_sub(before);
    println!("memory: {memory} bytes, {} a report", memory / reports);
    let mut disk = 0;
    for entry in fs::read_dir(&path)? {
        disk += entry?.metadata()?.len();
    }
    println!("disk: {disk} bytes, {} a report", disk / reports);
    for number in (0..reports).step_by(997) {
        let again = store.spend(Window(number % WINDOWS), &key(number))?;
        assert_eq!(again, Seen::Repeated);
    }
    Ok(())
}
