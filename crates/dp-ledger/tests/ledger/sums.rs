//! Sums and refusals.

use dp_calibration::{Budget, NoiseLaw};
use dp_exact::Rational;
use dp_ledger::{Cost, LedgerError, Mechanism, Noise, Release, SharesDigest, Spending};

use crate::{approximate, concentrated, day, ledger, pure, renyi};

#[test]
fn the_limit_can_be_spent_to_the_last_and_not_beyond() {
    let mut ledger = ledger(approximate("1", "1e-6"));
    let release = Release::new(approximate("0.1", "1e-7"));
    for day in 0..10 {
        ledger.spend(&format!("day {day}"), &release, None).unwrap();
    }
    assert_eq!(ledger.left().unwrap(), None);
    assert_eq!(
        ledger.spent().unwrap(),
        Some(approximate("1", "1e-6").into())
    );
    let more = Release::new(approximate("1e-9", "0"));
    let error = ledger.spend("day 10", &more, None).unwrap_err();
    assert!(matches!(error, LedgerError::Overspend { .. }), "{error}");
    assert_eq!(ledger.entries().len(), 10);
}

#[test]
fn delta_is_refused_where_only_epsilon_is_left() {
    let spend = |ledger: &mut dp_ledger::Ledger, name: &str, budget: Budget| {
        ledger.spend(name, &Release::new(budget), None)
    };
    let mut purse = ledger(approximate("1", "1e-6"));
    spend(&mut purse, "first", approximate("0.5", "1e-6")).unwrap();
    assert_eq!(purse.left().unwrap(), Some(pure("0.5").into()));
    assert!(spend(&mut purse, "second", approximate("0.1", "1e-12")).is_err());
    spend(&mut purse, "third", pure("0.5")).unwrap();
    let mut strict = ledger(pure("1"));
    assert!(spend(&mut strict, "first", approximate("0.1", "1e-9")).is_err());
    assert!(spend(&mut strict, "first", approximate("0.1", "0")).is_ok());
    let mut wide = ledger(approximate("9", "0.9"));
    assert!(spend(&mut wide, "one", approximate("1", "0.95")).is_err());
}

#[test]
fn each_kind_adds_up_by_its_own_rule() {
    let mut purse = ledger(concentrated("0.1"));
    let release = Release::new(concentrated("0.04"));
    purse.spend("one", &release, None).unwrap();
    assert_eq!(purse.left().unwrap(), Some(concentrated("0.06").into()));
    let refused = purse.spend("two", &day("0.01"), None);
    assert!(matches!(refused, Err(LedgerError::Kind(_))));
    let mut purse = ledger(renyi("8", "1"));
    let release = Release::new(renyi("8", "0.75"));
    purse.spend("one", &release, None).unwrap();
    assert_eq!(purse.left().unwrap(), Some(renyi("8", "0.25").into()));
    let other = Release::new(renyi("9", "0.1"));
    let refused = purse.spend("two", &other, None);
    assert!(matches!(refused, Err(LedgerError::Kind(_))));
}

/// The fields of a Rényi budget are open.
#[test]
fn a_negative_amount_gives_nothing_back() {
    let mut purse = ledger(renyi("8", "1"));
    let forged = |tau: &str| {
        Release::new(Budget::Renyi {
            alpha: "8".parse().unwrap(),
            tau: tau.parse().unwrap(),
        })
    };
    purse.spend("one", &forged("0.9"), None).unwrap();
    assert!(purse.spend("two", &forged("-0.9"), None).is_err());
    assert_eq!(purse.left().unwrap(), Some(renyi("8", "0.1").into()));
}

#[test]
fn a_name_stands_for_one_release() {
    let mut purse = ledger(pure("1"));
    let (monday, tuesday) = (SharesDigest::of(["a"]), SharesDigest::of(["b"]));
    for expected in [Spending::New, Spending::Repeated, Spending::Repeated] {
        let spending = purse.spend("monday", &day("0.6"), Some(monday)).unwrap();
        assert_eq!(spending, expected);
    }
    assert_eq!(purse.spent().unwrap(), Some(pure("0.6").into()));
    for shares in [Some(tuesday), None] {
        let refused = purse.spend("monday", &day("0.6"), shares);
        assert!(matches!(refused, Err(LedgerError::OtherShares { .. })));
    }
    let smaller = purse.spend("monday", &day("0.1"), Some(monday));
    assert!(matches!(smaller, Err(LedgerError::Conflict { .. })));
    // A refusal is short, whatever was typed.
    let digits = format!("0.{}", "6".repeat(1_000));
    let mut long = ledger(pure(&digits));
    let error = long.spend("monday", &day(&digits), None).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
    let crowd = day("0.6").with_minimum_batch(10);
    let other = purse.spend("monday", &crowd, Some(monday));
    assert!(matches!(other, Err(LedgerError::Conflict { .. })));
}

