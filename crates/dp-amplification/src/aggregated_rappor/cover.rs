//! Every dataset at once: the supremum of the hockey-stick curves over what the others hold.
//!
//! Let H_b be the curve of the count in which b of the n − 1 other clients hold a 1. A guarantee
//! for every dataset needs sup_b H_b.
//!
//! **A block of datasets.** Whatever b from b₀ to b₀ + w the others hold, at least b₀ of them
//! have a 1 and at least n − 1 − w − b₀ a 0. The count is the count of those and the client,
//! plus independent bits: a function of it and fresh randomness, so that by the data processing
//! inequality H_b is at most the curve for b₀ ones and n − 1 − w − b₀ zeros. That curve belongs
//! to w fewer clients, and is worse by about w/2n in ε.
//!
//! **The cover.** Blocks are laid from b = n − 1, where nearly the worst dataset is, down to
//! b = 0. A block is as wide as its looseness allows: the first, of one dataset, sets the mark,
//! and any other may exceed it by a small factor in ε. Datasets that are far from the worst thus
//! take few blocks. Which widths are tried is decided by floating point estimates; the result is
//! a bound for any widths, since every b is in some block.
//!
//! **Between nodes.** The curves are evaluated at nodes α₀ = 1 < α₁ < … and H is convex in α, so
//! the chords between the values are above it.

use dp_exact::elementary;
use std::ops::RangeInclusive;

use super::BELOW_DELTA;
use super::curve::Curve;
use super::flip::Flip;
use super::hockey_stick::{HockeyStick, Own};
use super::smooth::SmoothStick;
use dp_exact::directed::{count, floor_to_count, index};

/// Nodes for each standard deviation of the privacy loss.
const NODES_PER_DEVIATION: f64 = 80.0;

/// The fewest and the most nodes on the part of the curve that matters.
const NODES: (f64, f64) = (400.0, 2000.0);

/// The largest privacy loss of a node where the client's bit is known.
const MOST_KNOWN: f64 = 600.0;

/// How far up the curve is followed, and how much looseness in ε is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolution {
    /// Tails below e^−depth are not resolved.
    pub(crate) depth: f64,
    /// The looseness of a block, relative to ε.
    pub(crate) slack: f64,
}

/// Upper bounds for the curves of all datasets.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    pub(crate) nodes: Vec<f64>,
    /// In the order of falling b, without a gap.
    pub(crate) blocks: Vec<Covered>,
}

/// Upper bounds for H_b, for b in an interval.
#[derive(Clone, Debug)]
pub(crate) struct Covered {
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
    /// At the nodes.
    pub(crate) values: Vec<f64>,
}

/// Blocks for every b of `datasets`, laid downward: the last dataset alone, whose values are `marks`,
/// then blocks as wide as `widths` allow.
///
/// `block` gives the values of a block from its lowest to its highest b, and its room: by how many
/// datasets it may grow, as an excess of w/2n comes from a width of w, and the rest is what these data
/// are better by.
pub(crate) fn lay(
    datasets: RangeInclusive<u64>,
    marks: &[f64],
    widths: RangeInclusive<u64>,
    block: impl Fn(u64, u64) -> Option<(Vec<f64>, f64)>,
) -> Option<Vec<Covered>> {
    let ((fewest, most), (tightest, widest)) = (datasets.into_inner(), widths.into_inner());
    let mut blocks = vec![Covered {
        lowest: most,
        highest: most,
        values: marks.to_vec(),
    }];
    let mut left = most; // The datasets from `fewest` to below `left` are not covered yet.
    let mut width = tightest;
    while left > fewest {
        let highest = left - 1;
        width = width.min(highest - fewest);
        let lowest = highest - width;
        let (values, room) = block(lowest, highest)?;
        let wider = floor_to_count(count(width) + 0.9 * room, widest).max(tightest);
        if room < -0.5 * count(tightest) && width > tightest && wider < width {
            width = wider;
            continue;
        }
        blocks.push(Covered {
            lowest,
            highest,
            values,
        });
        left = lowest;
        width = wider;
    }
    Some(blocks)
}

impl Cover {
    /// Blocks for every b from 0 to `clients` − 1, with a looseness of at most `loosest` relative
    /// to ε from the width of a block.
    pub(crate) fn new(
        flip: &Flip,
        clients: u64,
        resolution: Resolution,
        own: Own,
        loosest: f64,
    ) -> Option<Self> {
        let others = clients - 1;
        let block = |zeros, ones| Block::new(flip, zeros, ones, resolution.depth, own);
        let first = block(0, others)?;
        let nodes = nodes(flip, clients, first.largest_loss(), own);
        let marks = first.upper_at(&nodes);
        let tightest = floor_to_count(2.0 * count(clients) * resolution.slack, others);
        let widest = floor_to_count(2.0 * count(clients) * loosest, others).max(tightest);
        let blocks = lay(0..=others, &marks, tightest..=widest, |lowest, highest| {
            let values = block(others - highest, lowest)?.upper_at(&nodes);
            let excess = excess(&values, &marks, resolution.depth - BELOW_DELTA);
            Some((values, 2.0 * count(clients) * (resolution.slack - excess)))
        })?;
        Some(Self { nodes, blocks })
    }

