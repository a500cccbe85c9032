//! What an adversary sees of a toy batch, listed: for each measurement of the protected client the
//! distribution of its verdict and of the totals.
//!
//! Probabilities are sums of products of positive doubles, each of a few thousand factors at most,
//! so that they are off by less than one part in 10^11; comparisons have a margin of 1e-9 (and
//! of one part in 10^9). The probability of noise outside its window is counted into δ.

use super::{Adjacency, NoiseDistribution};

/// The margin of a comparison.
pub(crate) const MARGIN: f64 = 1e-9;

/// The probability that one coordinate's noise may lie outside its window.
const TAIL: f64 = 1e-10;

/// A report that a client may send, by what it adds to the totals.
#[derive(Clone, Debug)]
pub(crate) struct ToyReport {
    pub(crate) entries: Vec<usize>,
    pub(crate) probability: f64,
}

/// A client with one measurement, and the distribution of its report. With the probability that is
/// missing to 1 the report is dropped.
#[derive(Clone, Debug)]
pub(crate) struct ToyClient {
    pub(crate) measurement: Vec<usize>,
    pub(crate) reports: Vec<ToyReport>,
}

impl ToyClient {
    /// A client that does not randomize.
    pub(crate) fn plain(measurement: Vec<usize>) -> Self {
        let reports = vec![ToyReport { entries: measurement.clone(), probability: 1.0 }];
        Self { measurement, reports }
    }

    fn acceptance_probability(&self) -> f64 {
        self.reports.iter().map(|report| report.probability).sum()
    }
}

/// The distribution of the totals. `sides` has the number of values of each total; the values of
/// the last one change fastest in `probabilities`.
#[derive(Clone, Debug)]
struct Totals {
    sides: Vec<usize>,
    probabilities: Vec<f64>,
}

impl Totals {
    /// The totals with a further report of `client`, whose probabilities are multiplied by `scale`.
    fn with_report(&self, client: &ToyClient, scale: f64) -> Self {
        let mut probabilities = vec![0.0; self.probabilities.len()];
        for report in &client.reports {
            // The report moves every outcome by this index, as no total leaves its side.
            let index = |sum: usize, (side, entry): (&usize, &usize)| sum * side + entry;
            let shift = self.sides.iter().zip(&report.entries).fold(0, index);
            for (from, to) in self.probabilities.iter().zip(&mut probabilities[shift..]) {
                *to += from * report.probability * scale;
            }
        }
        Self { sides: self.sides.clone(), probabilities }
    }

    /// The released totals: independent noise is added to each coordinate.
    fn with_noise(&self, noise: &[Vec<f64>]) -> Self {
        let released = noise.first().map_or(0, Vec::len);
        let mut totals = self.clone();
        for coordinate in 0..self.sides.len() {
            // An outcome is (earlier coordinates, this coordinate, `inner` later outcomes).
            let side = totals.sides[coordinate];
            let inner = totals.sides[coordinate + 1..].iter().product::<usize>();
            let outer = totals.probabilities.len() / (side * inner);
            let mut probabilities = vec![0.0; outer * released * inner];
            let blocks = totals.probabilities.chunks(side * inner);
            for (exact, noisy) in blocks.zip(probabilities.chunks_mut(released * inner)) {
                for (row, exact) in noise.iter().zip(exact.chunks(inner)) {
                    if exact.iter().all(|probability| *probability <= 0.0) {
                        continue;
                    }
                    for (factor, noisy) in row.iter().zip(noisy.chunks_mut(inner)) {
                        for (from, to) in exact.iter().zip(noisy) {
                            *to += factor * from;
                        }
                    }
                }
            }
            totals.sides[coordinate] = released;
            totals.probabilities = probabilities;
        }
        totals
    }
}

/// A distribution, and how many honest aggregators draw from it.
pub(crate) type ToyNoise<'a> = (&'a NoiseDistribution, u32);

