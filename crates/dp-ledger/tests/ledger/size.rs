//! Linear time and bounded lines.

use dp_calibration::{Budget, NoiseLaw};
use dp_exact::{Rational, Rho};
use dp_ledger::{Journal, Ledger, MAX_LINE, Mechanism, Noise, Release, Snapshot, Terms};
use num_bigint::BigUint;

use crate::{concentrated, day, ledger, pure};

/// With sums over all entries for each of them this takes minutes.
#[test]
fn a_hundred_thousand_entries_are_spent_one_by_one() {
    let mut purse = ledger(pure("1"));
    let day = day("1e-5");
    for number in 0..100_000 {
        purse.spend(&number.to_string(), &day, None).unwrap();
    }
    assert_eq!(purse.left().unwrap(), None);
    assert!(purse.spend("one more", &day, None).is_err());
    assert_eq!(purse.entry("99999").unwrap().name(), "99999");
}

/// The longest name, numbers of 4096 bits, and a corner of 200 bits.
#[test]
fn the_longest_entry_fits_into_a_line() {
    let power = BigUint::from(2_u32).pow(4095);
    let three = BigUint::from(3_u32).pow(2580);
    let long = Rational::new(three, power).unwrap();
    let corner = dp_calibration::Corner::new(1 << 32, BigUint::from(2_u32).pow(199)).unwrap();
    let gaussian = Noise {
        law: NoiseLaw::DiscreteGaussian {
            variance: long.clone(),
        },
        corner,
    };
    let budget = Budget::ZeroConcentrated {
        rho: Rho::new(long).unwrap(),
    };
    let release = Release::new(budget)
        .with_mechanism(Mechanism::Aggregators(gaussian))
        .with_minimum_batch(u64::MAX);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = Journal::create(&path, Terms::new(concentrated("1000"))).unwrap();
    let name = "\"".repeat(256);
    let before = std::fs::metadata(&path).unwrap().len();
    journal.spend(&name, &release, None).unwrap();
    let line = std::fs::metadata(&path).unwrap().len() - before;
    assert!(line < MAX_LINE, "{line}");
    assert_eq!(Snapshot::read(&path).unwrap().ledger(), journal.ledger());
}

/// A limit and an entry whose exact difference has no place in 4096 bits.
#[test]
fn amounts_of_any_denominator_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let three = BigUint::from(3_u32).pow(1500);
    let limit = Rational::new(BigUint::from(10_u32).pow(716), three).unwrap();
    let limit = Budget::ZeroConcentrated {
        rho: Rho::new(limit).unwrap(),
    };
    let mut journal = Journal::create(&path, Terms::new(limit)).unwrap();
    let seven = Rational::new(1, BigUint::from(7_u32).pow(410)).unwrap();
    let small = Budget::ZeroConcentrated {
        rho: Rho::new(seven).unwrap(),
    };
    journal.spend("one", &Release::new(small), None).unwrap();
    let head = journal.head();
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.head(), head);
    assert!(journal.ledger().left().unwrap().is_some());
    // What no amount can be is refused before anything is written.
    let beyond = "1e800".parse::<Rho>().unwrap();
    let terms = Terms::new(Budget::ZeroConcentrated { rho: beyond });
    assert!(Ledger::new(terms).is_err());
}