    /// The largest bounds of the blocks that meet an interval of b.
    pub(crate) fn highest(&self, from: u64, to: u64) -> Vec<f64> {
        let first = self.blocks.partition_point(|block| block.lowest > to);
        let mut highest = vec![0.0f64; self.nodes.len()];
        for block in &self.blocks[first..] {
            if block.highest < from {
                break;
            }
            for (highest, value) in highest.iter_mut().zip(&block.values) {
                *highest = highest.max(*value);
            }
        }
        highest
    }

    /// A b of the block whose bound is the largest at the last node not above `alpha`.
    pub(crate) fn worst(&self, alpha: f64) -> u64 {
        let place = self.nodes.partition_point(|&node| node <= alpha);
        let place = place.saturating_sub(1);
        let worst = self
            .blocks
            .iter()
            .max_by(|a, b| a.values[place].total_cmp(&b.values[place]));
        worst.map_or(0, |block| block.highest)
    }

    /// The largest bounds of all blocks.
    fn all(&self) -> Vec<f64> {
        self.highest(0, u64::MAX)
    }
}

/// A curve that is above H_b for every b from 0 to `clients` − 1.
pub(crate) fn cover(flip: &Flip, clients: u64, resolution: Resolution) -> Option<Curve> {
    let cover = Cover::new(flip, clients, resolution, Own::Randomized, 1.0)?;
    let all = cover.all();
    Curve::new(cover.nodes, all)
}

/// The same for a client whose own bit is known, up to an event of a probability that is returned,
/// in which everything is told: likelihood ratios are not bounded.
pub(crate) fn cover_known(
    flip: &Flip,
    clients: u64,
    resolution: Resolution,
) -> Option<(Curve, f64)> {
    let cover = Cover::new(flip, clients, resolution, Own::Known, 1.0)?;
    let all = cover.all();
    Curve::cut(cover.nodes, &all)
}

/// The count of a block, by all of its probabilities or, if it is wide, by few.
enum Block<'a> {
    Each(HockeyStick<'a>),
    Few(SmoothStick),
}

impl<'a> Block<'a> {
    fn new(flip: &'a Flip, zeros: u64, ones: u64, depth: f64, own: Own) -> Option<Self> {
        match SmoothStick::new(flip, zeros, ones, depth, own) {
            Some(few) => Some(Self::Few(few)),
            None => HockeyStick::with_own(flip, zeros, ones, depth, own).map(Self::Each),
        }
    }

    fn upper_at(&self, nodes: &[f64]) -> Vec<f64> {
        match self {
            Self::Each(count) => count.upper_at(nodes),
            Self::Few(count) => count.upper_at(nodes),
        }
    }

    fn largest_loss(&self) -> f64 {
        match self {
            Self::Each(count) => count.largest_loss(),
            Self::Few(count) => count.largest_loss(),
        }
    }
}

/// Nodes that are even in the privacy loss up to `largest`, then coarser to ε₀, where H is 0.
fn nodes(flip: &Flip, clients: u64, largest: f64, own: Own) -> Vec<f64> {
    let e = flip.e.upper;
    let largest = match own {
        Own::Randomized => largest.min(flip.epsilon0),
        Own::Known => largest.min(MOST_KNOWN),
    };
    let deviation = (1.0 - 2.0 * flip.p) / (count(clients) * flip.p * (1.0 - flip.p)).sqrt();
    let wanted = NODES_PER_DEVIATION * largest / deviation;
    let pieces = floor_to_count(wanted.clamp(NODES.0, NODES.1), 1 << 20);
    let step = largest / count(pieces);
    let mut nodes: Vec<f64> = (0..=pieces)
        .map(|i| elementary::exp(count(i) * step))
        .collect();
    if own == Own::Randomized {
        nodes.retain(|&alpha| alpha < e);
        nodes.push(e);
    }
    nodes.dedup();
    nodes
}

/// By how much `values` exceeds `marks`, as a shift of the privacy loss relative to the loss that
/// matters for a sum of two, which is where the curve has fallen by half of the depth. Only
/// steers.
fn excess(values: &[f64], marks: &[f64], depth: f64) -> f64 {
    let depth = (depth + elementary::ln(marks[0])).max(4.0);
    let half = marks[0] * elementary::exp(-depth / 2.0);
    let matters = marks.partition_point(|&mark| mark > half).max(1);
    let mut worst = -1.0f64;
    for i in 1..values.len() - 1 {
        let resolved = marks[i] > marks[0] * elementary::exp(-depth) && marks[i] < marks[i - 1];
        if resolved && values[i] > 0.0 {
            let slope = elementary::ln(marks[i - 1] / marks[i]);
            let shift = elementary::ln(values[i] / marks[i]) / slope;
            worst = worst.max(shift / index(i.max(matters)));
        }
    }
    worst
}

/// The looseness that keeps the work in bounds: 2e-4, and a little more for wide counts.
pub(crate) fn slack(flip: &Flip, clients: u64) -> f64 {
    let deviation = (count(clients) * flip.p * (1.0 - flip.p)).sqrt();
    2e-4 * elementary::powf((deviation / 500.0).clamp(1.0, 2.0), 0.4)
}
