//! One client's randomized answer: its privacy loss, and how often it shows what the client holds.

use dp_calibration::Adjacency;
use dp_calibration::local::epsilon_of_ratio;
use dp_exact::{Epsilon, Interval, PrecisionError, Rational, Rounding, refine};
use dp_rappor::UnaryEncoding;

use crate::failure::Failure;

/// Precision of the enclosures of an ε or a probability, in bits.
const PRECISION: u32 = 192;

/// Significant digits of a probability that is no fraction, and of a long ratio.
const DIGITS: usize = 20;

/// An exact privacy loss: the largest ratio e^ε of the probabilities of one answer.
#[derive(Clone, Debug)]
pub(super) enum Loss {
    /// ε.
    Epsilon(Rational),
    /// e^ε, above 1.
    Ratio(Rational),
}

impl Loss {
    /// e^ε as text: a power of e or a number, exactly or, where that is long, rounded up.
    pub(super) fn ratio(&self) -> (String, &'static str) {
        let (exact, rounded) = match self {
            Self::Epsilon(epsilon) => (format!("e^{epsilon}"), None),
            Self::Ratio(ratio) => (ratio.to_string(), Some(ratio.to_decimal(DIGITS, Rounding::Up))),
        };
        match rounded.filter(|rounded| rounded.len() < exact.len()) {
            Some(rounded) => {
                (rounded, "largest ratio of the probabilities of one answer, rounded up")
            }
            None => (exact, "largest ratio of the probabilities of one answer, exactly"),
        }
    }

    /// Enclosure of ε.
    pub(super) fn enclosed(&self) -> Result<Interval, PrecisionError> {
        match self {
            Self::Epsilon(epsilon) => Ok(Interval::rational(epsilon, PRECISION)),
            Self::Ratio(ratio) => {
                refine(|precision| Interval::rational(ratio, precision.max(PRECISION)).ln())
            }
        }
    }

    /// ε if it is a fraction, else ε rounded up to 25 digits. `Err` if it is no valid ε, such as 0.
    pub(super) fn epsilon(&self) -> Result<Epsilon, Failure> {
        Ok(match self {
            Self::Epsilon(epsilon) => Epsilon::new(epsilon.clone())?,
            Self::Ratio(ratio) => epsilon_of_ratio(ratio)?,
        })
    }
}

/// The losses of a vector of randomized bits between pairs of inputs.
#[derive(Clone, Debug)]
pub(super) struct BitLosses {
    /// Inputs that differ in one bit.
    pub(super) bit: Loss,
    /// Two one-hot vectors.
    pub(super) one_hot: Loss,
    /// Any two of the mechanism's inputs.
    pub(super) replacement: Loss,
    /// An input of the mechanism and the zero vector.
    pub(super) deletion: Loss,
}

impl BitLosses {
    /// The losses of bits that are flipped with probability 1/(e^ε₀ + 1), where two inputs of
    /// `length` bits differ in at most `replaced` bits, and an input and zeros in `deleted` bits.
    pub(super) fn flips(epsilon0: &Epsilon, length: u64, [replaced, deleted]: [u64; 2]) -> Self {
        let loss = |bits: u64| Loss::Epsilon(epsilon0.value() * &Rational::from(bits));
        // There is one one-hot vector of length 1.
        let one_hot = loss(if length == 1 { 0 } else { 2 });
        Self { bit: loss(1), one_hot, replacement: loss(replaced), deletion: loss(deleted) }
    }

    /// The losses of bits that are reported with two probabilities, `ones` of them set.
    pub(super) fn reports(bits: &UnaryEncoding, ones: u32) -> Self {
        let ratio = |removed, added| bits.likelihood_ratio(removed, added);
        let deletion = |ones| Loss::Ratio(ratio(ones, 0).max(ratio(0, ones)));
        Self {
            bit: deletion(1),
            one_hot: Loss::Ratio(ratio(1, 1)),
            replacement: Loss::Ratio(ratio(ones, ones)),
            deletion: deletion(ones),
        }
    }

    /// The loss between neighbours.
    pub(super) const fn under(&self, adjacency: Adjacency) -> &Loss {
        match adjacency {
            Adjacency::Replacement => &self.replacement,
            Adjacency::Deletion => &self.deletion,
            Adjacency::OneCoordinate => &self.bit,
        }
    }
}

/// How often a report shows one given answer, or a one at one given bit.
#[derive(Clone, Debug)]
pub(super) struct ReportProbabilities {
    /// The probability if the client holds the answer.
    pub(super) held: Rational,
    /// The probability if the client holds another one.
    pub(super) other: Rational,
    /// The probability that the report is a uniform answer, the truth included; `None` for bits.
    pub(super) replaced: Option<Rational>,
}

impl ReportProbabilities {
    /// One of `answers` answers, whose truth has the odds e^ε against each other one, rounded to 20
    /// digits. `None` if a probability is too small for a fraction.
    pub(super) fn of_odds(epsilon: &Epsilon, answers: u64) -> Option<Self> {
        let whole = |number: u64| Interval::integer(number, PRECISION);
        // x = e^(−ε); the truth has probability 1/(1 + (k − 1)·x).
        let x = Interval::rational(&-epsilon.value(), PRECISION).exp()?;
        let held = whole(1).checked_div(&(whole(1) + whole(answers - 1) * &x))?;
        let other = &held * &x;
        let replaced = whole(answers) * &other;
        let rounded = |enclosed: &Interval| -> Option<Rational> {
            Some(enclosed.lower().to_rational()?.round_to_digits(DIGITS, Rounding::Nearest))
        };
        let replaced = Some(rounded(&replaced)?);
        Some(Self { held: rounded(&held)?, other: rounded(&other)?, replaced })
    }

    /// One of `answers` answers, kept with probability `keep`, else a uniform one.
    pub(super) fn kept(keep: &Rational, answers: u64) -> Option<Self> {
        let replaced = Rational::one() - keep;
        let other = replaced.checked_div(&Rational::from(answers))?;
        Some(Self { held: keep + &other, other, replaced: Some(replaced) })
    }

    /// A bit that is reported with two probabilities.
    pub(super) fn reports(bits: &UnaryEncoding) -> Self {
        Self { held: bits.p().clone(), other: bits.q().clone(), replaced: None }
    }
}
