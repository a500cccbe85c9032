//! The estimate and its standard deviation, both to the last place.

use dp_exact::Interval;
use dp_rappor::SymmetricRappor;
use num_bigint::BigInt;

use crate::support::rappor;

/// Whether `float` differs from `expected` by at most one unit in the last place.
fn next_to(float: f64, expected: f64) -> bool {
    expected.next_down() <= float && float <= expected.next_up()
}

#[test]
fn floats_are_next_to_the_exact_estimate_and_standard_deviation() {
    for epsilon0 in ["12345e-30", "1e-7", "0.3", "2", "31.5", "99999"] {
        let rappor = rappor(epsilon0);
        for (count, reports) in
            [(0, 1), (7, 20), (-5, 3), (i64::MAX, u64::MAX), (i64::MIN, 12), (1 << 40, 1 << 41)]
        {
            // 400 bits tell e^(−ε₀) from 1.
            let exact = rappor.debias_enclosed(count, reports, 400).unwrap();
            let estimate = rappor.debias(count, reports);
            assert!(next_to(estimate, exact.midpoint()), "{epsilon0} {count}");
            // √(n·p·(1 − p))/(1 − 2p), an independent form, at a precision that cancels nothing.
            let p = rappor.flip_probability(600);
            let one = Interval::integer(1, 600);
            let variance = Interval::integer(reports, 600) * &p * (&one - &p);
            let slope = &one - &(&p + &p);
            let expected = variance.sqrt().unwrap().checked_div(&slope).unwrap().midpoint();
            let deviation = rappor.standard_deviation(reports);
            assert!(next_to(deviation, expected), "{epsilon0} {reports}");
        }
    }
}

#[test]
fn the_drafts_table_of_standard_deviations_is_met() {
    for (epsilon0, expected) in [("5", 26.133643), ("6.5", 12.279943), ("7", 9.557967)] {
        let deviation = rappor(epsilon0).standard_deviation(100_000);
        assert!((deviation - expected).abs() < 5e-7, "{deviation}");
    }
}

#[test]
fn huge_and_tiny_epsilon0_give_finite_honest_figures() {
    let astronomic = format!("1{}", "0".repeat(1200));
    let tiniest = format!("1/{}", BigInt::from(1) << 4095_u32);
    let [astronomic, tiniest] = [astronomic.as_str(), tiniest.as_str()];
    // Estimate and standard deviation; (2y − n)/ε₀ and √n/ε₀ for small ε₀. Half the reports are
    // their own estimate.
    for (epsilon0, count, reports, expected) in [
        ("1000000", 123, 1000, [123.0, 0.0]),
        (astronomic, 123, 1000, [123.0, 0.0]),
        ("1000", u64::MAX / 2, u64::MAX - 1, [2_f64.powi(63), 0.0]),
        ("1e-30", 51, 100, [2e30, 1e31]),
        ("1e-30", 50, 100, [50.0, 1e31]),
        (tiniest, 51, 100, [f64::INFINITY, f64::INFINITY]),
        (tiniest, 49, 100, [f64::NEG_INFINITY, f64::INFINITY]),
        (tiniest, 50, 100, [50.0, f64::INFINITY]),
        (tiniest, 0, 0, [0.0, 0.0]),
    ] {
        let rappor = rappor(epsilon0);
        let found = [rappor.debias(count, reports), rappor.standard_deviation(reports)];
        for (found, expected) in found.into_iter().zip(expected) {
            let is_near = found == expected || (found - expected).abs() < 1e-14 * expected.abs();
            assert!(is_near || (epsilon0 == "1000" && found < 1e-200), "{epsilon0}: {found}");
        }
    }
}

#[test]
fn an_epsilon0_that_makes_the_terms_cancel_is_resolved() {
    // e^ε₀ within 2^−1000 of 3, so that one count in four estimates to almost nothing.
    let three = Interval::integer(3, 1000).ln().unwrap();
    let near = three.lower().to_rational().unwrap();
    let rappor = SymmetricRappor::new(dp_exact::Epsilon::new(near).unwrap()).unwrap();
    let estimate = rappor.debias(1, 4);
    assert!(estimate != 0.0 && estimate.abs() < 1e-290, "{estimate}");
}

#[test]
fn counts_beyond_all_floats_are_estimated_too() {
    let vast = BigInt::from(1) << 5000_u32;
    assert_eq!(rappor("1").debias(vast.clone(), 1), f64::INFINITY);
    assert_eq!(rappor("1").debias(-vast, 1), f64::NEG_INFINITY);
}
