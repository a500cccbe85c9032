//! A short uniform seed, expanded to a vector of noise.

use std::fmt::Debug;

use dp_exact::Real;
use rand_core::CryptoRng;

use crate::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, FromDraw, Geometric, Seed};

/// A law on the integers that fills slices.
pub trait Noise {
    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    const ALGORITHM: &str;

    /// Fills a slice with independent draws.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`.
    fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized;
}

/// Through the method of the same name.
macro_rules! noise {
    ($law:ty, $algorithm:literal $(, $parameter:ident)?) => {
        impl$(<$parameter: Real + Debug>)? Noise for $law {
            const ALGORITHM: &str = $algorithm;

            fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
            where
                T: FromDraw,
                R: CryptoRng + ?Sized,
            {
                <$law>::fill(self, rng, out)
            }
        }
    };
}

noise!(DiscreteGaussian, "discrete_gaussian/1");
noise!(DiscreteLaplace, "discrete_laplace/1");
noise!(Geometric, "geometric/1");
noise!(Binomial<P>, "binomial/2", P);

impl Seed {
    /// Fills a slice with the noise that this seed determines: the first draws from
    /// [`Seed::rng`], always the same for a law and a version of [`Noise::ALGORITHM`].
    ///
    /// ```
    /// use dp_samplers::{DiscreteLaplace, Seed};
    ///
    /// let laplace = DiscreteLaplace::new(&"20".parse()?)?;
    /// let seed = Seed::from_os()?;
    /// let (mut here, mut there) = ([0i64; 100], [0i64; 100]);
    /// seed.expand(&laplace, &mut here)?;
    /// seed.clone().expand(&laplace, &mut there)?;
    /// assert_eq!(here, there);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`.
    pub fn expand<L: Noise, T: FromDraw>(&self, law: &L, out: &mut [T]) -> Result<(), Error> {
        law.fill(&mut self.rng(), out)
    }
}
