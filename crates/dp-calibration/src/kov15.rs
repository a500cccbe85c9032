//! The optimal composition of k equal releases.
//!
//! Kairouz, Oh, Viswanath 2015, Theorem 3.3 (arXiv 1311.0776): what k adaptively chosen (ε, δ)
//! private releases promise together, and no less can be said of them, is (ε', δ') with
//!
//!   δ'(ε') = 1 − (1 − δ)^k·(1 − Σ_{l : (k−2l)ε > ε'} C(k,l)·(e^((k−l)ε) − e^(ε'+lε))/(1 + e^ε)^k)
//!
//! for every ε' ≥ 0, not only for multiples of ε: the sum is that of k randomized responses, of
//! which l go the other way. Between the kinks ε' = (k−2l)ε the sum is A − B·e^ε', so that the
//! inverse has a closed form once the right kink is known:
//!
//!   e^ε' = (A − s)/B,   s = 1 − (1 − δ')/(1 − δ)^k the target of the sum.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};
use num_bigint::BigUint;

use crate::{Error, accepted};

/// The most releases.
const MAX_RELEASES: u32 = 1 << 20;

/// Digits of an answer.
const DIGITS: usize = 20;

/// The relative width of the enclosure of δ', as a power of two.
const WIDTH: i64 = -64;

/// δ' at `total`, of `releases` releases that are (ε, δ)-differentially private each.
///
/// ```
/// use dp_calibration::kov15;
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
    let total = accepted::epsilon(total)?;
    let answer = refine(|precision| {
        let precision = precision.max(128);
        let terms = Terms::new(step, releases, precision)?;
        // The l with (k − 2l)ε > ε'.
        let count = terms.positive(total)?;
        let growth = Interval::rational(total, precision).exp()?;
        let sum = match count {
            0 => Interval::integer(0, precision),
            _ => (&terms.first[count - 1] - &terms.second[count - 1] * &growth)
                .checked_div(&terms.whole)?,
        };
        let one = Interval::integer(1, precision);
        let kept = Interval::rational(&(Rational::one() - slack), precision).powi(releases);
        // 1 − kept·(1 − sum), without cancellation where both are small.
        let answer = if slack.is_zero() {
            sum
        } else {
            (&one - &kept) + kept * sum
        };
        let exact = count == 0 && slack.is_zero();
        (exact || is_narrow(&answer)).then_some(answer)
    })?;
    Ok(answer)
}

/// The least ε' at δ' = `target`, of `releases` releases that are (ε, δ)-differentially private
/// each: rounded up to twenty digits.
///
/// # Errors
/// As for [`delta`], and if δ' is not above 1 − (1 − δ)^k, which no ε' meets (equal is allowed for
/// δ = 0, where the answer is k·ε), or above 0.9.
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
    let refused = || {
        let accepted = "a number above 1 - (1 - delta)^k of the releases, and at most 0.9";
        Error::parameter("target delta", target, accepted)
    };
    let above = refine(|precision| {
        let kept = Interval::rational(&(Rational::one() - slack), precision).powi(releases);
        (Interval::integer(1, precision) - kept).compare_rational(aim)
    })?;
    if above.is_ge() {
        return Err(refused());
    }
    let answer = refine(|precision| {
        let precision = precision.max(128);
        let terms = Terms::new(step, releases, precision)?;
        let one = Interval::integer(1, precision);
        let kept = Interval::rational(&(Rational::one() - slack), precision).powi(releases);
        let missing = Interval::rational(&(Rational::one() - aim), precision);
        // The target of the sum, times (1 + e^ε)^k.
        let sum = (one - missing.checked_div(&kept)?) * &terms.whole;
        // At the kink ε' = (k − 2l)ε the first l terms count.
        let at_kink = |l: usize| -> Option<Interval> {
            if l == 0 {
                return Some(Interval::integer(0, precision));
            }
            let steps = Rational::from(u64::from(releases) - 2 * (l as u64));
            let growth = Interval::rational(&(step * &steps), precision).exp()?;
            Some(&terms.first[l - 1] - &terms.second[l - 1] * &growth)
        };
        // The largest l whose kink the sum is certainly not above; either neighbour is right
        // where they cannot be told apart, and the upper end is taken.
        let (mut low, mut high) = (0, terms.first.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if at_kink(middle)?.compare(&sum)?.is_le() {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (first, second) = (&terms.first[low], &terms.second[low]);
        let growth = (first - &sum).checked_div(second)?;
        if !growth.is_positive() {
            return None;
        }
        let upper = growth.ln()?;
        let narrow = is_narrow(&upper) || upper.upper().to_f64() < 1e-12;
        narrow.then(|| upper.upper().to_rational())?
    })?;
    Ok(if answer.is_positive() {
        answer.round_to_digits(DIGITS, Rounding::Up)
    } else {
        Rational::zero()
    })
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

/// The sums Σ_{i≤l} C(k,i)·e^((k−i)ε) and Σ_{i≤l} C(k,i)·e^(iε), for l < k/2.
struct Terms {
    first: Vec<Interval>,
    second: Vec<Interval>,
    /// (1 + e^ε)^k
    whole: Interval,
    step: Rational,
    releases: u32,
}

impl Terms {
    fn new(step: &Rational, releases: u32, precision: u32) -> Option<Self> {
        let growth = Interval::rational(step, precision).exp()?;
        let decay = Interval::rational(&-step, precision).exp()?;
        let one = Interval::integer(1, precision);
        let mut binomial = BigUint::from(1u32);
        let mut high = growth.powi(releases);
        let mut low = one.clone();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let mut sums = (
            Interval::integer(0, precision),
            Interval::integer(0, precision),
        );
        for l in 0..releases.div_ceil(2) {
            let choices = Interval::integer(binomial.clone(), precision);
            sums.0 = &sums.0 + &choices * &high;
            sums.1 = &sums.1 + &choices * &low;
            first.push(sums.0.clone());
            second.push(sums.1.clone());
            binomial = binomial * (releases - l) / (l + 1);
            high = high * &decay;
            low = low * &growth;
        }
        Some(Self {
            first,
            second,
            whole: (one + growth).powi(releases),
            step: step.clone(),
            releases,
        })
    }

    /// How many l have (k − 2l)ε > `total`: exact.
    fn positive(&self, total: &Rational) -> Option<usize> {
        let quotient = total.checked_div(&self.step)?;
        let places = (0..self.first.len()).collect::<Vec<_>>();
        let counts =
            |&l: &usize| Rational::from(u64::from(self.releases) - 2 * l as u64) > quotient;
        Some(places.partition_point(counts))
    }
}

/// Whether the interval is positive and narrower than 2^[`WIDTH`] of its lower end.
fn is_narrow(interval: &Interval) -> bool {
    let precision = interval.precision();
    let end = |end: &dp_exact::Dyadic| Interval::hull_of(end.clone(), end.clone(), precision);
    let (lower, upper) = (end(interval.lower()), end(interval.upper()));
    interval.is_positive() && (upper - &lower).upper() <= lower.shifted(WIDTH).lower()
}
