//! The buckets that a wide binomial distribution is drawn through.
//!
//! Let D(x) = ln(P(c + x)/P(c)) with a centre c such that c − 1 ≤ (n + 1)·p ≤ c + 1. As P(k +
//! 1)/P(k) = (n − k)·p/((k + 1)·q) falls with k, D falls from x = 0 upward and from x = −1
//! downward, ever faster. Outcome m ≥ 0 of the distribution here stands for the bucket of x = mW,
//! …, mW + W − 1, and −1 − m for the bucket of −1 − x with the same x; W = 2^w. Its weight is e^L
//! with L ≥ D on all of its bucket: L is the computed D at the start of the bucket plus twice the
//! bound of its error, so that the computed D never exceeds L either.
//!
//! One outcome more on each side stands for all x beyond: y = MW + g, g ≥ 0. There D ≤ L − s·g,
//! where s is a lower bound for the first fall D(MW) − D(MW + 1). The weight of that tail is Σ_g
//! e^(L − s·g)/W = e^L/(W·(1 − e^−s)).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use dp_exact::{Dyadic, Interval, Rational, Real};
use num_bigint::BigInt;
use rand_core::CryptoRng;

use super::Binomial;
use super::binomial_curve::{Curve, FRACTION};
use crate::bernoulli_real::BernoulliReal;
use crate::enclosure::{ExpMinus, exp_minus, one_minus_exp_minus, unit};
use crate::threshold::refine_tie;
use crate::word_counts::{Distribution, PRECISION};

/// −D(x) at which tails begin, in units of 2^−55, D(x) = ln(P(c + x)/P(c)): less than 2^−64 of the
/// weight lies beyond.
const DEPTH: i64 = 45 << FRACTION;

/// The fall 13/10 of ln P in units of 2^−55: a bucket within which ln P falls by as much is far.
const MAX_FALL: i64 = (1 << FRACTION) / 10 * 13;

/// The largest variance over W², which decides the bucket width W, a power of two: about 140
/// thresholds.
const SCALED_LIMIT: u64 = 243;

/// Bits after the binary point in the error bounds of the first comparison.
const FINE: u32 = 70;

/// The distribution of the buckets, with all that accepting a proposal needs.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    /// The binomial distribution that is drawn.
    distribution: Binomial,
    /// D(x) = ln(P(c + x)/P(c))
    pub(super) curve: Curve,
    /// c, the number of successes at x = 0.
    pub(crate) centre: u64,
    /// w: a bucket holds W = 2^w numbers of successes.
    pub(crate) width_bits: u32,
    /// The largest level L of a bucket, in units of 2^−55: an upper bound on D(x) for every x.
    top: i64,
    /// The tail of x ≥ 0.
    up: Tail,
    /// The tail of x < 0.
    down: Tail,
    /// The variance np(1 − p) of the n trials, about.
    variance: u64,
}

/// The tail on one side of the centre.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// M, the number of buckets before the tail.
    buckets: i64,
    /// s, a lower bound on the fall of D from one x to the next in the tail, in units of 2^−55.
    slope: i64,
}

impl Envelope {
    /// The buckets of `distribution`, whose variance is about `variance`. `None` if a bound that
    /// the draws rest on does not hold, as where the variance is small.
    pub(crate) fn new(distribution: &Binomial, variance: u64) -> Option<Self> {
        let centre = centre(distribution)?;
        let curve = Curve::new(distribution, centre, variance)?;
        let width_bits = (1..=16).find(|bits| variance <= SCALED_LIMIT << (2 * bits))?;
        let none = Tail { buckets: 0, slope: 0 };
        let mut envelope = Self {
            distribution: distribution.clone(),
            curve,
            centre,
            width_bits,
            top: 0,
            up: none,
            down: none,
            variance,
        };
        envelope.up = envelope.tail(false)?;
        envelope.down = envelope.tail(true)?;
        envelope.top = envelope.level(0).max(envelope.level(-1));
        let holds = |outcome| {
            envelope.fall(outcome, envelope.width() - 1) >= 0
                && envelope.level(outcome) <= envelope.top
        };
        envelope.support().all(holds).then_some(envelope)
    }

