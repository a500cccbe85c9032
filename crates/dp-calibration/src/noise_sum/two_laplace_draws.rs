//! Two discrete Laplace draws: the exact distribution of their sum, for one coordinate and for two.
//!
//! The sum is log-concave as its parts are, so the worst-case difference of the box of differences
//! is the worst, and the likelihood ratio of one coordinate, p(y)/p(y+Δ), grows with y. With γ =
//! e^ε, with G the upper tail, and for two coordinates with T_y the first T at which p(y)·p(T) >
//! γ·p(y+Δ)·p(T+Δ),
//!
//! ```text
//! δ₁ = max_T [G(T) − γ·G(T+Δ)]
//! δ₂ = Σ_y [p(y)·G(T_y) − γ·p(y+Δ)·G(T_y+Δ)]
//! ```
//!
//! T_y falls as y grows, and one pass finds them all. For two coordinates both y and T are kept
//! within −L … L. No bracket is negative, and a pair weighs at most p(y)·p(T), so the pairs outside
//! sum to between 0 and 4·G(L+1): y too low, y too high, T too low, T too high.
//!
//! The sum for a larger scale is a randomization of the sum for a smaller one, part by part
//! ([`crate::discrete_laplace`]), so bisection for the scale is sound.

use dp_exact::search::{integer_midpoint, try_bisect};
use dp_exact::{Delta, Dyadic, Epsilon, Interval, PrecisionError, Rational};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::discrete_gaussian::{is_narrow, least_epsilon};
use crate::discrete_laplace::{self, LaplaceCalibration, LaplaceProof, least_scale};
use crate::{Error, Refusal, WorstCaseDifference, accepted};

/// Bits of precision to try, in this order.
const PRECISIONS: [u32; 4] = [192, 384, 768, 1536];

/// For two coordinates, the sum of two draws is followed to this many scales on either side: what
/// lies beyond has a probability below 2^−200.
const REACH: u32 = 150;

/// The most values on either side of 0 in a table of the sum.
const MAX_REACH: u32 = 40_000;

/// The largest scale for two coordinates, for which the sum is short enough.
const MAX_SCALE: i64 = 133;

/// The exact δ at ε where **two** honest aggregators each add discrete Laplace noise of scale
/// t = `scale`, for a worst difference of one or two coordinates.
///
/// The interval contains δ and is narrower than 2^−64 of it, or below 2^−150; it is 0 where Δ₁/t ≤
/// ε.
///
/// # Errors
/// As [`crate::discrete_laplace::delta`]; if more than two coordinates change, or two with
/// noise of a scale above 133, for which the sum is too long.
pub fn laplace_delta(
    scale: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
) -> Result<Interval, Error> {
    let rate = accepted::answered_epsilon(epsilon)?;
    accepted::scale(scale, difference)?;
    affordable(scale, difference)?;
    if Rational::integer(difference.l1()) <= rate * scale {
        return Ok(Interval::integer(0, 64));
    }
    let enclosure = |precision| {
        let pair = SumOfTwo::new(scale, precision)?;
        let growth = Interval::rational(rate, precision).exp()?;
        let delta = match difference.coordinates() {
            1 => one_coordinate(&pair, &growth, &difference.step().clone().into())?,
            _ => {
                let reach = u32::try_from((scale * &Rational::integer(REACH)).ceil()).ok()?;
                two_coordinates(&pair, &growth, difference.step().to_u32()?, reach)?
            }
        };
        (is_narrow(&delta) || *delta.upper() <= Dyadic::new(1, -150)).then_some(delta)
    };
    Ok(PRECISIONS.into_iter().find_map(enclosure).ok_or(PrecisionError)?)
}

/// Upper bound of twelve digits on the ε at which discrete Laplace noise of scale t = `scale` from
/// each of **two** honest aggregators is (ε, δ)-differentially private: the least for one
/// coordinate, and for two at a scale of at most 133; else the ε of one aggregator alone. For δ = 0
/// the sum guarantees no more than one: the loss comes as near to Δ₁/t as one likes, far out.
///
/// # Errors
/// As [`discrete_laplace::epsilon`].
pub fn laplace_epsilon(
    scale: &Rational,
    slack: &Delta,
    difference: &WorstCaseDifference,
) -> Result<Rational, Error> {
    let alone = discrete_laplace::epsilon(scale, slack, difference)?;
    if slack.value().is_zero() || affordable(scale, difference).is_err() {
        return Ok(alone);
    }
    let target = slack.value();
    let found = least_epsilon(alone.clone(), |epsilon| {
        let delta = laplace_delta(scale, epsilon, difference)?;
        Ok(delta.upper().cmp_rational(target).is_le())
    });
    Ok(found.unwrap_or(alone))
}

