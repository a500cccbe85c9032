//! Exact convolution of integer sequences, by number-theoretic transforms modulo two primes P =
//! c·2^32 + 1 near 2^63, which determine every integer below 2^125. The sequences are probabilities
//! in units of 2^−62 with sums of at most 2^62·(1 + 2^−20), so no coefficient of a product exceeds
//! 2^125.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;

/// Fraction bits of a probability.
pub const BITS: u32 = 62;

/// The most coefficients of a product.
pub const MAX_LENGTH: usize = 1 << 22;

/// A factor with at most this many non-zero terms is multiplied directly, without a transform.
const SHORT: usize = 24;

/// A prime below 2^63, with 2^32 dividing P − 1, and arithmetic in Montgomery's form.
#[derive(Clone, Copy, Debug)]
struct Prime {
    /// P.
    modulus: u64,
    /// −1/P modulo 2^64.
    negative_inverse: u64,
    /// 2^128 modulo P
    square: u64,
    /// A number that is no square modulo P. Powers of it are roots of unity of order 2^k.
    non_square: u64,
}

/// The first prime, 2 147 483 641·2^32 + 1.
const FIRST: Prime = Prime::new(2_147_483_641, 3);
/// The second prime, 2 147 483 625·2^32 + 1.
const SECOND: Prime = Prime::new(2_147_483_625, 19);

/// The low 64 bits of `value`.
#[expect(clippy::cast_possible_truncation, reason = "the low half is the result")]
const fn low(value: u128) -> u64 {
    value as u64
}

impl Prime {
    /// The prime P = `cofactor`·2^32 + 1; `non_square` is a number that is no square modulo P.
    const fn new(cofactor: u64, non_square: u64) -> Self {
        let modulus = cofactor * (1 << 32) + 1;
        // Newton's iteration doubles the correct bits.
        let mut inverse = 1u64;
        let mut round = 0;
        while round < 6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(modulus.wrapping_mul(inverse)));
            round += 1;
        }
        let power = low((1u128 << 127) % modulus as u128);
        Self {
            modulus,
            negative_inverse: inverse.wrapping_neg(),
            square: low(power as u128 * 2 % modulus as u128),
            non_square,
        }
    }

    /// a·b/2^64 modulo P, for a and b below P: the product in Montgomery's form.
    fn mul(&self, a: u64, b: u64) -> u64 {
        // Adding quotient·P clears the low half, as quotient = −product/P modulo 2^64. The sum is
        // below P² + 2^64·P, so that its upper half is below 2P.
        let product = u128::from(a) * u128::from(b);
        let quotient = low(product).wrapping_mul(self.negative_inverse);
        let sum = product + u128::from(quotient) * u128::from(self.modulus);
        self.reduced(low(sum >> 64))
    }

    /// `value` modulo P, for a value below 2P. Half of all values exceed P, at random: a minimum
    /// costs a fifth of a branch, which the processor would predict wrongly as often.
    fn reduced(&self, value: u64) -> u64 {
        // Of a value below P the difference wraps around, to more than the value.
        value.min(value.wrapping_sub(self.modulus))
    }

    /// a + b modulo P, for a and b below P.
    fn add(&self, a: u64, b: u64) -> u64 {
        self.reduced(a + b)
    }

    /// a − b modulo P, for a and b below P.
    fn sub(&self, a: u64, b: u64) -> u64 {
        self.reduced(a + self.modulus - b)
    }

    /// `value` in Montgomery's form: value·2^64 modulo P.
    fn enter(&self, value: u64) -> u64 {
        self.mul(value % self.modulus, self.square)
    }

    /// `base`^`exponent` modulo P, both numbers in Montgomery's form.
    fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut base, mut result) = (base, self.enter(1));
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The powers w^0, …, w^(n/2−1), in Montgomery's form, of a root of unity w modulo P of order
    /// n, a power of two; of 1/w if `inverse`.
    fn roots(&self, n: usize, inverse: bool) -> Vec<u64> {
        let order = n as u64;
        let mut root = self.power(self.enter(self.non_square), (self.modulus - 1) / order);
        if inverse {
            root = self.power(root, order - 1);
        }
        let powers = iter::successors(Some(self.enter(1)), |power| Some(self.mul(*power, root)));
        powers.take(n / 2).collect()
    }

    /// Transforms `values`, 2^k numbers in Montgomery's form, modulo P by decimation in frequency:
    /// natural order in, bit-reversed order out.
    fn forward(&self, values: &mut [u64]) {
        let roots = self.roots(values.len(), false);
        let mut half = values.len() / 2;
        while half > 0 {
            butterflies(values, half, &roots, |x, y, root| {
                (self.add(x, y), self.mul(self.sub(x, y), root))
            });
            half /= 2;
        }
    }

    /// Inverts [`Self::forward`] up to a factor n: bit-reversed order in, natural order out.
    fn backward(&self, values: &mut [u64]) {
        let roots = self.roots(values.len(), true);
        let mut half = 1;
        while half < values.len() {
            butterflies(values, half, &roots, |x, y, root| {
                let y = self.mul(y, root);
                (self.add(x, y), self.sub(x, y))
            });
            half *= 2;
        }
    }

    /// The product of the sequences a and b modulo P, numbers as they are and not in Montgomery's
    /// form: `n` coefficients, for a power of two `n` of at least the product's length.
    fn convolve(&self, a: &[u64], b: &[u64], n: usize) -> Vec<u64> {
        let spectrum = |values: &[u64]| {
            let mut padded: Vec<u64> = values.iter().map(|&value| self.enter(value)).collect();
            padded.resize(n, 0);
            self.forward(&mut padded);
            padded
        };
        let mut product = spectrum(a);
        if a == b {
            for value in &mut product {
                *value = self.mul(*value, *value);
            }
        } else {
            for (value, factor) in product.iter_mut().zip(spectrum(b)) {
                *value = self.mul(*value, factor);
            }
        }
        self.backward(&mut product);
        // Divides by n, and leaves Montgomery's form.
        let scale = self.power(self.enter(n as u64), self.modulus - 2);
        let scale = self.mul(scale, 1);
        for value in &mut product {
            *value = self.mul(*value, scale);
        }
        product
    }
}

