//! The canonical bytes of a policy, and of parts of a task: one encoding for each meaning, in the
//! TLS presentation language (RFC 8446, section 3), as in the task extension.
//!
//! Integers have a fixed width, the highest byte first; fractions are in lowest terms, each integer
//! after its length. No words for people are among them. Every number is checked to fit its field
//! when the policy is made, so that no two policies have the same bytes.

use dp_calibration::{Adjacency, Budget};
use dp_exact::{ParameterError, Rational};

use super::written::{AggregatorNoise, ClientNoise, Parts, Sizes};

/// The code of a neighbouring relation in canonical bytes and in a task extension.
#[must_use]
pub const fn code(adjacency: Adjacency) -> u8 {
    match adjacency {
        Adjacency::Replacement => 1,
        Adjacency::Deletion => 2,
        Adjacency::OneCoordinate => 3,
    }
}

/// The canonical bytes of a policy: the VDAF, with what its parts leave open, the noises, and the
/// sizes of batches. A `chunk_length` of `None` is written as 0. `Err` for a fraction of more than
/// [`Rational::MAX_BITS`] bits.
pub(super) fn policy(
    parts: &Parts,
    chunk_length: Option<usize>,
    max_weight: usize,
    max_reports: u64,
) -> Result<Vec<u8>, ParameterError> {
    let Parts { vdaf, client_noise: clients, aggregator_noise: aggregators, batch } = parts;
    let Sizes { length, max_measurement, .. } = vdaf.size();
    let mut bytes = vec![vdaf.kind().code()];
    bytes.push(u8::try_from(vdaf.aggregators()).expect("Prio3 has at most 254 aggregators"));
    for number in [length, chunk_length.unwrap_or(0), max_weight] {
        bytes.extend((number as u64).to_be_bytes());
    }
    bytes.extend(max_measurement.to_be_bytes());
    let grid = vdaf.grid();
    // The high end follows from the low one, the granularity and the largest measurement.
    bytes.push(grid.is_some().into());
    for number in grid.iter().flat_map(|grid| [grid.low(), grid.granularity()]) {
        bytes.push(number.is_negative().into());
        fraction("vdaf.range.grid", &number.abs(), &mut bytes)?;
    }
    client_noise(clients.as_ref(), &mut bytes)?;
    aggregator_noise(aggregators.as_ref(), &mut bytes)?;
    bytes.extend(batch.min_reports.to_be_bytes());
    bytes.extend(max_reports.to_be_bytes());
    Ok(bytes)
}

/// Appends client noise: the code of its type, 0 for none, and its parameters.
///
/// # Errors
/// If the input weight has more than 32 bits, or a fraction more than [`Rational::MAX_BITS`].
pub fn client_noise(
    noise: Option<&ClientNoise>,
    bytes: &mut Vec<u8>,
) -> Result<(), ParameterError> {
    bytes.push(noise.map_or(0, |noise| noise.kind().code()));
    let (epsilon, weight, rate) = match noise {
        None | Some(ClientNoise::CoinFlip {}) => return Ok(()),
        Some(
            ClientNoise::RandomizedResponse { epsilon }
            | ClientNoise::KaryRandomizedResponse { epsilon },
        ) => (epsilon, None, None),
        Some(ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate }) => {
            (epsilon0, Some(*input_weight), Some(false_positive_rate))
        }
        Some(
            ClientNoise::OneHotRappor { epsilon0: epsilon, false_positive_rate }
            | ClientNoise::BasicRappor { epsilon, false_positive_rate },
        ) => (epsilon, None, Some(false_positive_rate)),
    };
    fraction("client_noise", epsilon.value(), bytes)?;
    if let Some(weight) = weight {
        let accepted = || format!("an integer from 0 to {}", u32::MAX);
        let fixed = u32::try_from(weight)
            .map_err(|_| ParameterError::new("client_noise.input_weight", weight, accepted()))?;
        bytes.extend(fixed.to_be_bytes());
    }
    rate.map_or(Ok(()), |rate| fraction("client_noise.false_positive_rate", rate, bytes))
}

/// Appends aggregator noise: the code of its type, 0 for none, and its amount or numbers of
/// clients.
///
/// # Errors
/// If a fraction has more than [`Rational::MAX_BITS`] bits, or for a Rényi budget, to which no
/// noise is calibrated.
pub fn aggregator_noise(
    noise: Option<&AggregatorNoise>,
    bytes: &mut Vec<u8>,
) -> Result<(), ParameterError> {
    bytes.push(noise.map_or(0, |noise| noise.kind().code()));
    if let Some(AggregatorNoise::Compensation {
        target_honest_clients: target,
        assumed_malicious_clients: malicious,
    }) = noise
    {
        bytes.extend(target.to_be_bytes());
        bytes.extend(malicious.to_be_bytes());
    }
    let (code, first, delta) = match noise.and_then(AggregatorNoise::budget) {
        None => return Ok(()),
        Some(Budget::Pure { epsilon }) => (1, epsilon.value(), None),
        Some(Budget::Approximate { epsilon, delta }) => (2, epsilon.value(), Some(delta)),
        Some(Budget::ZeroConcentrated { rho }) => (3, rho.value(), None),
        Some(renyi @ Budget::Renyi { .. }) => {
            let accepted = "a pure, an approximate or a zero-concentrated budget";
            return Err(ParameterError::new("aggregator_noise.budget", renyi, accepted));
        }
    };
    bytes.push(code);
    fraction("aggregator_noise.budget", first, bytes)?;
    delta.map_or(Ok(()), |delta| fraction("aggregator_noise.budget", delta.value(), bytes))
}

/// Appends a fraction in lowest terms: numerator and denominator, each after its length in two
/// bytes.
///
/// # Errors
/// If it is negative, or either has more than [`Rational::MAX_BITS`] bits, which is 512 bytes; the
/// error names `name`.
///
/// # Panics
/// Never: an integer of [`Rational::MAX_BITS`] bits has 512 bytes.
pub fn fraction(
    name: &'static str,
    value: &Rational,
    bytes: &mut Vec<u8>,
) -> Result<(), ParameterError> {
    if value.is_negative() || value.bits() > Rational::MAX_BITS {
        let bits = Rational::MAX_BITS;
        let accepted = format!("at least 0, a fraction of integers of at most {bits} bits");
        return Err(ParameterError::new(name, value, accepted));
    }
    for integer in [value.numerator(), value.denominator()] {
        let magnitude = integer.magnitude().to_bytes_be();
        let length = u16::try_from(magnitude.len()).expect("at most 512 bytes");
        bytes.extend(length.to_be_bytes());
        bytes.extend(magnitude);
    }
    Ok(())
}
