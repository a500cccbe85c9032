//! What arithmetic on long integers costs, in units, given their bits: about nanoseconds.

use super::{charge, spend};

/// Allocating, rounding and normalizing a number.
const EACH: u64 = 60;

/// Words of the shorter factor up to which products are formed word by word.
const SHORT: u64 = 24;

/// Words up to which quotients are formed word by word.
const LONG: u64 = 300;

/// A sum, or a shift.
pub(crate) fn sum(bits: u64) {
    charge(3 * EACH + words(bits));
}

/// A product: word by word while the shorter factor is short, and by divide and conquer beyond.
pub(crate) fn product(one: u64, other: u64) {
    charge(2 * EACH + products(words(one), words(other)));
}

/// Products of words.
fn products(one: u64, other: u64) -> u64 {
    let (short, long) = (one.min(other), one.max(other));
    let rows = if short <= SHORT {
        short
    } else {
        (10 * short).isqrt().max(SHORT)
    };
    rows.saturating_mul(long)
}

/// A quotient: word by word, or by divide and conquer if it is long.
pub(crate) fn quotient(numerator: u64, divisor: u64) {
    let (rows, long) = (words(numerator.saturating_sub(divisor)), words(divisor));
    let work = if rows.min(long) <= LONG {
        rows.saturating_mul(long)
    } else {
        2 * products(rows, long)
    };
    charge(2 * EACH + work.saturating_add(work / 3));
}

/// An integer square root: Newton's iteration, a quotient for each step.
pub(crate) fn root(bits: u64) {
    for _ in 0..8 {
        quotient(bits, bits / 2);
    }
}

/// The greatest common divisor of two integers of so many bits, without factors of two: bit by bit.
pub(crate) fn common_divisor(one: u64, other: u64) {
    let (short, long) = (words(one.min(other)), words(one.max(other)));
    charge(EACH + (one + other).saturating_mul(18 + (short + long) / 6));
}

/// A term of a power series in fixed point: a product, a shift, a short quotient and a sum.
#[must_use = "what is computed after the budget is used up is thrown away"]
pub(crate) fn term(one: u64, other: u64) -> Option<()> {
    let (one, other) = (words(one), words(other));
    let product = products(one, other);
    spend(3 * EACH + product + product / 2 + 8 * one.max(other))
}

fn words(bits: u64) -> u64 {
    bits / 64 + 1
}
