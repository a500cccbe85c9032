//! Laws that a seed determines noise of: a name, a version, exact parameters.

use dp_exact::Rational;
use rand_core::CryptoRng;

use crate::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, FromDraw, Geometric};

/// A law on the integers that fills slices and that [`Seed::expand`](crate::Seed::expand) makes
/// noise of.
pub trait Noise {
    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    const ALGORITHM: &str;

    /// The parameters as exact text, one text for each law of the algorithm: names, and numbers
    /// as reduced fractions, `variance=269/10`. Whatever text a number was parsed from, the same
    /// number gives the same text; two numbers, however close, give two.
    fn parameters(&self) -> String;

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
    ($law:ty, $algorithm:literal, $parameters:expr) => {
        impl Noise for $law {
            const ALGORITHM: &str = $algorithm;

            fn parameters(&self) -> String {
                $parameters(self)
            }

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

noise!(DiscreteGaussian, "discrete_gaussian/2", |law: &Self| {
    fraction("variance", law.variance())
});
noise!(DiscreteLaplace, "discrete_laplace/2", |law: &Self| {
    fraction("scale", law.scale())
});
noise!(Geometric, "geometric/2", |law: &Self| {
    fraction("scale", law.scale())
});
// A probability that is known by enclosures alone has no exact text.
noise!(Binomial, "binomial/3", |law: &Self| {
    let probability = fraction("probability", law.success_probability());
    format!("trials={},{probability}", law.trials())
});

/// A parameter as a reduced fraction, with its denominator even where that is 1.
fn fraction(name: &str, value: &Rational) -> String {
    format!("{name}={}/{}", value.numerator(), value.denominator())
}
