//! The guarantee of several releases together, from the guarantee of one.
//!
//! The data of a release, and its query, may depend on earlier results: every step is a theorem
//! about adaptive composition (`docs/composition.md` of `dp-calibration`).

use dp_calibration::accounting::{AccountedMechanism, compose, optimal_of_pairs};
use dp_calibration::is_worth_its_delta;
use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::circumstances::Circumstances;
use super::epsilon_delta::EpsilonDelta;
use crate::Error;

/// The number of significant digits to which a share of δ is rounded down.
const DIGITS: usize = 12;

/// One report of a client as equal independent releases, such as its flipped bits.
pub(crate) struct LocalReleases {
    pub(crate) release: AccountedMechanism,
    /// The largest privacy loss of one release.
    pub(crate) epsilon: Epsilon,
    /// The number of releases in a report that may differ: bits, or 1 for an answer.
    pub(crate) count: u64,
}

impl LocalReleases {
    /// A report of which `bits` independent randomized bits may change, each with a privacy loss of
    /// ε or −ε.
    pub(crate) fn bits(epsilon: Epsilon, bits: u64) -> Self {
        let (flip, delta) = (epsilon.clone(), zero_delta());
        let release = AccountedMechanism::RandomizedResponse { epsilon: flip, delta };
        Self { release, epsilon, count: bits }
    }

    /// The pair (ε, 0) of all reports of one person, against every adversary. Its ε is the exact
    /// sum of the largest losses.
    pub(crate) fn pure(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        let of_one_report = self.epsilon.value() * &Rational::from(self.count);
        EpsilonDelta::new(of_one_report * Rational::from(circumstances.reports()), zero_delta())
    }

    /// Upper bound on the (ε, δ) of all reports of one person, against every adversary. δ is the δ
    /// of the circumstances; or it is 0, and ε the sum of the largest losses: for one report under
    /// replacement, for one bit or answer, out of the accountant's ranges, and where δ lowers ε by
    /// a factor of less than 1.001.
    pub(crate) fn composed(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        let pure = self.pure(circumstances)?;
        let count = self.count.checked_mul(circumstances.reports());
        let delta = &circumstances.delta;
        if circumstances.is_one_report() || count == Some(1) || delta.value().is_zero() {
            return Ok(pure);
        }
        // Out of the accountant's ranges the largest losses are left.
        let times = count.and_then(|count| u32::try_from(count).ok());
        let composed = times.and_then(|times| {
            let composed = compose(&[(self.release.clone(), times)], delta).ok()?;
            Some(composed.upper)
        });
        match composed {
            Some(composed) if is_worth_its_delta(&composed, pure.epsilon.value()) => {
                EpsilonDelta::new(composed, delta.clone())
            }
            _ => Ok(pure),
        }
    }
}

/// Upper bound on ε of all releases at the δ of the circumstances. `one` bounds ε of one release at
/// the δ of its argument; `None` if it gives none. Of several releases each gets δ/(2·releases),
/// and their equal pairs are composed optimally (Kairouz, Oh, Viswanath 2015, Theorem 3.3) or added
/// up, whichever gives less; where δ is 0 they are added up.
pub(crate) fn epsilon_of_pairs(
    circumstances: &Circumstances,
    one: impl FnOnce(&Circumstances) -> Result<Option<Rational>, Error>,
) -> Result<Option<Rational>, Error> {
    let (releases, delta) = (circumstances.releases, &circumstances.delta);
    if releases == 1 {
        return one(circumstances);
    }
    let share = share(delta, 2 * u64::from(releases))?;
    let Some(epsilon) = one(&circumstances.clone().over(1).at(share.clone()))? else {
        return Ok(None);
    };
    let EpsilonDelta { epsilon, delta: share } = EpsilonDelta::new(epsilon, share)?;
    let sum = epsilon.value() * &Rational::from(u64::from(releases));
    if delta.value().is_zero() {
        return Ok(Some(sum));
    }
    Ok(Some(optimal_of_pairs(&epsilon, &share, releases, delta)?.min(sum)))
}

/// `delta`/`parts`, rounded down to 12 significant digits.
pub(crate) fn share(delta: &Delta, parts: u64) -> Result<Delta, Error> {
    let share = delta.value().checked_div(&Rational::from(parts)).expect("parts are at least 1");
    Ok(Delta::new(share.round_to_digits(DIGITS, Rounding::Down))?)
}

/// δ = 0.
pub(crate) fn zero_delta() -> Delta {
    Delta::new(Rational::zero()).expect("0 is a delta")
}
