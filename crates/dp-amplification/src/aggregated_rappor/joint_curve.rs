//! What hides a client in one count: the others' randomized bits and the honest aggregators' noise.
//!
//! Their sum M is log-concave, all that `HockeyStick` needs. Let A be the event that every part of
//! M is inside its window, of probability 1 − η, whatever the client's bit is: H(α) ≤ H(α | A) +
//! η·(q − αp)₊ (`docs/hedging.md`, section 4).

use dp_calibration::NoiseDistribution;
use dp_exact::directed::{
    Bounds, add_down, add_up, count, div_up, floor_to_count, mul_down, to_index,
};
use dp_exact::elementary;

use super::aggregator_noise::HonestNoise;
use crate::bit_odds::BitOdds;
use crate::count_distribution::CountDistribution;
use crate::dataset_envelope::{Looseness, envelope, even_nodes};
use crate::dominating_curve::DominatingCurve;
use crate::hockey_stick::HockeyStick;
use crate::log_concave_window::LogConcaveWindow;

/// About the most work that all blocks of an envelope may take together, in products of floats.
const BUDGET: f64 = 2e9;

/// The largest relative looseness of ε at which an envelope is worth its time.
const COARSEST: f64 = 0.02;

/// Number of nodes beyond the window of the worst data, for data far from the worst.
const FAR_NODES: u64 = 100;

/// The distribution of M, others' randomized bits plus honest noise, as a function of their data.
#[derive(Clone, Debug)]
pub(super) struct JointBits<'a> {
    pub(super) flip: &'a BitOdds,
    /// The odds of the client's own bit.
    pub(super) own: &'a BitOdds,
    /// The number of other honest clients.
    pub(super) others: u64,
    pub(super) noise: HonestNoise,
    /// Tails of probability below e^−depth are left out.
    pub(super) depth: f64,
    /// Upper bound on the largest likelihood ratio of all outcomes, with E the odds of the own bit:
    /// E or, with Laplace noise of scale t, (E + r)/(1 + E·r) with r = e^(−1/t).
    pub(super) largest_ratio: f64,
    /// The variance of bits and noise together, in variances of one bit: no bound.
    pub(super) effective: f64,
}

impl<'a> JointBits<'a> {
    /// The bits of `others` clients, of odds `flip`, and the noise of `summands` aggregators.
    /// `None` if floats do not hold the noise.
    pub(super) fn new(
        [flip, own]: [&'a BitOdds; 2],
        others: u64,
        (distribution, summands): (&NoiseDistribution, u32),
        depth: f64,
    ) -> Option<Self> {
        let mut largest_ratio = own.e.upper;
        let noise = match distribution {
            NoiseDistribution::DiscreteGaussian { variance } => {
                HonestNoise::gaussian(variance, summands, depth)?
            }
            NoiseDistribution::DiscreteLaplace { scale } => {
                let ratio = Bounds::exp(&-scale.reciprocal()?)?;
                // It grows with E and falls with r.
                let below = add_down(1.0, mul_down(own.e.upper, ratio.lower));
                largest_ratio = div_up(add_up(own.e.upper, ratio.lower), below);
                HonestNoise::Laplace { ratio, summands }
            }
        };
        let (each, deviation) = (flip.p * (1.0 - flip.p), distribution.standard_deviation());
        Some(Self {
            flip,
            own,
            others,
            noise,
            depth,
            largest_ratio,
            effective: count(others + 1) + f64::from(summands) * deviation * deviation / each,
        })
    }

    /// The count where the others hold `zeros` zeros and `ones` ones, noise included. `None` if
    /// floats do not hold it.
    pub(super) fn count(&self, zeros: u64, ones: u64) -> Option<HockeyStick<'a>> {
        let bits = CountDistribution::between(self.flip, zeros, ones, [self.depth, self.depth])?;
        let outside = add_up(bits.outside[1], bits.outside[0]);
        let bits = LogConcaveWindow::new(bits.lower, &bits.upper, outside, self.depth)?;
        let sum = self.noise.added_to(bits, self.depth)?;
        let (own, missing, end) = (self.own, sum.missing, self.largest_ratio);
        Some(HockeyStick { own, pmf: sum.inside(), missing, end })
    }

