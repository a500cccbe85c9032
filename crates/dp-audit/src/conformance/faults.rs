//! The faults that are looked for, each as the law of what is then released.

use std::fmt;

use dp_calibration::NoiseDistribution;
use dp_exact::Rational;
use serde::Serialize;

use super::expected::{ExpectedRelease, Flips, Noise, Total};
use super::pmf::Pmf;
use crate::Error;

/// What may be wrong with a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum Fault {
    /// So many aggregators add no noise.
    Missing(u32),
    /// One aggregator adds one draw twice.
    Twice,
    /// All aggregators add the same draw.
    Shared,
    /// The noise of one aggregator has its scale multiplied by a fraction.
    ScaledAtOne(u32, u32),
    /// That of all of them has.
    Scaled(u32, u32),
    /// The noise of all has the other law, with about the same variance.
    OtherLaw,
    /// So many aggregators add the same draw in each collection.
    Reused(u32),
    /// All coordinates have the same noise.
    SameEverywhere,
    /// Clients send their measurements as they are.
    NotRandomized,
    /// The probability of a flip is a fraction of what it should be.
    FlipRate(u32, u32),
    /// Clients send vectors with so many more ones than they should, or fewer.
    Heavier(i64),
    /// The estimate has the wrong sign.
    Negated,
    /// The estimate is its magnitude.
    Absolute,
    /// Negative estimates are released as 0.
    Clamped,
    /// Negative totals are released as elements of the field, which are huge.
    Unsigned,
    /// The total is released in place of the estimate.
    NotDebiased,
    /// The estimate is corrected for so many randomized bits more than there are.
    Miscounted(i64),
    /// Something else: the values do not have the law that they should have.
    WrongDistribution,
    /// A collection was answered differently when it was asked for again.
    AnotherAnswer,
}

impl Fault {
    /// All that can be told of this mechanism.
    pub(super) fn of(expected: &ExpectedRelease) -> Vec<Self> {
        let mut faults = Vec::new();
        let aggregators = expected.aggregators;
        if expected.noise.is_some() {
            faults.extend([Self::Missing(1), Self::Twice, Self::Reused(1)]);
            faults.extend([Self::ScaledAtOne(1, 2), Self::ScaledAtOne(2, 1)]);
            let scaled = [(1, 2), (3, 4), (4, 3), (2, 1), (10, 1)];
            faults.extend(scaled.map(|(over, under)| Self::Scaled(over, under)));
            if expected.compensation.is_none() {
                faults.push(Self::OtherLaw);
            }
            if aggregators > 1 {
                faults.extend([
                    Self::Missing(aggregators),
                    Self::Shared,
                    Self::Reused(aggregators),
                ]);
            }
        } else {
            faults.push(Self::Reused(0));
        }
        if let Some(flips) = expected.clients {
            faults.push(Self::NotRandomized);
            faults.push(Self::FlipRate(1, 2));
            if 1.5 * flips.gained < 1.0 - flips.kept.min(0.5) {
                faults.push(Self::FlipRate(3, 2));
            }
            faults.extend([Self::Miscounted(1), Self::Miscounted(-1)]);
        }
        if let Some(compensation) = expected.compensation.filter(|batch| batch.zeros > 1) {
            // As if nobody had added anything, or one aggregator alone.
            let zeros = i64::try_from(compensation.zeros).unwrap_or(i64::MAX);
            faults.extend((0..aggregators.min(2)).map(|added| {
                Self::Miscounted(zeros.saturating_mul(i64::from(added) - i64::from(aggregators)))
            }));
        }
        if expected.dropping.is_some() {
            faults.extend([Self::Heavier(-1), Self::Heavier(1)]);
        }
        if expected.clients.is_some() || expected.is_mean {
            faults.push(Self::NotDebiased);
        }
        if expected.is_independent {
            faults.push(Self::SameEverywhere);
        }
        faults.extend([
            Self::Negated,
            Self::Absolute,
            Self::Clamped,
            Self::Unsigned,
            Self::WrongDistribution,
        ]);
        faults
    }

    /// What the law of the noise of all aggregators becomes.
    pub(super) fn noise(self, expected: &ExpectedRelease, one: &Pmf) -> Result<Pmf, Error> {
        let aggregators = expected.aggregators;
        let without = |missing: u32| one.times(aggregators.saturating_sub(missing));
        match self {
            Self::Missing(missing) => without(missing),
            Self::Twice => without(1)?.plus(&one.multiplied(2)),
            Self::Shared => Ok(one.multiplied(aggregators)),
            Self::ScaledAtOne(over, under) => without(1)?.plus(&scaled(expected, over, under)?),
            Self::Scaled(over, under) => scaled(expected, over, under)?.times(aggregators),
            Self::OtherLaw => other_law(expected, one)?.times(aggregators),
            _ => without(0),
        }
    }

    /// What the flips of clients become.
    pub(super) fn clients(self, flips: Flips) -> Flips {
        let gained = flips.gained;
        match self {
            Self::NotRandomized => Flips::NONE,
            Self::FlipRate(over, under) => {
                let factor = f64::from(over) / f64::from(under);
                Flips { kept: 1.0 - factor * (1.0 - flips.kept), gained: factor * gained }
            }
            _ => flips,
        }
    }

    /// With how many more ones than they should vectors are sent.
    pub(super) const fn heavier(self) -> i64 {
        match self {
            Self::Heavier(more) => more,
            _ => 0,
        }
    }

