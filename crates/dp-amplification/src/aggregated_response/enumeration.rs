//! The least δ where everything can be listed: few clients and few answers.
//!
//! A dataset of the others is a histogram of the values that they hold. Values that nobody holds,
//! other than the two that are compared, are equally likely answers of every client under either
//! input. Given how many answers fall among them, which they are tells nothing: they are one cell.
//! Which third values are held matters up to their names only. For the law g of the others'
//! histogram of answers, the two laws of what is seen are g and one more answer.
//!
//! Datasets with the two values exchanged are listed too, so that both directions are covered. All
//! probabilities are sums of products of positive numbers: relative errors add up along a path.

use super::survey::Survey;
use crate::aggregated_rappor::OthersHold;
use dp_exact::directed::{UNIT, add_up, count, mul_down, mul_up, sub_down, to_index};

/// The most outcomes that are kept.
const OUTCOMES: u64 = 1 << 20;

/// The most products for the laws.
const WORK: u64 = 1 << 26;

/// More than what products below the normal range can lose altogether.
const LOST: f64 = 1e-305;

/// What one dataset of the others shows.
struct Dataset {
    /// Unless the others hold several third values.
    named: Option<OthersHold>,
    /// The probabilities of each outcome for the one and for the other value.
    outcomes: Vec<(f64, f64)>,
}

/// Every dataset of the others.
pub(super) struct Enumeration {
    datasets: Vec<Dataset>,
    /// A bound on the relative error of a probability.
    error: f64,
}

/// The answers, for a number of third values that are held.
struct Cells {
    /// The probability of the client's own value, and of each other one.
    own: f64,
    other: f64,
    /// The steps between values of all cells that are told apart; what is in none of them is in
    /// the last cell, so that its number need not be kept.
    strides: Vec<usize>,
    size: usize,
    /// Answers in the last cell.
    merged: u64,
}

impl Enumeration {
    /// `None` if it would be too long.
    pub(super) fn new(survey: &Survey) -> Option<Self> {
        let others = survey.clients - 1;
        let kinds = survey.answers - 2;
        if others > 48 {
            return None;
        }
        let (mut outcomes, mut work) = (0u64, 0u64);
        for third in 0..=others {
            for parts in partitions(third, kinds, third) {
                let cells = Cells::new(survey, parts.len())?;
                let shown = choose(survey.clients + cells.strides.len() as u64, survey.clients)?;
                let steps = third + (others - third + 2) * (others - third + 2) / 2;
                let cost = steps * (cells.size as u64) * (cells.strides.len() as u64 + 2);
                outcomes = outcomes.checked_add(shown.checked_mul(others - third + 1)?)?;
                work = work.checked_add(cost)?;
                if outcomes > OUTCOMES || work > WORK {
                    return None;
                }
            }
        }
        let mut datasets = Vec::new();
        for third in 0..=others {
            for parts in partitions(third, kinds, third) {
                let cells = Cells::new(survey, parts.len())?;
                datasets.extend(cells.datasets(&parts, others - third));
            }
        }
        // A probability of a few roundings, a product and as many sums as there are cells, for
        // every client; and the sum over outcomes.
        let paths = count(survey.clients) * (count(others) + 16.0);
        Some(Self {
            datasets,
            error: 2.0 * UNIT * (paths + count(outcomes)),
        })
    }

    /// An upper bound on δ for every dataset, given `alpha` ≤ e^ε.
    pub(super) fn upper(&self, alpha: f64) -> f64 {
        // Twice the error also covers the roundings of the products.
        let (more, less) = (1.0 + 2.0 * self.error, 1.0 - 2.0 * self.error);
        let worst = self.datasets.iter();
        let worst = worst.map(|dataset| dataset.delta(more, alpha * less));
        add_up(mul_up(worst.fold(0.0, f64::max), more), LOST).min(1.0)
    }

