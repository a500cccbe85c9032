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
//! 0) = 1, and B(d, j) = (2j + 1)·B(d − 1, j) + (2(d − j) + 1)·B(d − 1, j − 1). The other factor is
//! a product too: 1/(1 − x) = (1 + x)·(1 + x²)⋯(1 + x^(2^(K−1)))/(1 − x^(2^K)). Coefficients of a
//! product belong to a sum of independent numbers, so that, with Q(k) = q^(2^k),
//!
//! S = J + Σ_{k<K} 2^k·D_k + 2^K·N, where
//!
//! - P(J = j) ∝ B(d, j)·q^j for 0 ≤ j ≤ d,
//! - P(D_k = j) ∝ C(d + 1, j)·Q(k)^j for 0 ≤ j ≤ d + 1, and
//! - P(N = j) ∝ C(d + j, j)·Q(K)^j for j ≥ 0, which sums to 1/(1 − Q(K))^(d + 1).
//!
//! Each is one draw of a [`TableScan`](crate::table_scan), where d + 1 geometric numbers would be
//! d + 1 draws. 2^K ≥ 8t leaves N few outcomes. The normalizer of P is B_d(q)/(1 − q)^d.
//!
//! # Entries
//! With n = 2S + 1 and U uniform on [0, 1), ⌊U·n⌋ − S is uniform on {−S, …, S}. Let U = (W +
//! V·2^u)/2^128, where the integer W is a multiple of 2^u, and V is uniform on [0, 1). With W·n =
//! X·2^128 + r, ⌊U·n⌋ is X, or X + 1 where V ≥ (2^128 − r)/(n·2^u). That takes r > 2^128 − n·2^u,
//! as at most n of the 2^(128 − u) words W have it; V is then compared lazily
//! ([`threshold`](crate::threshold)). For all but 2^−64 of the half sides n is at most some N,
//! known from scale and length. Words have 64 bits where N·d ≤ 2^24, and at most 128.
//!
//! # Timing
//! Words, arithmetic and addresses depend on scale and length alone, beside exceptional paths:
//! those of the scans, an undecided entry, and a half side of 2^62 or more, an error.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::{successors, zip};
use core::ops::RangeInclusive;

use dp_exact::{Interval, ParameterError, Rational};
use num_bigint::{BigInt, BigUint};
use num_traits::CheckedAdd;
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
use crate::{Error, FromDraw, bulk};

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
/// **A slice is one draw**: the noise of a release is one call of [`Self::fill`] or
/// [`Self::add_to`], whatever the length. Two halves that are drawn apart have twice the ε. Every
/// entry fits 63 bits, except with a probability below 2^−400.
///
/// ```
/// use dp_samplers::{DiscreteKNorm, os_rng};
///
/// let noise = DiscreteKNorm::new(&"20".parse()?, 3)?;
/// let mut totals = [4031_i64, 17, 0];
/// noise.add_to(&mut os_rng()?, &mut totals)?;
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
    /// t, in units of the entries.
    scale: Rational,
    /// d, the number of entries.
    length: usize,
    /// The random bytes of an entry, 16 − u/8: 8, 10 or 16.
    entry_bytes: usize,
    /// The distribution of J.
    excess: Arc<Terms>,
    /// Draw J, N, and D_k for each k < K. The half side is J + 2^K·N + Σ 2^k·D_k.
    scans: Arc<Scans>,
}

/// The scans of the independent parts of a half side.
#[derive(Debug)]
struct Scans {
    /// Draws J.
    excess: TableScan,
    /// Draw D_0, D_1, …
    digits: Vec<TableScan>,
    /// Draws N.
    last: TableScan,
}

impl DiscreteKNorm {
    /// The most entries of a vector.
    pub const MAX_LENGTH: usize = 1000;

    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    pub const ALGORITHM: &str = "discrete_k_norm/1";

