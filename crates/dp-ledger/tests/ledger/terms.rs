//! One neighbour relation and one trust model: what says less is refused.

use dp_calibration::{Adjacency, TrustModel};
use dp_ledger::{
    Cost, Ledger, LedgerError, Mechanism, Randomizer, Release, Rule, Terms, WorstCaseDifference,
};

use crate::{approximate, day, pure};

fn model(text: &str) -> TrustModel {
    text.parse().expect("a trust model")
}

#[test]
fn a_guarantee_is_taken_where_nobody_more_is_trusted() {
    // From the stronger adversary to the weaker one, and never back.
    let implied = [
        ("OC", "OAOC"),
        ("OC", "2AMC"),
        ("OAOC", "OAMC"),
        ("OAOC", "2AOC"),
        ("2AOC", "3AOC"),
        ("2AOC", "2AMC"),
        ("OAMC", "2AMC"),
    ];
    for (guaranteed, expected) in implied {
        let taken = |guaranteed, expected| {
            let terms = Terms { trust_model: model(expected), ..Terms::new(pure("1")) };
            let release = Release { trust_model: model(guaranteed), ..day("0.1") };
            Ledger::new(terms).unwrap().spend("monday", &release, None)
        };
        taken(guaranteed, expected).unwrap();
        taken(expected, expected).unwrap();
        let error = taken(expected, guaranteed).unwrap_err();
        assert!(matches!(error, LedgerError::TrustModel { .. }), "{error}");
        assert!(error.to_string().contains(guaranteed), "{error}");
    }
    let terms = Terms { trust_model: model("OAMC"), ..Terms::new(pure("1")) };
    let two = Release { trust_model: model("2AOC"), ..day("0.1") };
    assert!(terms.charge("monday", &two).is_err());
}

#[test]
fn aggregator_noise_guarantees_nothing_where_no_aggregator_is_honest() {
    let noise = crate::gaussian("50", WorstCaseDifference::one_hot());
    let (mechanism, trust_model) = (Mechanism::Aggregators(noise), model("OC"));
    let release = Release { mechanism, trust_model, ..day("0.1") };
    let error = Terms { trust_model, ..Terms::new(pure("1")) }.charge("monday", &release);
    assert!(matches!(error, Err(LedgerError::NoHonestAggregator { .. })));
}

/// A guarantee for whole measurements is one for their coordinates, and not the reverse.
#[test]
fn a_ledger_for_one_coordinate_takes_whole_measurements_and_no_other_takes_one() {
    let under = |adjacency| Release { adjacency, ..day("0.1") };
    let charged = |ledger, release| {
        let terms = Terms { adjacency: ledger, ..Terms::new(pure("1")) };
        terms.charge("monday", &under(release)).ok()
    };
    use Adjacency::{Deletion, OneCoordinate, Replacement};
    for release in [OneCoordinate, Replacement] {
        assert_eq!(charged(OneCoordinate, release), Some(pure("0.1").into()), "{release}");
    }
    for (ledger, release) in [
        (Replacement, OneCoordinate),
        (Replacement, Deletion),
        // A reference may be no measurement.
        (Deletion, Replacement),
        (Deletion, OneCoordinate),
        (OneCoordinate, Deletion),
    ] {
        assert_eq!(charged(ledger, release), None, "{release} in {ledger}");
    }
    // Two of three bits may be set: of one bit ε₀ is the loss.
    let clients = Randomizer::SymmetricRappor {
        epsilon0: "1".parse().unwrap(),
        length: 3,
        input_weight: 2,
        is_one_hot: false,
        sent_weight: 3,
    };
    let release = Release { mechanism: Mechanism::Clients(clients), ..Release::new(pure("5")) };
    let terms = Terms { adjacency: OneCoordinate, ..Terms::new(approximate("9", "1e-6")) };
    let rule = Rule::zero_concentrated(&terms.limit).unwrap();
    let terms = Terms { rule, ..terms };
    let cost = |adjacency| terms.charge("monday", &Release { adjacency, ..release.clone() });
    let [one, all] = [OneCoordinate, Replacement].map(|adjacency| match cost(adjacency).unwrap() {
        Cost::Concentrated { rho, .. } => rho.to_f64(),
        other => panic!("{other}"),
    });
    assert!((one - 0.5_f64.tanh()).abs() < 1e-9 && (all - 3.0 * one).abs() < 1e-9, "{one} {all}");
}
