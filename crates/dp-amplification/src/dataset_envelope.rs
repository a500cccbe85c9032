//! All datasets of the others: the supremum of their hockey-stick curves H_b over b ones.
//!
//! A block of datasets from b₀ to b₀ + w is bounded by the curve of the count without w of the
//! bits, which is worse by about w/2n in ε. Blocks go from the largest b, near which the worst
//! datasets are, to the smallest; estimates choose their widths, and the result is a bound for any
//! (`docs/aggregated-rappor.md`, section 3).

use std::ops::RangeInclusive;

use dp_exact::directed::{count, floor_to_count};
use dp_exact::elementary;

use crate::accepted_ranges::BELOW_DELTA;
use crate::bit_odds::BitOdds;
use crate::coarse_hockey_stick;
use crate::dominating_curve::DominatingCurve;
use crate::hockey_stick::HockeyStick;

/// Number of nodes for each standard deviation of the privacy loss.
const NODES_PER_DEVIATION: f64 = 80.0;

/// The fewest and the most nodes on the part of the curve that matters.
const NODES: (f64, f64) = (400.0, 2000.0);

/// The looseness of an envelope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looseness {
    /// The variance of all that hides the client, in variances of one bit: it decides about widths.
    pub(crate) effective: f64,
    /// By how much the envelope may exceed the worst curve, as a relative shift of ε. No bound.
    pub(crate) slack: f64,
    /// Tails of probability below e^−depth are not resolved.
    pub(crate) depth: f64,
}

/// Upper bounds at `nodes` on the hockey-stick curves of all datasets with a number of ones in
/// `ones`; `block`(lowest, highest) gives them for the numbers from lowest to highest. `None` where
/// `block` gives none.
pub(crate) fn envelope(
    nodes: &[f64],
    ones: RangeInclusive<u64>,
    Looseness { effective, slack, depth }: Looseness,
    block: impl Fn(u64, u64) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let (fewest, most) = ones.into_inner();
    let datasets = 2.0 * effective;
    let tightest = floor_to_count(datasets * slack, most - fewest);
    let marks = block(most, most)?;
    let mut envelope = marks.clone();
    // The datasets from `fewest` to below `left` are not covered yet.
    let (mut left, mut width) = (most, tightest);
    while left > fewest {
        let highest = left - 1;
        width = width.min(highest - fewest);
        let values = block(highest - width, highest)?;
        let room = datasets * (slack - excess(nodes, &values, &marks, depth - BELOW_DELTA));
        let wider = floor_to_count(count(width) + 0.9 * room, most - fewest).max(tightest);
        if room < -0.5 * count(tightest) && width > tightest && wider < width {
            width = wider;
            continue;
        }
        for (envelope, value) in envelope.iter_mut().zip(values) {
            *envelope = envelope.max(value);
        }
        left = highest - width;
        width = wider;
    }
    Some(envelope)
}

/// The largest shift in the privacy loss from the curve `marks` to the curve `values`, relative to
/// the loss there, or to the loss at which `marks` has fallen by about e^(−`depth`/2) if that is
/// larger; −1 where no node tells. No bound: it steers widths.
fn excess(nodes: &[f64], values: &[f64], marks: &[f64], depth: f64) -> f64 {
    let depth = (depth + elementary::ln(marks[0])).max(4.0);
    let least = marks[0] * elementary::exp(-depth);
    let half = marks[0] * elementary::exp(-depth / 2.0);
    let matters = marks.partition_point(|&mark| mark > half);
    // A curve may have one node only.
    let last = nodes.len() - 1;
    let matters = elementary::ln(nodes[matters.clamp(last.min(1), last)]);
    let mut worst = -1.0f64;
    for i in 1..values.len() - 1 {
        if marks[i] > least && marks[i] < marks[i - 1] && values[i] > 0.0 {
            let loss = elementary::ln(nodes[i]);
            let slope =
                elementary::ln(marks[i - 1] / marks[i]) / (loss - elementary::ln(nodes[i - 1]));
            worst = worst.max(elementary::ln(values[i] / marks[i]) / slope / loss.max(matters));
        }
    }
    worst
}

