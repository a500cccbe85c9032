//! The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²): Canonne, Kamath, Steinke 2020,
//! Algorithm 3.
//!
//! With t = ⌊σ⌋ + 1, draw Y from the discrete Laplace distribution of scale t and accept it with
//! probability e^−γ, γ = (|Y| − σ²/t)²/2σ²; the product of the two is proportional to
//! e^(−Y²/2σ²). In integers, with σ² = n/d: γ = (|Y|·d·t − n)² / (2·n·d·t²).

use dp_exact::Rational;
use num_bigint::{BigInt, BigUint};
use rand_core::CryptoRng;

use super::{DiscreteLaplace, bernoulli_exp};
use crate::Error;
use crate::error::positive;

/// The discrete Gaussian distribution of a rational variance parameter, by Algorithm 3 of the
/// paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteGaussian {
    /// The discrete Laplace distribution of scale t = ⌊σ⌋ + 1, from which candidates are drawn.
    proposal: DiscreteLaplace,
    /// d·t, with σ² = n/d and t = ⌊σ⌋ + 1.
    step: BigInt,
    /// n, the numerator of σ².
    centre: BigInt,
    /// 2·n·d·t², the denominator of γ: a candidate is accepted with probability e^−γ.
    gamma_denominator: BigUint,
}

impl DiscreteGaussian {
    /// The distribution P(x) ∝ e^(−x²/(2·variance)) on the integers. The parameter is σ², not σ.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        positive("variance", variance)?;
        let n = variance.numerator().magnitude();
        let d = variance.denominator().magnitude();
        // ⌊√(n/d)⌋ = ⌊√⌊n/d⌋⌋.
        let t = (n / d).sqrt() + 1_u32;
        Ok(Self {
            step: BigInt::from(d * &t),
            centre: BigInt::from(n.clone()),
            gamma_denominator: n * d * &t * &t * 2_u32,
            proposal: DiscreteLaplace::new(&Rational::integer(BigInt::from(t)))?,
        })
    }

    /// Draws an integer.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigInt {
        loop {
            let candidate = self.proposal.sample(rng);
            let magnitude = BigInt::from(candidate.magnitude().clone());
            let distance = magnitude * &self.step - &self.centre;
            let square = distance.magnitude() * distance.magnitude();
            if bernoulli_exp::draw(&square, &self.gamma_denominator, rng) {
                return candidate;
            }
        }
    }
}
