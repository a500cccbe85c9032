//! A finished trial, in as few bytes as the outcome of all trials needs.

use sha2::{Digest as _, Sha256};

use super::statistics::Statistics;
use super::{Coordinate, MAX_COORDINATES, Trial};

/// The bytes of a digest.
pub(crate) const DIGEST: usize = 32;

/// A trial, of which the coordinates are kept or not, and what follows from them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// Without coordinates, unless it is one of the first.
    pub(crate) trial: Trial,
    pub(crate) statistics: Statistics,
    /// SHA-256 over its number, its reports and its estimates.
    pub(crate) digest: [u8; DIGEST],
}

impl Record {
    /// Of the trial with this number.
    pub(crate) fn of(number: u64, mut trial: Trial) -> Self {
        let statistics = Statistics::of(&trial.coordinates);
        let digest = digest(number, &trial);
        if !is_kept(number, trial.coordinates.len()) {
            trial.coordinates = Vec::new();
        }
        Self {
            trial,
            statistics,
            digest,
        }
    }
}

/// Whether the coordinates of a trial are kept, if each trial has so many: those of the first trials that have at
/// most [`MAX_COORDINATES`] together, and in any case those of the first one.
pub(crate) fn is_kept(number: u64, coordinates: usize) -> bool {
    let trials = usize::try_from(number).map_or(usize::MAX, |number| number.saturating_add(1));
    number == 0 || trials.saturating_mul(coordinates) <= MAX_COORDINATES
}

fn digest(number: u64, trial: &Trial) -> [u8; DIGEST] {
    let mut hash = Sha256::new();
    hash.update(b"dp-simulation trial 1");
    for count in [number, trial.reports, trial.dropped, trial.rejected] {
        hash.update(count.to_le_bytes());
    }
    for coordinate in &trial.coordinates {
        hash.update(coordinate.estimate.to_bits().to_le_bytes());
    }
    let consistent = |coordinate: &Coordinate| coordinate.consistent;
    for estimate in trial.coordinates.iter().filter_map(consistent) {
        hash.update(estimate.to_bits().to_le_bytes());
    }
    hash.finalize().into()
}