/// Ascending α from 1 to e^`largest`, even in ln α, in 400 to 2000 steps. `effective` is the
/// variance of everything that hides the client, in variances of one randomized bit; it decides the
/// number of steps.
pub(crate) fn even_nodes(flip: &BitOdds, effective: f64, largest: f64) -> Vec<f64> {
    let deviation = (1.0 - 2.0 * flip.p) / (effective * flip.p * (1.0 - flip.p)).sqrt();
    let wanted = NODES_PER_DEVIATION * largest / deviation;
    let pieces = floor_to_count(wanted.clamp(NODES.0, NODES.1), 1 << 20);
    let step = largest / count(pieces);
    (0..=pieces).map(|i| elementary::exp(count(i) * step)).collect()
}

/// The relative looseness of ε that keeps blocks few: 2e-4 where `effective` bits have a standard
/// deviation up to 500, growing to 2.6e-4 from 1000 on.
pub(crate) fn slack(flip: &BitOdds, effective: f64) -> f64 {
    let deviation = (effective * flip.p * (1.0 - flip.p)).sqrt();
    2e-4 * elementary::powf((deviation / 500.0).clamp(1.0, 2.0), 0.4)
}

/// The randomized bits of other clients without noise, which hide the bit of one client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomizedBits<'a> {
    pub(crate) flip: &'a BitOdds,
    /// The odds of the client's own bit.
    pub(crate) own: &'a BitOdds,
    /// The number of other clients.
    pub(crate) others: u64,
    /// Tails of probability below e^−depth are not resolved.
    pub(crate) depth: f64,
    /// A factor on the usual relative looseness of ε.
    pub(crate) share: f64,
}

impl RandomizedBits<'_> {
    /// A curve that dominates all datasets of the others; with a probability of an infinite loss
    /// where the own bit is sent without randomization. `None` if floats do not hold it.
    pub(crate) fn curve(&self) -> Option<DominatingCurve> {
        let nodes = self.nodes(&[self.others])?;
        let envelope = self.envelope(&nodes, 0..=self.others)?;
        DominatingCurve::cut(&nodes, &envelope)
    }

    /// Ascending nodes α = e^ℓ, evenly spaced in the privacy loss ℓ to about the largest that
    /// counts with these numbers of `ones` among the others resolve; the odds of a randomized own
    /// bit end them. `None` if floats do not hold a count.
    pub(crate) fn nodes(&self, ones: &[u64]) -> Option<Vec<f64>> {
        let mut largest = 0.0f64;
        for &ones in ones {
            let count =
                HockeyStick::new(self.flip, self.own, self.others - ones, ones, self.depth)?;
            largest = largest.max(count.largest_loss()).min(self.own.epsilon0);
        }
        let mut nodes = even_nodes(self.flip, count(self.others + 1), largest);
        if !self.own.is_known() {
            nodes.retain(|&alpha| alpha < self.own.e.upper);
            nodes.push(self.own.e.upper);
        }
        nodes.dedup();
        Some(nodes)
    }

    /// Upper bounds at `nodes` on the curves of all datasets with a number of ones in `ones` among
    /// the others. `None` if floats do not hold a count.
    pub(crate) fn envelope(&self, nodes: &[f64], ones: RangeInclusive<u64>) -> Option<Vec<f64>> {
        let effective = count(self.others + 1);
        let slack = self.share * slack(self.flip, effective);
        let looseness = Looseness { effective, slack, depth: self.depth };
        envelope(nodes, ones, looseness, |lowest, highest| {
            // The count without the bits that differ is worse than every dataset between.
            let (zeros, flip, own) = (self.others - highest, self.flip, self.own);
            let few =
                coarse_hockey_stick::upper_at(nodes, [flip, own], [zeros, lowest], self.depth);
            few.or_else(|| {
                let each = HockeyStick::new(flip, own, zeros, lowest, self.depth)?;
                Some(each.upper_at(nodes))
            })
        })
    }
}