/// For each exact total, the probabilities of the released totals.
type NoiseMatrix = Vec<Vec<f64>>;

/// The matrix for exact totals below `side`.
///
/// One draw of discrete Laplace noise has no memory: beyond the largest and the smallest exact
/// total all released values say the same, so they are one. Else the released totals are a window
/// that holds all but [`TAIL`] of the probability.
fn noise_matrix(noise: ToyNoise<'_>, side: usize) -> NoiseMatrix {
    match noise {
        (NoiseDistribution::DiscreteLaplace { scale }, 1) => clamped_laplace(scale.to_f64(), side),
        _ => window(&sum_of_draws(noise), side),
    }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("small"))
}

/// One draw of discrete Laplace noise on totals below `side`, released totals clamped to 0 and
/// `side` − 1.
fn clamped_laplace(scale: f64, side: usize) -> NoiseMatrix {
    let ratio = (-1.0 / scale).exp();
    // P(X ≥ distance) = q^distance/(1 + q), and P(X = distance) is (1 − q) of it.
    let tail = |distance: usize| (-float(distance) / scale).exp() / (1.0 + ratio);
    let probability = |total: usize, released: usize| match released {
        0 => tail(total),
        top if top == side - 1 => tail(side - 1 - total),
        inside => tail(inside.abs_diff(total)) * (1.0 - ratio),
    };
    let row = |total| (0..side).map(|released| probability(total, released)).collect();
    (0..side).map(row).collect()
}

/// The probabilities of the sum of all draws, which is 0 in the middle.
pub(crate) fn sum_of_draws((distribution, draws): ToyNoise<'_>) -> Vec<f64> {
    let weight = |distance: usize| match distribution {
        NoiseDistribution::DiscreteLaplace { scale } => (-float(distance) / scale.to_f64()).exp(),
        NoiseDistribution::DiscreteGaussian { variance } => {
            (-float(distance).powi(2) / (2.0 * variance.to_f64())).exp()
        }
    };
    let reach = (1..).find(|distance| weight(*distance) < 1e-40).expect("light tails");
    let mut draw: Vec<f64> = (0..=2 * reach).map(|place| weight(place.abs_diff(reach))).collect();
    let total: f64 = draw.iter().sum();
    draw.iter_mut().for_each(|probability| *probability /= total);
    (0..draws).fold(vec![1.0], |sum, _| convolution(&sum, &draw))
}

/// The probabilities of the sum of two independent numbers.
pub(crate) fn convolution(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (place, probability) in one.iter().enumerate() {
        for (to, factor) in sums[place..].iter_mut().zip(other) {
            *to += probability * factor;
        }
    }
    sums
}

/// The noise on totals below `side`, without the outermost values of a total probability of
/// [`TAIL`]. Where the noise of one total is in the window, that of another there is not cut.
fn window(noise: &[f64], side: usize) -> NoiseMatrix {
    let (mut cut, mut tail) = (0, 0.0);
    while 2.0 * (tail + noise[cut]) < TAIL {
        tail += noise[cut];
        cut += 1;
    }
    let released = noise.len() - 2 * cut + side - 1;
    let row = |total: usize| {
        let draws = (0..released).map(|place| (cut + place).checked_sub(total));
        draws.map(|draw| draw.and_then(|draw| noise.get(draw)).copied().unwrap_or(0.0)).collect()
    };
    (0..side).map(row).collect()
}

/// The distribution of what the adversary sees, for each measurement of the protected client.
pub(crate) struct View {
    /// The probabilities of the totals, and at last that the protected client's report is dropped.
    outcomes: Vec<Vec<f64>>,
    /// Upper bound on the probability of released totals outside the window.
    outside: f64,
    /// The neighbouring measurements, by their places in `outcomes`, in both orders.
    neighbours: Vec<[usize; 2]>,
}

