//! The faults of a deployment, each with the distribution of its releases.

use dp_calibration::NoiseDistribution;
use dp_exact::Rational;

use super::expected_release::{ExpectedRelease, FlipProbabilities, TotalInput};
use super::k_norm::{JointNoise, KNorm};
use super::pmf::Pmf;
use crate::Error;
use crate::binomial::{HUGE, nearest_integer};

/// A fault of a deployment. Its text is a sentence without a capital.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// This number of aggregators adds no noise.
    #[error("{}", without_noise(*.0))]
    Missing(u32),
    /// One aggregator adds one draw twice.
    #[error("one aggregator adds its draw of noise twice")]
    Twice,
    /// All aggregators add the same draw.
    #[error("all aggregators add the same draw of noise")]
    Shared,
    /// The noise of one aggregator has its scale multiplied by a fraction.
    #[error("one aggregator's noise is scaled by {0}/{1}")]
    ScaledAtOne(u32, u32),
    /// The noise of all aggregators has its scale multiplied by a fraction.
    #[error("the noise of all aggregators is scaled by {0}/{1}")]
    Scaled(u32, u32),
    /// The noise is Gaussian in place of Laplace or the reverse, with about the same variance.
    #[error("the noise has another distribution of the same variance")]
    OtherLaw,
    /// Not all totals share one cube: each of this number of totals has a cube of its own. One is
    /// independent noise of the same variance.
    #[error("each {0} of the totals have a cube of noise of their own")]
    CubeForEach(u32),
    /// The size of cubes is drawn as for this number of totals.
    #[error("cubes of noise are as large as for {0} totals")]
    HalfSidesOf(u32),
    /// Clients send their measurements without randomization.
    #[error("clients do not randomize")]
    NotRandomized,
    /// The probability of a flip is multiplied by a fraction.
    #[error("clients flip {0}/{1} as often as they should")]
    FlipRate(u32, u32),
    /// One of several totals is released without any noise, always the same one.
    #[error("one of the totals has no noise")]
    BareTotal,
    /// The estimate has the wrong sign.
    #[error("estimates have the wrong sign")]
    Negated,
    /// The estimate is replaced by its magnitude.
    #[error("estimates have lost their sign")]
    Absolute,
    /// Negative estimates are released as 0.
    #[error("negative estimates are released as 0")]
    Clamped,
    /// Negative totals are released as elements of the field, which are huge.
    #[error("negative totals are released as huge numbers")]
    Unsigned,
    /// The total is released in place of the estimate.
    #[error("totals are released in place of estimates")]
    NotDebiased,
    /// The estimate is corrected for this number of randomized bits more than there are.
    #[error("estimates are corrected for {0:+} randomized bits")]
    Miscounted(i64),
    /// The values do not have the expected distribution, and no other fault explains that.
    #[error("values have another distribution than they should")]
    WrongDistribution,
    /// Sums or differences of totals do not have the expected distribution, as where the noise of a
    /// total depends on the noise of another one.
    #[error("sums of totals have another distribution than they should")]
    WrongSums,
    /// For some measurements the values do not have the expected distribution, as where the noise
    /// depends on data.
    #[error("for some measurements, values have another distribution")]
    WrongForSomeData,
    /// Some batches have no noise.
    #[error("some batches are released without noise")]
    BareBatches,
    /// The noise of a batch is that of an earlier one, minus that, or depends on it.
    #[error("the noise of batches depends on the noise of earlier batches")]
    DependentBatches,
    /// A collection was answered differently when it was asked for again.
    #[error("a collection is answered differently when asked again")]
    AnotherAnswer,
    /// A batch of fewer reports than the task admits was released.
    #[error("batches of fewer reports than the task admits are released")]
    FewerReports,
    /// A batch of more reports than the task admits was released.
    #[error("batches of more reports than the task admits are released")]
    MoreReports,
    /// Some people were in more releases than the task plans.
    #[error("the same people are in more releases than the task plans")]
    MoreReleases,
    /// A person sent more reports in a release than the task admits.
    #[error("a person sends more reports than the task admits")]
    MoreReportsOfPerson,
    /// Another number of aggregators ran than the task has.
    #[error("the number of aggregators is not the task's")]
    OtherAggregators,
    /// The parties ran a task of another digest.
    #[error("the parties run another task: its digest differs")]
    OtherTask,
}

