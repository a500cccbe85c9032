//! The joint range of the Rényi divergence of one order and the hockey-stick divergence.
//!
//! Let P and Q be any pair whose Rényi divergence of order α is at most τ, S the set of outcomes
//! where P > e^ε·Q, p = P(S) and q = Q(S). The hockey-stick divergence is δ = p − e^ε·q. Telling
//! only whether the outcome is in S does not increase a divergence, so
//!
//!   p^α·q^(1−α) + (1−p)^α·(1−q)^(1−α) ≤ e^((α−1)τ),  q = (p−δ)·e^(−ε),
//!
//! or, times e^(−(α−1)ε),
//!
//!   F(p) := p^α·(p−δ)^(1−α) + (1−p)^α·(e^ε − p + δ)^(1−α) ≤ c := e^((α−1)(τ−ε)).
//!
//! So (ε, δ) holds as soon as F(p) > c for every p in (δ, 1] (Asoodeh, Liao, Calmon, Kosut, Sankar
//! 2020); and where F(p) ≤ c for some p, the pair of coins (p, q) has the divergence τ and a
//! hockey-stick divergence of δ. This is certified, not searched. (p, r) ↦ p^α·r^(1−α) is the
//! perspective of a convex function, hence jointly convex, and both terms of F apply it to affine
//! functions of p: **F is convex**. With s = α − 1, x = p/(p−δ) and y = (1−p)/(e^ε−p+δ),
//!
//!   F′ = f(x) − f(y),   f(x) = x^s·(1 + s − s·x).
//!
//! - **αδ ≥ 1**: F′(1) = f(1/(1−δ)) ≤ 0, so that F falls up to p = 1, and (ε, δ) holds where
//!   F(1) = (1−δ)^(1−α) > c, which is −ln(1−δ) > τ − ε.
//! - **αδ < 1**: F′(1) > 0, and the minimum is inside. From F′(a) ≤ 0 ≤ F′(b) it follows that F ≥
//!   F(a) on (δ, a]; that F is above its tangent of a on [a, b]; and that F ≥ F(b) on [b, 1]. Hence
//!   F ≥ F(a) + F′(a)·(b − a) everywhere, which is below the minimum in second order of b − a.
//!
//! F(p) ≥ p > δ, as x ≥ 1: where c < δ nothing more is to be checked.

use dp_exact::search::bisect_floats;
use dp_exact::{Dyadic, Interval, Rational, elementary};

/// Bits of the enclosures, beyond the bits that small parameters need.
const PRECISION: u32 = 128;

/// Exponents w of brackets: the odds of the estimated minimum times 1 ± 2^−w. Narrow ones come
/// first.
const BRACKETS: [u32; 8] = [40, 36, 32, 28, 24, 20, 14, 8];

/// Terms of the series of ln(1 + z) − z for arguments below [`SMALL`].
const TERMS: i32 = 12;

/// Below this z, ln(1 + z) − z is taken from its series.
const SMALL: f64 = 0.01;

/// The guarantee that the Rényi divergence of order α is at most τ.
#[derive(Clone, Copy, Debug)]
pub(super) struct RenyiGuarantee<'a> {
    pub(super) alpha: &'a Rational,
    pub(super) tau: &'a Rational,
}