    /// The distribution of vectors of `length` entries with this scale.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn new(scale: &Rational, length: usize) -> Result<Self, Error> {
        Self::check(scale, length)?;
        let refused = || out_of_range("scale", scale, SCALE_BITS);
        let rate = scale.reciprocal().ok_or_else(refused)?;
        let excess = Arc::new(Terms { rate, numbers: eulerian_numbers(length) });
        let scans = Arc::new(Scans::new(&excess).ok_or_else(refused)?);
        let entry_bytes = entry_bytes(scale, length);
        Ok(Self { scale: scale.clone(), length, entry_bytes, excess, scans })
    }

    /// Whether there is a distribution of vectors of `length` entries with this scale, without
    /// making its thresholds.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < scale ≤ 2^51 with at most [`Rational::MAX_BITS`] bits, and 2
    /// ≤ length ≤ [`Self::MAX_LENGTH`]. Of one entry it would be
    /// [`DiscreteLaplace`](crate::DiscreteLaplace).
    pub fn check(scale: &Rational, length: usize) -> Result<(), Error> {
        within("scale", scale, SCALE_BITS)?;
        if !(2..=Self::MAX_LENGTH).contains(&length) {
            let most = Self::MAX_LENGTH;
            let instead =
                if length == 1 { "; of one entry it is discrete Laplace noise" } else { "" };
            let accepted = format!("2 to {most} entries{instead}");
            return Err(ParameterError::new("length", length, accepted).into());
        }
        Ok(())
    }

    /// The scale t, in units of the entries.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// The number d of entries.
    pub fn length(&self) -> usize {
        self.length
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

    /// Upper bound on the probability that a vector takes an exceptional path, in units of 2^−64.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        let Scans { excess, digits, last } = &*self.scans;
        let scans = digits.iter().chain([excess, last]);
        // One of 2^40 vectors has an undecided entry, or one of 2^64 too large a half side.
        scans.map(TableScan::undecided).sum::<u64>() + (1 << 24) + 1
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
        let half_side = self.draw_half_side(rng, out.len())?;
        self.fill_part(half_side, rng, out)
    }

    /// Adds one draw to the values, as many as a draw has entries: the draw that [`Self::fill`]
    /// would give.
    ///
    /// # Errors
    /// As [`Self::fill`], and [`Error::Overflow`] if a sum does not fit `T`; the slice is then
    /// partly changed and must not be used.
    pub fn add_to<T, R>(&self, rng: &mut R, values: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw + CheckedAdd + Clone,
        R: CryptoRng + ?Sized,
    {
        // One half side for all parts of 256 values.
        let half_side = self.draw_half_side(rng, values.len())?;
        bulk::add(values, |noise| self.fill_part(half_side, rng, noise))
    }

    /// Draws the half side S = J + Σ 2^k·D_k + 2^K·N of a vector of `count` entries. `Err` if a
    /// vector has another number of entries, or if S is 2^62 or more. Wipes the stack that it used.
    fn draw_half_side<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        count: usize,
    ) -> Result<u64, Error> {
        if count != self.length {
            let accepted = format!("{}, the entries of a draw", self.length);
            return Err(ParameterError::new("length", count, accepted).into());
        }
        let half_side = self.scans.draw(rng);
        zeroize_stack::<{ bulk::STACK_OF_FEW }>();
        if declassify(u64::from(half_side >> 62_u32 != 0)) {
            return Err(Error::Overflow { index: 0, target: "62 bits" });
        }
        Ok(low_64(half_side))
    }

    /// Fills `out` with entries, uniform on {−S, …, S}; S is `half_side`, below 2^62. `Err` if one
    /// does not fit `T`. Wipes the stack that it used.
    fn fill_part<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        half_side: u64,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        // Allocated here, so that the stack of called functions lies below, where it is wiped.
        let memory = &mut Memory::default();
        let unfit = match self.entry_bytes {
            8 => fill_entries::<8, T, R>(half_side, rng, memory, out),
            10 => fill_entries::<10, T, R>(half_side, rng, memory, out),
            _ => fill_entries::<16, T, R>(half_side, rng, memory, out),
        };
        zeroize_stack::<{ bulk::STACK }>();
        bulk::complete::<T>(unfit)
    }
}

wiped_memory! {
    /// The working memory of the entries of a block. Wiped when dropped.
    struct Memory {
        /// Random bytes, up to 16 for each entry.
        bytes: [u8; 16 * LANES] = [0; _],
        entries: [i64; LANES] = [0; _],
    }
}

