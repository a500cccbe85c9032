//! e^−γ in fixed point, with a bound of the error.
//!
//! It sums P(y²) − y·Q(y²), P and Q the even and the odd terms of the series of e^−y with
//! aᵢ = ⌊2^63/i!⌋, each by Horner's rule in units of 2^−63, every product cut off. A step errs by
//! 1 in aᵢ, 1 in the cut, less than 1 from the cut of y², and y² times what it got.

/// ⌊2^63/i!⌋ for i from 0 to 14.
const INVERSE_FACTORIALS: [u64; 15] = {
    let mut table = [1 << 63; 15];
    let mut factorial = 1;
    let mut i = 1;
    while i < 15 {
        factorial *= i as u64;
        table[i] = (1 << 63) / factorial;
        i += 1;
    }
    table
};

/// Upper bound on the error of [`exp_minus`], in units of 2^−63.
pub(crate) const EXP_ERROR: u64 = 33;

/// e^−γ in units of 2^−63, for γ < 4/3 in units of 2^−63; within [`EXP_ERROR`].
///
/// It is the fourth power of e^−y, y = γ/4 < 1/3. With y² < 1/9 a sum errs by at most 3·9/8 < 3.4
/// units, and P − y·Q by 3.4·4/3 + 1 for the cut of y·Q, 1/2 for the cut of y, and y^15/15! < 1/2
/// for the end of the series: less than 6.6 in all. A square of a number up to 1 doubles the error
/// and adds 2 for its cut: 2·(2·6.6 + 2) + 2 < 33.
#[inline]
pub(crate) fn exp_minus(gamma: u64) -> u64 {
    let a = INVERSE_FACTORIALS;
    let root = series(
        gamma >> 1,
        &[a[0], a[2], a[4], a[6], a[8], a[10], a[12], a[14]],
        &[a[1], a[3], a[5], a[7], a[9], a[11], a[13]],
    );
    square(square(root))
}

/// e^−y in units of 2^−63, for y in units of 2^−64. `even` and `odd` hold the coefficients of P and
/// of Q, in units of 2^−63, the constant one first.
#[inline]
fn series(y: u64, even: &[u64], odd: &[u64]) -> u64 {
    let y_squared = high_product(y, y);
    // The two sums do not wait for each other.
    let sum = |terms: &[u64]| {
        let step = |sum: u64, term: &u64| term.wrapping_add(high_product(y_squared, sum));
        terms.iter().rev().fold(0, step)
    };
    sum(even).wrapping_sub(high_product(y, sum(odd)))
}

/// The square of a number, both in units of 2^−63, rounded down.
#[inline]
fn square(value: u64) -> u64 {
    high_product(value, value) << 1
}

/// ⌊one·other/2^64⌋
#[inline]
pub(crate) fn high_product(one: u64, other: u64) -> u64 {
    low_64((u128::from(one) * u128::from(other)) >> 64)
}

/// `value` as 64 bits; it has no higher ones.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "no higher bits are set")]
pub(crate) fn low_64(value: u128) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use dp_exact::Rational;
    use num_bigint::BigInt;

    use super::*;
    use crate::enclosure;

    /// Upper bound on the distance between `computed` and e^−(`gamma`/2^`bits`), both in units of
    /// 2^−63.
    fn distance(computed: u64, gamma: u64, bits: u32) -> u64 {
        let gamma = Rational::new(gamma, BigInt::from(1) << bits).expect("not zero");
        let exact = enclosure::exp_minus(&gamma, 192);
        let floor = u64::try_from(exact.lower().floor_shifted(63)).expect("at most 2^63");
        computed.abs_diff(floor) + 1
    }

    #[test]
    fn exponentials_are_within_their_errors() {
        for step in 0..=3000 {
            // 4/3 in units of 2^−63.
            let gamma = (u64::MAX / 3 * 2) / 3000 * step;
            assert!(distance(exp_minus(gamma), gamma, 63) <= EXP_ERROR + 1);
        }
    }
}