    /// A lower bound on δ for the worst of the datasets that have a name, given `alpha` ≥ e^ε; and
    /// which it is.
    pub(super) fn lower(&self, alpha: f64) -> (f64, Option<OthersHold>) {
        let (more, less) = (1.0 + 2.0 * self.error, 1.0 - 2.0 * self.error);
        let mut best = (0.0, None);
        for dataset in self.datasets.iter().filter(|one| one.named.is_some()) {
            let value = dataset.delta(less, alpha * more);
            let value = sub_down(mul_down(value, less), LOST).max(0.0);
            if value > best.0 {
                best = (value, dataset.named);
            }
        }
        best
    }
}

impl Dataset {
    /// Σ (a·P − b·Q)₊
    fn delta(&self, a: f64, b: f64) -> f64 {
        let outcomes = self.outcomes.iter();
        outcomes.map(|&(p, q)| (a * p - b * q).max(0.0)).sum()
    }
}

impl Cells {
    /// For `held` third values; `None` if there are too many cells.
    fn new(survey: &Survey, held: usize) -> Option<Self> {
        let answers = survey.answers;
        let unheld = answers - 2 - held as u64;
        // The two values and those that are held; the last of them is the rest if nothing is left.
        let told = if unheld == 0 { held + 1 } else { held + 2 };
        let side = to_index(survey.clients + 1);
        let mut strides = Vec::with_capacity(told);
        let mut size = 1usize;
        for _ in 0..told {
            strides.push(size);
            size = size.checked_mul(side)?;
            if size as u64 > WORK {
                return None;
            }
        }
        let all = survey.e + count(answers - 1);
        Some(Self {
            own: survey.e / all,
            other: all.recip(),
            strides,
            size,
            merged: unheld.max(1),
        })
    }

    /// The law with one more answer of a client that holds the value of cell `held`.
    fn with_answer(&self, law: &[f64], held: usize) -> Vec<f64> {
        let mut sum = vec![0.0; law.len()];
        let last = if held == self.strides.len() {
            self.own
        } else {
            count(self.merged) * self.other
        };
        for (from, &mass) in law.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
            sum[from] += mass * last;
            for (cell, stride) in self.strides.iter().enumerate() {
                let probability = if cell == held { self.own } else { self.other };
                sum[from + stride] += mass * probability;
            }
        }
        sum
    }

    /// All datasets in which third values are held `parts` times each, and `rest` others hold one
    /// of the two values.
    fn datasets(&self, parts: &[u64], rest: u64) -> Vec<Dataset> {
        let mut law = vec![0.0; self.size];
        law[0] = 1.0;
        for (third, &times) in parts.iter().enumerate() {
            for _ in 0..times {
                law = self.with_answer(&law, 2 + third);
            }
        }
        let mut datasets = Vec::new();
        for added in 0..=rest {
            let mut all = law.clone();
            for _ in added..rest {
                all = self.with_answer(&all, 0);
            }
            let one = self.with_answer(&all, 0);
            let other = self.with_answer(&all, 1);
            let pairs = one.into_iter().zip(other);
            datasets.push(Dataset {
                named: (parts.len() < 2).then(|| OthersHold {
                    removed: rest - added,
                    added,
                    neither: parts.iter().sum(),
                }),
                outcomes: pairs.filter(|&(p, q)| p > 0.0 || q > 0.0).collect(),
            });
            law = self.with_answer(&law, 1);
        }
        datasets
    }
}

/// The ways to write `total` as a sum of at most `kinds` falling numbers up to `largest`.
fn partitions(total: u64, kinds: u64, largest: u64) -> Vec<Vec<u64>> {
    if total == 0 {
        return vec![Vec::new()];
    }
    if kinds == 0 {
        return Vec::new();
    }
    let mut all = Vec::new();
    for part in (1..=largest.min(total)).rev() {
        for mut rest in partitions(total - part, kinds - 1, part) {
            rest.insert(0, part);
            all.push(rest);
        }
    }
    all
}

/// n over m, if it fits.
fn choose(n: u64, m: u64) -> Option<u64> {
    let m = m.min(n - m);
    (1..=m).try_fold(1u64, |all, i| Some(all.checked_mul(n - m + i)? / i))
}

#[cfg(test)]
mod tests;