/// The bytes of a word W of an entry, 8, 10 or 16: with N a bound on 2S + 1 for all but 2^−64
/// of the half sides S of draws of `length` entries with this scale, one of them is undecided with
/// probability at most `length`·N/256^bytes ≤ 2^−40.
fn entry_bytes(scale: &Rational, length: usize) -> usize {
    // S > d + t·(m + √(2mL) + L), m = d + 1, has a probability below e^−L; with L = 45 the
    // parenthesis is at most 2m + 90.
    let m = length as u64 + 1;
    let reach = scale * &Rational::from(2 * m + 90) + Rational::from(m);
    let largest: BigInt = (reach.ceil() * 2 + 1) * length;
    match largest.bits() + 40 {
        ..=64 => 8,
        65..=80 => 10,
        // At most 114.
        _ => 16,
    }
}

/// Fills `out` with entries, uniform on {−S, …, S}, from words of `BYTES` bytes; S is `half_side`,
/// below 2^62. Returns the position of one that does not fit `T`, else `None`. Not inlined, so that
/// the caller can wipe its stack.
#[inline(never)]
fn fill_entries<const BYTES: usize, T: FromDraw, R: CryptoRng + ?Sized>(
    half_side: u64,
    rng: &mut R,
    memory: &mut Memory,
    out: &mut [T],
) -> Option<usize> {
    let Memory { bytes, entries } = memory;
    out.chunks_mut(LANES).enumerate().find_map(|(block, out)| {
        rng.fill_bytes(&mut bytes[..BYTES * out.len()]);
        let words = &bytes.as_chunks::<BYTES>().0[..out.len()];
        let mut any_undecided = 0;
        for (entry, word) in zip(&mut *entries, words) {
            let (drawn, _, undecided) = scaled(word, half_side);
            any_undecided |= undecided;
            *entry = drawn;
        }
        if declassify(any_undecided) {
            decide(half_side, rng, words, entries);
        }
        let unfit = zip(out, &*entries)
            .position(|(place, entry)| T::try_from(*entry).map(|entry| *place = entry).is_err());
        unfit.map(|position| block * LANES + position)
    })
}

/// X − S and r, where W·n = X·2^128 + r, and n = 2S + 1 for the `half_side` S; and 1 if r > 2^128 −
/// n·2^u, where further bits may add 1 to X, else 0. The last u bits of W are 0, and the others are
/// the bytes of `word`, the least significant first.
#[inline(always)]
fn scaled<const BYTES: usize>(word: &[u8; BYTES], half_side: u64) -> (i64, u128, u64) {
    let (lower, upper) = word.split_at(BYTES - 8);
    let upper = u64::from_le_bytes(*upper.first_chunk().expect("8 bytes"));
    // Without an array of 16 bytes: to read what was just written in two parts waits long.
    let lower = lower.iter().fold(0, |word, byte| (word >> 8) | (u64::from(*byte) << 56));
    let n = u128::from(2 * half_side + 1);
    // Two products of 64 bits by 64 bits: the upper one and a carry below 2^64 fit 128 bits.
    let low = u128::from(lower) * n;
    let high = u128::from(upper) * n + (low >> 64);
    let rest = (high << 64) | u128::from(low_64(low));
    // r + n·2^u − 1 overflows exactly where r > 2^128 − n·2^u.
    let (_, undecided) = rest.overflowing_add((n << (128 - 8 * BYTES)) - 1);
    let entry = low_64(high >> 64).wrapping_sub(half_side).cast_signed();
    (entry, rest, undecided.into())
}

/// Decides the undecided `entries` of the block with these `words`: adds 1 where V ≥ (2^128 −
/// r)/(n·2^u), by bits of V that are drawn as they are needed.
#[cold]
#[inline(never)]
fn decide<const BYTES: usize, R: CryptoRng + ?Sized>(
    half_side: u64,
    rng: &mut R,
    words: &[[u8; BYTES]],
    entries: &mut [i64],
) {
    for (entry, word) in zip(entries, words) {
        let (_, rest, undecided) = scaled(word, half_side);
        if undecided == 1 {
            // 2^128 − r, which is not 0 as r is not.
            let all = BigInt::from(2 * half_side + 1) << (128 - 8 * BYTES);
            let missing = Rational::new(rest.wrapping_neg(), all).expect("n is odd");
            *entry += i64::from(!refine_tie(&missing, 0, 0, rng));
        }
    }
}

