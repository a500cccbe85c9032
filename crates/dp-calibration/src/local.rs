//! The guarantee of a local randomizer by itself, to a client who trusts nobody.
//!
//! A randomizer R is ε-differentially private where P(R(x) = y) ≤ e^ε·P(R(x′) = y) for all inputs
//! and outcomes. The largest ratio is a maximum over finitely many, known exactly:
//!
//! Section 7 of `docs/calibration.md` lists the ratios of symmetric and of basic RAPPOR
//! (Erlingsson, Pihur, Korolova 2014), of k-ary randomized response, and of a survey by coin flips
//! (Warner 1965).
//!
//! The ratio is kept exactly: as e^ε for rational ε, or as a rational.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Epsilon, Interval, Rational, Rounding, refine};

use crate::{Adjacency, Error};

/// The largest ratio of two probabilities of one outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ratio {
    /// e^ε for this ε, not negative; 0 where the input has no influence.
    Exponential(Rational),
    /// This number, at least 1.
    Rational(Rational),
}

impl Ratio {
    /// ε = ln of the ratio, enclosed to `precision` bits.
    ///
    /// # Errors
    /// None in practice; certified computations share one error type.
    pub fn epsilon(&self, precision: u32) -> Result<Interval, Error> {
        match self {
            Self::Exponential(epsilon) => Ok(Interval::rational(epsilon, precision)),
            Self::Rational(ratio) => {
                Ok(refine(|attempt| Interval::rational(ratio, precision.max(attempt)).ln())?)
            }
        }
    }

    /// The guarantee: ε exactly where it is rational, else rounded up to 25 digits.
    ///
    /// # Errors
    /// If the ratio is 1, which is no finite budget: ε is greater than 0 in [`Epsilon`].
    pub fn guarantee(&self) -> Result<Epsilon, Error> {
        let epsilon = match self {
            Self::Exponential(epsilon) => epsilon.clone(),
            Self::Rational(_) => {
                let enclosure = self.epsilon(192)?;
                let upper = enclosure.upper().to_rational();
                let upper = upper.ok_or(dp_exact::PrecisionError)?;
                upper.round_to_digits(25, Rounding::Up)
            }
        };
        Ok(Epsilon::new(epsilon)?)
    }
}

impl Display for Ratio {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exponential(epsilon) => write!(formatter, "e^{epsilon}"),
            Self::Rational(ratio) => write!(formatter, "{ratio}"),
        }
    }
}

/// Symmetric RAPPOR at ε₀ on two inputs that differ in `differing` bits: e^(d·ε₀).
#[must_use]
pub fn symmetric_rappor(epsilon0: &Epsilon, differing: u64) -> Ratio {
    Ratio::Exponential(epsilon0.value() * &Rational::from(differing))
}

/// Symmetric RAPPOR at ε₀ on bit vectors of the given `length` and weight at most `max_weight`; a
/// one-hot vector has the weight 1.
///
/// Under deletion the vector is replaced by zeros.
///
/// ```
/// use dp_calibration::Adjacency::{Deletion, Replacement};
/// use dp_calibration::local::{Ratio, one_hot_rappor};
///
/// let epsilon0 = "5".parse()?;
/// assert_eq!(one_hot_rappor(&epsilon0, 100, Deletion)?, Ratio::Exponential("5".parse()?));
/// assert_eq!(one_hot_rappor(&epsilon0, 100, Replacement)?, Ratio::Exponential("10".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `length` is 0, or `max_weight` is not from 1 to `length`.
pub fn multihot_rappor(
    epsilon0: &Epsilon,
    length: u64,
    max_weight: u64,
    adjacency: Adjacency,
) -> Result<Ratio, Error> {
    if length == 0 {
        return Err(Error::parameter("length", 0, "an integer of at least 1"));
    }
    if !(1..=length).contains(&max_weight) {
        let accepted = "an integer from 1 to the length";
        return Err(Error::parameter("max_weight", max_weight, accepted));
    }
    let differing = match adjacency {
        Adjacency::Replacement => length.min(max_weight.saturating_mul(2)),
        Adjacency::Deletion => max_weight,
    };
    Ok(symmetric_rappor(epsilon0, differing))
}

/// Symmetric RAPPOR at ε₀ on a one-hot vector of the given `length`: ε₀ under deletion, 2ε₀ under
/// replacement. A vector of length 1 has no other one-hot vector to be replaced by.
///
/// # Errors
/// If `length` is 0.
pub fn one_hot_rappor(
    epsilon0: &Epsilon,
    length: u64,
    adjacency: Adjacency,
) -> Result<Ratio, Error> {
    if length == 1 && adjacency == Adjacency::Replacement {
        return Ok(symmetric_rappor(epsilon0, 0));
    }
    multihot_rappor(epsilon0, length, 1, adjacency)
}

/// Basic RAPPOR with the parameter ε of its paper, on a one-hot vector: ε under replacement, ε/2
/// under deletion. It is symmetric RAPPOR at ε₀ = ε/2.
///
/// # Errors
/// None in practice: half of a parameter is a parameter.
pub fn basic_rappor(epsilon: &Epsilon, adjacency: Adjacency) -> Result<Ratio, Error> {
    let half = epsilon.value() * &Rational::new(1, 2)?;
    let differing = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    Ok(symmetric_rappor(&Epsilon::new(half)?, differing))
}

/// k-ary randomized response at ε: e^ε, for any number of answers from 2.
///
/// # Errors
/// If `answers` is below 2.
pub fn k_ary(epsilon: &Epsilon, answers: u64) -> Result<Ratio, Error> {
    if answers < 2 {
        return Err(Error::parameter("answers", answers, "an integer of at least 2"));
    }
    Ok(Ratio::Exponential(epsilon.value().clone()))
}

/// The coin-flip survey: exactly 3, so that ε = ln 3.
#[must_use]
pub fn coin_flip() -> Ratio {
    Ratio::Rational(Rational::integer(3))
}
