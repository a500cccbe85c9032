//! What each ingredient promises alone.

use dp_exact::{Delta, Epsilon, Rational, Rounding, elementary};

use super::noise::variance;
use super::parts::{Changed, Parts, Route, StandardErrors};
use super::{Hedged, target};
use crate::aggregated_rappor::DIGITS;
use dp_calibration::NoiseLaw;
use dp_calibration::{Adjacency, Corner, Error, discrete_laplace, noise_sum, zcdp};
use dp_exact::directed::count;

impl Hedged {
    /// The standard deviations of a count that is debiased from `reports` reports and the noise of
    /// `aggregators` aggregators, honest or not.
    #[must_use]
    pub fn standard_errors(&self, reports: u64, aggregators: u32) -> StandardErrors {
        let half = self.flip.epsilon0 / 2.0;
        let clients = count(reports.min(1 << 52)).sqrt() / (2.0 * elementary::sinh(half));
        let noise = f64::from(aggregators) * variance(&self.noise);
        let aggregators = noise.sqrt() / elementary::tanh(half);
        StandardErrors {
            clients,
            aggregators,
            total: elementary::hypot(clients, aggregators),
        }
    }

    /// What each ingredient promises at δ where `changed` coordinates move.
    pub(super) fn parts(&self, delta: &Delta, changed: Changed) -> Result<Parts, Error> {
        if !delta.value().is_zero() {
            target(delta)?;
        }
        let clients = match changed {
            Changed::Adjacent(adjacency) => self.rappor.epsilon(delta, adjacency)?.upper,
            Changed::MultiHot(adjacency, input) => {
                self.rappor.epsilon_multi_hot(delta, adjacency, input)?
            }
        };
        Ok(Parts {
            client: self.client_epsilon(changed.coordinates()),
            clients,
            aggregator: self.aggregator_epsilon(delta, changed.coordinates())?,
        })
    }

    /// The least δ that a part promises at ε, and which one.
    pub(super) fn best_delta(
        &self,
        epsilon: &Epsilon,
        adjacency: Adjacency,
    ) -> Result<(Rational, Route), Error> {
        let clients = self.rappor.delta(epsilon, adjacency)?.upper;
        let corner = Corner::new(Changed::Adjacent(adjacency).coordinates(), 1u32)?;
        let noise = match &self.noise {
            NoiseLaw::DiscreteGaussian { variance } => {
                let epsilon = resolved(epsilon, variance)?;
                noise_sum::gaussian_delta(variance, &epsilon, &corner, self.honest_aggregators)?
            }
            NoiseLaw::DiscreteLaplace { scale } => {
                discrete_laplace::delta(scale, epsilon, &corner)?
            }
        };
        Ok(match noise.upper().to_rational() {
            Some(delta) if delta < clients => (
                delta.round_to_digits(DIGITS, Rounding::Up),
                Route::Aggregator,
            ),
            _ => (clients, Route::Clients),
        })
    }

    /// The ε at δ of the honest aggregators' noise by itself, where so many coordinates move by 1;
    /// `None` where it promises nothing at this δ, or no ε up to 10 000.
    pub(super) fn aggregator_epsilon(
        &self,
        delta: &Delta,
        coordinates: u64,
    ) -> Result<Option<Rational>, Error> {
        let corner = Corner::new(coordinates, 1u32)?;
        let honest = self.honest_aggregators;
        match &self.noise {
            NoiseLaw::DiscreteGaussian { variance } => {
                let rho = zcdp::rho(variance, &corner.l2_squared())?;
                let is_little = *rho.value() > LARGEST_EPSILON;
                if delta.value().is_zero()
                    || is_little
                    || zcdp::epsilon(&rho, delta)? > LARGEST_EPSILON
                {
                    return Ok(None);
                }
                noise_sum::gaussian_epsilon(variance, delta, &corner, honest).map(Some)
            }
            NoiseLaw::DiscreteLaplace { scale } => {
                let pure = Rational::from(coordinates).checked_div(scale);
                let is_little = pure.is_none_or(|pure| pure > LARGEST_EPSILON);
                if is_little || coordinates > MOST_LAPLACE {
                    return Ok(None);
                }
                let least = match honest {
                    1 => discrete_laplace::epsilon(scale, delta, &corner)?,
                    _ => noise_sum::laplace_epsilon(scale, delta, &corner)?,
                };
                Ok(Some(least))
            }
        }
    }
}

/// The largest ε with which the guarantee of noise by itself is computed.
const LARGEST_EPSILON: i64 = 10_000;

/// The most coordinates for which that of Laplace noise is.
const MOST_LAPLACE: u64 = 20_000;

/// ε, or a smaller one at which δ is far below everything that matters: where ε²·σ² is 4096, δ is
/// below e^−2000.
fn resolved(epsilon: &Epsilon, variance: &Rational) -> Result<Epsilon, Error> {
    let most = Rational::from(4096u64);
    let value = epsilon.value();
    if value.pow(2) * variance <= most {
        return Ok(epsilon.clone());
    }
    let less = Rational::from_f64((most.to_f64() / variance.to_f64()).sqrt())?;
    Ok(Epsilon::new(less.min(value.clone()))?)
}
