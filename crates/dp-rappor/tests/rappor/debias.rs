//! The estimate and its standard deviation, both to the last place.

use dp_exact::Interval;
use dp_rappor::SymmetricRappor;
use num_bigint::BigInt;

use crate::support::rappor;

/// The exact estimate, enclosed with 400 bits.
fn exact(rappor: &SymmetricRappor, count: impl Into<BigInt>, reports: u64) -> Interval {
    let estimate = rappor.debias_enclosed(count, reports, 400);
    estimate.expect("400 bits tell e^(-epsilon0) from 1")
}

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
            let expected = exact(&rappor, count, reports).midpoint();
            assert!(next_to(rappor.debias(count, reports), expected), "{epsilon0} {count}");
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
fn a_count_of_half_the_reports_is_its_own_estimate() {
    assert_eq!(rappor("1e-30").debias(50, 100), 50.0);
    assert_eq!(rappor("1000").debias(u64::MAX / 2, u64::MAX - 1), 2_f64.powi(63));
    assert_eq!(rappor("1").debias(0, 0), 0.0);
}

#[test]
fn an_estimate_next_to_the_midpoint_of_two_floats_is_one_of_them() {
    // 2^53 + 1 and e^(−1000000) more.
    let estimate = rappor("1000000").debias((1_u64 << 53) + 1, 10);
    assert!(next_to(estimate, 2_f64.powi(53)), "{estimate}");
    // 2^53 + 3 and 2^64·e^(−1000000) less: no precision that is tried tells on which side of the
    // midpoint it is.
    let estimate = rappor("1000000").debias((1_u64 << 53) + 3, u64::MAX);
    let neighbours = [2.0, 4.0].map(|more| 2_f64.powi(53) + more);
    assert!(neighbours.contains(&estimate), "{estimate}");
}

#[test]
fn huge_and_tiny_epsilon0_give_finite_honest_figures() {
    let huge = rappor("1000000");
    assert_eq!(huge.debias(123, 1000), 123.0);
    assert_eq!(huge.standard_deviation(1000), 0.0);
    let astronomic = rappor(&format!("1{}", "0".repeat(1200)));
    assert_eq!(astronomic.debias(123, 1000), 123.0);
    assert_eq!(astronomic.standard_deviation(1000), 0.0);

    // 1/ε₀ for small ε₀: (2y − n)/ε₀ and √n/ε₀.
    let tiny = rappor("1e-30");
    assert!((tiny.debias(51, 100) / 2e30 - 1.0).abs() < 1e-14);
    assert!((tiny.standard_deviation(100) / 1e31 - 1.0).abs() < 1e-14);
    let tiniest = rappor(&format!("1/{}", BigInt::from(1) << 4095_u32));
    assert_eq!(tiniest.debias(51, 100), f64::INFINITY);
    assert_eq!(tiniest.debias(49, 100), f64::NEG_INFINITY);
    assert_eq!(tiniest.debias(50, 100), 50.0);
    assert_eq!(tiniest.standard_deviation(100), f64::INFINITY);
    assert_eq!(tiniest.standard_deviation(0), 0.0);
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
fn counts_beyond_the_reports_and_below_zero_are_estimated_too() {
    let rappor = rappor("1");
    assert!(rappor.debias(-10, 100) < rappor.debias(0, 100));
    assert!(rappor.debias(120, 100) > 100.0);
    let vast = BigInt::from(1) << 5000_u32;
    assert_eq!(rappor.debias(vast.clone(), 1), f64::INFINITY);
    assert_eq!(rappor.debias(-vast, 1), f64::NEG_INFINITY);
}