    /// The probability that this is released of a total with this law.
    pub(super) fn probability(
        self,
        expected: &ExpectedRelease,
        of: Total,
        law: &Pmf,
        released: f64,
    ) -> f64 {
        let at_miscounted = |estimate: f64, more: i64| {
            near(expected.total(of, estimate, more)).map_or(0.0, |total| law.at(total))
        };
        let at = |estimate: f64| at_miscounted(estimate, 0);
        let below = |most: f64| {
            let below = law.outcomes().filter(|(total, _)| expected.estimate(of, *total) <= most);
            below.map(|(_, probability)| probability).sum()
        };
        match self {
            Self::Negated => at(-released),
            Self::Absolute if released < 0.0 => 0.0,
            Self::Absolute if released > 0.0 => at(released) + at(-released),
            Self::Clamped if released < 0.0 => 0.0,
            Self::Clamped if released == 0.0 => below(0.0),
            // Of which element it is, floating point knows little, and it does not matter.
            Self::Unsigned if released > HUGE => below(-f64::MIN_POSITIVE),
            Self::Unsigned if released < 0.0 => 0.0,
            Self::Miscounted(more) => at_miscounted(released, more),
            Self::NotDebiased => near(released).map_or(0.0, |total| law.at(total)),
            _ => at(released),
        }
    }

    /// Whether past collections, or other coordinates, matter to its law.
    pub(super) const fn depends_on_others(self) -> bool {
        matches!(self, Self::Reused(_) | Self::SameEverywhere | Self::WrongDistribution)
    }
}

/// No total is as large; half of the smallest field is larger.
const HUGE: f64 = 1e15;

/// By how much an estimate may be rounded when it is written, in units of the total.
const ROUNDED: f64 = 0.01;

/// The integer that this is.
pub(super) fn near(total: f64) -> Option<i64> {
    let nearest = total.round();
    let is_integer = (total - nearest).abs() <= ROUNDED && nearest.abs() < HUGE;
    #[expect(clippy::cast_possible_truncation)]
    is_integer.then_some(nearest as i64)
}

/// The law with a scale multiplied by this fraction.
fn scaled(expected: &ExpectedRelease, over: u32, under: u32) -> Result<Pmf, Error> {
    let factor = Rational::new(over, under)?;
    let law = match &expected.noise {
        None => return Ok(Pmf::point(0)),
        Some(Noise::Binomial { trials, probability }) => {
            let trials = trials.saturating_mul(over.into()) / u64::from(under.max(1));
            return Ok(Pmf::binomial(trials, *probability));
        }
        Some(Noise::Law(NoiseDistribution::DiscreteLaplace { scale })) => {
            NoiseDistribution::DiscreteLaplace { scale: scale * &factor }
        }
        Some(Noise::Law(NoiseDistribution::DiscreteGaussian { variance })) => {
            NoiseDistribution::DiscreteGaussian { variance: variance * &(&factor * &factor) }
        }
    };
    Pmf::noise(&law)
}

/// Gaussian noise for Laplace noise, and the other way round: Laplace noise of scale t has a variance of about 2t².
fn other_law(expected: &ExpectedRelease, one: &Pmf) -> Result<Pmf, Error> {
    const STEPS: f64 = 1e6;
    let about = |value: f64| {
        #[expect(clippy::cast_possible_truncation)]
        let steps = (value * STEPS).round() as i64;
        Rational::new(steps.max(1), 1_000_000)
    };
    let variance = one.variance();
    let law = match &expected.noise {
        None | Some(Noise::Binomial { .. }) => return Ok(Pmf::point(0)),
        Some(Noise::Law(NoiseDistribution::DiscreteLaplace { .. })) => {
            NoiseDistribution::DiscreteGaussian { variance: about(variance)? }
        }
        Some(Noise::Law(NoiseDistribution::DiscreteGaussian { .. })) => {
            NoiseDistribution::DiscreteLaplace {
                scale: about(0.5 / (0.5 / variance).sqrt().asinh())?,
            }
        }
    };
    Pmf::noise(&law)
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(1) => f.write_str("one aggregator adds no noise"),
            Self::Missing(missing) => write!(f, "{missing} aggregators add no noise"),
            Self::Twice => f.write_str("one aggregator adds its draw of noise twice"),
            Self::Shared => f.write_str("all aggregators add the same draw of noise"),
            Self::ScaledAtOne(over, under) => {
                write!(f, "one aggregator's noise is scaled by {over}/{under}")
            }
            Self::Scaled(over, under) => {
                write!(f, "the noise of all aggregators is scaled by {over}/{under}")
            }
            Self::OtherLaw => f.write_str("the noise has another law of the same variance"),
            Self::Reused(0) => f.write_str("the clients' randomness is drawn once and used again"),
            Self::Reused(1) => f.write_str("one aggregator's noise is drawn once and used again"),
            Self::Reused(all) => {
                write!(f, "the noise of {all} aggregators is drawn once and used again")
            }
            Self::SameEverywhere => f.write_str("all coordinates have the same noise"),
            Self::NotRandomized => f.write_str("clients do not randomize"),
            Self::FlipRate(over, under) => {
                write!(f, "clients flip {over}/{under} as often as they should")
            }
            Self::Heavier(more) => {
                write!(f, "the weight bound of clients is off by {more:+}")
            }
            Self::Negated => f.write_str("estimates have the wrong sign"),
            Self::Absolute => f.write_str("estimates have lost their sign"),
            Self::Clamped => f.write_str("negative estimates are released as 0"),
            Self::Unsigned => f.write_str("negative totals are released as huge numbers"),
            Self::NotDebiased => f.write_str("totals are released in place of estimates"),
            Self::Miscounted(more) => {
                write!(f, "estimates are corrected for {more:+} randomized bits")
            }
            Self::WrongDistribution => {
                f.write_str("values do not have the law that they should have")
            }
            Self::AnotherAnswer => {
                f.write_str("a collection is answered differently when asked again")
            }
        }
    }
}
