//! The canonical bytes of a policy: one encoding for each meaning, in the TLS presentation language, as
//! the task extension has them. The order of variants is that of their codes.

use dp_exact::Rational;

use super::{AggregatorNoise, Amount, ClientNoise, Policy, Sizes};
use crate::policy::{MeasurementRange, Vdaf};

impl Policy {
    /// Appends the policy: what is asked, with what the parts leave open, the noises, the batch.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let vdaf = &self.parts().vdaf;
        let Sizes { aggregators, length, max_measurement, .. } = vdaf.size();
        bytes.push(vdaf.kind() as u8 + 1);
        bytes.push(u8::try_from(aggregators).unwrap_or(u8::MAX));
        for number in [length, self.chunk_length().unwrap_or(0), self.max_weight()] {
            bytes.extend((number as u64).to_be_bytes());
        }
        bytes.extend(max_measurement.to_be_bytes());
        let grid = match vdaf {
            Vdaf::Sum { range, .. } | Vdaf::Average { range, .. } | Vdaf::SumVec { range, .. } => {
                if let MeasurementRange::Grid(grid) = range { Some(grid) } else { None }
            }
            _ => None,
        };
        bytes.push(grid.is_some().into());
        for number in grid.iter().flat_map(|grid| [grid.low(), grid.granularity()]) {
            bytes.push(number.is_negative().into());
            fraction(number, bytes);
        }
        client_noise(self.parts().client_noise.as_ref(), bytes);
        aggregator_noise(self.parts().aggregator_noise.as_ref(), bytes);
        bytes.extend(self.min_reports().to_be_bytes());
        bytes.extend(self.max_reports().to_be_bytes());
    }
}

/// Writes client noise: the code of its type, 0 for none, and its parameters.
pub fn client_noise(noise: Option<&ClientNoise>, bytes: &mut Vec<u8>) {
    bytes.push(noise.map_or(0, |noise| noise.kind() as u8 + 1));
    let (epsilon, weight, rate) = match noise {
        None | Some(ClientNoise::CoinFlip {}) => return,
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
    fraction(epsilon.value(), bytes);
    bytes.extend(weight.map(|weight| weight as u32).into_iter().flat_map(u32::to_be_bytes));
    rate.into_iter().for_each(|rate| fraction(rate, bytes));
}

/// Writes aggregator noise: the code of its type, 0 for none, and its budget or numbers of clients.
pub fn aggregator_noise(noise: Option<&AggregatorNoise>, bytes: &mut Vec<u8>) {
    bytes.push(noise.map_or(0, |noise| noise.kind() as u8 + 1));
    if let Some(AggregatorNoise::Compensation {
        target_honest_clients: target,
        assumed_malicious_clients: malicious,
    }) = noise
    {
        bytes.extend(target.to_be_bytes());
        bytes.extend(malicious.to_be_bytes());
    }
    let (code, first, delta) = match noise.and_then(AggregatorNoise::law) {
        None => return,
        Some((.., Amount::Pure { epsilon })) => (1, epsilon.value(), None),
        Some((.., Amount::Approximate { epsilon, delta })) => (2, epsilon.value(), Some(delta)),
        Some((.., Amount::ZeroConcentrated { rho })) => (3, rho.value(), None),
        Some((.., Amount::Exactly { parameter })) => (4, parameter, None),
    };
    bytes.push(code);
    fraction(first, bytes);
    delta.into_iter().for_each(|delta| fraction(delta.value(), bytes));
}

/// Writes a fraction in lowest terms: its sign where negative, numerator and denominator, each after its
/// length in two bytes.
pub fn fraction(value: &Rational, bytes: &mut Vec<u8>) {
    for integer in [value.numerator(), value.denominator()] {
        let magnitude = integer.magnitude().to_bytes_be();
        bytes.extend(u16::try_from(magnitude.len()).unwrap_or(u16::MAX).to_be_bytes());
        bytes.extend(magnitude);
    }
}