/// Replaces each two values at the distance `half` within a block of twice that length by what `of`
/// makes of both and of their root of unity.
fn butterflies(
    values: &mut [u64],
    half: usize,
    roots: &[u64],
    of: impl Fn(u64, u64, u64) -> (u64, u64),
) {
    let stride = roots.len() / half;
    for block in values.chunks_exact_mut(2 * half) {
        let (left, right) = block.split_at_mut(half);
        for ((a, b), &root) in left.iter_mut().zip(right).zip(roots.iter().step_by(stride)) {
            (*a, *b) = of(*a, *b, root);
        }
    }
}

/// ⌊(a∗b)·2^−62⌋, coefficient by coefficient. Each of a and b may sum to at most 2^62·(1 + 2^−20).
/// `None` if one is empty or the product is longer than [`MAX_LENGTH`].
pub fn convolve(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let length = (a.len() + b.len()).checked_sub(1)?;
    if length > MAX_LENGTH || a.is_empty() || b.is_empty() {
        return None;
    }
    let terms = |values: &[u64]| values.iter().filter(|&&value| value > 0).count();
    let (few, many) = if terms(a) <= terms(b) { (a, b) } else { (b, a) };
    if terms(few) <= SHORT {
        let mut sums = vec![0u128; length];
        for (i, &x) in few.iter().enumerate().filter(|&(_, &x)| x > 0) {
            for (sum, &y) in sums[i..].iter_mut().zip(many) {
                *sum += u128::from(x) * u128::from(y);
            }
        }
        return Some(sums.into_iter().map(|sum| low(sum >> BITS)).collect());
    }
    let n = length.next_power_of_two();
    let (first, second) = (FIRST.convolve(a, b, n), SECOND.convolve(a, b, n));
    // x = r₁ + P₁·((r₂ − r₁)/P₁ mod P₂)
    let inverse = SECOND.power(SECOND.enter(FIRST.modulus), SECOND.modulus - 2);
    let join = |(&one, &two): (&u64, &u64)| {
        let difference = SECOND.sub(two, one % SECOND.modulus);
        let multiple = SECOND.mul(difference, inverse);
        let value = u128::from(one) + u128::from(FIRST.modulus) * u128::from(multiple);
        low(value >> BITS)
    };
    Some(first.iter().zip(&second).take(length).map(join).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `length` pseudorandom numbers whose sum is at most 2^62.
    fn sequence(length: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let largest = (1 << BITS) / length;
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                (state >> 1) % largest
            })
            .collect()
    }

    /// [`convolve`] by adding up all products.
    fn slowly(a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut sums = vec![0u128; a.len() + b.len() - 1];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                sums[i + j] += u128::from(x) * u128::from(y);
            }
        }
        sums.into_iter().map(|sum| low(sum >> BITS)).collect()
    }

    #[test]
    fn transforms_multiply_exactly() {
        for (m, n) in [(1, 1), (3, 90), (25, 25), (100, 131), (257, 300)] {
            let (a, b) = (sequence(m, 7), sequence(n, 9));
            assert_eq!(convolve(&a, &b), Some(slowly(&a, &b)));
            assert_eq!(convolve(&a, &a), Some(slowly(&a, &a)));
        }
    }

    #[test]
    fn the_largest_possible_coefficient_does_not_wrap_around() {
        let mut one = vec![0; 40];
        one[3] = 1 << BITS;
        let product = convolve(&one, &one).unwrap();
        assert_eq!(product[6], 1 << BITS);
        assert_eq!(product.iter().filter(|&&value| value != 0).count(), 1);
    }

    #[test]
    fn empty_and_too_long_products_are_refused() {
        assert!(convolve(&[], &[1]).is_none());
        assert!(convolve(&vec![0; MAX_LENGTH], &[0, 1]).is_none());
        assert!(convolve(&vec![0; MAX_LENGTH], &[1]).is_some());
    }
}
