//! A journal keeps what it confirmed, and is begun and opened by different calls.

use std::fs;
use std::time::Duration;

use dp_calibration::{
    Adjacency, BigUint, Budget, NoiseDistribution, TrustModel, WorstCaseDifference,
};
use dp_exact::{Epsilon, Rational, Rho};
use dp_ledger::{
    Journal, LedgerError, MAX_LINE, Mechanism, Noise, Opening, Randomizer, Release, SharesDigest,
    Snapshot, Terms,
};

use crate::{approximate, concentrated, day, gaussian, laplace, new_path, pure};

#[test]
fn every_kind_of_release_is_read_back_as_it_was() {
    let epsilon = || -> Epsilon { "1/3".parse().unwrap() };
    let difference = || WorstCaseDifference::new(3, 1_u128 << 100).unwrap();
    let rappor = Randomizer::SymmetricRappor {
        epsilon0: epsilon(),
        length: 40,
        input_weight: 2,
        is_one_hot: false,
        sent_weight: 17,
    };
    let kary = Randomizer::KaryRandomizedResponse { answers: 5, epsilon: epsilon() };
    let mechanisms = [
        Mechanism::Aggregators(laplace("5471/30", difference())),
        Mechanism::Aggregators(gaussian("5471/30", difference())),
        Mechanism::Clients(Randomizer::RandomizedResponse { epsilon: epsilon() }),
        Mechanism::Clients(Randomizer::CoinFlip {}),
        Mechanism::Clients(kary),
        Mechanism::Both { clients: rappor, aggregators: laplace("5471/30", difference()) },
        Mechanism::Other("matrix \"mechanism\" \\ é".to_owned()),
    ];
    let (_folder, path) = new_path();
    let model: TrustModel = "2AMC".parse().unwrap();
    let adjacency = Adjacency::OneCoordinate;
    let terms = Terms { trust_model: model, adjacency, ..Terms::new(approximate("10", "1e-3")) };
    let mut journal = Journal::create(&path, terms).unwrap();
    for (number, mechanism) in mechanisms.into_iter().enumerate() {
        let model = match (&mechanism, TrustModel::ALL[number % 3]) {
            (Mechanism::Aggregators(_), TrustModel::OneClient) => {
                TrustModel::OneAggregatorOneClient
            }
            (_, model) => model,
        };
        let release = Release {
            budget: approximate("1/3", "1e-9"),
            adjacency: [adjacency, Adjacency::Replacement][number % 2],
            trust_model: model,
            mechanism,
            minimum_batch: number as u64 * 1_000 + 1,
            task: (number % 2 == 1).then(|| "00ff".to_owned()),
        };
        let shares = (number % 2 == 0).then(|| SharesDigest::of([&[1, 2, 3][..number % 3]]));
        journal.spend(&format!("{number} \"é\""), &release, shares).unwrap();
    }
    let snapshot = Snapshot::read(&path, None).unwrap();
    assert_eq!(snapshot.ledger(), journal.ledger());
    assert_eq!(snapshot.head(), journal.head());
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.ledger(), snapshot.ledger());
}

/// The longest name, numbers of 4096 bits, and a worst-case difference of 200 bits.
#[test]
fn the_longest_entry_fits_into_a_line() {
    let two = |power| BigUint::from(2_u32).pow(power);
    let long = Rational::new(BigUint::from(3_u32).pow(2580), two(4095)).unwrap();
    let law = NoiseDistribution::DiscreteGaussian { variance: long.clone() };
    let difference = WorstCaseDifference::new(1 << 32, two(199)).unwrap();
    let budget = Budget::ZeroConcentrated { rho: Rho::new(long).unwrap() };
    let mechanism = Mechanism::Aggregators(Noise { distribution: law, difference });
    let release = Release { mechanism, minimum_batch: u64::MAX, ..Release::new(budget) };
    let (_folder, path) = new_path();
    let mut journal = Journal::create(&path, Terms::new(concentrated("1000"))).unwrap();
    let before = fs::metadata(&path).unwrap().len();
    journal.spend(&"\"".repeat(256), &release, None).unwrap();
    let line = fs::metadata(&path).unwrap().len() - before;
    assert!(line < MAX_LINE, "{line}");
    assert_eq!(Snapshot::read(&path, None).unwrap().ledger(), journal.ledger());
}

#[test]
fn a_journal_is_open_once_and_can_be_waited_for() {
    let (_folder, path) = new_path();
    let journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(matches!(error, LedgerError::InUse { .. }), "{error}");
    let brief = Opening { patience: Duration::from_millis(30), ..Opening::default() };
    assert!(Journal::open_with(&path, &brief).is_err());
    let patient = Opening { patience: Duration::from_secs(60), ..Opening::default() };
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| Journal::open_with(&path, &patient));
        std::thread::sleep(Duration::from_millis(50));
        drop(journal);
        let journal = waiting.join().unwrap().unwrap();
        assert_eq!(journal.ledger().terms(), &Terms::new(pure("1")));
    });
}

#[test]
fn an_older_copy_is_refused_to_who_kept_the_head() {
    let (_folder, path) = new_path();
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    journal.spend("monday", &day("0.5"), None).unwrap();
    let copy = fs::read(&path).unwrap();
    let monday = journal.head();
    journal.spend("tuesday", &day("0.5"), None).unwrap();
    let tuesday = journal.head();
    drop(journal);
    let at_least = |head| {
        let opening = Opening { least: Some(head), ..Opening::default() };
        Journal::open_with(&path, &opening)
    };
    assert_eq!(at_least(monday).unwrap().head(), tuesday);
    at_least(tuesday).unwrap();
    fs::write(&path, copy).unwrap();
    at_least(monday).unwrap();
    let error = at_least(tuesday).unwrap_err();
    assert!(matches!(error, LedgerError::RolledBack { .. }), "{error}");
    assert!(Snapshot::read(&path, Some(&tuesday)).is_err());
    assert_eq!(tuesday.to_string().parse(), Ok(tuesday));
}
