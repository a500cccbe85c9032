//! What the ingredients of a hedged policy promise by themselves, and how much each one blurs.
//!
//! Each of these is a guarantee of the whole: what else happens to the counts is independent
//! randomness, or, given the flips, a shift.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};

use super::{Hedged, Route};
use crate::aggregated_rappor::{DIGITS, MultiHot};
use dp_calibration::NoiseLaw;
use dp_calibration::{Adjacency, Corner, Error, discrete_laplace, honest, zcdp};
use dp_exact::directed::count;

/// The ε at one δ of each ingredient.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// Of the client's own bits, at δ = 0: whoever else is dishonest.
    pub client: Rational,
    /// Of all honest clients' bits, without noise.
    pub clients: Rational,
    /// Of the honest aggregators' noise, without flips; none where it promises nothing at this δ,
    /// or no ε up to 10 000.
    pub aggregator: Option<Rational>,
}

impl Parts {
    /// The smallest, and whose it is.
    pub(super) fn best(&self) -> (Rational, Route) {
        let mut best = (self.client.clone(), Route::Client);
        if self.clients < best.0 {
            best = (self.clients.clone(), Route::Clients);
        }
        match &self.aggregator {
            Some(epsilon) if *epsilon < best.0 => (epsilon.clone(), Route::Aggregator),
            _ => best,
        }
    }
}

/// Standard deviations of a debiased count, from each source. Utility figures in floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StandardErrors {
    /// From the clients' flips: √(n·e^ε₀)/(e^ε₀ − 1).
    pub clients: f64,
    /// From the noise of all aggregators, which debiasing magnifies by 1/(q − p).
    pub aggregators: f64,
    /// From both.
    pub total: f64,
}

/// About the variance on one count; for Gaussian noise the parameter, which is a little above
/// where σ is below 1.
pub(super) fn variance(noise: &NoiseLaw) -> f64 {
    match noise {
        NoiseLaw::DiscreteGaussian { variance } => variance.to_f64(),
        NoiseLaw::DiscreteLaplace { scale } => {
            let half = (0.5 / scale.to_f64()).sinh();
            0.5 / (half * half)
        }
    }
}

/// An error if the parameter is out of the range in which sums with noise are computed.
pub(super) fn check(noise: &NoiseLaw) -> Result<(), Error> {
    let (name, value, least, most, accepted) = match noise {
        NoiseLaw::DiscreteGaussian { variance } => {
            let accepted = "a number from 1e-4 to 1e12, of at most 2048 bits";
            let (least, most) = (10_000u64, 1_000_000_000_000u64);
            ("variance", variance, least, most, accepted)
        }
        NoiseLaw::DiscreteLaplace { scale } => {
            let accepted = "a number from 1e-2 to 1e6, of at most 2048 bits";
            ("scale", scale, 100, 1_000_000, accepted)
        }
    };
    let small = value.bits() <= 2048;
    if small && value * &Rational::from(least) >= 1 && *value <= Rational::from(most) {
        return Ok(());
    }
    Err(Error::parameter(name, value, accepted))
}

impl Hedged {
    /// The standard deviations of a count that is debiased from `reports` reports and the noise of
    /// `aggregators` aggregators, honest or not.
    #[must_use]
    pub fn standard_errors(&self, reports: u64, aggregators: u32) -> StandardErrors {
        let half = self.flip.epsilon0 / 2.0;
        let clients = count(reports.min(1 << 52)).sqrt() / (2.0 * half.sinh());
        let noise = f64::from(aggregators) * variance(&self.noise);
        let aggregators = noise.sqrt() / half.tanh();
        StandardErrors {
            clients,
            aggregators,
            total: clients.hypot(aggregators),
        }
    }

    /// What each ingredient promises at δ where `changed` coordinates move.
    pub(super) fn parts(&self, delta: &Delta, changed: Changed) -> Result<Parts, Error> {
        if !delta.value().is_zero() {
            super::target(delta)?;
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
                honest::gaussian_delta(variance, &epsilon, &corner, self.honest_aggregators)?
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
                let least = honest::gaussian_epsilon(variance, delta, &corner, honest)?;
                Ok(Some(least.epsilon))
            }
            NoiseLaw::DiscreteLaplace { scale } => {
                let pure = Rational::from(coordinates).checked_div(scale);
                let is_little = pure.is_none_or(|pure| pure > LARGEST_EPSILON);
                if is_little || coordinates > MOST_LAPLACE {
                    return Ok(None);
                }
                let least = match honest {
                    1 => discrete_laplace::epsilon(scale, delta, &corner)?,
                    _ => honest::laplace_epsilon(scale, delta, &corner)?.epsilon,
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

/// The inputs between which an adversary decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Changed {
    /// A one-hot vector and another one, or nothing.
    Adjacent(Adjacency),
    /// Vectors of several ones.
    MultiHot(Adjacency, MultiHot),
}

impl Changed {
    /// In how many coordinates they differ.
    pub(super) fn coordinates(self) -> u64 {
        match self {
            Self::Adjacent(Adjacency::Replacement) => 2,
            Self::Adjacent(Adjacency::Deletion) => 1,
            Self::MultiHot(adjacency, input) => input.changed(adjacency),
        }
    }
}

/// The largest privacy loss with noise of scale t, k·ln((E + r)/(1 + E·r)) with r = e^(−1/t), for k
/// counts: rounded down and up.
pub(super) fn laplace_loss(
    epsilon0: &Epsilon,
    scale: &Rational,
    counts: u64,
) -> Result<(Rational, Rational), Error> {
    let loss = refine(|precision| {
        let one = Interval::integer(1, precision);
        let e = Interval::rational(epsilon0.value(), precision).exp()?;
        let r = Interval::rational(&-scale.reciprocal()?, precision).exp()?;
        let ratio = (&e + &r).checked_div(&(&one + &(&e * &r)))?;
        let loss = ratio.ln()?;
        let lower = loss.lower().to_rational()?;
        let upper = loss.upper().to_rational()?;
        let near = &(&upper - &lower) * &Rational::from(1_000_000_000_000_000_u64) < lower;
        near.then_some((lower, upper))
    })?;
    let counts = Rational::from(counts);
    Ok((
        (loss.0 * &counts).round_to_digits(DIGITS, Rounding::Down),
        (loss.1 * &counts).round_to_digits(DIGITS, Rounding::Up),
    ))
}
