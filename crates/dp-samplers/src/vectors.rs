//! Test vectors: the noise that fixed seeds expand to.
//!
//! [`files`] makes the files in `tests/vectors`; a test compares them. They are JSON lists of
//! objects with the algorithm's name and version, its parameters, the seed in hexadecimal, the
//! function that derives a key from seed, algorithm and parameters, the key in hexadecimal, the
//! generator with that key, and its first 64 samples as decimal strings.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;

use dp_exact::Rational;
use num_bigint::BigInt;

use crate::{Binomial, DiscreteGaussian, DiscreteLaplace, Error, Geometric, Seed};

/// Samples in a test vector.
const SAMPLES: usize = 64;

/// Name of the function that derives a key from a seed.
const DERIVATION: &str = "HMAC-SHA-256";

/// Name of the generator of [`Seed::rng`].
const GENERATOR: &str = "ChaCha20";

/// The samples that a seed gives for one distribution, with the names that identify them.
struct Stream {
    /// Name and version of the algorithm.
    algorithm: &'static str,
    parameters: String,
    samples: Vec<BigInt>,
}

/// The stream of a distribution: a macro, because `expand` belongs to no trait.
macro_rules! stream {
    ($distribution:ident, $new:expr, $seed:expr) => {{
        let distribution: $distribution = $new;
        let mut samples = vec![BigInt::ZERO; SAMPLES];
        distribution.expand($seed, &mut samples)?;
        Ok(Stream {
            algorithm: $distribution::ALGORITHM,
            parameters: distribution.parameters(),
            samples,
        })
    }};
}

/// The name of each file in `tests/vectors`, and its contents.
///
/// # Errors
/// [`Error`] never: the parameters are fixed and valid.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    let scales = ["2/5", "2", "20", "1000/3", "65535000", "1e30", "1e40"];
    let variances = ["1/4", "26.93942798", "547.12623649", "1e6", "1e12", "1e24", "1e60", "1e80"];
    let trials = ["10 1/2", "1000 1/3", "1000 0.9", "1000000 0.001", "1000000000 1/2"];
    Ok(vec![
        (
            "discrete_gaussian.json",
            file(&variances, |text, seed| {
                stream!(DiscreteGaussian, DiscreteGaussian::new(&number(text)?)?, seed)
            })?,
        ),
        (
            "discrete_laplace.json",
            file(&scales, |text, seed| {
                stream!(DiscreteLaplace, DiscreteLaplace::new(&number(text)?)?, seed)
            })?,
        ),
        (
            "geometric.json",
            file(&scales, |text, seed| stream!(Geometric, Geometric::new(&number(text)?)?, seed))?,
        ),
        (
            "binomial.json",
            file(&trials, |text, seed| {
                let (trials, probability) = text.split_once(' ').unwrap_or((text, "0"));
                let trials = trials.parse().unwrap_or(0);
                stream!(Binomial, Binomial::new(trials, number(probability)?)?, seed)
            })?,
        ),
    ])
}

/// Parses a fixed parameter.
fn number(text: &str) -> Result<Rational, Error> {
    Ok(text.parse()?)
}

/// The JSON list with one test vector for each of `parameters`, made by `stream`.
fn file(
    parameters: &[&str],
    stream: impl Fn(&str, &Seed) -> Result<Stream, Error>,
) -> Result<String, Error> {
    let entries: Result<Vec<String>, Error> = parameters
        .iter()
        .zip(1..)
        .map(|(parameter, first)| {
            let mut bytes = [0; 32];
            for (byte, value) in bytes.iter_mut().zip(first..) {
                *byte = value;
            }
            let text = hexadecimal(&bytes);
            let seed = Seed::new(&mut bytes);
            let stream = stream(parameter, &seed)?;
            let key = seed.derive(stream.algorithm, &stream.parameters);
            Ok(entry(&stream, &text, &hexadecimal(key.bytes())))
        })
        .collect();
    Ok(format!("[\n{}\n]\n", entries?.join(",\n")))
}

fn hexadecimal(bytes: &[u8; 32]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _: core::fmt::Result = write!(text, "{byte:02x}");
        text
    })
}

/// The JSON object of one test vector. No text in it needs to be escaped.
fn entry(stream: &Stream, seed: &str, key: &str) -> String {
    let Stream { algorithm, parameters, samples } = stream;
    let lines: Vec<String> = samples
        .chunks(8)
        .map(|line| {
            let line: Vec<String> = line.iter().map(|sample| format!("\"{sample}\"")).collect();
            format!("      {}", line.join(", "))
        })
        .collect();
    format!(
        "  {{\n    \"algorithm\": \"{algorithm}\",\n    \"parameters\": \"{parameters}\",\n    \
         \"seed\": \"{seed}\",\n    \"derivation\": \"{DERIVATION}\",\n    \"key\": \"{key}\",\n    \
         \"generator\": \"{GENERATOR}\",\n    \"samples\": [\n{}\n    ]\n  }}",
        lines.join(",\n")
    )
}
