//! The optimal composition of k equal releases.
//!
//! Kairouz, Oh, Viswanath 2015, Theorem 3.3 (arXiv 1311.0776): what k adaptively chosen (ε, δ)
//! private releases guarantee together, and no less can be said of them, is (ε', δ') with
//!
//!   δ'(ε') = 1 − (1 − δ)^k·(1 − Σ_{l : (k−2l)ε > ε'} C(k,l)·(e^((k−l)ε) − e^(ε'+lε))/(1 + e^ε)^k)
//!
//! for every ε' ≥ 0, not only for multiples of ε: the sum belongs to k randomized responses with l
//! untruthful answers. Between the kinks ε' = (k−2l)ε the sum is A − B·e^ε', so that the
//! inverse has a closed form once the right kink is known:
//!
//!   e^ε' = (A − s)/B,   s = 1 − (1 − δ')/(1 − δ)^k the target of the sum.

// DIFFERENCE from draft-wang §B.5: Theorem 3.3, which is optimal, in the place of Theorem 3.4.

use std::cmp::Ordering;

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary, refine};
use num_bigint::BigInt;

use dp_calibration::{Error, accepted};

/// The most releases.
const MAX_RELEASES: u32 = 1 << 20;

/// Digits of an answer.
const DIGITS: usize = 20;

/// The relative width of the enclosure of δ', as a power of two.
const WIDTH: i64 = -64;

/// δ' at `total`, of `releases` releases that are (ε, δ)-differentially private each.
///
/// ```
/// use dp_accounting::kov15;
///
/// let delta = kov15::delta(&"0.01".parse()?, &"0".parse()?, 100, &"0.5".parse()?)?;
/// assert!((delta.midpoint() - 3.306872302472909961656096e-9).abs() < 1e-24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are no releases or more than 2^20, or a parameter is outside the accepted range: ε
/// from 1e-9 to 10 000.
pub fn delta(
    epsilon: &Epsilon,
    delta: &Delta,
    releases: u32,
    total: &Epsilon,
) -> Result<Interval, Error> {
    let (step, slack) = checked(epsilon, delta, releases)?;
    let total = accepted::answered_epsilon(total)?;
    let answer = refine(|precision| {
        let precision = precision.max(128);
        // The l with (k − 2l)ε > ε'.
        let count = positive(step, releases, total)?;
        let growth = Interval::rational(total, precision).exp()?;
        let sum = match count.checked_sub(1) {
            None => Interval::integer(0, precision),
            Some(last) => {
                let line = DeltaLine::new(step, releases, last, precision)?;
                line.first - line.second * growth
            }
        };
        let one = Interval::integer(1, precision);
        let kept = Interval::rational(&(Rational::one() - slack), precision).powi(releases);
        // 1 − kept·(1 − sum), without cancellation where both are small.
        let answer = if slack.is_zero() { sum } else { (&one - &kept) + kept * sum };
        let exact = count == 0 && slack.is_zero();
        (exact || is_narrow(&answer)).then_some(answer)
    })?;
    Ok(answer)
}

/// The least ε' at δ' = `target`, of `releases` releases that are (ε, δ)-differentially private
/// each: rounded up to twenty digits.
///
/// # Errors
/// As for [`delta`], and if δ' is below 1 − (1 − δ)^k, which no ε' meets (where it is equal the answer
/// is k·ε), or above 0.9.
pub fn epsilon(
    epsilon: &Epsilon,
    delta: &Delta,
    releases: u32,
    target: &Delta,
) -> Result<Rational, Error> {
    let (step, slack) = checked(epsilon, delta, releases)?;
    let basic = step * &Rational::from(u64::from(releases));
    if target.value().is_zero() && slack.is_zero() {
        return Ok(basic);
    }
    let aim = accepted::delta(target)?;
    match least_target(slack, releases, aim)? {
        Ordering::Equal => return Ok(basic),
        Ordering::Greater => {
            let accepted = "a number of at least 1 - (1 - delta)^k of the releases, at most 0.9";
            return Err(Error::parameter("target delta", target, accepted));
        }
        Ordering::Less => {}
    }
    let answer = refine(|precision| {
        let precision = precision.max(128);
        let one = Interval::integer(1, precision);
        let kept = Interval::rational(&(Rational::one() - slack), precision).powi(releases);
        let missing = Interval::rational(&(Rational::one() - aim), precision);
        let sum = one - missing.checked_div(&kept)?;
        if !sum.is_positive() {
            return None;
        }
        if is_met_at_zero(step, releases, &sum, precision)? {
            return Some(Rational::zero());
        }
        let guess = about(step.to_f64(), releases, sum.ln()?.midpoint());
        solved(step, releases, &sum, precision, guess)
    })?;
    Ok(if answer.is_positive() {
        answer.round_to_digits(DIGITS, Rounding::Up).min(basic)
    } else {
        Rational::zero()
    })
}