#[test]
fn a_name_or_a_mechanism_that_is_no_line_of_text_is_refused() {
    let mut purse = ledger(pure("1"));
    for name in [
        "",
        "a\nb",
        "\u{1b}[2K",
        "\u{2028}",
        "\u{202e}x",
        &"x".repeat(257),
    ] {
        let refused = purse.spend(name, &day("0.1"), None);
        assert!(
            matches!(refused, Err(LedgerError::Parameter(_))),
            "{name:?}"
        );
        let other = day("0.1").with_mechanism(Mechanism::Other(name.to_owned()));
        let refused = purse.spend("monday", &other, None);
        assert!(
            matches!(refused, Err(LedgerError::Parameter(_))),
            "{name:?}"
        );
    }
    let corner = dp_calibration::Corner::one();
    let scale = Rational::zero();
    let law = NoiseLaw::DiscreteLaplace { scale };
    let nothing = Mechanism::Aggregators(Noise { law, corner });
    let refused = purse.spend("monday", &day("0.1").with_mechanism(nothing), None);
    assert!(matches!(refused, Err(LedgerError::Parameter(_))));
    assert_eq!(purse.spent().unwrap(), None);
}

/// A third is rounded up in its thirtieth digit, three of them exceed 1 by three such units.
#[test]
fn what_is_spent_is_rounded_up_and_a_limit_down() {
    let mut purse = ledger(pure("1"));
    for name in ["one", "two"] {
        purse.spend(name, &day("1/3"), None).unwrap();
    }
    assert!(purse.spend("three", &day("1/3"), None).is_err());
    let left = pure("0.333333333333333333333333333332");
    assert_eq!(purse.left().unwrap(), Some(left.clone().into()));
    purse.spend("three", &Release::new(left), None).unwrap();
    assert_eq!(purse.left().unwrap(), None);

    let mut third = ledger(pure("1/3"));
    assert!(third.spend("all", &day("1/3"), None).is_err());
    let below = day("0.333333333333333333333333333333");
    third.spend("all", &below, None).unwrap();
}

/// Their exact sum has a denominator of 15 000 bits.
#[test]
fn fractions_of_a_thousand_primes_add_up() {
    let is_prime = |number: &u64| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
    let mut purse = ledger(pure("10"));
    let mut primes = 0;
    for prime in (2..8_000).filter(is_prime).take(1_000) {
        let release = day(&format!("1/{prime}"));
        purse.spend(&prime.to_string(), &release, None).unwrap();
        primes += 1;
    }
    assert_eq!(primes, 1_000);
    let Some(Cost::Sum(Budget::Pure { epsilon })) = purse.spent().unwrap() else {
        panic!("a sum of pure budgets is pure");
    };
    // Σ 1/p over the first thousand primes, computed with fractions.
    let sum: Rational = "2.4574112764".parse().unwrap();
    let error = (epsilon.value() - &sum).abs();
    assert!(
        error < Rational::new(1, 1_000_000_000).unwrap(),
        "{epsilon}"
    );
}

#[test]
fn amounts_from_1e_350_to_1e9_are_counted_and_others_refused() {
    let mut purse = ledger(approximate("1e9", "1e-299"));
    let tiny = Release::new(approximate("1e-350", "1e-300"));
    purse.spend("tiny", &tiny, None).unwrap();
    assert_eq!(
        purse.spent().unwrap(),
        Some(approximate("1e-350", "1e-300").into())
    );
    assert_eq!(
        purse.left().unwrap(),
        Some(approximate("999999999.999999999999999999999", "9e-300").into())
    );
    for refused in ["1e-351", "1e10", "1e1000"] {
        let error = purse.spend("x", &day(refused), None).unwrap_err();
        assert!(error.to_string().contains("1e-350 to 1e9"), "{error}");
        let terms = dp_ledger::Terms::new(pure(refused));
        assert!(dp_ledger::Ledger::new(terms).is_err(), "{refused}");
    }
}