    /// The tail on one side: of x < 0 if `down`, else of x ≥ 0. `None` if the curve ends before the
    /// tail, or is not certain to fall there.
    fn tail(&self, down: bool) -> Option<Tail> {
        let side = |m: i64| if down { !m } else { m };
        // The last offset of the tail's first bucket must lie on the curve.
        let buckets = (1..(self.curve.reach() >> self.width_bits) - 1)
            .find(|&m| self.curve.at(self.offset(side(m), 0)) < -DEPTH)?;
        let value = |g| self.curve.at(self.offset(side(buckets), g));
        let slope = value(0) - value(1) - 2 * self.curve.error;
        (slope > 0).then_some(Tail { buckets, slope })
    }

    /// W, the number of x in a bucket.
    fn width(&self) -> i64 {
        1 << self.width_bits
    }

    /// The x at `offset` of the bucket or tail that `outcome` stands for. Offsets count from 0,
    /// away from the centre; up to W − 1 in a bucket.
    #[inline]
    fn offset(&self, outcome: i64, offset: i64) -> i64 {
        let sign = outcome >> 63;
        (((outcome ^ sign) << self.width_bits) + offset) ^ sign
    }

    /// The level L of the bucket of `outcome`: an upper bound on D(x) = ln(P(c + x)/P(c)) there, in
    /// units of 2^−55.
    #[inline]
    fn level(&self, outcome: i64) -> i64 {
        self.curve.at(self.offset(outcome, 0)) + 2 * self.curve.error
    }

    /// L − D(x) in units of 2^−55, within the error of the curve; not negative. L is the level of
    /// the bucket of `outcome`, and x is at `offset` of that bucket.
    #[inline]
    fn fall(&self, outcome: i64, offset: i64) -> i64 {
        self.level(outcome) - self.curve.at(self.offset(outcome, offset))
    }

    /// γ = L − D(x) in units of 2^−63, within [`Self::error`]; the proposal x is accepted with
    /// probability e^−γ. x is at `offset` of the bucket of `outcome`, which is not far.
    #[inline]
    pub(crate) fn gamma(&self, outcome: i64, offset: i64) -> u64 {
        self.fall(outcome, offset).cast_unsigned() << (63 - FRACTION)
    }

    /// Upper bound on the error of [`Self::gamma`], in units of 2^−63.
    pub(crate) fn error(&self) -> u64 {
        self.curve.error.unsigned_abs() << (63 - FRACTION)
    }

    /// The largest m for which the buckets 0, …, m on both sides are no tails, and ln P falls by
    /// less than 13/10 in each. `None` if there is no such m.
    pub(crate) fn last(&self) -> Option<u16> {
        let near = |m: i64| {
            let sides = [m, !m];
            sides.iter().all(|&outcome| {
                let fall = self.fall(outcome, self.width() - 1);
                self.slope(outcome).is_none() && fall + self.curve.error < MAX_FALL
            })
        };
        let count = (0..).take_while(|m| near(*m)).count();
        u16::try_from(count).ok()?.checked_sub(1)
    }

    /// 2c = W²/v for the bucket width W and the variance v, about. The first comparison takes γ =
    /// c·D·(2m + D) of a Gaussian, D = u/W for the offset u in bucket m. `None` only for v = 0.
    pub(crate) fn twice_c(&self) -> Option<Rational> {
        Rational::new(BigInt::from(1) << (2 * self.width_bits), self.variance).ok()
    }

