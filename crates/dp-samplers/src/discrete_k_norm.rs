//! The discrete K-norm distribution of the norm ℓ∞ and a scale t > 0, on vectors of d integers:
//! P(z) ∝ q^‖z‖∞ with q = e^(−1/t) (the K-norm mechanism of a cube: Hardt, Talwar 2010, "On the
//! geometry of differential privacy", arXiv 0907.3754).
//!
//! # A cube of random size
//! Draw S ≥ 0 with P(S = s) ∝ (2s + 1)^d·q^s, then every entry independently and uniformly from
//! {−S, …, S}. A vector z has probability (2s + 1)^−d where s ≥ ‖z‖∞, so that P(z) ∝ Σ_{s ≥ ‖z‖∞}
//! q^s = q^‖z‖∞/(1 − q). S is drawn **once for all entries**: they are uncorrelated, and dependent.
//!
//! # The half side S
//! Σ_s (2s + 1)^d·x^s = B_d(x)/(1 − x)^(d + 1), where B_d(x) = Σ_j B(d, j)·x^j is the Eulerian
//! polynomial of type B (Brenti 1994, "q-Eulerian polynomials arising from Coxeter groups"): B(0,
//! 0) = 1, and B(d, j) = (2j + 1)·B(d − 1, j) + (2(d − j) + 1)·B(d − 1, j − 1). 1/(1 − x) is the
//! sum of the powers of x. So S = J + G₀ + … + G_d is a sum of independent numbers: d + 1 geometric
//! ones with P(G = g) ∝ q^g, and J with P(J = j) ∝ B(d, j)·q^j for 0 ≤ j ≤ d. Of a discrete Laplace
//! draw x of scale t, the one of x and −1 − x that is not negative is geometric. A
//! [`TableScan`](crate::table_scan) draws J. The normalizer of P is B_d(q)/(1 − q)^d.
//!
//! # Entries
//! With n = 2S + 1 and U uniform on [0, 1), ⌊U·n⌋ − S is uniform on {−S, …, S}. Let U = (W +
//! V·2^u)/2^128, where the integer W is a multiple of 2^u, and V is uniform on [0, 1). With W·n =
//! X·2^128 + r, ⌊U·n⌋ is X, or X + 1 where V ≥ (2^128 − r)/(n·2^u). That takes r > 2^128 − n·2^u,
//! as at most n of the 2^(128 − u) words W have it; V is then compared lazily
//! ([`threshold`](crate::threshold)). For all but 2^−64 of the half sides n is at most some N,
//! known from scale and length, and words of 58 bits more than N are drawn.
//!
//! # Timing
//! Words, arithmetic and addresses depend on scale and length alone, beside exceptional paths:
//! those of the samplers of J and G, an undecided entry, and a half side of 2^62 or more, an error.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::{successors, zip};
use core::ops::RangeInclusive;

use dp_exact::{Interval, ParameterError, Rational};
use num_bigint::BigInt;
use rand_core::CryptoRng;
use zeroize::zeroize_stack;

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus};
use crate::error::{out_of_range, within};
use crate::exponential::low_64;
use crate::masks::declassify;
use crate::table_scan::lanes::LANES;
use crate::table_scan::{TableScan, wiped_memory};
use crate::threshold::refine_tie;
use crate::word_counts::Distribution;
use crate::{DiscreteLaplace, Error, FromDraw, bulk};

/// The largest scale is 2 to this power: half sides of 2^62 have a probability below 2^−400, for
/// every length.
const SCALE_BITS: u32 = 51;

