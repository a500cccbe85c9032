//! Hedging: clients randomize their bits **and** aggregators add noise.
//!
//! Every client flips each bit of its one-hot vector with probability p = 1/(e^ε₀ + 1), and every
//! aggregator adds discrete Gaussian or discrete Laplace noise to each count. What that promises
//! depends on who is honest:
//!
//! - **The client alone**: its own flips. 2ε₀ under replacement, ε₀ under deletion.
//! - **The client and an aggregator**; all other clients are known. Fix the flips: two neighbouring
//!   inputs then give vectors that differ where the inputs do, by 1, so that the noise protects as
//!   if there were no flips, and the flips on top only help.
//! - **The client, n − 1 others and an aggregator**: everything together.
//!
//! In the last two, one count is the client's own bit plus M, the sum of the others' bits and of
//! the honest aggregators' noise. M is log-concave, so for one bit that is 1 against 0
//!
//!   H(α) = sup_S P(S) − αQ(S) = max_t {(q − αp)·P(M = t−1) + (1 − α)·P(M ≥ t)},  q = 1 − p,
//!
//! bounded for **every** dataset of the others (`cover`), and composed over the two counts that a
//! replacement changes (`pair`), or over those that inputs of several ones change (`multi_hot`).
//! Where that is far from what a dataset attains, datasets are told apart (`refined`). The derivation
//! is in `docs/hedging.md`. Floating point numbers are rounded outward at every step that decides
//! (`directed`).

mod alone;
mod answer;
mod cover;
mod curves;
mod drops;
mod hiding;
pub(crate) mod joint;
mod least;
mod multi_hot;
mod noise;
mod outcomes;
mod pair;
mod parts;
mod refined;
mod releases;
#[cfg(test)]
mod tests;
mod window;

use dp_exact::{Delta, Epsilon, Rational};

use self::joint::Joint;
pub use self::multi_hot::{MultiHotBounds, MultiHotDroppingBounds};
use self::parts::Changed;
pub use self::parts::{Parts, Route, StandardErrors};
use crate::aggregated_rappor::flip::Flip;
use crate::aggregated_rappor::{AggregatedRappor, OthersHold};
use dp_calibration::{Adjacency, Error, NoiseLaw, accepted};

/// The most honest aggregators.
const MAX_AGGREGATORS: u32 = 64;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HedgedEpsilonBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Below `lower`, (ε, δ) fails for the dataset `attained_by`; 0 where nothing is known, as
    /// the joint law takes too long to compute.
    pub lower: Rational,
    /// A dataset that is nearly the worst.
    pub attained_by: OthersHold,
    /// Which guarantee `upper` is.
    pub route: Route,
    /// What the ingredients promise by themselves.
    pub parts: Parts,
}

/// Bounds on the least δ for an ε.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HedgedDeltaBounds {
    /// (ε, `upper`) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Below `lower`, (ε, δ) fails for the dataset `attained_by`; 0 where nothing is known.
    pub lower: Rational,
    /// A dataset that is nearly the worst.
    pub attained_by: OthersHold,
    /// Which guarantee `upper` is.
    pub route: Route,
}

/// The noisy sum of n honest clients' randomized one-hot vectors.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_calibration::NoiseLaw;
/// use dp_amplification::hedged::{Hedged, Route};
///
/// let variance = "547.167".parse()?; // 23.3916²
/// let noise = NoiseLaw::DiscreteGaussian { variance };
/// let policy = Hedged::new("5".parse()?, 100_000, noise, 1)?;
/// let (delta, replacement) = ("1e-9".parse()?, Adjacency::Replacement);
///
/// // Most clients and one aggregator are honest:
/// let together = policy.epsilon(&delta, replacement)?;
/// assert!(together.upper.to_f64() < 0.2115 && together.route == Route::Joint);
/// assert!(together.parts.clients.to_f64() > 0.297);
/// // One aggregator is honest, all other clients may collude:
/// let alone = policy.one_client()?.epsilon(&delta, replacement)?;
/// assert!(alone.upper.to_f64() < 0.317);
/// // Nobody else is honest:
/// assert_eq!(policy.local_epsilon(replacement), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hedged {
    rappor: AggregatedRappor,
    flip: Flip,
    noise: NoiseLaw,
    honest_aggregators: u32,
}

impl Hedged {
    /// The sum over `clients` honest clients, the protected one among them, with the noise of
    /// `honest_aggregators`. Noise of other aggregators is known to the adversary and does not
    /// count.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, there are no clients or more than 10^10, not from 1 to 64
    /// honest aggregators, or the noise is out of its range or of more than 2048 bits.
    pub fn new(
        epsilon0: Epsilon,
        clients: u64,
        noise: NoiseLaw,
        honest_aggregators: u32,
    ) -> Result<Self, Error> {
        parts::check(&noise)?;
        if !(1..=MAX_AGGREGATORS).contains(&honest_aggregators) {
            let accepted = "an integer from 1 to 64";
            return Err(Error::parameter(
                "honest_aggregators",
                honest_aggregators,
                accepted,
            ));
        }
        let flip = Flip::new(&epsilon0)?;
        Ok(Self {
            rappor: AggregatedRappor::new(epsilon0, clients)?,
            flip,
            noise,
            honest_aggregators,
        })
    }

    /// The randomized bits, as if there were no noise.
    #[must_use]
    pub fn rappor(&self) -> &AggregatedRappor {
        &self.rappor
    }