/// The text of [`Fault::Missing`].
fn without_noise(aggregators: u32) -> String {
    match aggregators {
        1 => "one aggregator adds no noise".to_owned(),
        several => format!("{several} aggregators add no noise"),
    }
}

impl Fault {
    /// Whether the values with this fault have a known distribution, so that the fault can be
    /// excluded.
    #[must_use]
    pub const fn has_distribution(self) -> bool {
        !matches!(
            self,
            Self::WrongDistribution
                | Self::WrongSums
                | Self::WrongForSomeData
                | Self::BareBatches
                | Self::DependentBatches
        )
    }

    /// The faults with a known distribution that are tested for this mechanism; `has_noise` is
    /// whether aggregators add noise to totals.
    pub(super) fn of(expected: &ExpectedRelease, has_noise: bool) -> Vec<Self> {
        use Fault::{
            Absolute, BareTotal, Clamped, CubeForEach, FlipRate, HalfSidesOf, Miscounted, Missing,
            Negated, NotDebiased, NotRandomized, OtherLaw, Scaled, ScaledAtOne, Shared, Twice,
            Unsigned,
        };
        let mut faults = Vec::new();
        let aggregators = expected.aggregators;
        if has_noise {
            faults.extend([Missing(1), Twice, ScaledAtOne(1, 2), ScaledAtOne(2, 1)]);
            let scaled = [(1, 2), (3, 4), (4, 3), (2, 1)];
            faults.extend(scaled.map(|(over, under)| Scaled(over, under)));
            if let Some(KNorm { length, .. }) = expected.k_norm {
                let few = length.div_ceil(8);
                faults.extend([
                    CubeForEach(1),
                    HalfSidesOf(length - few),
                    HalfSidesOf(length + few),
                ]);
                if length > BLOCK {
                    faults.push(CubeForEach(BLOCK));
                }
            } else {
                faults.push(Scaled(10, 1));
                if expected.matrix.is_none() {
                    faults.push(OtherLaw);
                }
            }
            if aggregators > 1 {
                faults.extend([Missing(aggregators), Shared]);
            }
        }
        if let Some(flips) = expected.clients {
            faults.extend([NotRandomized, FlipRate(1, 2)]);
            if 1.5 * flips.gained < 1.0 - flips.kept.min(0.5) {
                faults.push(FlipRate(3, 2));
            }
            faults.extend([Miscounted(1), Miscounted(-1)]);
        }
        if expected.clients.is_some() || expected.is_mean() {
            faults.push(NotDebiased);
        }
        // The totals behind a strategy matrix are no estimates.
        if expected.matrix.is_none() {
            if expected.query.totals() > 1 {
                faults.push(BareTotal);
            }
            faults.extend([Negated, Absolute, Clamped, Unsigned]);
        }
        faults
    }

    /// The noise of all aggregators with this fault, as of sound ones where the fault is elsewhere;
    /// `one` is the noise of a sound one.
    pub(super) fn noise(self, expected: &ExpectedRelease, one: &Pmf) -> Result<Pmf, Error> {
        let aggregators = expected.aggregators;
        let without = |missing: u32| one.times(aggregators - missing);
        match self {
            Self::Missing(missing) => without(missing),
            Self::Twice => without(1)?.plus(&one.multiplied(2)),
            Self::Shared => Ok(one.multiplied(aggregators)),
            Self::ScaledAtOne(over, under) => without(1)?.plus(&scaled(expected, over, under)?),
            Self::Scaled(over, under) => scaled(expected, over, under)?.times(aggregators),
            Self::OtherLaw => other_distribution(expected)?.times(aggregators),
            Self::BareTotal => Ok(Pmf::point(0)),
            _ => without(0),
        }
    }

    /// The noise of both aggregators with this fault in all totals together; `None` for a fault
    /// without half sides of its own, whose totals are tested one by one.
    pub(super) fn joint(self, k_norm: &KNorm) -> Result<Option<JointNoise>, Error> {
        let scaled = |over, under| k_norm.half_sides(&Rational::new(over, under)?, k_norm.length);
        let of = |length| k_norm.half_sides(&Rational::from(1_u64), length);
        let (sound, silent) = (|| of(k_norm.length), || vec![(0, 0.0)]);
        let mut block = k_norm.length;
        let half_sides = match self {
            Self::Missing(1) => [sound()?, silent()],
            Self::Missing(_) => [silent(), silent()],
            Self::ScaledAtOne(over, under) => [sound()?, scaled(over, under)?],
            Self::Scaled(over, under) => [scaled(over, under)?, scaled(over, under)?],
            Self::HalfSidesOf(length) => [of(length)?, of(length)?],
            Self::CubeForEach(totals) => {
                block = totals;
                [sound()?, sound()?]
            }
            _ => return Ok(None),
        };
        Ok(Some(JointNoise::new(half_sides, block)))
    }