/// The discrete K-norm distribution P(z) ∝ e^(−‖z‖∞/t) on vectors of d integers, exactly: noise for
/// sums of vectors of which each entry may change by the same largest amount.
///
/// With the scale t = m/ε it gives ε-differential privacy where a person changes each entry by at
/// most m (Hardt, Talwar 2010). Independent Laplace noise takes d times that scale. A person who
/// changes one entry alone costs the same ε.
///
/// **A slice is one draw.** Two halves that are drawn apart have twice the ε.
///
/// ```
/// use dp_samplers::{DiscreteKNorm, os_rng};
///
/// let noise = DiscreteKNorm::new(&"20".parse()?, 3)?;
/// let mut draw = [0_i64; 3];
/// noise.fill(&mut os_rng()?, &mut draw)?;
///
/// // (1 − q)^3/(1 + 23q + 23q² + q³) with q = e^(−1/20)
/// let at_zero = noise.probability(&[0, 0, 0], 64).expect("three entries");
/// assert!((at_zero.midpoint() - 2.603895e-6).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// No address and no branch depends on a draw, beside an exceptional path as rare as
/// [`Self::undecided`] says.
#[derive(Clone, Debug)]
pub struct DiscreteKNorm {
    /// d, the number of entries.
    length: usize,
    /// The random bytes of an entry, 16 − u/8: 8 to 16.
    entry_bytes: usize,
    /// Draws geometric numbers, each up to its side.
    laplace: DiscreteLaplace,
    /// The distribution of J, the excess of the half side over the geometric numbers.
    excess: Arc<Excess>,
    /// Draws J.
    scan: Arc<TableScan>,
}

impl DiscreteKNorm {
    /// The most entries of a vector.
    pub const MAX_LENGTH: usize = 1000;

    /// The distribution of vectors of `length` entries with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < scale ≤ 2^51 with at most [`Rational::MAX_BITS`] bits, and 2
    /// ≤ length ≤ [`Self::MAX_LENGTH`]. Of one entry it would be [`DiscreteLaplace`].
    pub fn new(scale: &Rational, length: usize) -> Result<Self, Error> {
        Self::check(scale, length)?;
        let refused = || out_of_range("scale", scale, SCALE_BITS);
        let rate = scale.reciprocal().ok_or_else(refused)?;
        let excess = Arc::new(Excess { rate, numbers: eulerian_numbers(length) });
        let scan = TableScan::new(Arc::clone(&excess) as Arc<dyn Distribution>);
        let scan = Arc::new(scan.ok_or_else(refused)?);
        let laplace = DiscreteLaplace::new(scale)?;
        let entry_bytes = entry_bytes(scale, length);
        Ok(Self { length, entry_bytes, laplace, excess, scan })
    }

