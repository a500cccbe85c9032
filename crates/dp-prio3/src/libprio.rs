//! Our noise in servers that are built on libprio.
//!
//! libprio leaves the noise of an aggregator to a **strategy**: a server calls
//! [`add_noise_to_agg_share`](prio::vdaf::AggregatorWithNoise::add_noise_to_agg_share) of its VDAF
//! with the strategy of its task, a [`DifferentialPrivacyStrategy`], and the VDAF passes it on to
//! its type, which must implement [`TypeWithNoise`](prio::flp::TypeWithNoise) for it. Here are
//! strategies for which all seven types do, so that a server that is generic over the strategy
//! needs no change but the name of one.
//!
//! | strategy | noise | size | promise of one release |
//! |---|---|---|---|
//! | [`PureDiscreteLaplace`] | discrete Laplace | t = Δ₁/ε | ε |
//! | [`ApproximateDiscreteLaplace`] | discrete Laplace | by its exact (ε, δ) | (ε, δ) |
//! | [`ApproximateDiscreteGaussian`] | discrete Gaussian | by its exact (ε, δ) | (ε, δ) |
//! | [`ConcentratedDiscreteGaussian`] | discrete Gaussian | σ² = Δ₂²/(2ρ) | ρ |
//!
//! Neighbours differ in one measurement that is replaced. The promise holds if one aggregator is
//! honest and adds its noise once; every aggregator adds the full noise. The sensitivities follow
//! from the type's own parameters ([`CircuitQuery`]): of a SumVec with `max_measurement` 4 each
//! entry moves by 4, not by 7, the most that its three bits could hold.
//!
//! ```
//! use dp_prio3::libprio::{ApproximateBudget, ApproximateDiscreteGaussian, signed_totals};
//! use prio::dp::DifferentialPrivacyStrategy;
//! use prio::vdaf::prio3::Prio3;
//! use prio::vdaf::{Aggregator, AggregatorWithNoise, Collector};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let budget = ApproximateBudget::new("0.906".parse()?, "1e-9".parse()?)?;
//! let strategy = ApproximateDiscreteGaussian::from_budget(budget);
//!
//! // Each aggregator, once the batch is complete.
//! let vdaf = Prio3::new_histogram(2, 5, 2)?;
//! let (mut leader, mut helper) = (vdaf.aggregate_init(&()), vdaf.aggregate_init(&()));
//! vdaf.add_noise_to_agg_share(&strategy, &(), &mut leader, 0)?;
//! vdaf.add_noise_to_agg_share(&strategy, &(), &mut helper, 0)?;
//!
//! // The collector. Totals of noise alone are often negative; libprio shows them modulo p.
//! let result = vdaf.unshard(&(), [leader, helper], 0)?;
//! let totals = signed_totals::<prio::field::Field128>(&result);
//! assert!(totals.iter().all(|total| total.abs() < 200));
//! # Ok(())
//! # }
//! ```
//!
//! # Written form
//!
//! ```json
//! {"version": 1, "budget": {"epsilon": "0.906", "delta": "1e-9"}}
//! ```
//!
//! and with the name of the strategy in front, as [`DpStrategy`] reads and writes it:
//!
//! ```json
//! {"dp_strategy": "PureDiscreteLaplace", "version": 1, "budget": {"epsilon": "1/3"}}
//! {"dp_strategy": "ConcentratedDiscreteGaussian", "version": 1, "budget": {"rho": "0.02"}}
//! ```
//!
//! Numbers are strings, read exactly. `version` must be there and be [`VERSION`]; it changes when
//! the same budget and query would give another law. Unknown fields, unknown versions, numbers out
//! of range and numbers of more than 2048 bits are refused.
//!
//! # Differences from libprio's own strategies
//!
//! - Names and written forms differ, so that neither is taken for the other.
//! - A share is refused if its totals and the noise could leave (−p/2, p/2).
//! - Calibration is kept with the strategy, for 8 queries: deserialize a strategy once and clone it.
//!   It takes milliseconds, and at the extremes seconds: (ε, δ) by discrete Laplace noise where the
//!   vector is as long as is accepted, by discrete Gaussian noise where ε is in the thousands.
//! - The noise is wiped, and its running time does not depend on it beyond what `dp-samplers` states.
//!
//! [`DifferentialPrivacyStrategy`]: prio::dp::DifferentialPrivacyStrategy

use crate::field::SignedField;

mod budgets;
mod circuits;
mod dp_strategy;
mod noise;
mod strategy;
mod type_with_noise;

pub use budgets::{ApproximateBudget, ConcentratedBudget, PureBudget};
pub use circuits::CircuitQuery;
pub use dp_strategy::DpStrategy;
pub use noise::Noise;
pub use strategy::{Gaussian, Laplace, Law, NoiseStrategy, Strategy, VERSION};

/// Discrete Laplace noise of scale t = Δ₁/ε: ε-differential privacy.
pub type PureDiscreteLaplace = Strategy<Laplace, PureBudget>;

/// Discrete Laplace noise, less of it, for (ε, δ)-differential privacy.
pub type ApproximateDiscreteLaplace = Strategy<Laplace, ApproximateBudget>;

/// Discrete Gaussian noise for (ε, δ)-differential privacy, exact for the discrete law.
pub type ApproximateDiscreteGaussian = Strategy<Gaussian, ApproximateBudget>;

/// Discrete Gaussian noise with σ² = Δ₂²/(2ρ): ρ-zero-concentrated differential privacy.
pub type ConcentratedDiscreteGaussian = Strategy<Gaussian, ConcentratedBudget>;

/// The totals in what libprio, or a DAP collector built on it, gives as the result, with their
/// sign: the representatives in (−p/2, p/2).
///
/// A noisy total of −10 is p − 10 there. Not for Prio3Average, whose result is a float: libprio
/// fails to divide a negative total. Collect a Prio3Sum, and divide by the number of reports.
#[must_use]
pub fn signed_totals<F: SignedField>(result: &[F::Integer]) -> Vec<i128> {
    let signed = |total: &F::Integer| F::from(*total).to_signed();
    result.iter().map(signed).collect()
}