    /// The sound `release` with clients that have this fault; unchanged for faults of others.
    pub(super) fn with_clients(self, mut release: ExpectedRelease) -> ExpectedRelease {
        match self {
            Self::NotRandomized | Self::BareTotal => release.clients = None,
            Self::FlipRate(over, under) => {
                let factor = f64::from(over) / f64::from(under);
                release.clients = release.clients.map(|flips| FlipProbabilities {
                    kept: 1.0 - factor * (1.0 - flips.kept),
                    gained: factor * flips.gained,
                });
            }
            _ => {}
        }
        release
    }

    /// The probability that the value `released` is released with this fault; `total` is the
    /// distribution of the total before the estimate, with the fault in clients and noise.
    pub(super) fn probability(
        self,
        expected: &ExpectedRelease,
        input: TotalInput,
        total: &Pmf,
        released: f64,
    ) -> f64 {
        let at_miscounted = |estimate: f64, more: i64| {
            nearest_integer(expected.total(input, estimate, more))
                .map_or(0.0, |value| total.at(value))
        };
        let at = |estimate: f64| at_miscounted(estimate, 0);
        let below = |most: f64| {
            let below =
                total.outcomes().filter(|(value, _)| expected.estimate(input, *value) <= most);
            below.map(|(_, probability)| probability).sum()
        };
        match self {
            Self::Negated => at(-released),
            Self::Absolute if released < 0.0 => 0.0,
            Self::Absolute if released > 0.0 => at(released) + at(-released),
            Self::Clamped if released < 0.0 => 0.0,
            Self::Clamped if released == 0.0 => below(0.0),
            // A double does not tell which element it is, and that does not matter.
            Self::Unsigned if released > HUGE => below(-f64::MIN_POSITIVE),
            Self::Unsigned if released < 0.0 => 0.0,
            Self::Miscounted(more) => at_miscounted(released, more),
            Self::NotDebiased => nearest_integer(released).map_or(0.0, |value| total.at(value)),
            _ => at(released),
        }
    }
}

/// Number of totals for which samplers draw independent noise at a time.
const BLOCK: u32 = 256;

/// The noise of one aggregator with its scale multiplied by the fraction `over`/`under`.
fn scaled(expected: &ExpectedRelease, over: u32, under: u32) -> Result<Pmf, Error> {
    let factor = Rational::new(over, under)?;
    if let Some(k_norm) = &expected.k_norm {
        return k_norm.total(&factor);
    }
    match &expected.noise {
        None => unreachable!("only noise is scaled"),
        Some(NoiseDistribution::DiscreteLaplace { scale }) => {
            Pmf::noise(&NoiseDistribution::DiscreteLaplace { scale: scale * &factor })
        }
        Some(NoiseDistribution::DiscreteGaussian { variance }) => {
            let variance = variance * &(&factor * &factor);
            Pmf::noise(&NoiseDistribution::DiscreteGaussian { variance })
        }
    }
}

/// The distribution of one aggregator's noise as Gaussian in place of Laplace, or the reverse, of
/// about the same variance.
fn other_distribution(expected: &ExpectedRelease) -> Result<Pmf, Error> {
    let about = |value: f64| {
        #[expect(clippy::cast_possible_truncation)]
        let steps = (value * 1e6).round() as i64;
        Rational::new(steps.max(1), 1_000_000)
    };
    let noise = expected.noise.as_ref().expect("only noise has another distribution");
    let deviation = noise.standard_deviation();
    Pmf::noise(&match noise {
        NoiseDistribution::DiscreteLaplace { .. } => {
            NoiseDistribution::DiscreteGaussian { variance: about(deviation * deviation)? }
        }
        // Discrete Laplace noise of scale t has the variance 1/(2·sinh(1/(2t))²).
        NoiseDistribution::DiscreteGaussian { .. } => NoiseDistribution::DiscreteLaplace {
            scale: about(0.5 / (0.5f64.sqrt() / deviation).asinh())?,
        },
    })
}
