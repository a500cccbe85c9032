//! The differential privacy policy of a task as an extension of a DAP task configuration, specified
//! in `docs/dap-dp-extension.md` at the root of the repository. Every [`DpExtension`] has one
//! encoding, in the TLS presentation language (RFC 8446, section 3); all other bytes are refused.
//! Tasks of one digest may have several extensions: one leaves a default open that another states.

use std::io::{Cursor, Read};

use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, BigInt, BigUint, Budget, ClientNoise,
    ClientNoiseType, Parts, TrustModel, Vdaf, canonical,
};
use prio::codec::{CodecError, Decode, Encode};

use crate::digest::TaskDigest;
use crate::document::{MAX_RELEASES, MAX_REPORTS_PER_CLIENT, TaskDocument, Trust};
use crate::{Error, Task};

/// The versions of the encoding, its first byte. Version 2 has further fields, and is only for
/// what version 1 has no fields for.
const VERSIONS: [u8; 2] = [1, 2];

/// The differential privacy policy of a task. DAP itself carries the VDAF and the name of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DpExtension {
    /// The noise that each client adds to its measurement.
    pub client_noise: Option<ClientNoise>,
    /// The noise that each aggregator adds to its share.
    pub aggregator_noise: Option<AggregatorNoise>,
    /// The trust model and its circumstances.
    pub trust: Trust,
    /// The fewest reports that are released together: DAP's `min_batch_size`.
    pub min_reports: u64,
    /// The most reports that are released together.
    pub max_reports: u64,
    /// The digest of the task.
    pub digest: TaskDigest,
}

impl DpExtension {
    /// The extension of a task.
    #[must_use]
    pub fn of(task: &Task) -> Self {
        let document = task.document();
        Self {
            client_noise: document.client_noise.clone(),
            aggregator_noise: document.aggregator_noise.clone(),
            // Replacement is written as a relation that a task leaves open.
            trust: Trust {
                adjacency: beside_replacement(document.trust.adjacency),
                ..document.trust.clone()
            },
            min_reports: document.batch.min_reports,
            max_reports: task.policy().max_reports(),
            digest: task.digest(),
        }
    }

    /// The task of this policy with the name and the VDAF that DAP carries.
    ///
    /// # Errors
    /// If the parts make no task ([`Task::new`]), or the task has another digest.
    pub fn task(&self, name: &str, vdaf: Vdaf) -> Result<Task, Error> {
        let parts = Parts {
            vdaf,
            client_noise: self.client_noise.clone(),
            aggregator_noise: self.aggregator_noise.clone(),
            batch: BatchLimits {
                min_reports: self.min_reports,
                max_reports: Some(self.max_reports),
            },
        };
        let task = Task::new(TaskDocument::new(name, parts, self.trust.clone()))?;
        if task.digest() != self.digest {
            let accepted =
                "the digest of the extension: the name, the VDAF or its parameters differ";
            return Err(ParameterError::new("digest", task.digest(), accepted).into());
        }
        Ok(task)
    }
}

impl Encode for DpExtension {
    /// Appends the only encoding of these fields: in the first version of the extension unless only
    /// the second has room for them. The extension of a task is read back as it was.
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
        let Trust { model, honest_clients, delta, reports_per_client, .. } = &self.trust;
        // Honest clients in a trust model that counts on none.
        let other_honest = honest_clients.filter(|_| !model.needs_other_clients());
        let is_first = reports_per_client.is_none() && other_honest.is_none();
        let adjacency = canonical::code(self.trust.adjacency.unwrap_or_default());
        bytes.extend([VERSIONS[usize::from(!is_first)], adjacency]);
        canonical::client_noise(self.client_noise.as_ref(), bytes).map_err(other)?;
        canonical::aggregator_noise(self.aggregator_noise.as_ref(), bytes).map_err(other)?;
        bytes.push(model.honest_aggregators());
        bytes.push(model.needs_other_clients().into());
        if model.needs_other_clients() {
            honest_clients.unwrap_or_default().encode(bytes)?;
        }
        bytes.push(delta.is_some().into());
        if let Some(delta) = delta {
            canonical::fraction("delta", delta.value(), bytes).map_err(other)?;
        }
        u64::from(self.trust.releases.unwrap_or_default()).encode(bytes)?;
        if !is_first {
            u64::from(reports_per_client.unwrap_or_default()).encode(bytes)?;
            other_honest.unwrap_or_default().encode(bytes)?;
        }
        bytes.push(self.trust.accept_weak_guarantee.into());
        self.min_reports.encode(bytes)?;
        self.max_reports.encode(bytes)?;
        bytes.extend(self.digest.as_bytes());
        Ok(())
    }
}

