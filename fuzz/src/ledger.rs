//! Ledgers: altered bytes, and altered lines under correct checksums.

use std::fs;
use std::sync::LazyLock;

use dp_calibration::{Adjacency, Budget, NoiseDistribution};
use dp_ledger::{
    Head, Journal, Ledger, Mechanism, Noise, Release, Rule, SharesDigest, Snapshot, Terms,
    WorstCaseDifference,
};
use sha2::{Digest as _, Sha256};

use crate::check_refusal;

/// Altered bytes of a ledger: they are refused, or are a state that one of [`STATES`] had.
pub fn ledger(data: &[u8]) {
    match Snapshot::parse("bytes", data) {
        Ok(snapshot) => assert!(STATES.iter().any(|(_, head)| *head == snapshot.head())),
        Err(error) => check_refusal(&error),
    }
}

/// Lines of JSON for the terms and for each entry, under correct checksums and slots: the entries
/// add up, and a new ledger accepts or refuses each release.
pub fn ledger_entries(data: &[u8]) {
    let snapshot = match Snapshot::parse("bytes", &sealed(data)) {
        Ok(snapshot) => snapshot,
        Err(error) => return check_refusal(&error),
    };
    let ledger = snapshot.ledger();
    let lines = data.split(|byte| *byte == b'\n').count();
    assert_eq!(ledger.entries().len() + 1, lines);
    assert_eq!(snapshot.head().entries() + 1, lines as u64);
    let left = ledger.left().expect("a budget or nothing");
    assert!(left.is_none_or(|left| !left.to_string().is_empty()));
    // Terms that no ledger began with may guarantee less than their limit, or take long to check.
    let terms = ledger.terms().clone();
    let mut again = match Ledger::new(terms) {
        Ok(again) => again,
        Err(error) => return check_refusal(&error),
    };
    for entry in ledger.entries() {
        assert_eq!(ledger.entry(entry.name()), Some(entry));
        entry.charge().expect("a budget");
        match again.spend(entry.name(), entry.release(), entry.shares().copied()) {
            Ok(_) => assert!(again.spent().expect("within the limit").is_some()),
            Err(error) => check_refusal(&error),
        }
    }
}

/// A ledger file of format version 3 with these lines and correct checksums.
#[must_use]
pub fn sealed(lines: &[u8]) -> Vec<u8> {
    let mut lines = lines.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let start = checksum(&[&checksum(&[b"dp-ledger 3\n"]), first]);
    let first = [first, b" ", hexadecimal(&start).as_bytes(), b"\n"].concat();
    let slots = 2 * slot(0, 0, start, start).len();
    let (mut chain, mut written) = (start, Vec::new());
    let mut states =
        [slot(0, first.len() + slots, chain, start), slot(0, first.len() + slots, chain, start)];
    for (number, line) in (1..).zip(lines) {
        chain = checksum(&[&chain, line]);
        written.extend([line, b" ", hexadecimal(&chain).as_bytes(), b"\n"].concat());
        let length = first.len() + slots + written.len();
        states[number % 2] = slot(number, length, chain, start);
    }
    let [even, odd] = states.map(String::into_bytes);
    [first, even, odd, written].concat()
}

/// The line that states the number of entries, the length of the file and the last checksum.
fn slot(entries: usize, length: usize, chain: [u8; 16], start: [u8; 16]) -> String {
    let text = format!("slot {entries:020} {length:020} {} ", hexadecimal(&chain));
    let check = checksum(&[b"slot", &start, text.as_bytes()]);
    format!("{text}{}\n", hexadecimal(&check))
}

/// The first 16 bytes of SHA-256.
fn checksum(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let mut first = [0; 16];
    first.copy_from_slice(&hash.finalize()[..16]);
    first
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes and heads of four ledgers after each of their entries: four states per ledger.
pub static STATES: LazyLock<Vec<(Vec<u8>, Head)>> = LazyLock::new(|| {
    let budgets = [
        r#"{"pure":{"epsilon":"1"}}"#,
        r#"{"approximate":{"epsilon":"2","delta":"1e-6"}}"#,
        r#"{"zero_concentrated":{"rho":"1/3"}}"#,
    ];
    let budgets = budgets.map(|text| serde_json::from_str(text).expect("a budget"));
    budgets
        .into_iter()
        .map(Terms::new)
        .chain([by_rho().expect("a rule")])
        .flat_map(|terms| states(terms).expect("a ledger"))
        .collect()
});

/// Terms whose releases are counted by ρ.
fn by_rho() -> Result<Terms, Box<dyn std::error::Error>> {
    let limit = Budget::approximate("2".parse()?, "1e-6".parse()?);
    let rule = Rule::zero_concentrated(&limit)?;
    Ok(Terms::new(limit).with_rule(rule))
}

/// The bytes and the head of a ledger with these terms: new, and after each of three releases.
fn states(terms: Terms) -> Result<Vec<(Vec<u8>, Head)>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ledger");
    let limit = terms.limit.clone();
    let mut journal = Journal::create(&path, terms)?;
    let mut states = vec![(fs::read(&path)?, journal.head())];
    let spent: Budget = match limit {
        Budget::ZeroConcentrated { .. } => {
            serde_json::from_str(r#"{"zero_concentrated":{"rho":"1/100"}}"#)?
        }
        _ => serde_json::from_str(r#"{"pure":{"epsilon":"1/7"}}"#)?,
    };
    let law = NoiseDistribution::DiscreteLaplace { scale: "20/3".parse()? };
    let noise = Noise { distribution: law, difference: WorstCaseDifference::one_hot() };
    let releases = [
        Release::new(spent.clone()),
        Release::new(spent.clone()).with_mechanism(Mechanism::Aggregators(noise)),
        Release::new(spent).with_minimum_batch(1_000).with_adjacency(Adjacency::Replacement),
    ];
    for (number, release) in releases.iter().enumerate() {
        let shares = (number > 0).then(|| SharesDigest::of(["share"]));
        journal.spend(&format!("day {number}"), release, shares)?;
        states.push((fs::read(&path)?, journal.head()));
    }
    Ok(states)
}
