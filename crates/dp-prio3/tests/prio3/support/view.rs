//! What an adversary sees of a toy batch, listed: for each measurement of the protected client the
//! distribution of its verdict and of the totals.
//!
//! Probabilities are sums of products of positive doubles, each of a few thousand factors at most,
//! so that they are off by less than one part in 10^11; comparisons have a margin of 1e-9 (and
//! of one part in 10^9). The mass outside a window of noise is counted into δ.

use dp_calibration::NoiseDistribution;

/// The margin of a comparison.
pub(crate) const MARGIN: f64 = 1e-9;

/// The mass of one coordinate's noise that may lie outside the window.
const TAIL: f64 = 1e-10;

/// What a client with one measurement sends: what it adds to the totals, with probabilities; its
/// report is dropped else.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) reports: Vec<(Vec<usize>, f64)>,
}

impl Client {
    /// One that does not randomize.
    pub(crate) fn plain(measurement: Vec<usize>) -> Self {
        Self { reports: vec![(measurement, 1.0)] }
    }

    fn accepted(&self) -> f64 {
        self.reports.iter().map(|(_, mass)| mass).sum()
    }
}

/// The distribution of the totals: `sides` has the number of values of each coordinate, the last one changes fastest.
#[derive(Clone, Debug)]
struct Totals {
    sides: Vec<usize>,
    mass: Vec<f64>,
}

impl Totals {
    /// Zeros, with room for totals below `side`.
    fn new(dimensions: usize, side: usize) -> Self {
        let mut mass = vec![0.0; (0..dimensions).map(|_| side).product()];
        mass[0] = 1.0;
        Self { sides: vec![side; dimensions], mass }
    }

    /// With a further report, whose probabilities are multiplied by `scale`.
    fn with_report(&self, reports: &[(Vec<usize>, f64)], scale: f64) -> Self {
        let mut mass = vec![0.0; self.mass.len()];
        for (added, probability) in reports {
            let place = |sum: usize, (side, entry): (&usize, &usize)| sum * side + entry;
            let offset = self.sides.iter().zip(added).fold(0, place);
            for (from, to) in self.mass.iter().zip(&mut mass[offset..]) {
                *to += from * probability * scale;
            }
        }
        Self { sides: self.sides.clone(), mass }
    }

    /// With the noise of `kernel`: for each value of a total, the probabilities of all released values.
    fn with_noise(&self, kernel: &[Vec<f64>]) -> Self {
        let seen = kernel.first().map_or(0, Vec::len);
        let mut totals = self.clone();
        for place in 0..self.sides.len() {
            let (side, inner) =
                (totals.sides[place], totals.sides[place + 1..].iter().product::<usize>());
            let outer = totals.mass.len() / (side * inner);
            let mut mass = vec![0.0; outer * seen * inner];
            for (from, to) in totals.mass.chunks(side * inner).zip(mass.chunks_mut(seen * inner)) {
                for (row, from) in kernel.iter().zip(from.chunks(inner)) {
                    if from.iter().all(|mass| *mass <= 0.0) {
                        continue;
                    }
                    for (factor, to) in row.iter().zip(to.chunks_mut(inner)) {
                        for (from, to) in from.iter().zip(to) {
                            *to += factor * from;
                        }
                    }
                }
            }
            totals.sides[place] = seen;
            totals.mass = mass;
        }
        totals
    }
}

/// For every total below `side`, the probabilities of the released total with the given number of draws.
///
/// One draw of discrete Laplace noise has no memory: beyond the largest and the smallest total all
/// values say the same, so they are one. Else a window with all but [`TAIL`] of the mass.
fn kernel(noise: &NoiseDistribution, draws: u32, side: usize) -> Vec<Vec<f64>> {
    let number = |count: usize| f64::from(u32::try_from(count).expect("small"));
    if let (NoiseDistribution::DiscreteLaplace { scale }, 1) = (noise, draws) {
        let q = (-1.0 / scale.to_f64()).exp();
        let tail = |distance: usize| (-number(distance) / scale.to_f64()).exp() / (1.0 + q);
        let seen = |total: usize, seen: usize| match seen {
            0 => tail(total),
            top if top == side - 1 => tail(side - 1 - total),
            inside => tail(inside.abs_diff(total)) * (1.0 - q),
        };
        let row = |total| (0..side).map(|value| seen(total, value)).collect();
        return (0..side).map(row).collect();
    }
    let weight = |distance: usize| match noise {
        NoiseDistribution::DiscreteLaplace { scale } => (-number(distance) / scale.to_f64()).exp(),
        NoiseDistribution::DiscreteGaussian { variance } => {
            (-number(distance).powi(2) / (2.0 * variance.to_f64())).exp()
        }
    };
    let reach = (1..).find(|distance| weight(*distance) < 1e-40).expect("light tails");
    let mut one: Vec<f64> = (0..=2 * reach).map(|place| weight(place.abs_diff(reach))).collect();
    let total: f64 = one.iter().sum();
    one.iter_mut().for_each(|mass| *mass /= total);
    let mut all = vec![1.0];
    for _ in 0..draws {
        let mut sum = vec![0.0; all.len() + 2 * reach];
        for (place, mass) in all.iter().enumerate() {
            for (to, factor) in sum[place..].iter_mut().zip(&one) {
                *to += mass * factor;
            }
        }
        all = sum;
    }
    let mut cut = 0;
    let mut tail = 0.0;
    while 2.0 * (tail + all[cut]) < TAIL {
        tail += all[cut];
        cut += 1;
    }
    // Where one total's noise is in the window, the probability that another's is there is not cut.
    let window = all.len() - 2 * cut + side - 1;
    let at = |total: usize, seen: usize| {
        let place = (cut + seen).checked_sub(total)?;
        all.get(place).copied()
    };
    let row = |total: usize| (0..window).map(|seen| at(total, seen).unwrap_or(0.0)).collect();
    (0..side).map(row).collect()
}

