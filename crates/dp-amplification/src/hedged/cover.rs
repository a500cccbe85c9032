//! Every dataset of the others at once, as for aggregated RAPPOR.
//!
//! Where b to b + w of the others hold a 1, the count is a function of the one for w fewer
//! clients, b of them with a 1, and of independent bits; so one curve serves a block of datasets.
//! Noise of the aggregators is there in both. Blocks are laid from the largest b downward. The
//! looseness of a block of w datasets is about w/2n′ in ε, where n′ is the number of randomized
//! bits of the same variance as bits and noise together. It is allowed to be `slack`; which widths
//! are tried is decided by estimates, and the result is a bound for any widths.

use dp_exact::elementary;
use std::ops::RangeInclusive;

use super::hiding::{Hidden, Hiding};
use crate::aggregated_rappor::BELOW_DELTA;
use crate::aggregated_rappor::cover::{Cover, lay};
use dp_exact::directed::{count, floor_to_count, to_index};

/// Nodes for each standard deviation of the privacy loss, and the fewest and the most.
const NODES_PER_DEVIATION: f64 = 80.0;
const NODES: (f64, f64) = (400.0, 2000.0);

/// Nodes beyond, where only data far from the worst have likelihood ratios.
const FAR_NODES: u64 = 100;

/// The datasets to cover.
#[derive(Clone, Debug)]
pub(super) struct Datasets {
    /// How many others there are.
    pub(super) others: u64,
    /// How many of them may hold a 1.
    pub(super) ones: RangeInclusive<u64>,
    /// About n′.
    pub(super) effective: f64,
}

/// Widths of blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    /// Of a block whose data are nearly the worst, and the least of any.
    pub(super) tightest: u64,
    /// Of a block whose data are far from the worst.
    pub(super) widest: u64,
    /// How much larger than at the worst data a curve may be, relative to ε.
    pub(super) slack: f64,
}

/// Values at `nodes` that are not below the curves, block by block.
pub(super) fn cover(
    hiding: &Hiding<'_>,
    datasets: &Datasets,
    nodes: &[f64],
    widths: Widths,
) -> Option<Cover> {
    let (fewest, most) = datasets.ones.clone().into_inner();
    let others = datasets.others;
    let block = |zeros, ones| Some(hiding.upper_at(&hiding.count(zeros, ones)?, nodes));
    let marks = block(others - most, most)?;
    let Widths {
        tightest,
        widest,
        slack,
    } = widths;
    let blocks = lay(
        fewest..=most,
        &marks,
        tightest..=widest,
        |lowest, highest| {
            let values = block(others - highest, lowest)?;
            let excess = excess(nodes, &values, &marks, hiding.depth - BELOW_DELTA);
            Some((values, 2.0 * datasets.effective * (slack - excess)))
        },
    )?;
    Some(Cover {
        nodes: nodes.to_vec(),
        blocks,
    })
}

/// Nodes from 1 to the largest ratio, where H is 0: even in the privacy loss up to that at the end
/// of the windows of `extremes`, and coarser up to that of `opposite`, which are data with many
/// zeros. Where windows are short, every likelihood ratio is a node as well, as the curve is linear
/// between them; and where Laplace noise sets a bound to the loss, those of places that are even in
/// the window, which crowd together there.
pub(super) fn nodes(
    hiding: &Hiding<'_>,
    effective: f64,
    extremes: &[Hidden<'_>],
    opposite: &Hidden<'_>,
) -> Vec<f64> {
    let flip = hiding.flip;
    let end = hiding.largest_ratio;
    let losses = extremes.iter().map(|hidden| hiding.farthest_loss(hidden));
    let largest = losses
        .fold(0.0, f64::max)
        .clamp(1e-6 * flip.epsilon0, elementary::ln(end));
    let deviation = (1.0 - 2.0 * flip.p) / (effective * flip.p * (1.0 - flip.p)).sqrt();
    let wanted = NODES_PER_DEVIATION * largest / deviation;
    let pieces = floor_to_count(wanted.clamp(NODES.0, NODES.1), 1 << 20);
    let even = |from: f64, to: f64, pieces: u64| {
        let step = (to - from) / count(pieces);
        (0..=pieces).map(move |i| elementary::exp(from + count(i) * step))
    };
    let mut nodes: Vec<f64> = even(0.0, largest, pieces).collect();
    nodes.extend(even(largest, hiding.farthest_loss(opposite), FAR_NODES));
    for hidden in extremes.iter().chain([opposite]) {
        let length = hidden.count.law.upper.len();
        let step = length / to_index(pieces) + 1;
        if step == 1 || hiding.noise.is_laplace() {
            let places = (1..length).step_by(step);
            nodes.extend(places.map(|place| elementary::exp(hiding.loss(hidden, place))));
        }
    }
    nodes.retain(|&alpha| (1.0..end).contains(&alpha));
    nodes.push(end);
    nodes.sort_by(f64::total_cmp);
    nodes.dedup();
    nodes
}

/// By how much `values` exceeds `marks`, as a shift of the privacy loss relative to the loss that
/// matters for a sum of two, which is where the curve has fallen by half of the depth. Only
/// steers.
fn excess(nodes: &[f64], values: &[f64], marks: &[f64], depth: f64) -> f64 {
    let depth = (depth + elementary::ln(marks[0])).max(4.0);
    let half = marks[0] * elementary::exp(-depth / 2.0);
    let matters = marks.partition_point(|&mark| mark > half);
    let matters = matters.clamp(1, nodes.len() - 1);
    let least = elementary::ln(nodes[matters]);
    let mut worst = -1.0f64;
    for i in 1..values.len() - 1 {
        let resolved = marks[i] > marks[0] * elementary::exp(-depth) && marks[i] < marks[i - 1];
        if resolved && values[i] > 0.0 {
            let slope =
                elementary::ln(marks[i - 1] / marks[i]) / elementary::ln(nodes[i] / nodes[i - 1]);
            let shift = elementary::ln(values[i] / marks[i]) / slope;
            worst = worst.max(shift / elementary::ln(nodes[i]).max(least));
        }
    }
    worst
}