impl Scans {
    /// The scans for half sides whose J has the distribution `excess`; `None` if one would have too
    /// many thresholds.
    fn new(excess: &Arc<Terms>) -> Option<Self> {
        let Terms { rate, numbers } = &**excess;
        let count = u64::try_from(numbers.len()).ok()?;
        // 2^K is at least 8t.
        let rate_of = |k: u32| rate * &Rational::integer(BigInt::from(1) << k);
        let last = (0..=SCALE_BITS + 3).find(|k| rate_of(*k) >= Rational::integer(8))?;
        let numbers = binomial_coefficients(count);
        let digit =
            |k| TableScan::new(Arc::new(Terms { rate: rate_of(k), numbers: numbers.clone() }));
        Some(Self {
            excess: TableScan::new(Arc::clone(excess) as Arc<dyn Distribution>)?,
            digits: (0..last).map(digit).collect::<Option<_>>()?,
            last: TableScan::new(Arc::new(NegativeBinomial { rate: rate_of(last), count }))?,
        })
    }

    /// Draws a half side, J + Σ 2^k·D_k + 2^K·N. Not inlined, so that the caller can wipe its
    /// stack.
    #[inline(never)]
    fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> u128 {
        let mut draw = |scan: &TableScan| u128::from(scan.draw(rng).unsigned_abs());
        // A number of 63 bits is shifted by at most 54, and no digit exceeds d + 1.
        let last = draw(&self.last) << self.digits.len();
        let digits = zip(0_u32.., &self.digits).map(|(k, scan)| draw(scan) << k);
        let upper = digits.fold(last, |sum, digit| sum + digit);
        upper + draw(&self.excess)
    }
}

/// The distribution P(j) ∝ c_j·e^(−`rate`·j) of finitely many terms.
#[derive(Debug)]
struct Terms {
    rate: Rational,
    /// c_0, c_1, …, which are above 0.
    numbers: Vec<BigUint>,
}

impl Terms {
    /// c_j·e^(−`rate`·j) for every j, and their sum, enclosed with a relative width of about
    /// 2^−`precision`.
    fn weights(&self, precision: u32) -> (Vec<Interval>, Interval) {
        // A power is a product of up to 1001 factors, each of which costs about a unit.
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

impl Distribution for Terms {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let (weights, total) = self.weights(precision);
        Box::new(move |outcome| {
            let weight = usize::try_from(outcome).ok().and_then(|outcome| weights.get(outcome));
            let weight = weight.expect("outcomes are those of the support");
            weight.checked_div(&total).expect("the weight of 0 is above 0")
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::try_from(self.numbers.len()).expect("a thousand numbers") - 1
    }
}

/// The sum of `count` geometric numbers of ratio Q = e^−`rate`: P(j) = C(`count` − 1 + j, j)·Q^j·(1
/// − Q)^`count`.
#[derive(Debug)]
struct NegativeBinomial {
    rate: Rational,
    count: u64,
}

impl Distribution for NegativeBinomial {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(16);
        let power = u32::try_from(self.count).expect("a thousand numbers");
        let first = one_minus_exp_minus(&self.rate, precision).powi(power);
        Box::new(move |outcome| {
            let j = outcome.unsigned_abs();
            let number = Interval::integer(choose(self.count - 1 + j, j), precision);
            exp_minus(&(Rational::from(j) * &self.rate), precision) * &first * number
        })
    }
}

/// C(n, k)
fn choose(n: u64, k: u64) -> BigUint {
    (0..k).fold(BigUint::from(1_u8), |ways, i| ways * (n - i) / (i + 1))
}

/// C(n, 0), …, C(n, n)
fn binomial_coefficients(n: u64) -> Vec<BigUint> {
    let next = |(k, ways): &(u64, BigUint)| (*k < n).then(|| (k + 1, ways * (n - k) / (k + 1)));
    successors(Some((0, BigUint::from(1_u8))), next).map(|(_, ways)| ways).collect()
}

/// The Eulerian numbers of type B, B(d, 0), …, B(d, d) for d = `length`.
fn eulerian_numbers(length: usize) -> Vec<BigUint> {
    let mut row = vec![BigUint::from(1_u8)];
    for n in 1..=length {
        row.push(BigUint::ZERO);
        // From the end on, so that the number before is still that of n − 1. B(n, 0) is 1.
        for j in (1..=n).rev() {
            let (before, number) = row.split_at_mut(j);
            number[0] *= 2 * j + 1;
            number[0] += &before[j - 1] * (2 * (n - j) + 1);
        }
    }
    row
}

#[cfg(test)]
mod tests;