impl Decode for DpExtension {
    fn decode(bytes: &mut Cursor<&[u8]>) -> Result<Self, CodecError> {
        let mut before = bytes.clone();
        let (version, code) = (u8::decode(bytes)?, u8::decode(bytes)?);
        if !VERSIONS.contains(&version) {
            return Err(refused("version", version, "1 or 2"));
        }
        let relation = Adjacency::ALL.into_iter().find(|one| canonical::code(*one) == code);
        if relation.is_none() {
            let accepted = "1: replacement, 2: deletion, or 3: one coordinate";
            return Err(refused("adjacency", code, accepted));
        }
        let client_noise = decode_client_noise(bytes)?;
        let aggregator_noise = decode_aggregator_noise(bytes)?;
        let adjacency = beside_replacement(relation);
        let trust = Trust { adjacency, ..decode_trust(version, bytes)? };
        let (min_reports, max_reports) = (u64::decode(bytes)?, u64::decode(bytes)?);
        if min_reports == 0 || min_reports > max_reports {
            let accepted = "an integer from 1 to max_reports";
            return Err(refused("min_reports", min_reports, accepted));
        }
        let mut digest = [0; 32];
        bytes.read_exact(&mut digest)?;
        let digest = TaskDigest(digest);
        let read = Self { client_noise, aggregator_noise, trust, min_reports, max_reports, digest };
        // The readers above take other encodings too: a fraction that is not in lowest terms, an
        // integer with a leading zero, a flag of 2. These are written differently.
        let mut written = Vec::new();
        read.encode(&mut written)?;
        let mut found = vec![0; written.len()];
        before.read_exact(&mut found)?;
        let is_canonical = found == written && before.position() == bytes.position();
        let encoding = || refused("extension", "in another encoding", "the one of its fields");
        if is_canonical { Ok(read) } else { Err(encoding()) }
    }
}

/// Reads the trust model and the rest of the trust but the neighbours. Only `version` 2 has the
/// reports per client, and honest clients in a trust model that counts on none.
fn decode_trust(version: u8, bytes: &mut Cursor<&[u8]>) -> Result<Trust, CodecError> {
    let (aggregators, counts_on_clients) = (u8::decode(bytes)?, flag(bytes)?);
    let models = TrustModel::with_honest_aggregators(aggregators.into()).map_err(other)?;
    let mut models = models.into_iter().filter(|model| model.honest_aggregators() == aggregators);
    let model = models.find(|model| model.needs_other_clients() == counts_on_clients);
    let model = model.ok_or_else(|| {
        refused("honest_aggregators", aggregators, "at least 1 where other clients count")
    })?;
    let honest_clients = counts_on_clients.then(|| u64::decode(bytes)).transpose()?;
    let mut honest_clients =
        honest_clients.map(|honest| non_zero("honest_clients", honest)).transpose()?;
    let has_delta = flag(bytes)?;
    let delta = has_delta.then(|| decode_delta(bytes)).transpose()?;
    let releases = decode_optional("releases", MAX_RELEASES, bytes)?;
    let mut reports_per_client = None;
    if version > VERSIONS[0] {
        reports_per_client = decode_optional("reports_per_client", MAX_REPORTS_PER_CLIENT, bytes)?;
        let other_honest = u64::decode(bytes)?;
        honest_clients = honest_clients.or(Some(other_honest).filter(|honest| *honest > 0));
    }
    let accept_weak_guarantee = flag(bytes)?;
    let trust = Trust { honest_clients, delta, releases, reports_per_client, ..Trust::on(model) };
    Ok(Trust { accept_weak_guarantee, ..trust })
}

/// The relation; `None` for replacement, the default.
fn beside_replacement(adjacency: Option<Adjacency>) -> Option<Adjacency> {
    adjacency.filter(|adjacency| *adjacency != Adjacency::Replacement)
}

/// Reads a number in eight bytes; `None` for 0, `Err`, with the `name`, if it is above `most`.
fn decode_optional(
    name: &'static str,
    most: u32,
    bytes: &mut Cursor<&[u8]>,
) -> Result<Option<u32>, CodecError> {
    let number = u64::decode(bytes)?;
    let fixed = u32::try_from(number).ok().filter(|number| *number <= most);
    let fixed =
        fixed.ok_or_else(|| refused(name, number, format!("an integer from 0 to {most}")))?;
    Ok(Some(fixed).filter(|number| *number > 0))
}

/// Reads the code of a type of noise in one byte, its place from 1 in `types`; `None` for the code
/// 0, `Err`, with the field's `name`, for a code beyond `types`.
fn decode_type<T: Copy>(
    name: &'static str,
    types: &[T],
    bytes: &mut Cursor<&[u8]>,
) -> Result<Option<T>, CodecError> {
    let code = u8::decode(bytes)?;
    let place = usize::from(code).checked_sub(1);
    let found = place.map(|place| types.get(place).copied());
    let unknown = || refused(name, code, format!("a type from 0 to {}", types.len()));
    found.map(|found| found.ok_or_else(unknown)).transpose()
}

