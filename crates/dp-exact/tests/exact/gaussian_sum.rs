//! The Gaussian sums against values computed independently with 60 digits (plain sums in mpmath).

use dp_exact::{Interval, Rational, Shift, gaussian_sum};

const SUMS: [(&str, Shift, &str); 8] = [
    ("1/100", Shift::Zero, "1.0000000000000000000003857499695927835566"),
    ("1/100", Shift::Half, "0.00000745330634415734198584970295190085236067496"),
    ("0.2", Shift::Half, "1.07773631078553823867982059056986045593967"),
    ("0.25", Shift::Zero, "1.27134152218901522522238257879093562497686"),
    ("0.3", Shift::Half, "1.36557661378711788917048430054391115662139"),
    ("1", Shift::Zero, "2.50662828804290554483067905386396037814745"),
    ("5", Shift::Half, "5.60499121639792869931128243386880089385432"),
    ("1000", Shift::Zero, "79.2665459521202202669005753024036606304472"),
];

fn rational(text: &str) -> Rational {
    text.parse().expect("a literal")
}

#[test]
fn gaussian_sums_agree_with_an_independent_computation() {
    for (variance, shift, reference) in SUMS {
        let sum = gaussian_sum(&rational(variance), shift, 160).expect("positive");
        let expected = rational(reference);
        let unit = &expected * &rational("1e-38");
        let near = Interval::rational(&(&expected - &unit), 160)
            .hull(&Interval::rational(&(&expected + &unit), 160));
        let inside = near.lower() <= sum.lower() && sum.upper() <= near.upper();
        assert!(inside, "S({variance}, {shift:?}) is {sum}");
    }
}

/// Σ over |x| ≤ 200 by definition, at a variance where the rest is below e^(−600).
fn plain_sum(variance: &Rational, shift: &Rational) -> Interval {
    let rate = (variance + variance).reciprocal().expect("positive");
    (-200..=200i64).fold(Interval::integer(0, 192), |sum, x| {
        let place = Rational::from(x) + shift;
        let exponent = Interval::rational(&-(place.pow(2) * &rate), 192);
        sum + exponent.exp().expect("negative")
    })
}

#[test]
fn the_direct_sum_and_its_poisson_dual_are_the_same_number() {
    for variance in ["1/50", "0.24999", "0.25", "0.7", "3", "30"] {
        for (shift, place) in [(Shift::Zero, "0"), (Shift::Half, "1/2")] {
            let plain = plain_sum(&rational(variance), &rational(place));
            let sum = gaussian_sum(&rational(variance), shift, 160).expect("positive");
            assert!(sum.compare(&plain).is_none(), "{variance} {shift:?}: {sum} {plain}");
        }
    }
}