impl RenyiGuarantee<'_> {
    /// Whether certainly no pair with this guarantee has a hockey-stick divergence of δ or more at
    /// ε ≥ 0.
    pub(super) fn excludes(&self, epsilon: &Rational, delta: &Rational) -> bool {
        if *delta >= 1 {
            return true;
        }
        delta.is_positive() && self.excluded(epsilon, delta).unwrap_or(false)
    }

    /// [`Self::excludes`] for 0 < δ < 1; `None` if the precision does not decide.
    fn excluded(&self, epsilon: &Rational, delta: &Rational) -> Option<bool> {
        let rest = self.tau - epsilon;
        let precision = precision(self.alpha, epsilon, delta)?;
        let enclose = |value: &Rational| Interval::rational(value, precision);
        if self.alpha * delta >= 1 {
            let loss = -enclose(&(Rational::one() - delta)).ln()?;
            return Some(loss.compare_rational(&rest)?.is_gt());
        }
        let excess = self.alpha - &Rational::one();
        let limit = enclose(&(&excess * &rest)).exp()?;
        if limit.upper().cmp_rational(delta).is_lt() {
            return Some(true);
        }
        let coins = CoinPair { delta, growth: enclose(epsilon).exp_m1()?, excess, rest, precision };
        let (middle, exponent) = Steering::new(&coins.excess, epsilon, delta)?.minimum();
        let odds = Rational::from_f64(middle).ok()? * power_of_two(exponent);
        for width in BRACKETS {
            let part = power_of_two(-i64::from(width));
            let below = coins.at(&(&odds * &(Rational::one() - &part)))?;
            let above = coins.at(&(&odds * &(Rational::one() + &part)))?;
            if below.slope.upper() <= &Dyadic::new(0, 0)
                && above.slope.lower() >= &Dyadic::new(0, 0)
            {
                let reach = enclose(&(&above.inside - &below.inside));
                let least = below.value + below.slope * reach;
                return Some(least.compare_rational(&Rational::one())?.is_gt());
            }
        }
        None
    }
}

/// Pairs of coins whose hockey-stick divergence at ε is δ, by the odds v = (p−δ)/(1−p).
struct CoinPair<'a> {
    delta: &'a Rational,
    /// e^ε − 1
    growth: Interval,
    /// s = α − 1
    excess: Rational,
    /// τ − ε, for a Rényi divergence of at most τ.
    rest: Rational,
    /// Bits of the enclosures.
    precision: u32,
}

/// Value and slope of F/c at p = δ + `inside`. (ε, δ) holds as soon as F/c > 1 for all p in (δ, 1];
/// the head of this file defines F and c.
struct SlopeAt {
    /// p − δ
    inside: Rational,
    /// F(p)/c
    value: Interval,
    /// F′(p)/c
    slope: Interval,
}

impl CoinPair<'_> {
    /// F/c and its slope at these odds, enclosed; `None` if an operation has no enclosure.
    fn at(&self, odds: &Rational) -> Option<SlopeAt> {
        let enclose = |value: &Rational| Interval::rational(value, self.precision);
        // p − δ and 1 − p
        let outside = (Rational::one() - self.delta).checked_div(&(Rational::one() + odds))?;
        let inside = odds * &outside;
        // x^s/c, y^s/c
        let power = |base: &Interval| {
            let exponent = enclose(&self.excess) * (base.ln()? - enclose(&self.rest));
            exponent.exp()
        };
        let p = &inside + self.delta;
        let x = enclose(&p.checked_div(&inside)?);
        let beside = &self.growth + &enclose(&(self.delta + &outside));
        let y = enclose(&outside).checked_div(&beside)?;
        let (x_power, y_power) = (power(&x)?, power(&y)?);
        let value = enclose(&p) * &x_power + enclose(&outside) * &y_power;
        // 1 − s·(x − 1) and 1 + s·(1 − y)
        let fall = Rational::one() - &self.excess * &self.delta.checked_div(&inside)?;
        let other = (&self.growth + &enclose(self.delta)).checked_div(&beside)?;
        let rise = Interval::integer(1, self.precision) + enclose(&self.excess) * other;
        let slope = x_power * enclose(&fall) - y_power * rise;
        Some(SlopeAt { inside, value, slope })
    }
}

/// Bits that suffice for s·(ln x − τ + ε), where x − 1 may be as small as δ, and for the change of
/// F when δ changes in its twelfth digit, which is at least about s·δ².
fn precision(alpha: &Rational, epsilon: &Rational, delta: &Rational) -> Option<u32> {
    let excess = alpha - &Rational::one();
    let bits = |value: &Rational| -> Option<f64> {
        let log = Interval::rational(value, 64).ln()?.midpoint();
        Some((log * std::f64::consts::LOG2_E).abs())
    };
    let large = elementary::log2(epsilon.to_f64()).max(0.0);
    let extra = 2.0 * bits(delta)? + 2.0 * bits(&excess)? + large;
    let extra = Rational::from_f64(extra).ok()?.ceil();
    Some(PRECISION + u32::try_from(extra).ok()?)
}

