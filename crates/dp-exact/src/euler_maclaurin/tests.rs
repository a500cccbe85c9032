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

/// Both upper bounds on |R_m|/F(0), by their formulas in floating point, n = 2·`order`: far out
/// |B_n|/n!·h^(n−1)·He_(n−1)(u), anywhere 2·|B_n|/n!·h^(n−1)·√(n!)·e^(u²/4).
fn bounds(x: f64, tau: f64, order: usize) -> (f64, f64) {
    let n = 2 * i32::try_from(order).unwrap();
    let (step, u) = (1.0 / tau.sqrt(), x / tau.sqrt());
    let bernoulli = over_factorial()[order - 1].to_f64() * elementary::powi(step, n - 1);
    let (mut previous, mut hermite) = (1.0, u);
    for k in 1..n - 1 {
        (previous, hermite) = (hermite, u * hermite - f64::from(k) * previous);
    }
    let factorial: f64 = (1..=n).map(f64::from).product();
    let cramer = 2.0 * bernoulli * factorial.sqrt() * elementary::exp(u * u / 4.0);
    (bernoulli * hermite, cramer)
}

/// With few terms the remainder is most of the error, so that a missing remainder shows.
#[test]
fn expansions_of_every_order_are_as_wide_as_their_remainder_and_hold_the_sum() {
    let mut far_out = 0;
    for (x, tau) in [("0", "2"), ("1", "1/2"), ("4/7", "10"), ("9", "3"), ("40", "17")] {
        let (x, tau) = (rational(x), rational(tau));
        let (sum, first) = plain_sum(&x, &tau);
        for order in [1, 2, 3, 4, 7, 12] {
            let (far, cramer) = bounds(x.to_f64(), tau.to_f64(), order);
            for (remainder, bound) in [(Remainder::FarOut, far), (Remainder::Cramer, cramer)] {
                let case = format!("{x} {tau} {order} {remainder:?}");
                let is_far = x.pow(2) >= &tau * &Rational::from(8 * order as u64);
                let enclosure = expansion(&x, &tau, (order, remainder), 500);
                if remainder == Remainder::FarOut && !is_far {
                    assert!(enclosure.is_none(), "{case}");
                    continue;
                }
                far_out += usize::from(remainder == Remainder::FarOut);
                let enclosure = enclosure.unwrap();
                assert!((&enclosure - &sum).contains_zero(), "{case}");
                let width = enclosure.upper().to_rational().unwrap()
                    - enclosure.lower().to_rational().unwrap();
                let width = Interval::rational(&width, 64).checked_div(&first).unwrap().midpoint();
                assert!((width / (2.0 * bound) - 1.0).abs() < 1e-9, "{case}: {width} {bound}");
            }
        }
    }
    assert!(far_out >= 6, "{far_out}");
}

#[test]
fn far_out_begins_exactly_where_the_zeros_of_the_hermite_polynomial_end() {
    // u² = x²/τ = 8·order
    for order in [1, 2, 5] {
        let tau = Rational::from(2 * order as u64);
        let x = Rational::from(4 * order as u64);
        let at = |x: &Rational| expansion(x, &tau, (order, Remainder::FarOut), 128).is_some();
        assert!(at(&x));
        assert!(!at(&(&x - rational("1e-30"))));
    }
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
