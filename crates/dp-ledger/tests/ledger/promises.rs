//! Whose noise counts, and what a name stands for where a client pays its own cost.

use dp_calibration::{Adjacency, Corner, NoiseLaw};
use dp_exact::Rational;
use dp_ledger::{
    Cost, Ledger, LedgerError, Mechanism, Noise, Randomizer, Release, Rule, Spending, Terms,
};

use crate::{concentrated, pure};

fn noise() -> Noise {
    Noise {
        law: NoiseLaw::DiscreteGaussian {
            variance: "100".parse().expect("a number"),
        },
        corner: Corner::one(),
    }
}

/// A flipped vector of 1000 bits has some 500 ones, so that leaving it out moves more than any measurement.
#[test]
fn noise_beside_randomizing_clients_does_not_count_under_deletion() {
    let clients = Randomizer::SymmetricRappor {
        epsilon0: "0.01".parse().unwrap(),
        length: 1000,
        input_weight: 1,
        is_one_hot: true,
        sent_weight: 1000,
    };
    let both = Mechanism::Both {
        clients,
        aggregators: noise(),
    };
    let limit = concentrated("10");
    let rule = Rule::zero_concentrated(&limit).unwrap();
    let terms = |adjacency| {
        let terms = Terms::new(limit.clone()).with_rule(rule.clone());
        terms.with_adjacency(adjacency)
    };
    let charged = |adjacency| {
        let release = Release::new(concentrated("2")).with_adjacency(adjacency);
        let release = release.with_mechanism(both.clone());
        match terms(adjacency).charge("monday", &release).unwrap() {
            Cost::Concentrated { rho, .. } => rho,
            other => panic!("{other}"),
        }
    };
    assert_eq!(charged(Adjacency::Deletion), Rational::from(2_u64));
    assert!(charged(Adjacency::Replacement) < Rational::new(1, 1_000_u64).unwrap());
}

/// Otherwise a client that paid for zeros, and stopped before it learnt of it, would send its measurement for
/// nothing.
#[test]
fn a_name_that_was_paid_for_zeros_stands_for_nothing_else() {
    let limit = concentrated("1");
    let rule = Rule::zero_concentrated(&limit).unwrap();
    let terms = Terms::new(limit).with_rule(rule);
    let mut ledger = Ledger::new(terms.with_adjacency(Adjacency::Deletion)).unwrap();
    let worst = Release::new(concentrated("0.5")).with_adjacency(Adjacency::Deletion);
    let rho = |text: &str| text.parse::<Rational>().unwrap();
    let own = ledger.spend_individually("monday", &worst, &rho("0"));
    assert_eq!(own.unwrap(), Spending::New);
    let own = ledger.spend_individually("tuesday", &worst, &rho("0.2"));
    assert_eq!(own.unwrap(), Spending::New);

    for (name, more) in [("monday", "1e-9"), ("monday", "0.5"), ("tuesday", "0.3")] {
        let refused = ledger.spend_individually(name, &worst, &rho(more));
        assert!(matches!(refused, Err(LedgerError::Conflict { .. })));
        let refused = ledger.spend(name, &worst, None);
        assert!(matches!(refused, Err(LedgerError::Conflict { .. })));
    }
    for (name, less) in [("monday", "0"), ("tuesday", "0.2"), ("tuesday", "0")] {
        let again = ledger.spend_individually(name, &worst, &rho(less));
        assert_eq!(again.unwrap(), Spending::Repeated);
    }
    // What was paid in full stands for every measurement.
    assert_eq!(ledger.spend("friday", &worst, None).unwrap(), Spending::New);
    let again = ledger.spend("friday", &worst, None);
    assert_eq!(again.unwrap(), Spending::Repeated);
    let again = ledger.spend_individually("friday", &worst, &rho("0.4"));
    assert_eq!(again.unwrap(), Spending::Repeated);
    let conflict = ledger.spend("friday", &Release::new(pure("1")), None);
    assert!(conflict.is_err());
    assert_eq!(ledger.entries().len(), 3);
}
