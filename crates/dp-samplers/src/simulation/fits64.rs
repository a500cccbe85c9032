//! `Distribution` with draws of 64 bits.
//!
//! [`Distribution`] has no way to say that a draw does not fit, and no law here is bounded. So a law is taken whose
//! draws fit but for a probability below 2^−1400, and one that does not fit is made again: what comes
//! out is the stated law under the condition that the draw fits. Nothing is cut to the range.

use dp_exact::{ParameterError, Rational};
use rand::distr::Distribution;
use rand_core::Rng;

use super::{DiscreteGaussian, DiscreteLaplace, Geometric};
use crate::Error;

/// A law of this module as a [`Distribution`] of `i64`, **for simulations only**.
///
/// Its law is the stated one under the condition that a draw fits `i64`: one that does not, which has probability below
/// 2^−1400 for every accepted parameter, is made again. The laws at the root are distributions of
/// [`BigInt`](crate::BigInt), which holds every draw.
///
/// ```
/// use dp_samplers::{Seed, simulation::{DiscreteGaussian, Fits64}};
/// use rand::distr::Distribution;
///
/// let noise = Fits64::<DiscreteGaussian>::new(&"27".parse()?)?;
/// let sum: i64 = noise.sample_iter(Seed::from_u64(1).rng()).take(1000).sum();
/// assert!(sum.abs() < 1500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fits64<L>(L);

/// The constructor from a parameter of at most 2^`$bits`, and the draws.
macro_rules! fits64 {
    ($law:ident, $parameter:ident, $bits:literal, $why:literal) => {
        impl Fits64<$law> {
            #[doc = concat!("The distribution with this ", stringify!($parameter), ".")]
            ///
            #[doc = $why]
            ///
            /// # Errors
            #[doc = concat!(
                        "[`Error::Parameter`] unless 0 < ", stringify!($parameter), " ≤ 2^", $bits,
                        ", with at most [`Rational::MAX_BITS`] bits."
                    )]
            pub fn new($parameter: &Rational) -> Result<Self, Error> {
                let law = $law::new($parameter)?;
                if *$parameter > Rational::integer(1_u128 << $bits) {
                    let accepted = concat!("at most 2^", $bits, ", so that draws fit 64 bits");
                    let name = stringify!($parameter);
                    return Err(ParameterError::new(name, $parameter, accepted).into());
                }
                Ok(Self(law))
            }
        }

        impl Distribution<i64> for Fits64<$law> {
            fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
                loop {
                    if let Some(draw) = self.0.sample_as(rng) {
                        return draw;
                    }
                }
            }
        }
    };
}

fits64!(
    DiscreteGaussian,
    variance,
    106,
    "P(|x| ≥ 2^63) ≤ 2·e^(−2^126/2σ²) ≤ 2·e^(−2^19): E[e^(sx)] ≤ e^(s²σ²/2) for every s, as a sum of \
     e^(−(x−a)²/2σ²) over the integers is largest for a = 0."
);
fits64!(
    DiscreteLaplace,
    scale,
    53,
    "P(|x| ≥ 2^63) ≤ 2·e^(−2^63/t) ≤ 2·e^(−2^10)."
);
fits64!(
    Geometric,
    scale,
    53,
    "P(k ≥ 2^63) = e^(−2^63/t) ≤ e^(−2^10)."
);
