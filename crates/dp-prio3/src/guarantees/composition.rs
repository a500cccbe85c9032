//! What several releases guarantee together, from what is known of one.
//!
//! The data of a release, and what is released, may depend on earlier results: every step is a theorem
//! about adaptive composition (`docs/composition.md` of `dp-accounting`).

use dp_accounting::{AccountedMechanism, classical, compose, kov15};
use dp_calibration::is_worth_its_delta;
use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::circumstances::Circumstances;
use super::loss::EpsilonDelta;
use crate::Error;

/// Digits of a share of δ.
const DIGITS: usize = 12;

/// The most parts whose losses are added up one by one; zero-concentrated privacy adds up more.
const MOST: u64 = 1 << 20;

/// What makes one report of a client: equal independent releases.
#[derive(Clone, Debug)]
pub struct LocalReleases {
    /// One of them.
    pub release: AccountedMechanism,
    /// Its largest privacy loss.
    pub epsilon: Epsilon,
    /// How many there are in a report: bits that may differ, or 1 for an answer.
    pub parts: u64,
}

impl LocalReleases {
    /// `bits` independent bits, each with the privacy loss ±ε.
    pub(crate) fn bits(epsilon: Epsilon, bits: u64) -> Result<Self, Error> {
        Ok(Self {
            release: AccountedMechanism::RandomizedResponse {
                epsilon: epsilon.clone(),
                delta: none()?,
            },
            epsilon,
            parts: bits,
        })
    }

    /// ε of all reports of one person with δ = 0, whoever else is malicious.
    pub(crate) fn pure(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        let parts = self.parts.saturating_mul(circumstances.reports());
        EpsilonDelta::new(self.epsilon.value() * &Rational::from(parts), none()?)
    }

    /// (ε, δ) of all reports of one person, whoever else is malicious.
    pub(crate) fn loss(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        let parts = self.parts.saturating_mul(circumstances.reports());
        let pure = self.epsilon.value() * &Rational::from(parts);
        let delta = circumstances.delta();
        if circumstances.is_one_report() || parts == 1 || delta.value().is_zero() {
            return EpsilonDelta::new(pure, none()?);
        }
        let composed = match (u32::try_from(parts), &self.release) {
            (Ok(times), AccountedMechanism::RandomizedResponse { delta: none, .. })
                if parts <= MOST =>
            {
                // Exact for randomized response.
                Some(kov15::epsilon(&self.epsilon, none, times, delta)?)
            }
            (Ok(times), release) if parts <= MOST => {
                Some(compose(&[(release.clone(), times)], delta)?.upper)
            }
            (Ok(times), release) => classical::concentrated(&[(release.clone(), times)], delta)?,
            (Err(_), _) => None,
        };
        match composed {
            Some(composed) if is_worth_its_delta(&composed, &pure)? => {
                EpsilonDelta::new(composed, delta.clone())
            }
            _ => EpsilonDelta::new(pure, none()?),
        }
    }
}

/// (ε, δ) of all releases from the pair of one release, which is asked for at an equal share of half of
/// δ: ε and δ add up (Dwork, Rothblum, Vadhan 2010), or compose optimally (Kairouz, Oh, Viswanath 2015,
/// Theorem 3.3).
pub(crate) fn of_pairs(
    circumstances: &Circumstances,
    one: impl FnOnce(&Circumstances) -> Result<Option<EpsilonDelta>, Error>,
) -> Result<Option<EpsilonDelta>, Error> {
    let releases = circumstances.releases();
    if releases == 1 {
        return one(circumstances);
    }
    let delta = circumstances.delta();
    let share = share(delta, 2 * u64::from(releases))?;
    let Some(pair) = one(&circumstances.clone().over(1).at(share))? else {
        return Ok(None);
    };
    let times = Rational::from(u64::from(releases));
    let sum =
        EpsilonDelta::new(pair.epsilon() * &times, Delta::new(pair.delta().value() * &times)?)?;
    if delta.value().is_zero() || pair.epsilon().is_zero() {
        return Ok(Some(sum));
    }
    let epsilon = Epsilon::new(pair.epsilon().clone())?;
    let composed = kov15::epsilon(&epsilon, pair.delta(), releases, delta)?;
    Ok(Some(match composed < *sum.epsilon() {
        true => EpsilonDelta::new(composed, delta.clone())?,
        false => sum,
    }))
}

/// δ in `parts` equal shares, rounded down.
pub(crate) fn share(delta: &Delta, parts: u64) -> Result<Delta, Error> {
    let share = delta.value().checked_div(&Rational::from(parts));
    let share = share.unwrap_or_else(Rational::zero);
    Ok(Delta::new(share.round_to_digits(DIGITS, Rounding::Down))?)
}

fn none() -> Result<Delta, Error> {
    Ok(Delta::new(Rational::zero())?)
}
