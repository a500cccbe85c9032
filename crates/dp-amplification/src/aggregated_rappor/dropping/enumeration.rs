//! The guarantee with dropped reports where everything can be listed: few clients, short reports.
//!
//! A dataset of the others is a histogram h of the n − 1 values that they hold. For a vector
//! k ≤ h of numbers of accepted reports of each value, let W_k be the law of their sum, as a
//! measure of mass s^|k|: the convolution of the laws of single reports, restricted to those of at
//! most m ones, s the probability of acceptance, the same for every one-hot input. The client's
//! own report adds one more such law, P or Q, or is dropped with probability r_P or r_Q.
//!
//! **Every verdict is seen.** Given which reports are accepted, the sum is what else is seen:
//!
//!   δ_h(ε) = Σ_{k ≤ h} Π C(h_i, k_i)·(1 − s)^(|h| − |k|)·H[W_k∗P, W_k∗Q](e^ε)
//!          + (r_P − e^ε·r_Q)₊.
//!
//! **The number of accepted reports is seen.** The laws are added up over all k of the same |k|,
//! the client's report counted, before the positive part is taken.
//!
//! δ(ε) is the largest δ_h, over all h and both directions. All probabilities are sums of products
//! of positive numbers, so that each has a relative error of at most the number of roundings on
//! the longest path, which is counted.

use std::collections::BTreeMap;

use super::limit::{Verdicts, WeightLimit};
use crate::aggregated_rappor::OthersHold;
use crate::aggregated_rappor::flip::Flip;
use dp_calibration::Adjacency;
use dp_exact::directed::{UNIT, add_up, count, mul_down, mul_up, sub_down, to_index};

/// The most cells that are kept.
const CELLS: u64 = 5 << 19;

/// The most clients.
const MOST_CLIENTS: u64 = 64;

/// More than what products below the normal range can lose altogether.
const LOST: f64 = 1e-305;

/// The laws of what is seen, before and after, of positive mass.
struct View {
    before: Vec<f64>,
    after: Vec<f64>,
}

/// What one dataset of the others shows: a mixture of views.
struct Dataset {
    /// Without a value for it, the dataset spreads over more than one other value.
    named: Option<OthersHold>,
    shares: Vec<(f64, usize)>,
}

/// Every dataset of the others.
pub(super) struct Enumeration {
    views: Vec<View>,
    datasets: Vec<Dataset>,
    /// Whether the directions differ by more than the names of two values.
    directed: bool,
    /// A bound on the relative error of a probability.
    error: f64,
}

/// The reports of one input: the places of the accepted ones, with their probabilities, and the
/// probability that it is dropped.
struct Reports {
    accepted: Vec<(usize, f64)>,
    dropped: f64,
}

impl Enumeration {
    /// The most of so many clients for whom there are at most [`CELLS`] of anything.
    pub(super) fn largest(clients: u64, limit: WeightLimit, verdicts: Verdicts) -> Option<u64> {
        let mut clients = (1..=clients.min(MOST_CLIENTS)).rev();
        clients.find(|&clients| Self::fits(clients, limit, verdicts).is_some())
    }

    /// The number of cells of a law, if there are not too many of anything.
    fn fits(clients: u64, limit: WeightLimit, verdicts: Verdicts) -> Option<u64> {
        if limit.length > 6 || clients > MOST_CLIENTS {
            return None;
        }
        let cells = (clients + 1).checked_pow(u32::try_from(limit.length).ok()?)?;
        let accepted = choose(clients - 1 + limit.length, limit.length);
        let histograms = choose(clients + limit.length - 2, limit.length - 1);
        let views = match verdicts {
            Verdicts::Each => accepted.checked_mul(cells)?,
            Verdicts::Counted => {
                (histograms.checked_mul(clients + 1)? + accepted).checked_mul(cells)?
            }
        };
        (views.max(accepted.checked_mul(histograms)?) <= CELLS).then_some(cells)
    }