    /// Upper bounds, each with one more unit, of |γ − c·D·(2m + D)| in the buckets up to each of 0,
    /// …, `last`, in units of 2^−16. D is the offset over W in bucket m. The list ends before a
    /// bound of more than 16 bits. `None` if a bound cannot be computed.
    ///
    /// Let h(D) be the difference in a bucket. h(0) is within 3 errors of the curve of 0, and h'' =
    /// W²·f'' − 2c with f'' = ψ'(c₀ + x + 1) + ψ'(d₀ − x + 1), c₀ the centre and d₀ the rest of the
    /// trials, between 1/(c₀ + x + 1) + 1/(d₀ − x + 1) and 1/(c₀ + x) + 1/(d₀ − x). A function
    /// differs from its chord by at most an eighth of its second derivative, so |h| ≤ |h(1)| + max
    /// |h''|/8.
    pub(crate) fn lane_errors(&self, last: u16) -> Option<Vec<u16>> {
        let mut worst = 0;
        let mut errors = Vec::new();
        for m in 0..=i64::from(last) {
            for outcome in [m, !m] {
                worst = self.lane_error(outcome)?.max(worst);
            }
            match u16::try_from((worst >> (FINE - 16)) + 2) {
                Ok(units) => errors.push(units),
                Err(_) => break,
            }
        }
        Some(errors)
    }

    /// Upper bound on |γ − c·D·(2m + D)| in the bucket of `outcome`, in units of 2^−70, where D is
    /// the offset over W in bucket m. `None` if it cannot be computed.
    fn lane_error(&self, outcome: i64) -> Option<i128> {
        let m = i128::from(outcome ^ (outcome >> 63));
        let whole = self.curve.at(self.offset(outcome, 0))
            - self.curve.at(self.offset(outcome, self.width()));
        let [one, other] = [0, self.width()].map(|offset| self.offset(outcome, offset));
        let (low, high) = (one.min(other), one.max(other));
        let (c, d) = (self.centre, self.distribution.trials.checked_sub(self.centre)?);
        let square = 1_i128 << (2 * self.width_bits + FINE);
        // Each quotient is rounded down, by less than a unit.
        let over = |count: Option<u64>| square.checked_div(count?.into());
        let twice_c = over(Some(self.variance))?;
        let chord = (i128::from(whole) << (FINE - FRACTION)) - twice_c * (2 * m + 1) / 2;
        let upper = over(c.checked_add_signed(low))? + over(d.checked_add_signed(-high))?;
        let lower = over(c.checked_add_signed(high + 1))? + over(d.checked_add_signed(1 - low))?;
        let bend = (upper - twice_c).abs().max((lower - twice_c).abs());
        let errors = i128::from(8 * self.curve.error) << (FINE - FRACTION);
        Some(chord.abs() + bend / 8 + errors + 2 * m + 8)
    }

