//! The geometric distribution P(k) ∝ e^(−k/t) on k = 0, 1, …: Canonne, Kamath, Steinke 2020,
//! Algorithm 2, up to the point where a sign is attached.
//!
//! With t = a/b in integers: X with P(x) ∝ e^(−x/a) is U + a·V, where U in {0, …, a − 1} has
//! P(u) ∝ e^(−u/a) by rejection and V has P(v) ∝ e^−v. Then ⌊X/b⌋ has P(k) ∝ e^(−kb/a).

use dp_exact::Rational;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use super::{bernoulli_exp, uniform};
use crate::Error;
use crate::error::positive;

/// The geometric distribution of a rational scale, by Algorithm 2 of the paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometric {
    /// Numerator a of the scale t = a/b.
    numerator: BigUint,
    /// Denominator b of the scale.
    denominator: BigUint,
}

impl Geometric {
    /// The distribution P(k) = (1 − e^(−1/scale))·e^(−k/scale).
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        Ok(Self {
            numerator: scale.numerator().magnitude().clone(),
            denominator: scale.denominator().magnitude().clone(),
        })
    }

    /// Draws an integer.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigUint {
        let remainder = loop {
            let candidate = uniform::below(&self.numerator, rng);
            if bernoulli_exp::draw(&candidate, &self.numerator, rng) {
                break candidate;
            }
        };
        let mut quotient = 0_u64;
        while bernoulli_exp::draw_of_one(rng) {
            quotient += 1;
        }
        (remainder + &self.numerator * quotient) / &self.denominator
    }
}