    /// `None` if there are more than [`CELLS`] of anything.
    pub(super) fn new(
        flip: &Flip,
        clients: u64,
        adjacency: Adjacency,
        limit: WeightLimit,
        verdicts: Verdicts,
    ) -> Option<Self> {
        let cells = Self::fits(clients, limit, verdicts)?;
        let accepted = choose(clients - 1 + limit.length, limit.length);
        let length = to_index(limit.length);
        let reports: Vec<Reports> = (0..=length)
            .map(|hot| Reports::new(flip, clients, limit, hot))
            .collect();
        let (before, after) = match adjacency {
            Adjacency::Replacement => (&reports[0], &reports[1]),
            // No bit is hot at the place after the last.
            Adjacency::Deletion => (&reports[0], &reports[length]),
        };
        let sums = Sums::new(&reports[..length], clients - 1, to_index(cells));
        let (views, datasets) = match verdicts {
            Verdicts::Each => sums.each(before, after),
            Verdicts::Counted => sums.counted(before, after),
        };
        // Products of `length` bits of at most 8 roundings each, a product and 2^length sums for
        // every client, the factors of a share, and the sums over vectors k and over cells.
        let steps = count(clients) * (count(1 << limit.length) + 32.0 * count(limit.length));
        let error = 2.0 * UNIT * (steps + count(accepted) + 2.0 * count(cells));
        Some(Self {
            views,
            datasets,
            directed: adjacency == Adjacency::Deletion,
            error,
        })
    }

    /// An upper bound on δ at ε for every dataset, given `alpha` ≤ e^ε.
    pub(super) fn upper(&self, alpha: f64) -> f64 {
        // Twice the error also covers the roundings of the products.
        let (more, less) = (1.0 + 2.0 * self.error, 1.0 - 2.0 * self.error);
        let views = self.of_views(more, alpha * less);
        let worst = self.datasets.iter().map(|dataset| dataset.of(&views));
        let worst = worst.fold(0.0, f64::max);
        add_up(mul_up(worst, more), LOST).min(1.0)
    }

    /// A lower bound on δ at ε for the worst of the datasets that are named, given `alpha` ≥ e^ε;
    /// and which it is.
    pub(super) fn lower(&self, alpha: f64) -> (f64, Option<OthersHold>) {
        let (more, less) = (1.0 + 2.0 * self.error, 1.0 - 2.0 * self.error);
        let views = self.of_views(less, alpha * more);
        let mut best = (0.0, None);
        for dataset in self
            .datasets
            .iter()
            .filter(|dataset| dataset.named.is_some())
        {
            let value = sub_down(mul_down(dataset.of(&views), less), LOST).max(0.0);
            if value > best.0 {
                best = (value, dataset.named);
            }
        }
        best
    }

    /// For each view, the sum of (a·P − b·Q)₊ over the cells, in each direction.
    fn of_views(&self, a: f64, b: f64) -> Vec<(f64, f64)> {
        let sum = |p: &[f64], q: &[f64]| -> f64 {
            let cells = p.iter().zip(q);
            cells.map(|(&p, &q)| (a * p - b * q).max(0.0)).sum()
        };
        let views = self.views.iter();
        views
            .map(|View { before, after }| {
                let back = if self.directed {
                    sum(after, before)
                } else {
                    0.0
                };
                (sum(before, after), back)
            })
            .collect()
    }
}

impl Dataset {
    fn of(&self, views: &[(f64, f64)]) -> f64 {
        let (mut there, mut back) = (0.0, 0.0);
        for &(share, view) in &self.shares {
            there += share * views[view].0;
            back += share * views[view].1;
        }
        f64::max(there, back)
    }
}

impl Reports {
    /// The bit `hot` is 1, if there is one.
    fn new(flip: &Flip, clients: u64, limit: WeightLimit, hot: usize) -> Self {
        let length = to_index(limit.length);
        let p = (flip.e.lower + 1.0).recip();
        let q = flip.e.lower * p;
        let (mut accepted, mut dropped) = (Vec::new(), 0.0);
        for report in 0..1_u64 << length {
            let (mut probability, mut place, mut stride) = (1.0, 0, 1);
            for bit in 0..length {
                let set = report >> bit & 1 == 1;
                probability *= if set == (bit == hot) { q } else { p };
                place += if set { stride } else { 0 };
                stride *= to_index(clients + 1);
            }
            if u64::from(report.count_ones()) <= limit.max_weight {
                accepted.push((place, probability));
            } else {
                dropped += probability;
            }
        }
        Self { accepted, dropped }
    }

    /// `law` with one more report.
    fn added_to(&self, law: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; law.len()];
        for (from, &mass) in law.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
            for &(place, probability) in &self.accepted {
                sum[from + place] += mass * probability;
            }
        }
        sum
    }
}

/// The measures W_k.
struct Sums<'a> {
    reports: &'a [Reports],
    others: u64,
    laws: BTreeMap<Vec<u64>, Vec<f64>>,
}