/// How 1 − (1 − δ)^k compares with δ'.
fn least_target(slack: &Rational, releases: u32, aim: &Rational) -> Result<Ordering, Error> {
    let kept = Rational::one() - slack;
    // In lowest terms the power is as long as k times the base: a number that is shorter differs
    // from it, and more precision tells them apart.
    let base = kept.denominator().bits().saturating_sub(1);
    if base * u64::from(releases) <= aim.bits() {
        return Ok((Rational::one() - kept.pow(releases)).cmp(aim));
    }
    Ok(refine(|precision| {
        let kept = Interval::rational(&kept, precision).powi(releases);
        (Interval::integer(1, precision) - kept).compare_rational(aim)
    })?)
}

/// Whether the sum at ε' = 0 is certainly at most `sum`; `None` if the precision is too low.
fn is_met_at_zero(step: &Rational, releases: u32, sum: &Interval, precision: u32) -> Option<bool> {
    // The line of the least kink above 0, and A − B at ε' = 0.
    let line = DeltaLine::new(step, releases, releases.div_ceil(2) - 1, precision)?;
    let at_zero = line.first - line.second;
    Some(at_zero.compare(sum)?.is_le())
}

/// An upper bound on the ε' at which the sum equals `sum`; `None` if the precision is too low.
///
/// The sum at ε' is the largest of the lines A − B·e^ε'. Line l is the largest between the kinks
/// (k − 2l − 2)ε and (k − 2l)ε. If an upper bound on the zero of line l lies there, the sum there is
/// at most `sum`; if it lies above for l and below for l − 1, the kink between them has that
/// property. The search steps from line to line, as the guess is next to the answer.
fn solved(
    step: &Rational,
    releases: u32,
    sum: &Interval,
    precision: u32,
    guess: u32,
) -> Option<Rational> {
    let kink = |l: u32| {
        let steps = i64::from(releases) - 2 * i64::from(l);
        step * &Rational::from(steps.max(0))
    };
    let last = releases.div_ceil(2) - 1;
    let mut l = guess;
    let mut before: Option<u32> = None;
    for _ in 0..32 {
        let line = DeltaLine::new(step, releases, l, precision)?;
        let growth = (line.first - sum).checked_div(&line.second)?;
        let (above, below) = (kink(l), kink(l + 1));
        let zero = zero_of(&growth)?;
        let next = if zero > above {
            if l == 0 || before == Some(l - 1) {
                return Some(above);
            }
            l - 1
        } else if zero < below {
            if l == last || before == Some(l + 1) {
                return Some(below);
            }
            l + 1
        } else {
            return Some(zero);
        };
        before = Some(l);
        l = next;
    }
    None
}

/// An upper bound on the logarithm of `growth`, or −1 if `growth` is negative; `None` if the precision
/// is too low.
fn zero_of(growth: &Interval) -> Option<Rational> {
    if (-growth).is_positive() {
        return Some(-Rational::one());
    }
    if !growth.is_positive() {
        return None;
    }
    let zero = growth.ln()?;
    if !is_narrow(&zero) && zero.upper().to_f64() >= 1e-12 {
        return None;
    }
    zero.upper().to_rational()
}

/// About the l between whose kinks the sum has the given logarithm: the first terms at the kink of
/// l add up to Σ_{i<l} a_i·(1 − e^(−2(l−i)ε)), with a_i = C(k,i)·e^((k−i)ε)/(1 + e^ε)^k.
fn about(step: f64, releases: u32, log_sum: f64) -> u32 {
    let k = f64::from(releases);
    let last = releases.div_ceil(2) - 1;
    let mut log_term = -k * elementary::ln_1p(elementary::exp(-step));
    let (mut terms, mut others) = (0.0f64, 0.0f64);
    for l in 0..last {
        // From kink l to kink l + 1.
        let term = elementary::exp(log_term - log_sum);
        terms += term;
        others = (others + term) * elementary::exp(-2.0 * step);
        // Where a term is too large for a floating point number, so is the difference.
        if !(terms.is_finite() && terms - others <= 1.0) {
            return l;
        }
        let l = f64::from(l);
        log_term += elementary::ln((k - l) / (l + 1.0)) - step;
    }
    last
}

