//! What the ingredients of a hedged policy promise by themselves, and how much each one blurs.
//!
//! Each of these is a guarantee of the whole: what else happens to the counts is independent
//! randomness, or, given the flips, a shift.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};

use super::{AggregatorNoise, Hedged, Route};
use crate::aggregated_rappor::DIGITS;
use crate::directed::count;
use crate::{Adjacency, Corner, Error, discrete_gaussian, discrete_laplace};

/// The ε at one δ of each ingredient.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// Of the client's own bits, at δ = 0: whoever else is dishonest.
    pub client: Rational,
    /// Of all honest clients' bits, without noise.
    pub clients: Rational,
    /// Of the noise of one honest aggregator, without flips; none where it promises nothing at
    /// this δ.
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

impl AggregatorNoise {
    /// About the variance on one count; for Gaussian noise the parameter, which is a little above
    /// where σ is below 1.
    pub(super) fn variance(&self) -> f64 {
        match self {
            Self::DiscreteGaussian { variance } => variance.to_f64(),
            Self::DiscreteLaplace { scale } => {
                let half = (0.5 / scale.to_f64()).sinh();
                0.5 / (half * half)
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let (name, value, least, most, accepted) = match self {
            Self::DiscreteGaussian { variance } => {
                let accepted = "a number from 1e-4 to 1e12, of at most 2048 bits";
                (
                    "variance",
                    variance,
                    10_000u64,
                    1_000_000_000_000u64,
                    accepted,
                )
            }
            Self::DiscreteLaplace { scale } => {
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
}

impl Hedged {
    /// The standard deviations of a count that is debiased from `reports` reports and the noise of
    /// `aggregators` aggregators, honest or not.
    #[must_use]
    pub fn standard_errors(&self, reports: u64, aggregators: u32) -> StandardErrors {
        let half = self.flip.epsilon0 / 2.0;
        let clients = count(reports.min(1 << 52)).sqrt() / (2.0 * half.sinh());
        let noise = f64::from(aggregators) * self.noise.variance();
        let aggregators = noise.sqrt() / half.tanh();
        StandardErrors {
            clients,
            aggregators,
            total: clients.hypot(aggregators),
        }
    }

    pub(super) fn parts(&self, delta: &Delta, adjacency: Adjacency) -> Result<Parts, Error> {
        if !delta.value().is_zero() {
            super::target(delta)?;
        }
        Ok(Parts {
            client: self.local_epsilon(adjacency),
            clients: self.rappor.epsilon(delta, adjacency)?.upper,
            aggregator: self.aggregator_epsilon(delta, adjacency),
        })
    }

    /// The least δ that a part promises at ε, and which one.
    pub(super) fn best_delta(
        &self,
        epsilon: &Epsilon,
        adjacency: Adjacency,
    ) -> Result<(Rational, Route), Error> {
        let clients = self.rappor.delta(epsilon, adjacency)?.upper;
        let corner = corner(adjacency);
        let noise = match &self.noise {
            AggregatorNoise::DiscreteGaussian { variance } => {
                discrete_gaussian::delta(variance, epsilon, &corner)
            }
            AggregatorNoise::DiscreteLaplace { scale } => {
                discrete_laplace::delta(scale, epsilon, &corner)
            }
        };
        // Out of its range it says nothing.
        let noise = noise.ok().and_then(|delta| delta.upper().to_rational());
        Ok(match noise {
            Some(delta) if delta < clients => (
                delta.round_to_digits(DIGITS, Rounding::Up),
                Route::Aggregator,
            ),
            _ => (clients, Route::Clients),
        })
    }

    /// `None` where that is out of range.
    fn aggregator_epsilon(&self, delta: &Delta, adjacency: Adjacency) -> Option<Rational> {
        let corner = corner(adjacency);
        let epsilon = match &self.noise {
            AggregatorNoise::DiscreteGaussian { variance } => {
                discrete_gaussian::epsilon(variance, delta, &corner)
            }
            AggregatorNoise::DiscreteLaplace { scale } => {
                discrete_laplace::epsilon(scale, delta, &corner)
            }
        };
        epsilon.ok()
    }
}

fn corner(adjacency: Adjacency) -> Corner {
    match adjacency {
        Adjacency::Replacement => Corner::one_hot(),
        Adjacency::Deletion => Corner::one(),
    }
}

/// The largest privacy loss with Laplace noise, k·ln((E + r)/(1 + E·r)) with r = e^(−1/t), for k
/// counts: rounded down and up.
pub(super) fn laplace_loss(
    epsilon0: &Epsilon,
    noise: &AggregatorNoise,
    adjacency: Adjacency,
) -> Result<(Rational, Rational), Error> {
    let AggregatorNoise::DiscreteLaplace { scale } = noise else {
        return Ok((Rational::zero(), epsilon0.value() + epsilon0.value()));
    };
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
    let counts: i64 = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    let counts = Rational::from(counts);
    Ok((
        (loss.0 * &counts).round_to_digits(DIGITS, Rounding::Down),
        (loss.1 * &counts).round_to_digits(DIGITS, Rounding::Up),
    ))
}