/// The least scale of discrete Laplace noise from each of **two** honest aggregators that is (ε,
/// δ)-differentially private for a worst difference; where the distribution of the sum is too long
/// to add up (see [`laplace_epsilon`]), the least scale of one alone.
///
/// # Errors
/// As [`discrete_laplace::calibrate`]; δ = 0 is accepted and takes Δ₁/ε.
pub fn calibrate_laplace(
    difference: &WorstCaseDifference,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<LaplaceCalibration, Error> {
    let alone = discrete_laplace::calibrate(epsilon, delta, difference)?;
    if delta.value().is_zero() {
        return Ok(LaplaceCalibration { proof: LaplaceProof::PureOfTwo, ..alone });
    }
    let target = delta.value();
    let sum = affordable(&alone.scale, difference).and_then(|()| {
        least_scale(&alone.scale, target, LaplaceProof::SumOfTwo, |scale, _| {
            laplace_delta(scale, epsilon, difference)
        })
    });
    Ok(match sum {
        Ok(least) if least.delta.upper().cmp_rational(target).is_le() => least,
        _ => LaplaceCalibration { proof: LaplaceProof::OneOfTwo, ..alone },
    })
}

/// `Err` if the sum of two draws has too many coordinates, or is too long to add up.
fn affordable(scale: &Rational, difference: &WorstCaseDifference) -> Result<(), Error> {
    let long = difference.coordinates() == 2 && *scale > MAX_SCALE;
    if difference.coordinates() > 2 || long {
        let count = difference.coordinates();
        let what = format!("this is the sum of two Laplace draws on {count} coordinates");
        let change = "take one coordinate, or two and a scale of at most 133";
        return Err(Refusal::too_costly(what, change).into());
    }
    Ok(())
}

/// The distribution p(y) = c·q^|y|·(|y| + b) of the sum of two discrete Laplace draws of scale t.
/// Here q = e^(−1/t), c = ((1−q)/(1+q))² and b = (1+q²)/(1−q²).
struct SumOfTwo {
    /// 1/t, where q = e^(−1/t).
    rate: Rational,
    c: Interval,
    b: Interval,
    /// 1 − q
    gap: Interval,
    q: Interval,
}

impl SumOfTwo {
    fn new(scale: &Rational, precision: u32) -> Option<Self> {
        let one = Interval::integer(1, precision);
        let rate = scale.reciprocal()?;
        let gap = -Interval::rational(&-&rate, precision).exp_m1()?;
        let q = &one - &gap;
        let square = q.square();
        Some(Self {
            c: gap.checked_div(&(&one + &q))?.square(),
            b: (&one + &square).checked_div(&(&gap * &(&one + &q)))?,
            rate,
            gap,
            q,
        })
    }

    /// qⁿ, enclosed.
    fn power(&self, n: &BigInt) -> Option<Interval> {
        let exponent = Rational::integer(n.clone()) * &self.rate;
        Interval::rational(&-exponent, self.q.precision()).exp()
    }

    /// p(y), the probability that the sum is y, enclosed.
    fn mass(&self, y: &BigInt) -> Option<Interval> {
        let distance = y.abs();
        let weight = Interval::integer(distance.clone(), self.q.precision()) + &self.b;
        Some(&self.c * self.power(&distance)? * weight)
    }

    /// P(Y ≥ n) = c·qⁿ·((n + b)/(1−q) + q/(1−q)²), for n ≥ 0
    fn upper_tail(&self, n: &BigInt) -> Option<Interval> {
        let weight = Interval::integer(n.clone(), self.q.precision()) + &self.b;
        let rest = self.q.checked_div(&self.gap.square())?;
        let sum = weight.checked_div(&self.gap)? + rest;
        Some(&self.c * self.power(n)? * sum)
    }

    /// P(Y ≥ n) for any n.
    fn tail(&self, n: &BigInt) -> Option<Interval> {
        if n.is_negative() {
            let rest = self.upper_tail(&(1 - n))?;
            return Some(Interval::integer(1, rest.precision()) - rest);
        }
        self.upper_tail(n)
    }
}

/// Enclosure of δ for one coordinate that changes by `step`, at e^ε = `growth`. `None` if the
/// precision does not decide a sign.
fn one_coordinate(pair: &SumOfTwo, growth: &Interval, step: &BigInt) -> Option<Interval> {
    let excess = |y: &BigInt| Some(pair.mass(y)? - growth * pair.mass(&(y + step))?);
    let is_positive = |y: &BigInt| Some(excess(y)?.is_positive());
    // Gallop to a bracket: not positive at `low`, where p(y) ≤ p(y+Δ), and positive at `high`.
    let mut low: BigInt = -step;
    let mut high = BigInt::ZERO;
    let mut stride = BigInt::from(1);
    while !is_positive(&high)? {
        low = high.clone();
        high = &low + &stride;
        stride *= 2;
        let rest = pair.tail(&low)?;
        if *rest.upper() <= Dyadic::new(1, -6 * i64::from(growth.precision())) {
            // Nothing is positive up to here, and what lies beyond is at most this.
            let certain = (-excess(&low)?).is_positive();
            return certain.then(|| rest.hull(&Interval::integer(0, rest.precision())));
        }
    }
    let (low, high) = try_bisect(low, high, integer_midpoint, |y| is_positive(y).ok_or(())).ok()?;
    let is_certain = (-excess(&low)?).is_positive();
    let sum = pair.tail(&high)? - growth * pair.tail(&(&high + step))?;
    is_certain.then_some(sum)
}

/// p(y) and G(y) = P(Y ≥ y) for y from −last to last.
struct SumTable {
    /// p(0), p(1), …, p(last)
    masses: Vec<Interval>,
    /// G(0), G(1), …, G(last)
    tails: Vec<Interval>,
}

impl SumTable {
    /// The table for y from −`last` to `last`.
    fn new(pair: &SumOfTwo, last: u32) -> Option<Self> {
        let mut power = pair.c.clone();
        let mass = |n: u32| {
            let next = &power * &pair.q;
            let power = std::mem::replace(&mut power, next);
            power * (Interval::integer(n, pair.q.precision()) + &pair.b)
        };
        let masses: Vec<Interval> = (0..=last).map(mass).collect();
        let mut tail = pair.upper_tail(&BigInt::from(last + 1))?;
        let add = |mass: &Interval| {
            tail = &tail + mass;
            tail.clone()
        };
        let mut tails: Vec<Interval> = masses.iter().rev().map(add).collect();
        tails.reverse();
        Some(Self { masses, tails })
    }

    /// p(y); `None` outside of the table.
    fn mass(&self, y: i64) -> Option<&Interval> {
        self.masses.get(usize::try_from(y.unsigned_abs()).ok()?)
    }

    /// P(Y ≥ n); `None` outside of the table.
    fn tail(&self, n: i64) -> Option<Interval> {
        let at = |n: i64| self.tails.get(usize::try_from(n).ok()?);
        if n > 0 {
            return at(n).cloned();
        }
        let rest = at(1 - n)?;
        Some(Interval::integer(1, rest.precision()) - rest)
    }
}

/// Enclosure of δ for two coordinates that change by `step` each, at e^ε = `growth`, by the noise
/// from −L to L = `reach` + `step`. `None` if L is too large or the precision does not decide a
/// sign.
fn two_coordinates(pair: &SumOfTwo, growth: &Interval, step: u32, reach: u32) -> Option<Interval> {
    let last = reach.checked_add(step).filter(|last| *last <= MAX_REACH)?;
    let table = SumTable::new(pair, last.checked_add(step + 1)?)?;
    let sum = within(&table, growth, i64::from(step), i64::from(last))?;
    let rest = table.tail(i64::from(last) + 1)? * Interval::integer(4, sum.precision());
    Some(sum + rest.hull(&Interval::integer(0, rest.precision())))
}

/// Enclosure of the part of δ, at e^ε = `growth`, from noise on both coordinates between −`reach`
/// and `reach`. `None` if the precision does not decide a sign.
fn within(table: &SumTable, growth: &Interval, step: i64, reach: i64) -> Option<Interval> {
    let mut sum = Interval::integer(0, growth.precision());
    let mut threshold = reach + 1;
    for y in -reach..=reach {
        let (here, there) = (table.mass(y)?, growth * table.mass(y + step)?);
        while threshold > -reach {
            let (t, beyond) = (table.mass(threshold - 1)?, table.mass(threshold - 1 + step)?);
            let value = here * t - &there * beyond;
            if (-&value).is_positive() {
                break;
            }
            if !value.is_positive() {
                return None;
            }
            threshold -= 1;
        }
        if threshold <= reach {
            sum = sum + here * table.tail(threshold)? - &there * table.tail(threshold + step)?;
        }
    }
    Some(sum)
}
