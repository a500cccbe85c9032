//! Every flipped bit, every truncation and every altered end of a line, of ledgers that were
//! written by this crate: repaired without loss, or refused with a sentence.

use std::fs;
use std::path::Path;

use dp_ledger::{
    Budget, Corner, Declared, DominatedBy, Journal, LedgerError, Mechanism, Noise, NoiseLaw,
    Release, Rule, SharesDigest, Snapshot, Terms,
};

use crate::{approximate, day, pure};

/// A file, what it shows, and where the confirmed lines end: behind that is what a crash left.
struct Written {
    what: &'static str,
    bytes: Vec<u8>,
    confirmed: usize,
    whole: Snapshot,
}

impl Written {
    fn new(what: &'static str, path: &Path) -> Self {
        let bytes = fs::read(path).expect("a file");
        let whole = Snapshot::read(path).expect("a ledger");
        Self {
            what,
            confirmed: bytes.len(),
            bytes,
            whole,
        }
    }

    /// The same with the beginning of a further line, of which the process wrote so much.
    fn torn(&self, line: &[u8]) -> Self {
        let whole = Snapshot::parse("whole", &self.bytes).expect("a ledger");
        Self {
            what: self.what,
            bytes: [&self.bytes, line].concat(),
            confirmed: self.confirmed,
            whole,
        }
    }

    /// Whether altered bytes are accepted; if so they show the same, no more and no less.
    fn accepts(&self, altered: &[u8], how: &str) -> bool {
        match Snapshot::parse("altered", altered) {
            Ok(snapshot) => {
                let what = self.what;
                assert_eq!(snapshot.head(), self.whole.head(), "{what}: {how}");
                assert_eq!(snapshot.ledger(), self.whole.ledger(), "{what}: {how}");
                true
            }
            Err(error) => {
                let text = error.to_string();
                assert!(
                    !text.contains(char::is_control) && text.len() < 500,
                    "{text}"
                );
                let is_told = matches!(
                    error,
                    LedgerError::Damaged { .. } | LedgerError::NotALedger { .. }
                );
                assert!(is_told, "{text}");
                false
            }
        }
    }

    fn with_flipped_bits(&self) {
        let mut bytes = self.bytes.clone();
        let mut accepted = 0;
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            accepted += usize::from(self.accepts(&bytes, &format!("bit {bit}")));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        // A slot has a twin. What was never confirmed can be anything, except that a slot and a
        // line are not torn by one crash.
        let torn = self.bytes.len() - self.confirmed;
        let expected = if torn == 0 { slots(&self.bytes) } else { torn };
        assert_eq!(accepted, 8 * expected, "{} and {torn} torn", self.what);
    }

    fn cut(&self) {
        for length in 0..self.bytes.len() {
            let is_accepted = self.accepts(&self.bytes[..length], &format!("cut at {length}"));
            assert_eq!(is_accepted, length >= self.confirmed, "{}", self.what);
        }
    }

    /// One after the other, and all: LF becomes CR, vanishes, or is preceded by CR.
    fn with_other_ends_of_lines(&self) {
        let ends = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        for end in [&b"\r"[..], b"", b"\r\n", b"\n\n", b" "] {
            for which in 0..=ends(&self.bytes) {
                let mut number = 0;
                let mut altered = Vec::new();
                for byte in &self.bytes {
                    let is_end = *byte == b'\n';
                    let is_altered = is_end && (number == which || which == ends(&self.bytes));
                    number += usize::from(is_end);
                    altered.extend_from_slice(if is_altered {
                        end
                    } else {
                        std::slice::from_ref(byte)
                    });
                }
                let is_accepted = self.accepts(&altered, &format!("end {which} is {end:?}"));
                // A slot has a twin, and a further byte at the end is the trace of an entry that
                // was never confirmed.
                let is_repaired = matches!(which, 1 | 2) || altered.starts_with(&self.bytes);
                assert!(
                    is_repaired || !is_accepted,
                    "{}: {which} {end:?}",
                    self.what
                );
            }
        }
    }
}

/// The bytes of both slots.
fn slots(bytes: &[u8]) -> usize {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.skip(1).take(2).map(<[u8]>::len).sum()
}

/// One without entries, one with several, and one of each further rule.
fn several_ledgers(folder: &Path) -> [Written; 4] {
    let [empty, several, filter, declared] =
        ["empty", "several", "filter", "declared"].map(|name| folder.join(name));
    drop(Journal::create(&empty, Terms::new(pure("1"))).expect("it is written"));
    let mut journal =
        Journal::create(&several, Terms::new(approximate("2", "1e-6"))).expect("it is written");
    let release = Release::new(approximate("1/3", "1e-9")).with_minimum_batch(100);
    journal
        .spend("monday", &day("0.1"), None)
        .expect("it is written");
    let shares = Some(SharesDigest::of(["shares"]));
    journal
        .spend("tuesday, \"é\"", &release, shares)
        .expect("it is written");
    journal
        .spend("wednesday", &day("0.1"), None)
        .expect("it is written");
    let limit = approximate("2", "1e-6");
    let rule = Rule::zero_concentrated(&limit).expect("a rule");
    let mut journal =
        Journal::create(&filter, Terms::new(limit).with_rule(rule)).expect("it is written");
    journal
        .spend("monday", &day("0.1"), None)
        .expect("it is written");
    let noise = Noise {
        law: NoiseLaw::DiscreteGaussian {
            variance: "900".parse().expect("a number"),
        },
        corner: Corner::one_hot(),
    };
    let rho = Budget::ZeroConcentrated {
        rho: "1/900".parse().expect("a number"),
    };
    let release = Release::new(rho).with_mechanism(Mechanism::Aggregators(noise.clone()));
    let rule = Rule::Declared {
        releases: vec![Declared {
            dominated_by: DominatedBy::Noise(noise),
            times: 5,
        }],
    };
    let mut journal = Journal::create(
        &declared,
        Terms::new(approximate("2", "1e-6")).with_rule(rule),
    )
    .expect("it is written");
    journal
        .spend_times("day", 2, &release)
        .expect("it is written");
    [
        Written::new("empty", &empty),
        Written::new("several", &several),
        Written::new("filter", &filter),
        Written::new("declared", &declared),
    ]
}

#[test]
fn every_flipped_bit_of_several_ledgers_is_repaired_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for written in several_ledgers(folder.path()) {
        written.with_flipped_bits();
    }
}

#[test]
fn every_truncation_and_every_altered_end_of_a_line_is_repaired_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for written in several_ledgers(folder.path()) {
        written.cut();
        written.with_other_ends_of_lines();
    }
}

#[test]
fn a_torn_last_line_hides_no_other_damage() {
    let folder = tempfile::tempdir().unwrap();
    let line = br#"{"name":"sunday","release":{"budget":{"pure":{"epsilon":"0.01"}},"adj"#;
    for written in several_ledgers(folder.path()) {
        for length in [1, 20, line.len()] {
            let torn = written.torn(&line[..length]);
            torn.with_flipped_bits();
            torn.cut();
        }
    }
}
