//! The tests of the exact parameters and the certified numerics, in one program that is linked
//! once.

mod directed;
mod exp_and_ln;
mod gaussian_sum;
mod interval;
mod messages;
mod normal_tail;
mod rational;
mod rounding;
mod search;
mod tightness;

use dp_exact::{Dyadic, Interval, Rational};

fn rational(text: &str) -> Rational {
    text.parse().expect("a literal")
}

/// Whether the enclosure meets the reference, up to this `part` of it.
fn agrees(found: &Interval, reference: &str, part: &str) -> bool {
    let expected = rational(reference);
    let slack = &expected * &rational(part);
    found.lower().cmp_rational(&(&expected + &slack)).is_le()
        && found.upper().cmp_rational(&(&expected - &slack)).is_ge()
}

/// How many leading bits of the two ends of an enclosure agree.
fn agreeing_bits(interval: &Interval) -> i64 {
    let width = Interval::point(interval.upper(), 6000) - Interval::point(interval.lower(), 6000);
    let top = |number: &Dyadic| {
        let bits = i64::try_from(number.mantissa().bits()).expect("small");
        bits + number.exponent()
    };
    if width.upper().mantissa().bits() == 0 {
        return i64::MAX;
    }
    top(interval.upper()).max(top(interval.lower())) - top(width.upper())
}
