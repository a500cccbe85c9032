//! Test vectors: the noise that fixed seeds expand to. `vectors/samplers.json` of the repository
//! has them. With the feature `verification`.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use dp_exact::Rational;
use num_bigint::BigInt;

use crate::{Binomial, DiscreteGaussian, DiscreteLaplace, Seed};

/// Samples in a test vector.
const SAMPLES: usize = 64;

/// The samples that a seed gives for one distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Name and version of the algorithm.
    pub algorithm: &'static str,
    /// The distribution's parameters as exact text.
    pub parameters: String,
    /// The bytes of the seed.
    pub seed: [u8; 32],
    /// The ChaCha20 key that is derived from seed, algorithm and parameters.
    pub key: [u8; 32],
    /// The first 64 samples, filled into one slice.
    pub samples: Vec<BigInt>,
}

/// Appends the stream of a distribution, whose seed is `first`, `first` + 1, …: a macro, because
/// `expand` belongs to no trait.
macro_rules! push {
    ($streams:ident, $distribution:ident, $new:expr, $first:expr) => {{
        let distribution: $distribution = $new.expect("the parameter is in the range");
        let mut bytes = [0_u8; 32];
        for (byte, value) in bytes.iter_mut().zip($first..) {
            *byte = value;
        }
        let seed = Seed::new(&mut { bytes });
        let (algorithm, parameters) = ($distribution::ALGORITHM, distribution.parameters());
        let mut samples = vec![BigInt::ZERO; SAMPLES];
        distribution.expand(&seed, &mut samples).expect("big integers hold all draws");
        let key = *seed.derive(algorithm, &parameters).0;
        $streams.push(Stream { algorithm, parameters, seed: bytes, key, samples });
    }};
}

/// The number that `text`, one of the fixed ones below, stands for.
fn number(text: &str) -> Rational {
    text.parse().expect("a fixed number")
}

/// The test vectors of all distributions.
#[must_use]
pub fn streams() -> Vec<Stream> {
    let mut streams = Vec::new();
    let variances = ["1/4", "26.93942798", "547.12623649", "1e6", "1e12", "1e24", "1e60"];
    for (first, variance) in (1..).zip(variances) {
        push!(streams, DiscreteGaussian, DiscreteGaussian::new(&number(variance)), first);
    }
    let scales = ["2/5", "2", "20", "1000/3", "65535000", "1e30"];
    for (first, scale) in (1..).zip(scales) {
        push!(streams, DiscreteLaplace, DiscreteLaplace::new(&number(scale)), first);
    }
    let binomials =
        [(10, "1/2"), (1000, "1/3"), (1000, "0.9"), (1_000_000, "0.001"), (1_000_000_000, "1/2")];
    for (first, (trials, probability)) in (1..).zip(binomials) {
        push!(streams, Binomial, Binomial::new(trials, number(probability)), first);
    }
    streams
}
