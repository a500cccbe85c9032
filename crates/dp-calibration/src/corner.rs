//! The worst difference of two neighbouring inputs: some coordinates, all moved by the same step.
//!
//! For independent noise with a log-concave law on every coordinate, moving one coordinate
//! farther gives more away: the likelihood ratio of p(x) and p(x + d) is monotone in x, so the
//! best tests are half-lines, and a half-line of given level has a power that grows with |d|. By
//! Blackwell's theorem the pair of laws for the shorter move is a randomization of the pair for
//! the longer one, and products of randomizations are randomizations. So among all differences
//! within a box |dᵢ| ≤ dᵢ*, the corner is the worst for every ε at once. Signs do not matter,
//! since the noise is symmetric. The whole proof is in `docs/calibration.md`.

use num_bigint::{BigInt, BigUint};

use dp_exact::Rational;

use crate::{Adjacency, Error, Query};

/// `coordinates` entries of an aggregate, each moved by `step`, in whatever direction.
///
/// ```
/// use dp_calibration::{Adjacency, Corner, Query};
///
/// let histogram = Query::Histogram { length: 24 };
/// assert_eq!(histogram.corner(Adjacency::Replacement)?, Some(Corner::one_hot()));
/// # Ok::<(), dp_calibration::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Corner {
    coordinates: u64,
    step: BigUint,
}

impl Corner {
    /// The most coordinates.
    pub const MAX_COORDINATES: u64 = 1 << 32;

    /// `coordinates` entries that move by `step` each.
    ///
    /// # Errors
    /// If `coordinates` is 0 or above [`Corner::MAX_COORDINATES`], or `step` is 0 or has more
    /// than 200 bits.
    pub fn new(coordinates: u64, step: impl Into<BigUint>) -> Result<Self, Error> {
        let step = step.into();
        if !(1..=Self::MAX_COORDINATES).contains(&coordinates) {
            let accepted = "an integer from 1 to 2^32";
            return Err(Error::parameter("coordinates", coordinates, accepted));
        }
        if step == BigUint::ZERO || step.bits() > 200 {
            let accepted = "an integer of at least 1 and at most 200 bits";
            return Err(Error::parameter("step", step, accepted));
        }
        Ok(Self { coordinates, step })
    }

    /// One integer that moves by 1: a count.
    #[must_use]
    pub fn one() -> Self {
        Self {
            coordinates: 1,
            step: BigUint::from(1u32),
        }
    }

    /// A one-hot vector replaced by another: one entry up by 1, one down by 1.
    #[must_use]
    pub fn one_hot() -> Self {
        Self {
            coordinates: 2,
            step: BigUint::from(1u32),
        }
    }

    /// How many entries move.
    #[must_use]
    pub fn coordinates(&self) -> u64 {
        self.coordinates
    }

    /// How far each of them moves.
    #[must_use]
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
        Rational::integer(BigInt::from(self.step.clone()))
    }
}

impl Query {
    /// The worst difference of two measurements, where there is a single one.
    ///
    /// Every type of Prio3 except L1BoundSum allows all differences within a box and nothing
    /// that is worse than a corner of it. `None` where that is not so (L1BoundSum of more than
    /// one entry, whose differences fill a cross-polytope: use its L1 or squared L2 sensitivity)
    /// and where no measurement can be replaced by another (a histogram of one bucket).
    ///
    /// # Errors
    /// If the query is not valid, see [`Query::sensitivity`], or has more than 2^32 entries.
    pub fn corner(&self, adjacency: Adjacency) -> Result<Option<Corner>, Error> {
        let moves = self.sensitivity(adjacency)?;
        let is_box = !matches!(*self, Self::L1BoundSum { length, .. } if length > 1);
        if !is_box || moves.l1 == BigUint::ZERO {
            return Ok(None);
        }
        // Every entry of the corner moves by Δ_∞, so their number is Δ₁/Δ_∞.
        let coordinates = u64::try_from(&moves.l1 / &moves.linf)
            .ok()
            .filter(|coordinates| *coordinates <= Corner::MAX_COORDINATES)
            .ok_or_else(|| Error::parameter("length", &moves.l1, "at most 2^32 entries"))?;
        Corner::new(coordinates, moves.linf).map(Some)
    }
}