    /// Checks that [`Self::new`] accepts the scale and the length.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn check(scale: &Rational, length: usize) -> Result<(), Error> {
        within("scale", scale, SCALE_BITS)?;
        if (2..=Self::MAX_LENGTH).contains(&length) {
            return Ok(());
        }
        let most = Self::MAX_LENGTH;
        let accepted = format!("2 to {most} entries; of one entry it is discrete Laplace noise");
        Err(ParameterError::new("length", length, accepted).into())
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; `None` unless it has
    /// as many entries.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: &[i64], precision: u32) -> Option<Interval> {
        let norm = outcome.iter().map(|entry| entry.unsigned_abs()).max()?;
        let (precision, power) = (bounded(precision) + 16, u32::try_from(self.length).ok()?);
        let rate = &self.excess.rate;
        let weight = exp_minus(&(Rational::from(norm) * rate), precision);
        let weight = weight * one_minus_exp_minus(rate, precision).powi(power);
        let (_, total) = self.excess.weights(precision);
        (outcome.len() == self.length).then_some(weight)?.checked_div(&total)
    }

    /// Upper bound on the probability that a draw takes an exceptional path, in units of 2^−64.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        // The last 64 of the geometric numbers may come one by one. Of an entry one of 2^58 words
        // is undecided, unless the half side is too large.
        let draws = (self.length + 1).div_ceil(LANES) + 64;
        let entries = 64 * self.length as u64 + 1;
        self.scan.undecided() + draws as u64 * self.laplace.undecided() + entries
    }

    /// Fills `out`, a slice of as many entries, with one draw.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another number of entries. [`Error::Overflow`] if an entry does not
    /// fit `T`, and for a half side of 2^62 or more, of probability below 2^−400; the slice is then
    /// partly filled and must not be used.
    pub fn fill<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        if out.len() != self.length {
            let accepted = format!("{}, the entries of a draw", self.length);
            return Err(ParameterError::new("length", out.len(), accepted).into());
        }
        // Allocated here, so that the stack of called functions lies below, where it is wiped.
        let memory = &mut Memory::default();
        let filled = self
            .draw_half_side(rng, memory)
            .and_then(|half_side| bulk::complete::<T>(self.entries(half_side, rng, memory, out)));
        zeroize_stack::<{ bulk::STACK }>();
        filled
    }

    /// Draws the half side S = J + G₀ + … + G_d. `Err` if it is 2^62 or more. Not inlined, so that
    /// the caller can wipe its stack.
    #[inline(never)]
    fn draw_half_side<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        memory: &mut Memory,
    ) -> Result<u64, Error> {
        // A thousand numbers of 63 bits fit 128 bits.
        let mut half_side = u128::from(self.scan.draw(rng).unsigned_abs());
        let mut left = self.length + 1;
        while left > 0 {
            let draws = &mut memory.entries[..left.min(LANES)];
            self.laplace.fill(rng, draws)?;
            // x ^ (x >> 63) is x, or −1 − x of a negative x.
            let geometric = draws.iter().map(|x| u128::from((x ^ (x >> 63)).cast_unsigned()));
            half_side += geometric.sum::<u128>();
            left -= draws.len();
        }
        if declassify(u64::from(half_side >> 62_u32 != 0)) {
            return Err(Error::Overflow { index: 0, target: "62 bits" });
        }
        Ok(low_64(half_side))
    }

    /// Fills `out` with entries, uniform on {−S, …, S}; S is `half_side`, below 2^62. Returns the
    /// position of one that does not fit `T`, else `None`. Not inlined, so that the caller can wipe
    /// its stack.
    #[inline(never)]
    fn entries<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        half_side: u64,
        rng: &mut R,
        memory: &mut Memory,
        out: &mut [T],
    ) -> Option<usize> {
        let unknown = 16 - self.entry_bytes;
        out.chunks_mut(LANES).enumerate().find_map(|(block, out)| {
            let Memory { bytes, words, entries } = &mut *memory;
            rng.fill_bytes(&mut bytes[unknown..][..self.entry_bytes * out.len()]);
            // The bytes before those of an entry are those of another: they are masked away.
            let known = u128::MAX << (8 * unknown);
            for (index, word) in words[..out.len()].iter_mut().enumerate() {
                let bytes = bytes[self.entry_bytes * index..].first_chunk();
                *word = u128::from_le_bytes(*bytes.expect("16 bytes end with each entry")) & known;
            }
            let mut any_undecided = 0;
            for (entry, word) in zip(&mut *entries, &words[..out.len()]) {
                let (drawn, _, undecided) = scaled(*word, unknown, half_side);
                any_undecided |= undecided;
                *entry = drawn;
            }
            if declassify(any_undecided) {
                decide(half_side, unknown, rng, &words[..out.len()], entries);
            }
            let unfit = zip(out, &*entries).position(|(place, entry)| {
                T::from_i64(*entry).map(|entry| *place = entry).is_none()
            });
            unfit.map(|position| block * LANES + position)
        })
    }
}

wiped_memory! {
    /// The working memory of a draw. Wiped when dropped.
    struct Memory {
        /// Random bytes of the entries of a block, up to 16 each.
        bytes: [u8; 16 * LANES] = [0; _],
        /// The random words W of the entries of a block.
        words: [u128; LANES] = [0; _],
        /// Discrete Laplace draws, then entries.
        entries: [i64; LANES] = [0; _],
    }
}

/// The bytes of words of 58 bits more than N, N a bound on 2S + 1 for all but 2^−64 of the half
/// sides S of draws of `length` entries with this scale, which is at most 2^51.
fn entry_bytes(scale: &Rational, length: usize) -> usize {
    // S > d + t·(m + √(2mL) + L), m = d + 1, has a probability below e^−L; with L = 45 the
    // parenthesis is at most 2m + 90.
    let m = length as u64 + 1;
    let reach = scale * &Rational::from(2 * m + 90) + Rational::from(m);
    let bits = reach.ceil().bits() + 1;
    usize::try_from((bits + 58).div_ceil(8)).expect("at most 16 bytes")
}

