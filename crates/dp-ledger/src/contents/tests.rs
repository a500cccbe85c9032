//! Every single-bit flip, every truncation, every crash: on the bytes of three ledgers.

use dp_calibration::{Adjacency, Corner, NoiseLaw};

use super::*;
use crate::{Mechanism, Noise, Release, SharesDigest, Terms};

fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("in range"),
    }
}

/// A ledger with so many entries, of which some carry a digest, a mechanism or a conversion.
fn ledger(entries: usize) -> Ledger {
    let mut ledger = Ledger::new(Terms::new(approximate("3", "1e-6"))).expect("in range");
    let scale = "20/3".parse().expect("a number");
    let corner = Corner::one_hot();
    let laplace = Mechanism::Aggregators(Noise {
        law: NoiseLaw::DiscreteLaplace { scale },
        corner,
    });
    for number in 0..entries {
        let release = match number % 3 {
            0 => Release::new(approximate("0.1", "1e-9")),
            1 => Release::new(approximate("0.3", "0")).with_mechanism(laplace.clone()),
            _ => Release::new(approximate("1/7", "1e-9")).with_adjacency(Adjacency::Deletion),
        };
        let shares = (number > 0).then(|| SharesDigest::of([number.to_string().as_bytes()]));
        let name = format!("day {number}: é");
        ledger.spend(&name, &release, shares).expect("it fits");
    }
    ledger
}

fn found(bytes: &[u8]) -> Result<Contents, LedgerError> {
    read(Path::new("the ledger"), bytes, None)
}

/// The same entries in the same state: nothing is lost and nothing is new.
fn assert_same(contents: &Contents, ledger: &Ledger, state: State, what: &str) {
    assert_eq!(contents.ledger, *ledger, "{what}");
    assert_eq!(contents.state, state, "{what}");
}

#[test]
fn every_flipped_bit_is_refused_or_loses_nothing() {
    for entries in [0, 1, 3] {
        let ledger = ledger(entries);
        let (whole, _, state) = image(&ledger).unwrap();
        assert_same(&found(&whole).unwrap(), &ledger, state, "as written");
        let (mut refused, mut repaired) = (0, 0);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            match found(&bytes) {
                Ok(contents) => {
                    assert_same(&contents, &ledger, state, &format!("bit {bit}"));
                    repaired += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().contains('\n'), "{error}");
                    refused += 1;
                }
            }
        }
        // A slot has a twin that is at most one entry behind; anything else is there once.
        assert_eq!(repaired, 8 * 2 * SLOT);
        assert_eq!(refused, 8 * (whole.len() - 2 * SLOT));
    }
}

#[test]
fn every_truncation_is_refused() {
    for entries in [0, 1, 3] {
        let (whole, _, _) = image(&ledger(entries)).unwrap();
        for length in 0..whole.len() {
            let error = found(&whole[..length]).unwrap_err();
            assert!(
                matches!(
                    error,
                    LedgerError::Damaged { .. } | LedgerError::NotALedger { .. }
                ),
                "{length}: {error}"
            );
        }
    }
}

/// The bytes of a file while its n-th entry is confirmed: as they are before, and how the line and
/// the slot alter them.
fn confirmation(entries: usize) -> (Ledger, State, Vec<u8>, Ledger, State, Vec<u8>) {
    let (one, other) = (ledger(entries), ledger(entries + 1));
    let (before, _, old) = image(&one).unwrap();
    let (after, _, new) = image(&other).unwrap();
    (one, old, before, other, new, after)
}

#[test]
fn a_crash_at_any_byte_of_a_line_leaves_what_was_confirmed() {
    for entries in 0..4 {
        let (one, old, before, other, new, after) = confirmation(entries);
        for length in before.len()..=after.len() {
            let torn = [&before[..], &after[before.len()..length]].concat();
            let contents = found(&torn).unwrap();
            if length < after.len() {
                assert_same(&contents, &one, old, "before its end");
                assert_eq!(contents.is_torn, length > before.len());
            } else {
                assert_same(&contents, &other, new, "with its end");
            }
        }
        // A system that makes room before it writes leaves zeros.
        let zeros = [&before[..], &vec![0; after.len() - before.len()]].concat();
        assert_same(&found(&zeros).unwrap(), &one, old, "zeros");
    }
}

