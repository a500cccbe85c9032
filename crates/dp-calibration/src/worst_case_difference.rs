//! The worst difference of two neighbouring inputs: some coordinates, all changed by the same step.
//!
//! For independent noise with a log-concave distribution on every coordinate, the differences
//! within a box |dᵢ| ≤ dᵢ* are all randomizations of the extreme one, d*, by Blackwell's theorem:
//! it is the worst for every ε at once. Signs do not matter, since the noise is symmetric. Changes
//! of several coordinates are no worse than their sum on one, so that for an L1BoundSum the worst
//! difference is (max, −max). Section 1 of `docs/calibration.md` has the proofs.

use num_bigint::BigUint;

use dp_exact::Rational;
use serde::{Deserialize, Serialize};

use crate::{Adjacency, Error, Query, Result};

/// The accepted steps, in errors.
const STEP: &str = "an integer of at least 1 and at most 200 bits";

/// `coordinates` entries of an aggregate, each changed by `step`, up or down.
///
/// ```
/// use dp_calibration::{Adjacency, WorstCaseDifference, Query};
///
/// let histogram = Query::Histogram { length: 24 };
/// assert_eq!(histogram.worst_case_difference(Adjacency::Replacement)?, Some(WorstCaseDifference::one_hot()));
/// # Ok::<(), dp_calibration::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "WrittenDifference", try_from = "WrittenDifference")]
pub struct WorstCaseDifference {
    /// The number of entries that change.
    coordinates: u64,
    /// The absolute change of each of these entries.
    step: BigUint,
}

impl WorstCaseDifference {
    /// The most coordinates.
    pub const MAX_COORDINATES: u64 = 1 << 32;

    /// `coordinates` entries that change by `step` each.
    ///
    /// # Errors
    /// If `coordinates` is 0 or above [`WorstCaseDifference::MAX_COORDINATES`], or `step` is 0 or
    /// has more than 200 bits.
    pub fn new(coordinates: u64, step: impl Into<BigUint>) -> Result<Self> {
        let step = step.into();
        let accepted = "an integer from 1 to 2^32";
        let is_accepted = (1..=Self::MAX_COORDINATES).contains(&coordinates);
        Error::check(is_accepted, "coordinates", coordinates, accepted)?;
        Error::check(step != BigUint::ZERO && step.bits() <= 200, "step", &step, STEP)?;
        Ok(Self { coordinates, step })
    }

    /// One integer that changes by 1: a count.
    #[must_use]
    pub fn one() -> Self {
        Self { coordinates: 1, step: BigUint::from(1u32) }
    }

    /// A one-hot vector replaced by another: one entry up by 1, one down by 1.
    #[must_use]
    pub fn one_hot() -> Self {
        Self { coordinates: 2, step: BigUint::from(1u32) }
    }

    /// The number of entries that change.
    pub fn coordinates(&self) -> u64 {
        self.coordinates
    }

    /// The absolute change of each of these entries.
    pub fn step(&self) -> &BigUint {
        &self.step
    }

    /// ‖d‖₁ = `coordinates`·`step`
    #[must_use]
    pub fn l1(&self) -> BigUint {
        &self.step * self.coordinates
    }

    /// ‖d‖₂² = `coordinates`·`step`²
    #[must_use]
    pub fn l2_squared(&self) -> BigUint {
        &self.step * &self.step * self.coordinates
    }

    /// `step` as a fraction.
    pub(crate) fn rational_step(&self) -> Rational {
        Rational::integer(self.step.clone())
    }
}

/// [`WorstCaseDifference`] as it is written in a document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDifference {
    coordinates: u64,
    /// Δ in decimal digits.
    step: String,
}

impl From<WorstCaseDifference> for WrittenDifference {
    fn from(difference: WorstCaseDifference) -> Self {
        Self { coordinates: difference.coordinates, step: difference.step.to_string() }
    }
}

impl TryFrom<WrittenDifference> for WorstCaseDifference {
    type Error = Error;

    fn try_from(WrittenDifference { coordinates, step }: WrittenDifference) -> Result<Self> {
        // 200 bits are 61 digits.
        let is_integer = step.len() <= 61 && step.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = BigUint::parse_bytes(step.as_bytes(), 10).filter(|_| is_integer);
        Self::new(coordinates, parsed.ok_or_else(|| Error::parameter("step", step, STEP))?)
    }
}

impl Query {
    /// The worst difference of two measurements; `None` where no measurement can be replaced by
    /// another (a histogram of one bucket), so that no noise is needed, and for a strategy matrix,
    /// whose differences are no box: [`Query::contribution`] bounds them.
    ///
    /// # Errors
    /// If the query is not valid, see [`Query::sensitivity`].
    pub fn worst_case_difference(
        &self,
        adjacency: Adjacency,
    ) -> Result<Option<WorstCaseDifference>> {
        if self.sensitivity(adjacency)?.l1 == BigUint::ZERO {
            return Ok(None);
        }
        Ok(self.sensitivity_bound(adjacency)?.gaussian)
    }
}