/// X − S and r, where W·n = X·2^128 + r, W is `word`, and n = 2S + 1 for the `half_side` S; and 1
/// if r > 2^128 − n·2^u, where further bits may add 1 to X, else 0. The last u bits, u/8 =
/// `unknown`, of W are 0.
#[inline]
fn scaled(word: u128, unknown: usize, half_side: u64) -> (i64, u128, u64) {
    let n = u128::from(2 * half_side + 1);
    // Two products of 64 bits by 64 bits: the upper one and a carry below 2^64 fit 128 bits.
    let low = u128::from(low_64(word)) * n;
    let high = u128::from(low_64(word >> 64)) * n + (low >> 64);
    let rest = (high << 64) | u128::from(low_64(low));
    // r + n·2^u − 1 overflows exactly where r > 2^128 − n·2^u.
    let (_, undecided) = rest.overflowing_add((n << (8 * unknown)) - 1);
    let entry = low_64(high >> 64).wrapping_sub(half_side).cast_signed();
    (entry, rest, undecided.into())
}

/// Decides the undecided `entries` of the block with these `words`: adds 1 where V ≥ (2^128 −
/// r)/(n·2^u), by bits of V that are drawn as they are needed.
#[cold]
#[inline(never)]
fn decide<R: CryptoRng + ?Sized>(
    half_side: u64,
    unknown: usize,
    rng: &mut R,
    words: &[u128],
    entries: &mut [i64],
) {
    for (entry, word) in zip(entries, words) {
        let (_, rest, undecided) = scaled(*word, unknown, half_side);
        if undecided == 1 {
            // 2^128 − r, which is not 0 as r is not.
            let all = BigInt::from(2 * half_side + 1) << (8 * unknown);
            let missing = Rational::new(rest.wrapping_neg(), all).expect("n is odd");
            *entry += i64::from(!refine_tie(&missing, 0, 0, rng));
        }
    }
}

/// The distribution of J with P(J = j) ∝ B(d, j)·q^j, q = e^−`rate`.
#[derive(Debug)]
struct Excess {
    /// 1/t for the scale t.
    rate: Rational,
    /// B(d, j) for j = 0, …, d: the Eulerian numbers of type B.
    numbers: Vec<BigInt>,
}

impl Excess {
    /// B(d, j)·q^j for j = 0, …, d, and their sum B_d(q), enclosed with a relative width of about
    /// 2^−`precision`.
    fn weights(&self, precision: u32) -> (Vec<Interval>, Interval) {
        // A power is a product of up to 1000 factors, each of which costs about a unit.
        let precision = precision.saturating_add(16);
        let q = exp_minus(&self.rate, precision);
        let powers = successors(Some(Interval::integer(1, precision)), |power| Some(power * &q));
        let weights = zip(&self.numbers, powers);
        let weights =
            weights.map(|(number, power)| Interval::integer(number.clone(), precision) * power);
        let weights: Vec<Interval> = weights.collect();
        let total =
            weights.iter().fold(Interval::integer(0, precision), |sum, weight| sum + weight);
        (weights, total)
    }
}

impl Distribution for Excess {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let (weights, total) = self.weights(precision);
        Box::new(move |outcome| {
            let weight = usize::try_from(outcome).ok().and_then(|outcome| weights.get(outcome));
            let weight = weight.expect("outcomes are those of the support");
            weight.checked_div(&total).expect("the weight of 0 is 1")
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::try_from(self.numbers.len()).expect("a thousand numbers") - 1
    }
}

/// The Eulerian numbers of type B, B(d, 0), …, B(d, d) for d = `length`.
fn eulerian_numbers(length: usize) -> Vec<BigInt> {
    let mut row = vec![BigInt::from(1)];
    for n in 1..=length {
        row.push(BigInt::ZERO);
        // From the end on, so that the number before is still that of n − 1. B(n, 0) is 1.
        for j in (1..=n).rev() {
            row[j] = &row[j] * (2 * j + 1) + &row[j - 1] * (2 * (n - j) + 1);
        }
    }
    row
}

#[cfg(test)]
mod tests;
