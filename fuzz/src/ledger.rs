//! Ledgers: altered bytes, and altered lines under correct checksums.

use dp_exact::hexadecimal;
use dp_ledger::{Ledger, Snapshot};
use sha2::{Digest as _, Sha256};

use crate::check_refusal;

/// Altered bytes of a ledger: they are refused, or have the entries that they state.
pub fn ledger(data: &[u8]) {
    match Snapshot::parse("bytes", data) {
        Ok(snapshot) => {
            let entries = snapshot.ledger().entries().len();
            assert_eq!(snapshot.head().entries, entries as u64);
        }
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
    assert_eq!(snapshot.head().entries + 1, lines as u64);
    let left = ledger.left();
    assert!(left.is_none_or(|left| !left.to_string().is_empty()));
    // Terms that no ledger began with may guarantee less than their limit, or take long to check.
    let terms = ledger.terms().clone();
    let mut again = match Ledger::new(terms) {
        Ok(again) => again,
        Err(error) => return check_refusal(&error),
    };
    for entry in ledger.entries() {
        assert_eq!(ledger.entry(entry.name()), Some(entry));
        entry.charge();
        match again.spend(entry.name(), entry.release(), entry.shares().copied()) {
            Ok(_) => assert!(again.spent().is_some()),
            Err(error) => check_refusal(&error),
        }
    }
}

/// A ledger file of format version 3 with these lines and correct checksums.
fn sealed(lines: &[u8]) -> Vec<u8> {
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
