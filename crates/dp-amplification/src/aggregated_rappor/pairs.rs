//! Two counts of one dataset.
//!
//! The product of two pairs that each dominate one count for every dataset takes the worst data
//! for each count, and for both signs of the privacy loss, at once: the largest losses are those of
//! b = n − 1, the smallest those of b = 0. One dataset has one b for the first count and one b' for
//! the second. So let a group be an interval of b, and
//!
//!   H_g(α) = sup_{b in g} H_b(α) for α ≥ 1,   1 − α + α·sup_{b in g} H_(n−1−b)(1/α) for α < 1,
//!
//! the supremum for both sides. It is convex, and dominates every count of the group. Pairs of
//! groups (g, g') cover all pairs (b, b'), and as δ is symmetric in them the pairs with g' not
//! below g suffice. A pair whose δ(ε) meets the target needs no further look; any other is split,
//! down to the blocks of the cover. Where none is left over, δ(ε) ≤ target for every dataset.
//!
//! With slopes s_i before the nodes α_i of the hull of H_g's values, s after the last being 0, and
//! a node at 0 where H = 1, the likelihood ratio α_i has probability a_i = α_i·(s_(i+1) − s_i)
//! under the first law, and δ(ε) = Σ a_i·H_g'(e^ε/α_i).

use std::collections::HashMap;

use super::cover::Cover;
use dp_exact::convex;
use dp_exact::directed::{add_up, div_down, mul_down, mul_up, sub_down, sub_up};

/// The most pairs that are looked at.
const WORK: usize = 4000;

/// Groups of neighbouring blocks, and their curves.
pub(crate) struct Pairs<'a> {
    cover: &'a Cover,
    curves: HashMap<(usize, usize), Group>,
    work: usize,
    /// b and b' of one dataset are at least so far apart.
    apart: u64,
}

/// What became of a search.
pub(crate) enum Verdict {
    /// δ is at most the target for every dataset.
    Meets,
    /// For these numbers of others (b, b') it may be above.
    Open(u64, u64),
    /// There were too many pairs.
    Undecided,
}

/// A hockey-stick curve on both sides of 1.
struct Group {
    nodes: Vec<f64>,
    values: Vec<f64>,
    /// Not below a_i.
    masses: Vec<f64>,
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(cover: &'a Cover) -> Self {
        Self {
            cover,
            curves: HashMap::new(),
            work: WORK,
            apart: 0,
        }
    }

    /// Only pairs (b, b') with |b − b'| ≥ `apart`: where so many of the others hold neither value
    /// for certain.
    pub(crate) fn apart(self, apart: u64) -> Self {
        Self { apart, ..self }
    }

    /// Whether δ ≤ `target` for every dataset, given `alpha` ≤ e^ε.
    pub(crate) fn search(&mut self, alpha: f64, target: f64) -> Verdict {
        let all = (0, self.cover.blocks.len());
        let mut open = vec![(all, all)];
        while let Some((one, other)) = open.pop() {
            if self.work == 0 {
                return Verdict::Undecided;
            }
            self.work -= 1;
            if !self.is_possible(one, other) {
                continue;
            }
            self.prepare(one);
            self.prepare(other);
            if self.curves[&one].with(&self.curves[&other], alpha) <= target {
                continue;
            }
            let halves = |(from, to): (usize, usize)| {
                let middle = from + (to - from) / 2;
                ((from, middle), (middle, to))
            };
            let sizes = (one.1 - one.0, other.1 - other.0);
            if sizes == (1, 1) {
                let (one, other) = (&self.cover.blocks[one.0], &self.cover.blocks[other.0]);
                return Verdict::Open(one.highest, other.highest);
            }
            if one == other {
                let (low, high) = halves(one);
                open.extend([(high, high), (low, high), (low, low)]);
            } else if sizes.0 >= sizes.1 {
                let (low, high) = halves(one);
                open.extend([(high, other), (low, other)]);
            } else {
                let (low, high) = halves(other);
                open.extend([(one, high), (one, low)]);
            }
        }
        Verdict::Meets
    }

