//! One client's answer and the noise of one honest aggregator: every other client may collude.
//!
//! With f the probabilities of the noise, w(y) = f(y − 1)/f(y), and an independent noise Y on every
//! count,
//!
//!   δ(ε) = E[((E − α)·w(Y_x) − (αE − 1)·w(Y_x′) − (α − 1)·S)₊]/(E + k − 1),  α = e^ε,
//!
//! S the sum of w(Y_u) over the k − 2 other values u. The positive part is convex in S and falls
//! with S: a distribution that is wider and no larger in mean bounds it from above
//! (`docs/answers-with-noise.md`, section 1).

use dp_calibration::NoiseDistribution;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, index, mul_down,
    mul_up, sub_down, sub_up, to_index,
};
use dp_exact::{Rational, Shift, elementary};

use super::ResponseParameters;
use crate::log_concave_window::LogConcaveWindow;

/// The most values of noise.
const MOST_VALUES: usize = 4097;

/// The most cells of a sum while summands are added, and the most that δ is averaged over.
const CELLS: [usize; 2] = [1024, 96];

/// The number of cells in 1/σ, about a standard deviation of a ratio w.
const FINE: f64 = 16.0;

/// A value of the ratio w.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    value: Bounds,
    /// Upper bound on the probability of the value.
    mass: f64,
    /// Upper bound on the mean of w where it is at least this value, and 0 elsewhere.
    mean_above: f64,
    /// Lower bound on the probability that w is at least this value.
    tail: f64,
}

/// A sum of ratios, wider and no larger in mean than the true one.
#[derive(Clone, Debug)]
struct RatioSum {
    /// Lower bound on the value of the first cell.
    start: f64,
    /// The distance of neighbouring cells, a power of two.
    step: f64,
    /// Upper bound on the probability of each cell.
    masses: Vec<f64>,
    /// Upper bound on the probability of all values below the first cell.
    below: f64,
}

/// An upper bound on δ as a function of ε.
#[derive(Clone, Debug)]
pub(super) struct OwnAnswer {
    parameters: ResponseParameters,
    /// The values of w, ascending.
    ratios: Vec<Ratio>,
    /// Lower bounds on values of S, with upper bounds on their probabilities.
    others: RatioSum,
    /// Upper bound on the part of δ for noise outside of its window.
    rest: f64,
}

impl OwnAnswer {
    /// The bound on δ of one client's answer and this `noise` on every count, with tails cut off at
    /// about e^−`depth`. `None` if Gaussian noise has more than 4097 values in its window, or
    /// floats do not hold the noise.
    pub(super) fn new(
        parameters: ResponseParameters,
        noise: &NoiseDistribution,
        depth: f64,
    ) -> Option<Self> {
        let counts = count(parameters.answers) + 1.0;
        let depth = depth + elementary::ln(counts);
        let (values, missing) = match noise {
            NoiseDistribution::DiscreteLaplace { scale } => (of_laplace(scale)?, 0.0),
            NoiseDistribution::DiscreteGaussian { variance } => of_gaussian(variance, depth)?,
        };
        let (mut mean_above, mut tail) = (0.0, 0.0);
        let descending = values.iter().rev().map(|&(value, mass)| {
            mean_above = add_up(mean_above, mul_up(value.upper, mass.upper));
            tail = add_down(tail, mass.lower).max(0.0);
            Ratio { value, mass: mass.upper, mean_above, tail }
        });
        let mut ratios: Vec<Ratio> = descending.collect();
        ratios.reverse();
        // Y_x above its window adds (E − α)/(E + k − 1)·P(Y ≥ last) at most, as f(y)·w(y) = f(y −
        // 1); below it, and for the other counts, at most the probability of being outside.
        let rest = match noise {
            NoiseDistribution::DiscreteLaplace { .. } => 0.0,
            _ => add_up(ratios.last()?.mass, mul_up(missing, counts + 1.0)),
        };
        let one = RatioSum::of_one(&ratios, noise.standard_deviation());
        let others = one.times(parameters.answers - 2, depth).cells_at_most(CELLS[1]);
        Some(Self { parameters, ratios, others, rest })
    }

