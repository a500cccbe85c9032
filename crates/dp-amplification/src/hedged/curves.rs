//! The curves of one count at common nodes: of all datasets at once, or of each.

use std::ops::RangeInclusive;

use super::cover::{Datasets, Widths, cover, nodes};
use super::hiding::Hiding;
use super::joint::{BUDGET, Joint};
use super::pair::Pair;
use crate::aggregated_rappor::cover::Cover;
use crate::aggregated_rappor::curve::Curve;
use dp_exact::directed::{count, floor_to_count};
use dp_exact::elementary;

/// The coarsest cover that is worth its time, in relative looseness of ε.
const COARSEST: f64 = 0.02;

/// The looseness of blocks where datasets are told apart, near the worst data and far from them.
const FINE: f64 = 5e-5;
const LOOSEST: f64 = 1e-3;

/// Up to this number of others each dataset is a block of its own, if noise does not blur them.
const EACH: u64 = 200;

/// The most blocks otherwise.
const MOST_BLOCKS: u64 = 2000;

/// The most others of whom some are known for which datasets are told apart.
const MOST_KNOWN: u64 = 4000;

/// What the curves of a setting have in common.
pub(super) struct Curves<'a> {
    joint: &'a Joint<'a>,
    hiding: Hiding<'a>,
    effective: f64,
    nodes: Vec<f64>,
}

impl<'a> Curves<'a> {
    /// With tails followed to e^−`depth`; `None` where that does not fit into floating point
    /// numbers.
    pub(super) fn new(joint: &'a Joint<'a>, depth: f64) -> Option<Self> {
        let hiding = joint.hiding(depth)?;
        let effective = joint.effective();
        let (fewest, most) = (*joint.ones.start(), *joint.ones.end());
        if joint.work(&hiding) > BUDGET {
            return None;
        }
        let mut extremes = vec![hiding.count(joint.others - most, most)?];
        if !joint.is_symmetric() {
            extremes.push(hiding.count(fewest, joint.others - fewest)?);
        }
        let opposite = hiding.count(joint.others, 0)?;
        let nodes = nodes(&hiding, effective, &extremes, &opposite);
        Some(Self {
            joint,
            hiding,
            effective,
            nodes,
        })
    }

    /// Curves that dominate the counts of every dataset; `None` where that takes too long.
    pub(super) fn pair(&self) -> Option<Pair> {
        let above = || self.highest(&self.joint.ones);
        let (up, down) = if self.joint.is_symmetric() {
            let up = above()?;
            (up.clone(), up)
        } else {
            let (up, down) = (above(), self.highest(&self.joint.mirrored()));
            (up?, down?)
        };
        Pair::new(&self.nodes, &up, &down)
    }

    /// The same as one curve, where the others may hold anything.
    pub(super) fn curve(&self) -> Option<Curve> {
        let up = self.highest(&self.joint.ones)?;
        self.joint.is_symmetric().then_some(())?;
        Curve::new(self.nodes.clone(), up)
    }

    /// A cover that tells datasets apart, whatever the others are known to hold; `None` where that
    /// takes too long.
    pub(super) fn fine(&self) -> Option<Cover> {
        let others = self.joint.others;
        if !self.joint.is_symmetric() && others > MOST_KNOWN {
            return None;
        }
        let ones = 0..=others;
        let width = |slack: f64| floor_to_count(2.0 * self.effective * slack, others);
        let slack = if others > EACH { FINE } else { 0.0 };
        let needed = self.cheapest(&ones).max(others / MOST_BLOCKS);
        let tightest = width(slack).max(needed);
        let widest = width(LOOSEST).max(tightest);
        let widths = Widths {
            tightest,
            widest,
            slack,
        };
        (needed <= width(LOOSEST).max(EACH / 8)).then_some(())?;
        self.cover(ones, widths)
    }

    fn highest(&self, ones: &RangeInclusive<u64>) -> Option<Vec<f64>> {
        let range = ones.end() - ones.start();
        let slack = self.slack(range)?;
        let tightest = floor_to_count(2.0 * self.effective * slack, range);
        let widths = Widths {
            tightest,
            widest: range,
            slack,
        };
        let cover = self.cover(ones.clone(), widths)?;
        Some(cover.highest(*ones.start(), *ones.end()))
    }

    fn cover(&self, ones: RangeInclusive<u64>, widths: Widths) -> Option<Cover> {
        let datasets = Datasets {
            others: self.joint.others,
            ones,
            effective: self.effective,
        };
        cover(&self.hiding, &datasets, &self.nodes, widths)
    }

    /// The looseness that keeps the work in bounds: 2e-4, 8e-4 for the widest counts, and more
    /// where a convolution is long.
    fn slack(&self, range: u64) -> Option<f64> {
        let each = self.joint.flip.p * (1.0 - self.joint.flip.p);
        let deviation = (self.effective * each).sqrt();
        let fine = 2e-4 * elementary::powf((deviation / 500.0).max(1.0), 0.4);
        let blocks_times_slack = count(range) / (2.0 * self.effective);
        let work = self.joint.work(&self.hiding);
        let slack = fine.max(blocks_times_slack * work / BUDGET);
        (slack <= COARSEST).then_some(slack)
    }

    /// The least width of blocks that keeps the work in bounds.
    fn cheapest(&self, ones: &RangeInclusive<u64>) -> u64 {
        let range = ones.end() - ones.start();
        let least = count(range) * self.joint.work(&self.hiding) / BUDGET;
        floor_to_count(least, range)
    }
}