impl<'a> Sums<'a> {
    fn new(reports: &'a [Reports], others: u64, cells: usize) -> Self {
        let mut nothing = vec![0.0; cells];
        nothing[0] = 1.0;
        let mut laws = BTreeMap::from([(vec![0; reports.len()], nothing)]);
        for total in 1..=others {
            for accepted in histograms(reports.len(), total) {
                let Some(value) = accepted.iter().position(|&number| number > 0) else {
                    continue;
                };
                let mut fewer = accepted.clone();
                fewer[value] -= 1;
                let law = laws.get(&fewer).map(|law| reports[value].added_to(law));
                laws.extend(law.map(|law| (accepted, law)));
            }
        }
        Self {
            reports,
            others,
            laws,
        }
    }

    fn each(&self, before: &Reports, after: &Reports) -> (Vec<View>, Vec<Dataset>) {
        let mut views = vec![View {
            before: vec![before.dropped],
            after: vec![after.dropped],
        }];
        let laws = self.laws.values();
        views.extend(laws.map(|law| View {
            before: before.added_to(law),
            after: after.added_to(law),
        }));
        let datasets = histograms(self.reports.len(), self.others);
        let datasets = datasets.into_iter().map(|held| {
            let mut shares = vec![(1.0, 0)];
            for (view, accepted) in self.laws.keys().enumerate() {
                let share = self.share(&held, accepted);
                shares.extend((share > 0.0).then_some((share, view + 1)));
            }
            Dataset::new(&held, shares)
        });
        let datasets = datasets.collect();
        (views, datasets)
    }

    fn counted(&self, before: &Reports, after: &Reports) -> (Vec<View>, Vec<Dataset>) {
        let (mut views, mut datasets) = (Vec::new(), Vec::new());
        let cells = self.laws.values().next().map_or(0, Vec::len);
        for held in histograms(self.reports.len(), self.others) {
            let first = views.len();
            views.extend((0..self.others + 2).map(|_| View {
                before: vec![0.0; cells],
                after: vec![0.0; cells],
            }));
            for (accepted, law) in &self.laws {
                let share = self.share(&held, accepted);
                if share <= 0.0 {
                    continue;
                }
                let number = first + to_index(accepted.iter().sum());
                accumulate(&mut views[number].before, law, share * before.dropped);
                accumulate(&mut views[number].after, law, share * after.dropped);
                accumulate(&mut views[number + 1].before, &before.added_to(law), share);
                accumulate(&mut views[number + 1].after, &after.added_to(law), share);
            }
            let shares = (first..views.len()).map(|view| (1.0, view)).collect();
            datasets.push(Dataset::new(&held, shares));
        }
        (views, datasets)
    }

    /// Π C(h_i, k_i)·(1 − s)^(|h| − |k|), or 0 unless k ≤ h.
    fn share(&self, held: &[u64], accepted: &[u64]) -> f64 {
        let mut share = 1.0;
        for ((&held, &accepted), reports) in held.iter().zip(accepted).zip(self.reports) {
            if accepted > held {
                return 0.0;
            }
            share *= count(choose(held, accepted));
            for _ in accepted..held {
                share *= reports.dropped;
            }
        }
        share
    }
}

impl Dataset {
    fn new(held: &[u64], shares: Vec<(f64, usize)>) -> Self {
        let named = held.iter().skip(3).all(|&number| number == 0);
        let of = |value: usize| held.get(value).copied().unwrap_or(0);
        let named = named.then(|| OthersHold {
            removed: of(0),
            added: of(1),
            neither: of(2),
        });
        Self { named, shares }
    }
}

fn accumulate(sum: &mut [f64], law: &[f64], share: f64) {
    for (sum, mass) in sum.iter_mut().zip(law) {
        *sum += share * mass;
    }
}

/// All vectors of `values` numbers that add up to `total`.
fn histograms(values: usize, total: u64) -> Vec<Vec<u64>> {
    if values == 1 {
        return vec![vec![total]];
    }
    let mut all = Vec::new();
    for last in 0..=total {
        for mut histogram in histograms(values - 1, total - last) {
            histogram.push(last);
            all.push(histogram);
        }
    }
    all
}

/// The binomial coefficient of small numbers.
fn choose(from: u64, number: u64) -> u64 {
    (0..number).fold(1, |product: u64, i| {
        product.saturating_mul(from.saturating_sub(i)) / (i + 1)
    })
}

#[cfg(test)]
mod tests;