/// The other contributions to a batch than the protected client's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside<'a> {
    /// Honest clients whose reports were accepted.
    pub(crate) others: &'a [&'a Client],
    /// How many clients that hold nothing the honest aggregators add, and what they would send.
    pub(crate) added: (u64, &'a Client),
    /// The distribution of an honest aggregator's noise, and the number of honest aggregators.
    pub(crate) noise: Option<(&'a NoiseDistribution, u32)>,
}

/// The distribution of what the adversary sees, for each measurement of the protected client.
pub(crate) struct View {
    totals: Vec<Totals>,
    dropped: Vec<f64>,
    outside: f64,
}

impl View {
    /// Of a client with one of these measurements. Verdicts are seen: of the others only the
    /// accepted are in the batch, and the totals are given that they are.
    pub(crate) fn new(clients: &[Client], beside: &Beside) -> Self {
        let entries = clients.iter().flat_map(|client| &client.reports);
        let largest = entries.flat_map(|(added, _)| added).max().copied();
        let (zeros, zero) = beside.added;
        let zeros = usize::try_from(zeros).expect("few");
        let reports = beside.others.len() + 1 + zeros;
        let dimensions = clients[0].reports[0].0.len();
        let mut others = Totals::new(dimensions, reports * largest.unwrap_or(0) + 1);
        for other in beside.others {
            others = others.with_report(&other.reports, 1.0 / other.accepted());
        }
        for _ in 0..zeros {
            others = others.with_report(&zero.reports, 1.0);
        }
        let kernel = beside.noise.map(|(noise, draws)| kernel(noise, draws, others.sides[0]));
        let seen = |client: &Client| {
            let totals = others.with_report(&client.reports, 1.0);
            match &kernel {
                Some(kernel) => totals.with_noise(kernel),
                None => totals,
            }
        };
        let mut outside = 0.0_f64;
        for row in kernel.iter().flatten() {
            outside = outside.max(1.0 - row.iter().sum::<f64>());
        }
        let coordinates = f64::from(u32::try_from(dimensions).expect("few"));
        Self {
            totals: clients.iter().map(seen).collect(),
            dropped: clients.iter().map(|client| (1.0 - client.accepted()).max(0.0)).collect(),
            outside: outside * coordinates,
        }
    }

    /// The least δ at ε, for any two measurements and in both directions.
    pub(crate) fn delta(&self, epsilon: f64) -> f64 {
        let factor = epsilon.exp();
        self.worst(|p, q| (p - factor * q).max(0.0)) + self.outside
    }

    /// Whether (ε, 0) holds: for each outcome by itself where there is no window.
    pub(crate) fn keeps_pure(&self, epsilon: f64) -> bool {
        if self.outside > 0.0 {
            return self.delta(epsilon) <= self.outside + MARGIN;
        }
        let factor = epsilon.exp() * (1.0 + MARGIN);
        // What is left of a drop is a difference of numbers next to 1.
        let breaks = |p: f64, q: f64| f64::from(u8::from(p > factor * q + 1e-14));
        self.worst(breaks) <= 0.0
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.totals.len();
        let all = (0..count).flat_map(move |one| (0..count).map(move |other| (one, other)));
        all.filter(|(one, other)| one != other)
    }

    fn sum(&self, one: usize, other: usize, excess: &impl Fn(f64, f64) -> f64) -> f64 {
        let outcomes = self.totals[one].mass.iter().zip(&self.totals[other].mass);
        outcomes.map(|(p, q)| excess(*p, *q)).sum()
    }

    fn worst(&self, excess: impl Fn(f64, f64) -> f64) -> f64 {
        let of = |(one, other): (usize, usize)| {
            self.sum(one, other, &excess) + excess(self.dropped[one], self.dropped[other])
        };
        self.pairs().map(of).fold(0.0, f64::max)
    }
}
