//! What a remembered report costs. A test of its own process: the figure is what the whole process
//! holds.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::sync::Arc;

use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::types::Count;
use dp_prio3::{Aggregator, AggregatorNoise, Budget, Client, VerifyKey};

/// The memory that this process holds, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let digits = |line: &str| {
        line.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let kilobytes: Option<u64> = line.map(digits).and_then(|text| text.parse().ok());
    kilobytes.expect("a size") * 1024
}

/// 114 000 reports fill a table of 2^17 places of 17 bytes by 7/8, and 115 000 begin one of 2^18.
#[test]
fn a_seen_report_takes_19_to_39_bytes() {
    let budget = Budget::Pure {
        epsilon: "1".parse().unwrap(),
    };
    let count = Count::new(2).unwrap();
    let policy = Arc::new(AggregatorNoise::<_, DiscreteLaplace>::new(count, budget).unwrap());
    let client = Client::new(Arc::clone(&policy), b"a task").unwrap();
    let key = VerifyKey::random().unwrap();
    let aggregator = Aggregator::new(policy, 0, key, b"a task").unwrap();
    let take_report = || {
        let report = client.report(&true).unwrap().into_shares();
        aggregator.verify_init(&report[0]).unwrap();
    };
    take_report();
    let before = resident();

    (0..114_000).for_each(|_| take_report());
    let full = resident() - before;
    (114_000..115_000).for_each(|_| take_report());
    let grown = resident() - before;

    let per_report = |bytes: u64, reports: u64| bytes / reports;
    println!(
        "{} to {} bytes for each report",
        per_report(full, 114_000),
        per_report(grown, 115_000)
    );
    assert!((15..=25).contains(&per_report(full, 114_000)), "{full}");
    assert!((30..=45).contains(&per_report(grown, 115_000)), "{grown}");
}