    /// Upper bound on the curve of one changed count, for every dataset. `None` if that takes too
    /// long, or floats do not hold a count.
    pub(super) fn curve(&self) -> Option<DominatingCurve> {
        let slack = self.slack()?;
        let nodes = self.nodes(&self.count(0, self.others)?, &self.count(self.others, 0)?);
        let looseness = Looseness { effective: self.effective, slack, depth: self.depth };
        let envelope = envelope(&nodes, 0..=self.others, looseness, |lowest, highest| {
            Some(self.count(self.others - highest, lowest)?.upper_at(&nodes))
        })?;
        DominatingCurve::cut(&nodes, &envelope)
    }

    /// The relative looseness of ε that keeps the work in bounds: from 2e-4, more for wide counts
    /// and long convolutions. `None` above 0.02, or if one block takes more than [`BUDGET`].
    fn slack(&self) -> Option<f64> {
        let variance = self.flip.p * (1.0 - self.flip.p);
        let bits = count(self.others) * variance;
        let reach = (2.0 * self.depth * bits).sqrt() + self.depth / 3.0 + 2.0;
        let length = floor_to_count(2.0 * reach, self.others) + 1;
        let work = self.noise.work(to_index(length), self.depth);
        let deviation = (self.effective * variance).sqrt();
        let fine = 2e-4 * elementary::powf((deviation / 500.0).max(1.0), 0.4);
        let blocks_times_slack = count(self.others) / (2.0 * self.effective);
        let slack = fine.max(blocks_times_slack * work / BUDGET);
        (work <= BUDGET && slack <= COARSEST).then_some(slack)
    }

    /// Nodes from 1 to the largest ratio, where H is 0: even in the privacy loss up to the end of
    /// the window of the worst data, coarser up to the end for the `opposite` data, and every
    /// likelihood ratio where windows are short. Laplace noise adds ratios at even steps.
    fn nodes(&self, worst: &HockeyStick<'_>, opposite: &HockeyStick<'_>) -> Vec<f64> {
        let end = self.largest_ratio;
        let largest =
            self.farthest_loss(worst).clamp(1e-6 * self.flip.epsilon0, elementary::ln(end));
        let mut nodes = even_nodes(self.flip, self.effective, largest);
        let pieces = nodes.len() - 1;
        let step = (self.farthest_loss(opposite) - largest) / count(FAR_NODES);
        nodes.extend((0..=FAR_NODES).map(|i| elementary::exp(largest + count(i) * step)));
        for extreme in [worst, opposite] {
            let length = extreme.pmf.upper.len();
            let step = length / pieces + 1;
            if step == 1 || matches!(self.noise, HonestNoise::Laplace { .. }) {
                let places = (1..length).step_by(step);
                nodes.extend(places.map(|place| elementary::exp(extreme.loss(place))));
            }
        }
        nodes.retain(|&alpha| (1.0..end).contains(&alpha));
        // Of a known bit with Gaussian noise, what lies beyond counts as an infinite loss.
        if end < BitOdds::known().e.lower {
            nodes.push(end);
        }
        nodes.sort_by(f64::total_cmp);
        nodes.dedup();
        nodes
    }

    /// The privacy loss of the outcome at the upper end of the window of `count`, rounded: no
    /// bound. The own bit's ε₀ if there is one outcome.
    fn farthest_loss(&self, count: &HockeyStick<'_>) -> f64 {
        match count.pmf.upper.len() {
            0 | 1 => self.own.epsilon0,
            length => count.loss(length - 1),
        }
    }
}