    /// Whether some b and b' of two groups are far enough apart.
    fn is_possible(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let ends = |(from, to): (usize, usize)| {
            let blocks = &self.cover.blocks[from..to];
            (blocks[blocks.len() - 1].lowest, blocks[0].highest)
        };
        let (one, other) = (ends(one), ends(other));
        let farthest = other
            .1
            .saturating_sub(one.0)
            .max(one.1.saturating_sub(other.0));
        farthest >= self.apart
    }

    fn prepare(&mut self, group: (usize, usize)) {
        let cover = self.cover;
        self.curves.entry(group).or_insert_with(|| {
            let blocks = &cover.blocks[group.0..group.1];
            // Blocks are in the order of falling b.
            let (lowest, highest) = (blocks[blocks.len() - 1].lowest, blocks[0].highest);
            let others = cover.blocks[0].highest;
            let right = cover.highest(lowest, highest);
            let left = cover.highest(others - highest, others - lowest);
            Group::new(&cover.nodes, &right, &left)
        });
    }
}

impl Group {
    /// From upper bounds for H_b and for H_(n−1−b) at `ratios`, the first of which is 1.
    fn new(ratios: &[f64], right: &[f64], left: &[f64]) -> Self {
        let mut points = vec![(0.0, 1.0)];
        for (&ratio, &value) in ratios.iter().zip(left).skip(1).rev() {
            let alpha = div_down(1.0, ratio);
            // 1 − α·(1 − H)
            let kept = mul_down(alpha, sub_down(1.0, value).max(0.0)).max(0.0);
            points.push((alpha, sub_up(1.0, kept)));
        }
        // H(1) has one value.
        points.push((1.0, right[0].min(left[0])));
        points.extend(ratios.iter().copied().zip(right.iter().copied()).skip(1));
        let hull = convex::hull_by(points.into_iter(), is_above);
        // Bounds of −s_i.
        let slopes: Vec<(f64, f64)> = hull
            .windows(2)
            .map(|pair| convex::fall(pair[0], pair[1]))
            .collect();
        let masses = (1..hull.len()).map(|i| {
            let after = slopes.get(i).map_or(0.0, |slope| slope.0);
            mul_up(hull[i].0, sub_up(slopes[i - 1].1, after).max(0.0))
        });
        let masses = std::iter::once(0.0).chain(masses).collect();
        let (nodes, values) = hull.into_iter().unzip();
        Self {
            nodes,
            values,
            masses,
        }
    }

    /// An upper bound on δ of the product, given `alpha` ≤ e^ε.
    fn with(&self, other: &Self, alpha: f64) -> f64 {
        let mut sum = 0.0;
        let mut place = other.nodes.len() - 1;
        for (&node, &mass) in self.nodes.iter().zip(&self.masses).skip(1) {
            if mass > 0.0 {
                let value = other.upper(div_down(alpha, node), &mut place);
                sum = add_up(sum, mul_up(mass, value));
            }
        }
        sum.min(1.0)
    }

    /// An upper bound on H(`alpha`), for falling α from one call to the next.
    fn upper(&self, alpha: f64, place: &mut usize) -> f64 {
        if alpha >= self.nodes[self.nodes.len() - 1] {
            return 0.0;
        }
        while *place > 1 && self.nodes[*place - 1] > alpha {
            *place -= 1;
        }
        let point = |i: usize| (self.nodes[i], self.values[i]);
        convex::chord(point(*place - 1), point(*place), alpha)
    }
}

/// Whether the middle of three points is certainly not below the chord, or nearly so.
fn is_above(left: (f64, f64), middle: (f64, f64), right: (f64, f64)) -> bool {
    let before = (middle.1 - left.1) / (middle.0 - left.0);
    let after = (right.1 - middle.1) / (right.0 - middle.0);
    before >= after
}
