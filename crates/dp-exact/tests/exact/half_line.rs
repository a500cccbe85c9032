//! The sums of Euler and Maclaurin against sums of their terms, one by one.

use dp_exact::euler_maclaurin::{half_line_sum, has_closed_form};
use dp_exact::{Interval, Rational};

fn rational(text: &str) -> Rational {
    text.parse().expect("a literal")
}

/// Σ_{k≥0} e^(−(x+k)²/(2τ)) by its terms, as long as they are above 2^−`bits` of the first.
fn plain_sum(x: &Rational, tau: &Rational, bits: u32) -> Interval {
    let rate = (tau + tau).reciprocal().expect("positive");
    let term = |k: u32| {
        let place = x + Rational::integer(k);
        Interval::rational(&-(place.pow(2) * &rate), 512).exp().expect("negative")
    };
    let negligible = term(0).shifted(-i64::from(bits));
    let mut sum = Interval::integer(0, 512);
    for k in 0.. {
        let next = term(k);
        if next.compare(&negligible).is_some_and(std::cmp::Ordering::is_lt) {
            return sum;
        }
        sum = sum + next;
    }
    sum
}

/// Both remainders: x far out, and near 0 beside a wide τ.
#[test]
fn closed_sums_hold_the_sums_of_their_terms() {
    let mut closed = 0;
    for (tau, starts) in [
        ("2", ["0", "5", "100/3"]),
        ("10", ["0", "4/7", "60"]),
        ("100", ["0", "12.5", "150"]),
        ("2000/3", ["0", "1/3", "700"]),
    ] {
        let tau = rational(tau);
        for x in starts.map(rational) {
            for precision in [64, 128, 192] {
                if !has_closed_form(&x, &tau, precision) {
                    continue;
                }
                closed += 1;
                let sum = half_line_sum(&x, &tau, precision).expect("within reach");
                let plain = plain_sum(&x, &tau, 300);
                let difference = &sum - &plain;
                assert!(difference.contains_zero(), "{x} {tau} {precision}: {sum} {plain}");
                let width = sum.upper().to_rational().unwrap() - sum.lower().to_rational().unwrap();
                let unit = Interval::rational(&width, 64).checked_div(&plain).unwrap();
                let bits = i32::try_from(precision).unwrap() - 24;
                assert!(unit.upper().to_f64() < 2f64.powi(-bits), "{x} {tau} {precision}: {sum}");
            }
        }
    }
    assert!(closed >= 20, "{closed}");
}
