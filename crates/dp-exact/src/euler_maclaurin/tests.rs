use super::*;

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Σ_{k≥0} e^(−(x+k)²/(2τ)), enclosed by its terms down to 2^−700 of the first, and the first term.
fn plain_sum(x: &Rational, tau: &Rational) -> (Interval, Interval) {
    let rate = (tau + tau).reciprocal().unwrap();
    let terms = (0..).map(|k: u32| {
        let place = x + Rational::integer(k);
        let exponent = -(place.pow(2) * &rate);
        Interval::rational(&exponent, 800).exp().unwrap()
    });
    let mut terms = terms.peekable();
    let first = terms.peek().unwrap().clone();
    let least = first.upper().top() - 700;
    let terms = terms.take_while(|term| term.upper().top() > least);
    let sum = terms.fold(Interval::integer(0, 800), |sum, term| sum + term);
    (sum, first)
}

/// 2·|B_n|/n!·h^(n−1)·√(n!)·e^(u²/4) for n = 2·`order`, by its formula in floating point.
fn bound(x: f64, tau: f64, order: usize) -> f64 {
    let n = 2 * i32::try_from(order).unwrap();
    let bernoulli = over_factorial()[order - 1].to_f64() * elementary::powi(tau.sqrt(), 1 - n);
    let factorial: f64 = (1..=n).map(f64::from).product();
    2.0 * bernoulli * factorial.sqrt() * elementary::exp(x * x / tau / 4.0)
}

/// With few terms the remainder is most of the error, so that a missing remainder shows.
#[test]
fn expansions_of_every_order_are_as_wide_as_their_remainder_and_hold_the_sum() {
    for (x, tau) in [("0", "2"), ("1", "1/2"), ("4/7", "10"), ("9", "3"), ("40", "17")] {
        let (x, tau) = (rational(x), rational(tau));
        let (sum, first) = plain_sum(&x, &tau);
        for order in [1, 2, 3, 4, 7, 12] {
            let case = format!("{x} {tau} {order}");
            let enclosure = expansion(&x, &tau, order, 500).unwrap();
            assert!((&enclosure - &sum).contains_zero(), "{case}");
            let width =
                enclosure.upper().to_rational().unwrap() - enclosure.lower().to_rational().unwrap();
            let width = Interval::rational(&width, 64).checked_div(&first).unwrap().midpoint();
            let bound = bound(x.to_f64(), tau.to_f64(), order);
            assert!((width / (2.0 * bound) - 1.0).abs() < 1e-9, "{case}: {width} {bound}");
        }
    }
}

/// Near 0 beside a wide τ, and far out.
#[test]
fn closed_sums_hold_the_sums_of_their_terms() {
    let mut closed = 0;
    for (tau, starts) in [
        ("10", ["0", "4/7", "5"]),
        ("100", ["0", "12.5", "30"]),
        ("2000/3", ["0", "1/3", "100"]),
        ("10000", ["0", "77/3", "500"]),
    ] {
        let tau = rational(tau);
        for x in starts.map(rational) {
            let (plain, _) = plain_sum(&x, &tau);
            for precision in [64, 128, 192] {
                let Some(sum) = half_line_sum(&x, &tau, precision) else { continue };
                closed += 1;
                assert!((&sum - &plain).contains_zero(), "{x} {tau} {precision}: {sum} {plain}");
                let width = Interval::point(sum.upper(), 400) - Interval::point(sum.lower(), 400);
                let width = width.checked_div(&plain).unwrap();
                assert!(width.upper().top() < 24 - i64::from(precision), "{x} {tau} {precision}");
            }
        }
    }
    assert!(closed >= 20, "{closed}");
}
