//! The number R of answers with other values, as nodes: the mean of a convex, falling function over
//! the nodes bounds its mean over R from one side. R is stochastically smaller for a larger number
//! s of answers of the two values, so that neighbouring s share one distribution: from above the
//! one of the largest s, from below of the smallest.

use super::ResponseParameters;
use super::expected_excess::BoundSide;
use crate::count_distribution::CountDistribution;
use dp_exact::binomial::outward_sums;
use dp_exact::directed::{
    UNIT, add_up, count, div_down, div_up, floor_to_count, index, mul_up, sub_up, to_index,
};

/// Relative change of the threshold W up to which neighbouring s share a distribution.
const SHARED: f64 = 1e-5;

/// The number of gaps between the nodes that stand for all numbers R of other answers.
const STEPS: u64 = 64;

/// Nodes for ascending numbers s of answers, shared where the threshold W hardly changes.
pub(super) struct OtherAnswers {
    parameters: ResponseParameters,
    /// Whether the nodes give an upper or a lower bound on δ.
    side: BoundSide,
    /// Tails of distributions are followed to e^−depth.
    depth: f64,
    /// The last s for which `nodes` holds.
    until: u64,
    /// Pairs (a term of the threshold W, a bound on its probability).
    nodes: Vec<(f64, f64)>,
}

impl OtherAnswers {
    /// No nodes yet; tails will be followed to e^−`depth`.
    pub(super) fn new(parameters: ResponseParameters, side: BoundSide, depth: f64) -> Self {
        Self { parameters, side, depth, until: 0, nodes: Vec::new() }
    }

    /// The nodes for all numbers s of answers from `from` to `to`: pairs (a term of the threshold
    /// W, a bound on its probability). Earlier nodes serve while they hold; `from` and `to` must
    /// not fall from call to call. `None` if floats do not hold the distribution of other answers.
    pub(super) fn nodes(&mut self, from: u64, to: u64) -> Option<&[(f64, f64)]> {
        let clients = self.parameters.clients;
        match self.side {
            BoundSide::Upper if to > self.until => {
                self.until = (to + self.reach(to)).min(clients);
                self.nodes = self.uniform(clients - self.until)?;
            }
            BoundSide::Lower if from > self.until => {
                self.until = from + self.reach(from);
                self.nodes = self.third_value(clients - from)?;
            }
            _ => {}
        }
        Some(&self.nodes)
    }

    /// How many numbers after `s`, at most all clients, share one distribution of other answers: as
    /// many as change the threshold W by about a relative 1e-5. It decides about precision only.
    fn reach(&self, s: u64) -> u64 {
        let ResponseParameters { e, clients, .. } = self.parameters;
        let others = count(self.parameters.answers - 2);
        let share = others / (e + others - 1.0);
        let w = (e + 1.0) * count(s) + 2.0 * share * count(clients);
        floor_to_count(SHARED * w / (2.0 * share), clients)
    }

    /// Nodes for an upper bound on δ: pairs (2R, an upper bound on its probability), made by
    /// [`spread`]. R ~ Bin(`clients`, (k − 2)/(E + k − 3)) is the number of uniform answers among
    /// `clients` clients that give none of the two values. `None` if floats do not hold the
    /// distribution.
    fn uniform(&self, clients: u64) -> Option<Vec<(f64, f64)>> {
        let odds = self.parameters.odds(self.parameters.answers - 2, -1.0);
        Some(spread(&CountDistribution::binomial(clients, odds, self.depth)?))
    }

    /// Nodes for a lower bound on δ where the others hold a third value: pairs (an upper bound on
    /// 2·(1 − 1/E) times the mean of M in a group of neighbours, a lower bound on the probability
    /// of the group), by [`together`]. M ~ Bin(`clients`, (k − 3)/(E + k − 3)), or 0 for k = 3,
    /// counts answers that are none of the three values; δ is the mean of a convex falling function
    /// of M. `None` if floats do not hold M.
    fn third_value(&self, clients: u64) -> Option<Vec<(f64, f64)>> {
        let odds = self.parameters.odds(self.parameters.answers - 3, 0.0);
        // There is no other answer.
        let clients = if self.parameters.answers == 3 { 0 } else { clients };
        let pmf = CountDistribution::binomial(clients, odds, self.depth)?;
        let weight = sub_up(1.0, div_down(1.0, self.parameters.e));
        let nodes = together(&pmf).into_iter();
        Some(nodes.map(|(m, p)| (mul_up(m, weight), p)).collect())
    }
}

/// Nodes for an upper bound on the mean of a convex falling function of 2R, R the count of `pmf`:
/// pairs (2R, an upper bound on its probability). Each value of R is spread to the two nodes next
/// to it: its mean stays, and the mean of the function becomes no smaller. What lies below the
/// window goes to a node at 0, what lies above it to the last node in the window.
fn spread(pmf: &CountDistribution) -> Vec<(f64, f64)> {
    let gap = (pmf.upper.len() as u64 - 1).div_ceil(STEPS).max(1);
    let gaps = (pmf.upper.len() as u64 - 1).div_ceil(gap);
    let mut weights = vec![0.0; to_index(gaps + 1)];
    let add = |weight: &mut f64, more: f64| *weight = (*weight + more) * (1.0 + 8.0 * UNIT);
    for (place, &value) in pmf.upper.iter().enumerate() {
        let node = to_index(place as u64 / gap);
        let share = count(place as u64 % gap) / count(gap);
        add(&mut weights[node], value * (1.0 - share));
        if share > 0.0 {
            add(&mut weights[node + 1], value * share);
        }
    }
    let last = to_index((pmf.upper.len() as u64 - 1) / gap);
    add(&mut weights[last], pmf.outside[1]);
    let place = |node: usize| 2.0 * (count(pmf.first) + index(node) * count(gap));
    let nodes = weights.iter().enumerate();
    let mut nodes: Vec<(f64, f64)> =
        nodes.map(|(node, &weight)| (place(node), pmf.normalized_up(weight))).collect();
    if pmf.outside[0] > 0.0 {
        nodes.push((0.0, pmf.normalized_up(pmf.outside[0])));
    }
    nodes
}

/// Nodes for a lower bound on the mean of a convex falling function of 2M, M the count of `pmf`: at
/// most 64 groups of neighbouring M, each as a pair (an upper bound on twice the mean of M in the
/// group, a lower bound on its probability). The mean of the function becomes no larger. What lies
/// outside the window is left out.
fn together(pmf: &CountDistribution) -> Vec<(f64, f64)> {
    let gap = to_index((pmf.lower.len() as u64).div_ceil(STEPS));
    let groups = pmf.lower.chunks(gap).enumerate();
    let groups = groups.map(|(group, values)| {
        let mass = outward_sums(values, values);
        let offsets = values.iter().enumerate();
        let moment: f64 = offsets.map(|(offset, &value)| index(offset) * value).sum();
        let moment = moment * (1.0 + 4.0 * UNIT * (index(gap) + 4.0));
        // Rounding may carry a mean beyond the group only where there is one value.
        let mean = match values {
            [_] => 0.0,
            _ => div_up(moment, mass.lower),
        };
        let place = add_up(count(pmf.first) + index(group * gap), mean);
        (mul_up(2.0, place), pmf.normalized_down(mass.lower))
    });
    groups.collect()
}
