//! Laws whose noise a seed determines: a name, a version, exact parameters.

use alloc::format;
use alloc::string::String;

use dp_exact::Rational;

use crate::{Binomial, DiscreteGaussian, DiscreteLaplace, Geometric};

/// What a stream of noise is named by, and the noise itself.
macro_rules! stream {
    ($law:ty, $algorithm:literal, $parameters:expr) => {
        impl $law {
            /// Name and version of the algorithm: it changes whenever a seed gives other values.
            pub const ALGORITHM: &str = $algorithm;

            /// The parameters as exact text, one text for each law of the algorithm: names, and
            /// numbers as reduced fractions, `variance=269/10`. Whatever text a number was parsed
            /// from, the same number gives the same text; two numbers, however close, give two.
            #[must_use]
            pub fn parameters(&self) -> String {
                $parameters(self)
            }

            /// Fills a slice with the noise that the seed determines for this law: always the same
            /// for a version of [`Self::ALGORITHM`], the same [`Self::parameters`] and a slice of the
            /// same length, and as good as independent of the noise that it determines for other
            /// parameters. A longer slice need not begin with the values of a shorter one.
            ///
            /// The draws are those of [`Self::fill`] from a ChaCha20 generator whose key is
            /// HMAC-SHA-256(seed, message), and the message is `dp-samplers noise`, followed by
            /// algorithm and parameters, each with its length in bytes before it as 8 bytes, the
            /// least significant first.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw does not fit `T`.
            pub fn expand<T: $crate::FromDraw>(
                &self,
                seed: &$crate::Seed,
                out: &mut [T],
            ) -> Result<(), $crate::Error> {
                let key = seed.derive(Self::ALGORITHM, &self.parameters());
                self.fill(&mut key.rng(), out)
            }
        }
    };
}

stream!(DiscreteGaussian, "discrete_gaussian/3", |law: &Self| {
    fraction("variance", law.variance())
});
stream!(DiscreteLaplace, "discrete_laplace/3", |law: &Self| {
    fraction("scale", law.scale())
});
stream!(Geometric, "geometric/3", |law: &Self| {
    fraction("scale", law.scale())
});
// A probability that is known by enclosures alone has no exact text.
stream!(Binomial, "binomial/4", |law: &Self| {
    let probability = fraction("probability", law.success_probability());
    format!("trials={},{probability}", law.trials())
});

/// A parameter as a reduced fraction, with its denominator even where that is 1.
fn fraction(name: &str, value: &Rational) -> String {
    format!("{name}={}/{}", value.numerator(), value.denominator())
}