    /// Upper bound on δ at ε = ln `alpha` ≥ 0, at most 1; 0 from α = E on.
    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let ResponseParameters { e, answers, .. } = self.parameters;
        if alpha >= e {
            return 0.0;
        }
        let (gain, more) = (sub_up(e, alpha), sub_down(alpha, 1.0).max(0.0));
        let loss = sub_down(mul_down(alpha, e), 1.0).max(0.0);
        let mut sum = 0.0;
        for (cell, mass) in self.others.masses.iter().enumerate() {
            let of_others = mul_down(more, self.others.value(cell)).max(0.0);
            for other in &self.ratios {
                let of_other = mul_down(loss, other.value.lower).max(0.0);
                let threshold = add_down(of_other, of_others).max(0.0);
                // What is left out is not above the threshold, which grows with w(Y_x′).
                let is_below = |w: &Ratio| mul_up(gain, w.value.upper) <= threshold;
                let Some(ratio) = self.ratios.get(self.ratios.partition_point(is_below)) else {
                    break;
                };
                // The room is more than what a value may be below the threshold by rounding.
                let above = mul_up(gain, ratio.mean_above) * (1.0 + 32.0 * UNIT);
                let below = mul_down(threshold, ratio.tail).max(0.0) * (1.0 - 32.0 * UNIT);
                let excess = sub_up(above, below).max(0.0);
                sum = add_up(sum, mul_up(mul_up(*mass, other.mass), excess));
            }
        }
        let all = add_down(e, count(answers - 1));
        add_up(div_up(sum, all), add_up(self.others.below, self.rest)).min(1.0)
    }
}

/// The two values of w(y) = f(y − 1)/f(y) for discrete Laplace noise y of this scale t and
/// probabilities f, with the probability of each: r = e^(−1/t) where y ≤ 0, of probability 1/(1 +
/// r), else 1/r. `None` if floats do not hold them.
fn of_laplace(scale: &Rational) -> Option<Vec<(Bounds, Bounds)>> {
    let (r, inverse) = (Bounds::exp(&-scale.reciprocal()?)?, Bounds::exp(&scale.reciprocal()?)?);
    let share = |part: Bounds| Bounds {
        lower: div_down(part.lower, add_up(1.0, r.upper)),
        upper: div_up(part.upper, add_down(1.0, r.lower)),
    };
    Some(vec![(r, share(Bounds { lower: 1.0, upper: 1.0 })), (inverse, share(r))])
}

/// The ascending values of w(y) = e^((2y − 1)/(2σ²)) for discrete Gaussian noise y of this variance
/// σ² in a window, with their probabilities, and an upper bound on the probability outside, about
/// e^−`depth`. `None` if there are more than 4097, or floats do not hold them.
fn of_gaussian(variance: &Rational, depth: f64) -> Option<(Vec<(Bounds, Bounds)>, f64)> {
    let window = LogConcaveWindow::gaussian(variance, Shift::Zero, depth)?;
    let (missing, pmf) = (window.missing, window.inside());
    if pmf.lower.len() > MOST_VALUES {
        return None;
    }
    let rate = (variance + variance).reciprocal()?;
    let inside = sub_down(1.0, missing);
    let value = |place: usize| {
        // 2y − 1, as the window is symmetric.
        let twice = Rational::from(2 * place as u64) - Rational::from(pmf.lower.len() as u64);
        let lower = mul_down(pmf.normalized_down(pmf.lower[place]), inside).max(0.0);
        let upper = pmf.normalized_up(pmf.upper[place]);
        Some((Bounds::exp(&(twice * &rate))?, Bounds { lower, upper }))
    };
    Some(((0..pmf.lower.len()).map(value).collect::<Option<Vec<_>>>()?, missing))
}