impl View {
    /// The view of a protected client with one of the measurements of `clients`, beside reports of
    /// the clients in `rest`. Verdicts are seen: only the accepted of the other reports are in the
    /// batch, and the totals are given that they are accepted. Any two measurements are neighbours,
    /// or those that differ in one coordinate.
    pub(crate) fn new(
        adjacency: Adjacency,
        clients: &[ToyClient],
        rest: &[&ToyClient],
        noise: Option<ToyNoise<'_>>,
    ) -> Self {
        let reports = clients.iter().flat_map(|client| &client.reports);
        let largest = reports.flat_map(|report| &report.entries).max().copied().unwrap_or(0);
        let dimensions = clients[0].reports[0].entries.len();

        // Totals that are 0 for certain, with room for all reports.
        let sides = vec![(rest.len() + 1) * largest + 1; dimensions];
        let mut probabilities = vec![0.0; sides.iter().product()];
        probabilities[0] = 1.0;
        let mut others = Totals { sides, probabilities };
        for other in rest {
            others = others.with_report(other, 1.0 / other.acceptance_probability());
        }
        let noise = noise.map(|noise| noise_matrix(noise, others.sides[0]));
        let outcomes = |client: &ToyClient| {
            let exact = others.with_report(client, 1.0);
            let released =
                noise.as_ref().map_or_else(|| exact.clone(), |noise| exact.with_noise(noise));
            let dropped = (1.0 - client.acceptance_probability()).max(0.0);
            [released.probabilities, vec![dropped]].concat()
        };
        // The largest probability, over the exact totals, of a released total outside the window.
        let rows = noise.iter().flatten().map(|row| 1.0 - row.iter().sum::<f64>());
        let outside = rows.fold(0.0, f64::max) * float(dimensions);
        let is_close = |[one, other]: &[usize; 2]| {
            let [one, other] = [one, other].map(|place| &clients[*place].measurement);
            let differing = one.iter().zip(other).filter(|(one, other)| one != other).count();
            differing == 1 || (differing > 1 && adjacency == Adjacency::Replacement)
        };
        let pairs = (0..clients.len()).flat_map(|one| (0..clients.len()).map(move |it| [one, it]));
        let neighbours = pairs.filter(is_close).collect();
        Self { outcomes: clients.iter().map(outcomes).collect(), outside, neighbours }
    }

    /// The view of two independent batches, with the same measurement in both.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let joint = self.outcomes.iter().zip(&other.outcomes).map(|(here, there)| {
            here.iter().flat_map(|p| there.iter().map(move |q| p * q)).collect()
        });
        let (outside, neighbours) = (self.outside + other.outside, self.neighbours.clone());
        Self { outcomes: joint.collect(), outside, neighbours }
    }

    /// The least δ at ε, for any two neighbours and in both directions.
    pub(crate) fn delta(&self, epsilon: f64) -> f64 {
        let factor = epsilon.exp();
        self.worst_sum(|p, q| (p - factor * q).max(0.0)) + self.outside
    }

    /// Whether (ε, 0) holds: for each outcome by itself where there is no window.
    pub(crate) fn keeps_pure(&self, epsilon: f64) -> bool {
        if self.outside > 0.0 {
            return self.delta(epsilon) <= self.outside + MARGIN;
        }
        let factor = epsilon.exp() * (1.0 + MARGIN);
        // The probability of a drop is a difference of numbers next to 1.
        let breaks = |p: f64, q: f64| f64::from(u8::from(p > factor * q + 1e-14));
        self.worst_sum(breaks) <= 0.0
    }

    /// The largest sum of `excess` over all outcomes, for any two neighbours.
    fn worst_sum(&self, excess: impl Fn(f64, f64) -> f64) -> f64 {
        let of_pair = |[one, other]: &[usize; 2]| {
            let outcomes = self.outcomes[*one].iter().zip(&self.outcomes[*other]);
            outcomes.map(|(p, q)| excess(*p, *q)).sum()
        };
        self.neighbours.iter().map(of_pair).fold(0.0, f64::max)
    }
}