fn checked<'a>(
    epsilon: &'a Epsilon,
    delta: &'a Delta,
    releases: u32,
) -> Result<(&'a Rational, &'a Rational), Error> {
    if releases == 0 || releases > MAX_RELEASES {
        let accepted = "an integer from 1 to 1048576";
        return Err(Error::parameter("releases", releases, accepted));
    }
    let step = accepted::epsilon(epsilon)?;
    if delta.value().bits() > 2048 {
        let accepted = "a number of at most 2048 bits";
        return Err(Error::parameter("delta", delta, accepted));
    }
    Ok((step, delta.value()))
}

/// The sums over i ≤ l of C(k,i)·e^((k−i)ε) and of C(k,i)·e^(iε), over (1 + e^ε)^k, for l < k/2.
///
/// From i = l down. A term of the first is i·e^ε/(k−i+1) times the one after it, a factor that
/// falls with i; once it is below 1, it bounds what is left by a geometric series. In the second
/// sum the factor is smaller.
struct DeltaLine {
    first: Interval,
    second: Interval,
}

impl DeltaLine {
    fn new(step: &Rational, releases: u32, l: u32, precision: u32) -> Option<Self> {
        let growth = Interval::rational(step, precision).exp()?;
        let decay = Interval::rational(&-step, precision).exp()?;
        let one = Interval::integer(1, precision);
        let whole = (&one + &growth).powi(releases);
        let common = choices(releases, l, precision)?.checked_div(&whole)?;
        let mut terms = (&common * growth.powi(releases - l), common * growth.powi(l));
        let mut sums = terms.clone();
        let enough = 16 - i64::from(precision);
        for i in (1..=l).rev() {
            let odds = Rational::new(i, releases - i + 1).ok()?;
            let odds = Interval::rational(&odds, precision);
            let factor = &odds * &growth;
            terms = (terms.0 * &factor, terms.1 * odds * &decay);
            sums = (&sums.0 + &terms.0, &sums.1 + &terms.1);
            let small =
                |term: &Interval, sum: &Interval| term.upper() < sum.shifted(enough).lower();
            if small(&terms.0, &sums.0) && small(&terms.1, &sums.1) {
                let rest = &one - &factor;
                if rest.is_positive() {
                    let series = factor.checked_div(&rest)?;
                    sums.0 = sums.0.hull(&(&sums.0 + &terms.0 * &series));
                    sums.1 = sums.1.hull(&(&sums.1 + &terms.1 * &series));
                    break;
                }
            }
        }
        let (first, second) = sums;
        Some(Self { first, second })
    }
}

/// C(k, l), six factors at a time: each is below 2^21.
fn choices(releases: u32, l: u32, precision: u32) -> Option<Interval> {
    let mut choices = Interval::integer(1, precision);
    let places: Vec<u32> = (0..l).collect();
    for block in places.chunks(6) {
        let above: u128 = block.iter().map(|&i| u128::from(releases - i)).product();
        let below: u128 = block.iter().map(|&i| u128::from(i + 1)).product();
        choices = choices * Interval::integer(above, precision);
        choices = choices.checked_div(&Interval::integer(below, precision))?;
    }
    Some(choices)
}

/// How many l have (k − 2l)ε > `total`: exact.
fn positive(step: &Rational, releases: u32, total: &Rational) -> Option<u32> {
    let steps = Rational::from(u64::from(releases)) - total.checked_div(step)?;
    let count = (steps * Rational::new(1, 2).ok()?).ceil();
    u32::try_from(count.max(BigInt::ZERO)).ok()
}

/// Whether the interval is positive and narrower than 2^[`WIDTH`] of its lower end.
fn is_narrow(interval: &Interval) -> bool {
    let precision = interval.precision();
    let end = |end: &dp_exact::Dyadic| Interval::hull_of(end.clone(), end.clone(), precision);
    let (lower, upper) = (end(interval.lower()), end(interval.upper()));
    interval.is_positive() && (upper - &lower).upper() <= lower.shifted(WIDTH).lower()
}

#[cfg(test)]
mod tests;
