//! The accountant against independently computed compositions.

use super::{accountant, gaussian, kary, laplace, response};
use crate::common::{delta_of, number, relative, rows};
use dp_calibration::accounting::{AccountedMechanism, ComposedEpsilon};
use dp_exact::{Delta, Dyadic, Rational};

fn epsilon(releases: Vec<(AccountedMechanism, u32)>, delta: &str) -> ComposedEpsilon {
    accountant(releases).epsilon(&delta_of(delta)).expect("there is an answer")
}

fn squared(sigma: &str) -> Rational {
    number(sigma).pow(2)
}

#[test]
fn compositions_agree_with_the_table() {
    for row in rows("composition_oracle.csv") {
        let times: u32 = row[2].parse().unwrap();
        // The widest lattices take a while without optimization.
        let sigma: f64 = row[1].parse().unwrap();
        if cfg!(debug_assertions) && sigma * f64::from(times) > 1000.0 {
            continue;
        }
        let release = match row[0].as_str() {
            "dgauss_one" => gaussian(squared(&row[1]), 1, 1),
            "dgauss_pair" => gaussian(squared(&row[1]), 2, 1),
            // The table's parameter is ε of one release: 1/t, or 2/t for a pair.
            "dlaplace_one" => laplace(number(&row[1]).reciprocal().unwrap(), 1, 1),
            _ => laplace(number("2").checked_div(&number(&row[1])).unwrap(), 2, 1),
        };
        let bounds = epsilon(vec![(release, times)], &row[3]);
        let exact = number(&row[4]);
        // The table itself is rounded to double precision.
        let nearly = &exact * &number("0.99999999999");
        assert!(bounds.upper >= nearly, "{row:?} {bounds:?}");
        assert!(bounds.lower <= &exact * &number("1.00000000001"), "{row:?} {bounds:?}");
        assert!(relative(&bounds.upper, &exact) < 1e-9, "{row:?} {bounds:?}");
        assert!(relative(&bounds.lower, &exact) < 1e-9, "{row:?} {bounds:?}");
    }
}

#[test]
fn a_grid_holds_the_truth_between_its_bounds() {
    // Losses of step 1/100 and 1/101 have the exact common lattice 1/10100; the same laws with a
    // variance that is a little larger and has none must come out nearly the same.
    let exact = epsilon(vec![(gaussian("100", 1, 1), 9), (gaussian("101", 1, 1), 9)], "1e-6");
    assert!(relative(&exact.upper, &exact.lower) < 1e-11, "{exact:?}");
    let near = vec![(gaussian("100", 1, 1), 9), (gaussian("101.000000000001234567", 1, 1), 9)];
    let near = epsilon(near, "1e-6");
    assert!(relative(&near.upper, &near.lower) < 1e-5, "{near:?}");
    assert!(relative(&near.upper, &exact.upper) < 1e-6 && near.upper >= near.lower);
    assert!(near.lower <= &exact.upper * &number("1.0000000000001"));
    assert!(near.upper >= &exact.lower * &number("0.9999999999999"));
}

#[test]
fn the_largest_losses_answer_where_delta_has_room_for_infinite_ones() {
    let releases =
        vec![(response("0.7", "1e-3"), 2), (response("0.4", "1e-4"), 1), (laplace("2", 1, 1), 1)];
    let certain = Rational::one() - number("0.999").pow(2) * number("0.9999");
    let at = |delta: Rational| {
        accountant(releases.clone()).epsilon(&Delta::new(delta).expect("a delta"))
    };
    let found = at(&certain + &number("1e-30")).expect("as much as is infinite");
    assert_eq!(found.upper, number("2.3"));
    assert!(found.certificate().starts_with("The sum of the largest"), "{found:?}");
    assert!(at(&certain - &number("1e-30")).is_err());
    // Exactly as much as is infinite: no smaller ε holds.
    let found = at(certain).expect("an answer");
    assert_eq!((found.upper, found.lower), (number("2.3"), number("2.3")));
    let pure = epsilon(vec![(response("0.7", "0"), 1), (kary("0.3", 4), 2)], "0");
    assert_eq!((pure.upper, pure.lower), (number("1.3"), number("1.3")));
}

/// tanh(ε/2) for a response; everything that is disclosed counts in full.
#[test]
fn the_total_variation_of_responses_is_the_sum_over_their_outcomes() {
    let disclosed = AccountedMechanism::PureDelta { delta: delta_of("0.1") };
    for (releases, exact) in [
        (vec![(response("0.5", "0"), 1)], 0.25_f64.tanh()),
        (vec![(response("0.5", "0"), 1), (disclosed.clone(), 1)], 0.1 + 0.9 * 0.25_f64.tanh()),
        (vec![(disclosed, 2)], 0.19),
    ] {
        let found = accountant(releases).total_variation().expect("a distance");
        let [lower, upper] = [found.lower(), found.upper()].map(Dyadic::to_f64);
        assert!(lower <= exact * (1.0 + 1e-12) && exact <= upper * (1.0 + 1e-12), "{found}");
        assert!(upper - lower <= 1e-9 * exact, "{found}");
    }
}

#[test]
fn a_delta_just_above_the_probability_of_an_infinite_loss_has_an_answer() {
    // 1e-39 and 1e-40 are nothing to 128 bits of 1.
    let mixed = vec![(response("0.5", "1e-40"), 1), (laplace("2", 1, 1), 1)];
    assert_eq!(epsilon(mixed, "1e-39").upper, number("1"));
    // At the probability itself, and below a sum of two.
    assert_eq!(epsilon(vec![(response("0.1", "1e-9"), 1)], "1e-9").upper, number("0.1"));
    let twice = vec![(response("0.1", "1e-9"), 2)];
    let refused = accountant(twice).epsilon(&delta_of("1.999999998e-9"));
    let refused = refused.expect_err("below the probability").to_string();
    assert!(refused.starts_with("delta is 1.999999998e-9"), "{refused}");
}
