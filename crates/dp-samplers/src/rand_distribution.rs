//! The samplers as distributions of the `rand` crate. With the feature `rand`.

use core::fmt::Debug;

use dp_exact::Real;
use rand::distr::Distribution;
use rand_core::{Infallible, Rng, TryCryptoRng, TryRng};

use crate::BernoulliReal;

/// A sampler as a [`Distribution`] of the `rand` crate. With the feature `rand`.
///
/// [`Distribution::sample`] takes any generator, and noise from one that can be predicted protects
/// nobody. So the samplers themselves do not implement it: `ForAnyRng` is where a program says
/// that its generator is cryptographic, or that its draws protect nobody.
///
/// ```
/// use dp_samplers::{BigInt, DiscreteLaplace, ForAnyRng, os_rng};
/// use rand::distr::Distribution;
///
/// let laplace = ForAnyRng(DiscreteLaplace::new(&"20".parse()?)?);
/// let noise: Vec<BigInt> = laplace.sample_iter(os_rng()?).take(100).collect();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ForAnyRng<D>(
    /// The sampler.
    pub D,
);

impl<P: Real + Debug> Distribution<bool> for ForAnyRng<BernoulliReal<P>> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> bool {
        self.0.sample(&mut TakenForCrypto(rng))
    }
}

/// A generator that a program takes for a cryptographic one by writing [`ForAnyRng`].
pub(crate) struct TakenForCrypto<'a, R: ?Sized>(pub(crate) &'a mut R);

impl<R: Rng + ?Sized> TryRng for TakenForCrypto<'_, R> {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl<R: Rng + ?Sized> TryCryptoRng for TakenForCrypto<'_, R> {}