    /// The probability P(c + x)/P(c)·e^−L of accepting the x at `offset` of the bucket of
    /// `outcome`, whose level is L.
    pub(crate) fn acceptance(&self, outcome: i64, offset: i64) -> impl Real + '_ {
        // A bucket that is no tail lies within |x| ≤ 2^K, where [`Self::tail`] looks for the first
        // tail. [`Curve::new`] refuses a 2^K above half of c or of n − c, so that 0 < c + x < n.
        let k = self.centre.checked_add_signed(self.offset(outcome, offset));
        let k = k.expect("2^K is at most half of c");
        Acceptance { envelope: self, k, level: units(self.level(outcome)) }
    }

    /// A proposal from a tail: `None` if `outcome` is no tail, `Some(None)` if it is rejected, else
    /// a number of successes. The distance g into the tail, the heads of a coin of e^−s before the
    /// first tail, has P(g) ∝ e^(−s·g); it is accepted if U < e^(D(x) − L + s·g), with U uniform on
    /// [0, 1) and `uniform` its first `bits` bits.
    pub(crate) fn draw_in_tail<R: CryptoRng + ?Sized>(
        &self,
        outcome: i64,
        (uniform, bits): (u64, u32),
        rng: &mut R,
    ) -> Option<Option<i64>> {
        let slope = units(self.slope(outcome)?);
        // 0 < e^−s < 1, as [`Self::tail`] refuses an s of 0, and 128 bits enclose it within less
        // than 2^−120, which meets at most two of 2^64 words.
        let coin = BernoulliReal::new(ExpMinus(slope.clone()));
        let coin = coin.expect("e^−s is in [0, 1], with narrow enclosures");
        let mut distance = 0;
        while coin.sample(rng) {
            distance += 1;
        }
        let k = self.centre.checked_add_signed(self.offset(outcome, distance));
        let Some(k) = k.filter(|k| *k <= self.distribution.trials) else {
            return Some(None);
        };
        let acceptance = Acceptance {
            envelope: self,
            k,
            level: units(self.level(outcome)) - slope * Rational::integer(distance),
        };
        let accepted = refine_tie(&acceptance, uniform, bits, rng);
        Some(accepted.then(|| k.cast_signed()))
    }

    /// The slope s of the tail `outcome`, the least fall of D(x) a step, in units of 2^−55. `None`
    /// if `outcome` is a bucket.
    fn slope(&self, outcome: i64) -> Option<i64> {
        let tail = if outcome < 0 { self.down } else { self.up };
        let magnitude = if outcome < 0 { !outcome } else { outcome };
        (magnitude >= tail.buckets).then_some(tail.slope)
    }

    /// The weight of `outcome` relative to e^top: e^(L − top) for a bucket of level L, divided by
    /// W·(1 − e^−s) for a tail of slope s.
    fn weight(&self, outcome: i64, precision: u32) -> Interval {
        let weight = exp_minus(&units(self.top - self.level(outcome)), precision);
        let Some(slope) = self.slope(outcome) else {
            return weight;
        };
        weight
            .shifted(-i64::from(self.width_bits))
            .checked_div(&one_minus_exp_minus(&units(slope), precision))
            .expect("s is above 0")
    }

    /// The sum of the weights of all buckets and tails, enclosed.
    fn total(&self, precision: u32) -> Interval {
        let none = Interval::integer(0, precision);
        self.support()
            .map(|outcome| self.weight(outcome, precision))
            .fold(none, |sum, weight| sum + weight)
    }
}

/// The probability P(k)/P(c)·e^−`level` of accepting k successes, c the centre, as a real number.
#[derive(Debug)]
struct Acceptance<'a> {
    envelope: &'a Envelope,
    /// A number of successes.
    k: u64,
    /// The logarithm that is subtracted: L of a bucket, or L − s·g at the distance g in a tail of
    /// slope s.
    level: Rational,
}

impl Real for Acceptance<'_> {
    fn enclose(&self, precision: u32) -> Interval {
        let logarithm = self.envelope.distribution.ln_at(precision);
        let level = Interval::rational(&self.level, precision.saturating_add(64));
        let exact = || (logarithm(self.k)? - logarithm(self.envelope.centre)? - level).exp();
        // Enclosures of p that reach 0 tell no more than [0, 1].
        exact().unwrap_or_else(|| unit(precision))
    }
}

/// `number`·2^−55 as a fraction.
fn units(number: i64) -> Rational {
    Rational::new(number, 1_u64 << FRACTION).expect("2^55 is not 0")
}

/// A number c of successes that is certainly within 1 of (n + 1)·p, n trials of probability p.
/// `None` if p is not known well enough.
fn centre(distribution: &Binomial) -> Option<u64> {
    let [p, _] = distribution.sides(PRECISION);
    let mean = p * Interval::integer(distribution.trials + 1, PRECISION);
    let centre: BigInt = (mean.lower().floor_shifted(1) + 1) >> 1_u32;
    let within = *mean.lower() >= Dyadic::new(&centre - 1, 0)
        && *mean.upper() <= Dyadic::new(&centre + 1, 0);
    within.then(|| u64::try_from(centre).ok())?
}

impl Distribution for Envelope {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let total = self.total(precision.saturating_add(16));
        Box::new(move |outcome| {
            let share = self.weight(outcome, precision).checked_div(&total);
            share.expect("the bucket of the top level has weight 1")
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        !self.down.buckets..=self.up.buckets
    }
}

#[cfg(test)]
pub(crate) mod tests;