impl RatioSum {
    /// The distribution of one ratio w, in cells of a width of about 1/(16·`deviation`) or less for
    /// noise of this standard deviation. Each value goes to the two cells next to it, by which the
    /// mean stays and the spread grows, or to the last cell, which lowers it.
    fn of_one(ratios: &[Ratio], deviation: f64) -> Self {
        // A power of two, so that quotients are exact.
        let cells = floor_to_count(FINE * deviation.max(1.0), 1 << 40).next_power_of_two();
        let last = CELLS[0] as u64 - 1;
        let mut masses = vec![0.0; CELLS[0]];
        for ratio in ratios {
            let place = (ratio.value.lower * count(cells)).min(count(last));
            let cell = floor_to_count(place, last - 1);
            let share = place - count(cell);
            for (cell, share) in [(cell, 1.0 - share), (cell + 1, share)] {
                let mass = &mut masses[to_index(cell)];
                *mass = add_up(*mass, mul_up(ratio.mass, share));
            }
        }
        Self { start: 0.0, step: count(cells).recip(), masses, below: 0.0 }
    }

    /// Lower bound on the value of the sum in cell number `cell`, from 0; at least 0.
    fn value(&self, cell: usize) -> f64 {
        add_down(self.start, mul_down(index(cell), self.step)).max(0.0)
    }

    /// The distribution of the sum of `times` independent copies, 0 for none, by squaring. Each
    /// addition cuts tails off at e^−`depth`.
    fn times(self, times: u64, depth: f64) -> Self {
        let mut sum = Self { start: 0.0, step: self.step, masses: vec![1.0], below: 0.0 };
        let (mut power, mut left) = (self, times);
        while left > 0 {
            if left % 2 == 1 {
                sum = sum.plus(power.clone(), depth);
            }
            left /= 2;
            if left > 0 {
                power = power.clone().plus(power, depth);
            }
        }
        sum
    }

    /// The distribution of the sum of both, which are independent and have steps by powers of two
    /// apart, in at most 1024 cells. The lowest cells, of at most probability e^−`depth` together,
    /// are charged to `below`; the highest such cells go to the last one that is kept.
    fn plus(mut self, mut other: Self, depth: f64) -> Self {
        while self.step < other.step {
            self = self.coarser();
        }
        while other.step < self.step {
            other = other.coarser();
        }
        // At most one rounding for each product and each of the sums.
        let margin = 1.0 + 4.0 * UNIT * (index(self.masses.len()) + 4.0);
        let mut masses = vec![0.0; self.masses.len() + other.masses.len() - 1];
        for (place, weight) in self.masses.iter().enumerate() {
            for (sum, value) in masses[place..].iter_mut().zip(&other.masses) {
                *sum += weight * value * margin;
            }
        }
        let (allowed, mut above, mut below) = (elementary::exp(-depth), 0.0, 0.0);
        while let Some(mass) = masses.pop_if(|mass| add_up(above, *mass) <= allowed) {
            above = add_up(above, mass);
        }
        if let Some(last) = masses.last_mut() {
            *last = add_up(*last, above);
        }
        let lowest = masses.iter().take_while(|mass| {
            let more = add_up(below, **mass);
            let is_low = more <= allowed;
            below = if is_low { more } else { below };
            is_low
        });
        let lowest = lowest.count();
        masses.drain(..lowest);
        let below = add_up(below, add_up(self.below, other.below));
        let start = add_down(self.value(lowest), other.start).max(0.0);
        Self { start, step: self.step, masses, below }.cells_at_most(CELLS[0])
    }

    /// The same distribution in cells of twice the step: half of every second cell goes to either
    /// side.
    fn coarser(self) -> Self {
        let old = |place: usize| self.masses.get(place).copied().unwrap_or(0.0);
        let sides = |cell: usize| {
            let before = if cell == 0 { 0.0 } else { old(2 * cell - 1) };
            add_up(before, old(2 * cell + 1)) / 2.0
        };
        let cells = 0..=self.masses.len() / 2;
        let masses = cells.map(|cell| add_up(old(2 * cell), sides(cell))).collect();
        Self { step: 2.0 * self.step, masses, ..self }
    }

    /// The same distribution in at most `most` cells, whose step is doubled until they are enough.
    fn cells_at_most(mut self, most: usize) -> Self {
        while self.masses.len() > most {
            self = self.coarser();
        }
        self
    }
}