    /// The noise of one aggregator.
    #[must_use]
    pub fn noise(&self) -> &NoiseLaw {
        &self.noise
    }

    /// The number of honest aggregators.
    #[must_use]
    pub fn honest_aggregators(&self) -> u32 {
        self.honest_aggregators
    }

    /// The same policy where all other clients are dishonest, and their bits known.
    ///
    /// # Errors
    /// None: one client is accepted.
    pub fn one_client(&self) -> Result<Self, Error> {
        let epsilon0 = self.rappor.epsilon0().clone();
        Self::new(epsilon0, 1, self.noise.clone(), self.honest_aggregators)
    }

    /// The guarantee of the client alone, which holds whatever all others do: 2ε₀ under
    /// replacement, ε₀ under deletion, with δ = 0. Exact.
    #[must_use]
    pub fn local_epsilon(&self, adjacency: Adjacency) -> Rational {
        self.rappor.local_epsilon(adjacency)
    }

    /// The ε at δ of bits and noise together: an upper bound for every dataset of the others, no
    /// worse than what the ingredients promise by themselves, and a lower bound that one dataset
    /// attains.
    ///
    /// Where the joint law takes too long, which is where both its parts are spread over
    /// thousands, the answer is the best of the parts, as [`HedgedEpsilonBounds::route`] tells.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-240 and 0.9.
    pub fn epsilon(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
    ) -> Result<HedgedEpsilonBounds, Error> {
        let changed = Changed::Adjacent(adjacency);
        let parts = self.parts(delta, changed)?;
        let (best, route) = parts.best();
        let pure = self.pure(changed.coordinates())?;
        if delta.value().is_zero() {
            // The likelihood ratio comes as near to its largest value as one likes.
            let joint = pure.1 < best;
            return Ok(HedgedEpsilonBounds {
                upper: if joint { pure.1 } else { best },
                lower: pure.0,
                attained_by: self.candidates()[0],
                route: if joint { Route::Joint } else { route },
                parts,
            });
        }
        let target = target(delta)?;
        let most = best.clone().min(pure.1);
        if most.is_zero() {
            return Ok(HedgedEpsilonBounds {
                upper: most,
                lower: Rational::zero(),
                attained_by: self.candidates()[0],
                route,
                parts,
            });
        }
        let answer = self
            .joint()
            .epsilon(target, adjacency, &most, &self.candidates())?;
        let (upper, route) = match answer.upper {
            Some(upper) if upper < best => (upper, Route::Joint),
            _ => (best, route),
        };
        Ok(HedgedEpsilonBounds {
            upper,
            lower: answer.lower,
            attained_by: answer.attained_by,
            route,
            parts,
        })
    }

    /// The δ at ε, bounded likewise.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000.
    pub fn delta(
        &self,
        epsilon: &Epsilon,
        adjacency: Adjacency,
    ) -> Result<HedgedDeltaBounds, Error> {
        let value = accepted::answered_epsilon(epsilon)?;
        let datasets = self.candidates();
        let coordinates = Changed::Adjacent(adjacency).coordinates();
        if *value >= self.pure(coordinates)?.1 {
            let local = *value >= self.local_epsilon(adjacency);
            return Ok(HedgedDeltaBounds {
                upper: Rational::zero(),
                lower: Rational::zero(),
                attained_by: datasets[0],
                route: if local { Route::Client } else { Route::Joint },
            });
        }
        let (best, route) = self.best_delta(epsilon, adjacency)?;
        let answer = self.joint().delta(value, adjacency, &datasets)?;
        let (upper, route) = match answer.upper {
            Some(upper) if upper < best => (upper, Route::Joint),
            _ => (best, route),
        };
        Ok(HedgedDeltaBounds {
            upper,
            lower: answer.lower,
            attained_by: answer.attained_by,
            route,
        })
    }

    fn joint(&self) -> Joint<'_> {
        let others = self.rappor.clients() - 1;
        Joint {
            flip: &self.flip,
            noise: Some((&self.noise, self.honest_aggregators)),
            others,
            ones: 0..=others,
        }
    }

    /// Datasets that are nearly the worst; several where the counts are short.
    fn candidates(&self) -> Vec<OthersHold> {
        let mut candidates = self.rappor.candidates();
        if self.rappor.clients() > 100 {
            candidates.truncate(1);
        }
        candidates
    }

    /// What the client's own flips promise where so many coordinates change, at δ = 0.
    fn client_epsilon(&self, coordinates: u64) -> Rational {
        self.rappor.epsilon0().value() * &Rational::from(coordinates)
    }

    /// The ε at δ = 0, rounded down and up: the largest privacy loss of a count, as often as counts
    /// change.
    fn pure(&self, coordinates: u64) -> Result<(Rational, Rational), Error> {
        let epsilon0 = self.rappor.epsilon0();
        let local = self.client_epsilon(coordinates);
        let NoiseLaw::DiscreteLaplace { scale } = &self.noise else {
            return Ok((local.clone(), local));
        };
        let loss = parts::laplace_loss(epsilon0, scale, coordinates)?;
        Ok((loss.0, loss.1.min(local)))
    }
}

/// A floating point number not above δ.
pub(crate) fn target(delta: &Delta) -> Result<f64, Error> {
    let target = delta.value().to_f64().next_down();
    if !(1e-240..0.9 + 1e-9).contains(&target.next_up()) {
        let accepted = "0, or a number from 1e-240 to 0.9";
        return Err(Error::parameter("delta", delta, accepted));
    }
    Ok(target)
}