#[test]
fn a_crash_at_any_byte_of_a_slot_loses_nothing() {
    for entries in 0..4 {
        let (_, _, before, other, new, after) = confirmation(entries);
        let line = &after[before.len()..];
        let slots = found(&before).unwrap().first_line;
        let place = usize::try_from(slots).unwrap() + new.index() * SLOT;
        for written in 0..=SLOT {
            let mut bytes = [&before[..], line].concat();
            bytes[place..place + written].copy_from_slice(&after[place..place + written]);
            assert_same(&found(&bytes).unwrap(), &other, new, &written.to_string());
        }
    }
}

#[test]
fn what_no_crash_leaves_is_refused() {
    let (_, _, before, _, new, after) = confirmation(3);
    let line = &after[before.len()..];
    let start = usize::try_from(found(&before).unwrap().first_line).unwrap();
    let refused = |bytes: &[u8]| assert!(found(bytes).is_err());
    // Two lines that are none, and one that is too long.
    refused(&[&before[..], b"x\ny\n"].concat());
    refused(&[&before[..], &vec![b'x'; 1 << 15]].concat());
    // A torn slot beside a torn line.
    let mut torn = [&before[..], &line[..9]].concat();
    torn[start] ^= 1;
    refused(&torn);
    // Both slots torn; slots that were exchanged; slots of different moments; those of another file.
    let mut both = before.clone();
    both[start] ^= 1;
    both[start + SLOT] ^= 1;
    refused(&both);
    let mut exchanged = after.clone();
    exchanged[start..start + 2 * SLOT].rotate_left(SLOT);
    refused(&exchanged);
    let mut early = after.clone();
    let (first, first_start, _) = image(&ledger(0)).unwrap();
    early[start..start + SLOT].copy_from_slice(&first[start..start + SLOT]);
    assert_eq!(new.index(), 0);
    let moved = State { entries: 1, ..new }.written(first_start);
    early[start + SLOT..start + 2 * SLOT].copy_from_slice(&moved);
    refused(&early);
    let other = Ledger::new(Terms::new(approximate("4", "1e-6"))).unwrap();
    let (other, _, _) = image(&other).unwrap();
    let mut foreign = image(&ledger(0)).unwrap().0;
    foreign[start..].copy_from_slice(&other[start..]);
    refused(&foreign);
}

#[test]
fn an_older_copy_is_told_by_the_head_that_a_caller_kept() {
    let (_, old, before, _, new, after) = confirmation(3);
    let head = |state: State| Head {
        entries: state.entries,
        chain: state.chain,
    };
    let at_least = |bytes: &[u8], head: Head| read(Path::new("copy"), bytes, Some(&head));
    at_least(&after, head(old)).unwrap();
    at_least(&after, head(new)).unwrap();
    let refused = |bytes: &[u8], head: Head| {
        let error = at_least(bytes, head).unwrap_err();
        assert!(matches!(error, LedgerError::RolledBack { .. }), "{error}");
    };
    refused(&before, head(new));
    let text = head(old).to_string().replacen('3', "2", 1);
    refused(&after, text.parse().unwrap());
    assert!("3:12".parse::<Head>().is_err() && "x".parse::<Head>().is_err());
}

#[test]
fn a_ledger_of_another_version_is_refused_with_both_versions() {
    let (whole, _, _) = image(&ledger(0)).unwrap();
    let json = std::str::from_utf8(&whole)
        .unwrap()
        .split(" ")
        .next()
        .unwrap();
    let newer = json.replace("\"version\":3", "\"version\":4");
    let chain = Chain::start(VERSION).extended(newer.as_bytes());
    let error = found(format!("{newer} {chain}\n").as_bytes()).unwrap_err();
    assert!(error.to_string().contains("format version 4"), "{error}");
    // As programs of other versions write it.
    let mut others = vec![(1, "{\"pure\":{\"epsilon\":\"1\"}}\n".to_owned())];
    for version in [2, 4] {
        let other = json.replace("\"version\":3", &format!("\"version\":{version}"));
        let chain = Chain::start(version).extended(other.as_bytes());
        others.push((version, format!("{other} {chain}\n")));
    }
    for (expected, text) in others {
        let error = found(text.as_bytes()).unwrap_err();
        let LedgerError::OtherFormat { version, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(version, expected);
        let sentence = format!("a ledger of format version {version}: expected version 3");
        assert!(error.to_string().ends_with(&sentence), "{error}");
    }
}