/// Reads client noise; `None` if clients add none.
fn decode_client_noise(bytes: &mut Cursor<&[u8]>) -> Result<Option<ClientNoise>, CodecError> {
    let kind = match decode_type("client_noise", ClientNoiseType::ALL, bytes)? {
        None => return Ok(None),
        Some(ClientNoiseType::CoinFlip) => return Ok(Some(ClientNoise::CoinFlip {})),
        Some(kind) => kind,
    };
    let epsilon = decode_epsilon("epsilon", bytes)?;
    let has_weight = kind == ClientNoiseType::SymmetricRappor;
    let weight = if has_weight { u32::decode(bytes)? } else { 1 };
    let rate = |_: &Epsilon, _| decode_fraction("false_positive_rate", bytes);
    kind.with(epsilon, usize::try_from(weight).map_err(other)?, rate).map(Some)
}

/// Reads aggregator noise; `None` if aggregators add none.
fn decode_aggregator_noise(
    bytes: &mut Cursor<&[u8]>,
) -> Result<Option<AggregatorNoise>, CodecError> {
    let kind = decode_type("aggregator_noise", AggregatorNoiseType::ALL, bytes)?;
    Ok(match kind {
        None => None,
        Some(kind) if kind != AggregatorNoiseType::Compensation => kind.of(decode_budget(bytes)?),
        Some(_) => Some(AggregatorNoise::Compensation {
            target_honest_clients: non_zero("target_honest_clients", u64::decode(bytes)?)?,
            assumed_malicious_clients: u64::decode(bytes)?,
        }),
    })
}

/// Reads a budget; `Err` for an unknown type or a refused parameter.
fn decode_budget(bytes: &mut Cursor<&[u8]>) -> Result<Budget, CodecError> {
    Ok(match u8::decode(bytes)? {
        1 => Budget::Pure { epsilon: decode_epsilon("epsilon", bytes)? },
        2 => Budget::Approximate {
            epsilon: decode_epsilon("epsilon", bytes)?,
            delta: decode_delta(bytes)?,
        },
        3 => Budget::ZeroConcentrated {
            rho: Rho::new(decode_fraction("rho", bytes)?).map_err(other)?,
        },
        unknown => return Err(refused("budget", unknown, "a type from 1 to 3")),
    })
}

/// Reads a δ; `Err` if the fraction is out of the range of a [`Delta`].
fn decode_delta(bytes: &mut Cursor<&[u8]>) -> Result<Delta, CodecError> {
    Delta::new(decode_fraction("delta", bytes)?).map_err(other)
}

/// Reads an ε; `Err` unless it is a fraction above 0.
fn decode_epsilon(name: &'static str, bytes: &mut Cursor<&[u8]>) -> Result<Epsilon, CodecError> {
    Epsilon::new(decode_fraction(name, bytes)?).map_err(other)
}

/// Reads a fraction, also one that is not in lowest terms: numerator, then denominator, each as its
/// length in two bytes and its big-endian bytes. `Err`, with the parameter's `name`, if the
/// denominator is 0.
fn decode_fraction(name: &'static str, bytes: &mut Cursor<&[u8]>) -> Result<Rational, CodecError> {
    let mut integer = || {
        let mut magnitude = vec![0; u16::decode(bytes)?.into()];
        bytes.read_exact(&mut magnitude)?;
        Ok::<_, CodecError>(BigInt::from(BigUint::from_bytes_be(&magnitude)))
    };
    let (numerator, denominator) = (integer()?, integer()?);
    Rational::new(numerator, denominator).map_err(|error| other(error.renamed(name)))
}

/// Reads a flag of one byte: false for 0, true for any other value. The caller refuses what is not
/// written again as it was read.
fn flag(bytes: &mut Cursor<&[u8]>) -> Result<bool, CodecError> {
    Ok(u8::decode(bytes)? > 0)
}

/// Returns `value`; `Err`, with the parameter's `name`, if the value is 0.
fn non_zero(name: &'static str, value: u64) -> Result<u64, CodecError> {
    if value > 0 { Ok(value) } else { Err(refused(name, value, "an integer of at least 1")) }
}

/// The error that `name` has a `value` outside of the `accepted` range.
fn refused(
    name: &'static str,
    value: impl std::fmt::Display,
    accepted: impl Into<String>,
) -> CodecError {
    other(ParameterError::new(name, value, accepted))
}

/// Wraps an error as `CodecError::Other`.
fn other(error: impl std::error::Error + Send + Sync + 'static) -> CodecError {
    CodecError::Other(Box::new(error))
}

#[cfg(test)]
mod tests;
