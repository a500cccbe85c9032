//! A coarse enclosure holds a fine one, also of numbers that are next to what its ends can be, and
//! is about as narrow as its precision.

use dp_exact::{Dyadic, Interval};

use crate::agreeing_bits;

/// Working precisions in bits.
const PRECISIONS: [u32; 4] = [64, 77, 128, 190];

/// Fails unless `coarse` contains `fine` and its ends agree in all but `lost` of `precision` bits.
/// `of` names the case.
fn assert_tight(coarse: &Interval, fine: &Interval, precision: u32, lost: i64, of: &str) {
    let holds = coarse.lower() <= fine.lower() && fine.upper() <= coarse.upper();
    assert!(holds, "{of} at {precision}: {coarse} {fine}");
    let bits = agreeing_bits(coarse);
    assert!(bits >= i64::from(precision) - lost, "{of} at {precision}: {bits}");
}

type Function = fn(&Interval) -> Option<Interval>;

/// At ±m·2^−j a power series is next to its first terms, which are the ends of enclosures.
#[test]
fn functions_are_enclosed_next_to_the_numbers_of_their_precision() {
    let functions: [(&str, Function, i64); 3] =
        [("exp", Interval::exp, 0), ("exp_m1", Interval::exp_m1, 0), ("ln", Interval::ln, 1)];
    for precision in PRECISIONS {
        for places in 0..=i64::from(precision) {
            for mantissa in [1, -1, 3, -5] {
                let small = Dyadic::new(mantissa, -places);
                for (name, function, offset) in functions {
                    // Not rounded.
                    let exact = Interval::point(&small, 400) + Interval::integer(offset, 400);
                    let x = Interval::point(exact.lower(), precision);
                    let is_exact = x.compare(&exact) == Some(std::cmp::Ordering::Equal);
                    if !is_exact || (name == "ln" && !x.is_positive()) {
                        continue;
                    }
                    let of = |precision| {
                        function(&Interval::point(exact.lower(), precision)).expect("in the domain")
                    };
                    let case = format!("{name}({offset} + {mantissa}·2^-{places})");
                    assert_tight(&of(precision), &of(3 * precision + 150), precision, 2, &case);
                }
            }
        }
    }
}

/// Numbers m·2^−j of 64 bits a little below multiples of ln 2: m/k is a convergent of the continued
/// fraction of 2^j·ln 2. There the quotient by ln 2, which is rounded down, is one too large.
const NEXT_TO_LN_2: [(u64, i64); 3] = [
    (3_183_496_212_860_727_417, 22),
    (16_401_451_106_333_612_023, 27),
    (16_401_451_106_333_612_023, 28),
];

#[test]
fn just_below_a_multiple_of_ln_2_the_exponential_is_right() {
    for (mantissa, places) in NEXT_TO_LN_2 {
        let x = Dyadic::new(mantissa, -places);
        let of = |precision| Interval::point(&x, precision).exp().expect("in range");
        assert_tight(&of(64), &of(300), 64, 2, &format!("exp {x}"));
    }
}

/// Q(x), the upper tail of the standard normal distribution.
fn tail(x: &Dyadic, precision: u32) -> Interval {
    Interval::point(x, precision).normal_tail().expect("within range")
}

#[test]
fn normal_tails_are_enclosed_to_their_precision_in_both_expansions() {
    for precision in PRECISIONS {
        for sixteenths in (0..230).step_by(3).chain([400, 1601, 16_003]) {
            let x = Dyadic::new(sixteenths, -4);
            let fine = tail(&x, 2 * precision + 100);
            assert_tight(&tail(&x, precision), &fine, precision, 3, &format!("Q({x})"));
        }
    }
}
