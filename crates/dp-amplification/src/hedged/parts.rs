//! What the ingredients of a hedged policy promise by themselves, and how much each one blurs.
//!
//! Each of these is a guarantee of the whole: what else happens to the counts is independent
//! randomness, or, given the flips, a shift.

use dp_exact::{Epsilon, Interval, Rational, Rounding, refine};

use serde::{Deserialize, Serialize};

use crate::aggregated_rappor::{DIGITS, MultiHot};
use dp_calibration::NoiseLaw;
use dp_calibration::{Adjacency, Error};

/// Which guarantee an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Route {
    /// That of the client's own bits.
    Client,
    /// That of all honest clients' bits, as if there were no noise.
    Clients,
    /// That of the honest aggregators' noise, as if there were no flips.
    Aggregator,
    /// That of bits and noise together.
    Joint,
}

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
