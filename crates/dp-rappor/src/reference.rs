//! Deletion relative to a reference distribution: the report of a client who is left out is the
//! report of a client whose measurement is drawn from a public distribution μ.
//!
//! With P(y | x) the probability that the measurement x is reported as y, the guarantee of a report
//! is the largest |ln(P(y | x)/Σ_v μ(v)·P(y | v))| over all outputs y and measurements x. Both
//! figures here are attained (`docs/reference-distribution.md`).

use alloc::format;
use alloc::vec::Vec;

use dp_exact::{Interval, ParameterError, PrecisionError, Rational, Rounding};

use crate::{Error, KaryRandomizedResponse, SymmetricRappor};

/// Bits of the enclosures, far beyond the digits of an answer.
const PRECISION: u32 = 192;

/// Significant digits of an answer.
const DIGITS: usize = 12;

impl SymmetricRappor {
    /// The ε of a report of the vector x under deletion relative to a reference distribution μ,
    /// rounded up to 12 digits: ln Σ_h `distances[h]`·e^(h·ε₀), where `distances[h]` is the
    /// probability that a vector drawn from μ differs from x in h coordinates. A guarantee for
    /// every client takes the x with the largest ε: for one-hot vectors `[m, z, 1 − z − m]`, m the
    /// least probability of a one-hot vector and z the probability of the zero vector. It adds up
    /// over reports only if a vector is drawn afresh for each.
    ///
    /// ```
    /// let rappor = dp_rappor::SymmetricRappor::new("1".parse()?)?;
    /// // Four buckets of equal probability; the zero vector alone has ε₀.
    /// let uniform = rappor.epsilon_of_reference(&["1/4".parse()?, "0".parse()?, "3/4".parse()?])?;
    /// assert_eq!(uniform.to_string(), "1.75644175565");
    /// let nothing = rappor.epsilon_of_reference(&["0".parse()?, "1".parse()?])?;
    /// assert_eq!(nothing.to_string(), "1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the probabilities do not add up to 1, or ε₀ is too large for the arithmetic.
    pub fn epsilon_of_reference(&self, distances: &[Rational]) -> Result<Rational, Error> {
        check(distances)?;
        // Probabilities that add up to 1 are not none.
        let farthest = distances.len() - 1;
        let loss = |bits: usize| self.local_epsilon(bits as u64);
        // ln Σ_h w_h·e^(h·ε₀) = H·ε₀ + ln Σ_h w_h·e^(−(H − h)·ε₀), H = `farthest`.
        let terms = distances.iter().rev().enumerate();
        let terms: Vec<_> = terms.map(|(nearer, weight)| (weight, -loss(nearer))).collect();
        let most = loss(farthest);
        Ok(rounded_up(&(ln_sum(&terms)? + Interval::rational(&most, PRECISION)))?.min(most))
    }
}

impl KaryRandomizedResponse {
    /// The ε of a report under deletion relative to the `reference` distribution μ, whose
    /// probabilities are those of all k answers, rounded up to 12 digits: the larger of
    /// ln[e^ε/(1 + m·(e^ε − 1))] and ln(1 + M·(e^ε − 1)), with m and M the least and the largest
    /// probability. It adds up over reports only if an answer is drawn afresh for each.
    ///
    /// # Errors
    /// If there are not k probabilities that add up to 1, or ε is too large for the arithmetic.
    pub fn epsilon_of_reference(&self, reference: &[Rational]) -> Result<Rational, Error> {
        check(reference)?;
        if reference.len() as u64 != u64::from(self.answers()) {
            let accepted = format!("{}, one of each answer", self.answers());
            return Err(ParameterError::new("probabilities", reference.len(), accepted).into());
        }
        let mut ascending: Vec<&Rational> = reference.iter().collect();
        ascending.sort();
        let epsilon = self.epsilon().value();
        // ln(w + (1 − w)·e^(−ε))
        let falling = |weight: &Rational| {
            ln_sum(&[(weight, Rational::zero()), (&(&Rational::one() - weight), -epsilon)])
        };
        let of_truth = rounded_up(&-falling(ascending[0])?)?;
        let of_others = falling(ascending[ascending.len() - 1])?;
        let of_others = rounded_up(&(of_others + Interval::rational(epsilon, PRECISION)))?;
        Ok(of_truth.max(of_others).min(epsilon.clone()))
    }
}

/// Refuses numbers that are no probabilities, or do not add up to 1.
fn check(distribution: &[Rational]) -> Result<(), Error> {
    let sum = distribution.iter().fold(Rational::zero(), |sum, weight| &sum + weight);
    if sum == Rational::one() && !distribution.iter().any(Rational::is_negative) {
        return Ok(());
    }
    Err(ParameterError::new("probabilities", sum, "probabilities that add up to 1").into())
}

/// Enclosure of ln Σ w·e^x over pairs (w, x); `Err` if that is ln 0 within the precision.
fn ln_sum(terms: &[(&Rational, Rational)]) -> Result<Interval, PrecisionError> {
    let sum = terms.iter().try_fold(Interval::integer(0, PRECISION), |sum, (weight, exponent)| {
        let power = Interval::rational(exponent, PRECISION).exp()?;
        Some(sum + Interval::rational(weight, PRECISION) * power)
    });
    sum.and_then(|sum| sum.ln()).ok_or(PrecisionError)
}

/// The upper end of an enclosure, rounded up to 12 digits.
fn rounded_up(enclosure: &Interval) -> Result<Rational, Error> {
    let upper = enclosure.upper().to_rational().ok_or(PrecisionError)?;
    Ok(upper.round_to_digits(DIGITS, Rounding::Up))
}
