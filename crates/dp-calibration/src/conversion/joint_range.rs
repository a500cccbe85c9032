//! The joint range of the Rényi divergence of one order and the hockey-stick divergence.
//!
//! Section 8 of `docs/calibration.md` proves that a Rényi divergence of order α of at most τ gives
//! (ε, δ) as soon as F(p) > c for every p in (δ, 1] (Asoodeh, Liao, Calmon, Kosut, Sankar 2020),
//!
//!   F(p) := p^α·(p−δ)^(1−α) + (1−p)^α·(e^ε − p + δ)^(1−α),  c := e^((α−1)(τ−ε)),
//!
//! that F is convex, and how (ε, δ) is certified: for αδ ≥ 1 at p = 1, where −ln(1−δ) > τ − ε is
//! enough; else by F ≥ F(a) + F′(a)·(b − a) for a bracket F′(a) ≤ 0 ≤ F′(b). With s = α − 1, x =
//! p/(p−δ) and y = (1−p)/(e^ε−p+δ),
//!
//!   F′ = f(x) − f(y),   f(x) = x^s·(1 + s − s·x).
//!
//! F(p) ≥ p > δ, as x ≥ 1: where c < δ nothing more is to be checked.

use dp_exact::search::{integer_midpoint, try_bisect};
use dp_exact::{Interval, Rational, elementary};

/// Bits of the enclosures, beyond the bits that small parameters need.
const PRECISION: u32 = 128;

/// Number of bisections of the bracket of the minimum. They bring the odds at its ends within a
/// relative 2^−40.
const HALVINGS: u32 = 40;

/// The most doublings of the odds in search of a bracket.
const MAX_DOUBLINGS: u32 = 1 << 14;

/// Whether certainly no pair of distributions whose Rényi divergence of order α is at most τ has a
/// hockey-stick divergence of δ or more at ε ≥ 0.
pub(super) fn excludes(
    (alpha, tau): (&Rational, &Rational),
    epsilon: &Rational,
    delta: &Rational,
) -> bool {
    *delta >= 1 || delta.is_positive() && excluded((alpha, tau), epsilon, delta).unwrap_or(false)
}

/// [`excludes`] for 0 < δ < 1; `None` if the precision does not decide.
fn excluded(
    (alpha, tau): (&Rational, &Rational),
    epsilon: &Rational,
    delta: &Rational,
) -> Option<bool> {
    let rest = tau - epsilon;
    let precision = precision(alpha, epsilon, delta)?;
    let enclose = |value: &Rational| Interval::rational(value, precision);
    if alpha * delta >= 1 {
        let loss = -enclose(&(Rational::one() - delta)).ln()?;
        return Some(loss.compare_rational(&rest)?.is_gt());
    }
    let excess = alpha - &Rational::one();
    let limit = enclose(&(&excess * &rest)).exp()?;
    if limit.upper().cmp_rational(delta).is_lt() {
        return Some(true);
    }
    let coins = CoinPair { delta, growth: enclose(epsilon).exp_m1()?, excess, rest, precision };
    let (below, above) = coins.bracket()?;
    let least = below.value + below.slope * (above.inside - below.inside);
    Some(least.compare_rational(&Rational::one())?.is_gt())
}

/// Pairs of coins with chances p and q of heads and the hockey-stick divergence δ = p − e^ε·q. The
/// odds v = (p−δ)/(1−p) tell one pair from another.
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
    /// v = (p−δ)/(1−p)
    odds: Rational,
    /// p − δ
    inside: Interval,
    /// F(p)/c
    value: Interval,
    /// F′(p)/c
    slope: Interval,
}

impl CoinPair<'_> {
    /// Two points close to the minimum of F: F falls at the first one and rises at the second one.
    /// `None` if the precision does not show these signs.
    fn bracket(&self) -> Option<(SlopeAt, SlopeAt)> {
        // F falls at p = αδ, where f(x) is 0.
        let inside = &self.excess * self.delta;
        let first = inside.checked_div(&(Rational::one() - self.delta - &inside))?;
        let doubled = |times: u32| self.at(&(&first * &Rational::integer(2).pow(times)));
        let mut most = 1;
        while !doubled(most)?.slope.is_positive() {
            most *= 2;
            if most > MAX_DOUBLINGS {
                return None;
            }
        }
        let rises = |times: &u32| doubled(*times).map(|at| at.slope.is_positive()).ok_or(());
        let (low, high) = try_bisect(0, most, integer_midpoint, rises).ok()?;
        let (mut below, mut above) = (doubled(low)?, doubled(high)?);
        let half = Rational::new(1, 2).ok()?;
        for _ in 0..HALVINGS {
            let middle = self.at(&((&below.odds + &above.odds) * &half))?;
            if middle.slope.is_positive() {
                above = middle;
            } else if (-&middle.slope).is_positive() {
                below = middle;
            } else {
                break;
            }
        }
        (-&below.slope).is_positive().then_some((below, above))
    }

    /// F/c and its slope for the pair of coins with these `odds`, enclosed. `None` if an operation
    /// has no enclosure.
    fn at(&self, odds: &Rational) -> Option<SlopeAt> {
        let enclose = |value: &Rational| Interval::rational(value, self.precision);
        let one = Interval::integer(1, self.precision);
        let (delta, excess) = (enclose(self.delta), enclose(&self.excess));
        // 1 − p and p − δ
        let outside = (&one - &delta).checked_div(&enclose(&(Rational::one() + odds)))?;
        let inside = enclose(odds) * &outside;
        // x^s/c, y^s/c
        let power = |base: &Interval| (&excess * &(base.ln()? - enclose(&self.rest))).exp();
        // x − 1
        let beyond = delta.checked_div(&inside)?;
        // e^ε − p + δ
        let beside = &self.growth + &(&delta + &outside);
        let y = outside.checked_div(&beside)?;
        let (x_power, y_power) = (power(&(&one + &beyond))?, power(&y)?);
        let value = (&inside + &delta) * &x_power + outside * &y_power;
        // 1 − s·(x − 1) and 1 + s·(1 − y)
        let fall = &one - &(&excess * &beyond);
        let other = (&self.growth + &delta).checked_div(&beside)?;
        let rise = one + excess * other;
        let slope = x_power * fall - y_power * rise;
        Some(SlopeAt { odds: odds.clone(), inside, value, slope })
    }
}

/// Bits that suffice for s·(ln x − τ + ε), s = α − 1, where x − 1 may be as small as δ. They also
/// show a change of δ in its twelfth digit, which changes F by about s·δ² or more.
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