/// 2^`exponent`, also for negative exponents.
fn power_of_two(exponent: i64) -> Rational {
    let power = Rational::integer(num_bigint::BigInt::from(1) << exponent.unsigned_abs());
    if exponent < 0 { power.reciprocal().unwrap_or_else(Rational::one) } else { power }
}

/// Estimates where F has its minimum.
///
/// F′ > 0 is ln f(x) > ln f(y). With X = x − 1 and Z = 1 − y, and −ln y = ln(1 + W), this is
///
///   (X − ln(1+X)) + (−ln(1−sX) − sX)/s  <  (ln(1+W) − Z) + (sZ − ln(1+sZ))/s,
///
/// in which no bracket cancels with another: the left side falls with p, from infinity where
/// sX = 1, and the right side rises. All of it is kept as logarithms, since δ may be 1e-300.
struct Steering {
    /// ln s, s = α − 1
    log_excess: f64,
    /// ln(δ/(1−δ))
    log_odds: f64,
    /// ln((e^ε − 1 + δ)/(1−δ))
    log_other: f64,
}

impl Steering {
    /// `excess` is α − 1. `None` if a logarithm cannot be enclosed.
    fn new(excess: &Rational, epsilon: &Rational, delta: &Rational) -> Option<Self> {
        let log = |value: &Interval| Some(value.ln()?.midpoint());
        let rational = |value: &Rational| log(&Interval::rational(value, 64));
        let rest = rational(&(Rational::one() - delta))?;
        let growth = Interval::rational(epsilon, 64).exp_m1()?;
        let other = growth + Interval::rational(delta, 64);
        Some(Self {
            log_excess: rational(excess)?,
            log_odds: rational(delta)? - rest,
            log_other: log(&other)? - rest,
        })
    }

    /// The estimated odds (p−δ)/(1−p) at the minimum of F: a number, and the exponent of a power of
    /// two.
    fn minimum(&self) -> (f64, i64) {
        let (low, high) = bisect_floats((-6000.0, 6000.0), 100, |log| self.rises(log));
        let log = f64::midpoint(low, high);
        let exponent = (log / std::f64::consts::LN_2).round();
        let part = elementary::exp(log - exponent * std::f64::consts::LN_2);
        let whole = Rational::from_f64(exponent).ok();
        let whole = whole.and_then(|whole| i64::try_from(whole.floor()).ok());
        (part, whole.unwrap_or(0))
    }

    /// Whether F rises at the odds e^`log`, by floats.
    fn rises(&self, log: f64) -> bool {
        let large = self.log_odds + softplus(-log);
        let scaled = self.log_excess + large;
        if scaled >= 0.0 {
            return false;
        }
        let beyond = -elementary::ln_1p(-elementary::exp(scaled));
        let left = sum(concave(large), convex(scaled, beyond) - self.log_excess);
        let ratio = self.log_other + softplus(log);
        let below = -softplus(-ratio);
        let right = concave(self.log_excess + below) - self.log_excess;
        left < sum(convex(below, softplus(ratio)), right)
    }
}

/// ln(1 + e^t)
fn softplus(t: f64) -> f64 {
    t.max(0.0) + elementary::ln_1p(elementary::exp(-t.abs()))
}

/// ln(e^a + e^b)
fn sum(a: f64, b: f64) -> f64 {
    a.max(b) + elementary::ln_1p(elementary::exp(-(a - b).abs()))
}

/// ln(z − ln(1+z)) for ln z = `log`.
fn concave(log: f64) -> f64 {
    let z = elementary::exp(log);
    if z < SMALL {
        2.0 * log + elementary::ln(series(-z))
    } else if log > 40.0 {
        log
    } else {
        elementary::ln(z - elementary::ln_1p(z))
    }
}

/// ln(L − z) with L = −ln(1−z), for ln z = `log` and L = `beyond`.
fn convex(log: f64, beyond: f64) -> f64 {
    let z = elementary::exp(log);
    if z < SMALL { 2.0 * log + elementary::ln(series(z)) } else { elementary::ln(beyond - z) }
}

/// ½ + z/3 + z²/4 + …, that is (−ln(1−z) − z)/z².
fn series(z: f64) -> f64 {
    let terms = (0..TERMS).rev();
    terms.fold(0.0, |sum, k| sum * z + f64::from(k + 2).recip())
}
