//! Tests for noise that depends on earlier batches, and for batches without noise.
//!
//! Whatever the batches before it were, the noise z of a batch should have its distribution P. Each
//! bet against that is another distribution Q of z, given all batches before:
//!
//! - z is one of n known vectors, each equally likely: Q/P = m/(n·P(z)) where m of the vectors are z.
//!   They are 0; plus and minus the noise of all earlier batches; plus and minus the noise of one;
//! - z is correlated with the noise of one earlier batch, at the same entries or at those beside:
//!   Q/P = Π e^(θ·x·y)/E e^(θ·X·y) over all entries, where x is the entry of z and y the entry of the
//!   earlier batch, in standard deviations. If one aggregator of k has the noise of that batch again, the
//!   correlation is 1/k: so θ = ±1/k.
//!
//! Money is put on a bet in every batch, in some, or in every n-th one ([`Bet`]). The mean of all
//! wins is a nonnegative martingale of mean 1, whichever batches they are about.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::expected_release::{ExpectedRelease, ReleasedTotal, TotalInput};
use super::fault::{Fault, nearest_integer};
use super::mixture::{ClassifiedPmf, FLOOR, ln_mean};
use super::pmf::Pmf;
use crate::binomial::{float, signed};

/// Largest distance of two batches of which one is bet to determine the other.
const LAGS: usize = 8;

/// Distances from an entry to the one of an earlier batch with which it is correlated.
const SHIFTS: [isize; 3] = [0, 1, -1];

/// Largest number of batches of which always the same one is bet on.
const PERIODS: u64 = 32;

/// Steps of a level in a standard deviation.
const STEPS: f64 = 8.0;

/// The largest level: three standard deviations.
const MOST: i64 = 24;

/// The tests of a sequence of batches.
#[derive(Clone, Debug)]
pub(super) struct BatchTests {
    batches: u64,
    bare: Bet,
    /// That the noise is plus or minus the noise of any earlier batch.
    repeated: Bet,
    /// The number of earlier batches that had each noise.
    earlier: HashMap<Vec<i64>, u64>,
    /// Up to [`LAGS`] batches before, the latest first.
    recent: VecDeque<Batch>,
    /// By distance of batches: that the noise is plus or minus the noise of the earlier one.
    copied: Vec<Bet>,
    /// By distance of batches, by [`SHIFTS`], and by the sign of θ.
    correlated: Vec<Bet>,
    levels: HashMap<TotalInput, Levels>,
}

/// A batch that others are compared with.
#[derive(Clone, Debug)]
struct Batch {
    /// The noise of each total; empty if a total is no integer.
    noise: Vec<i64>,
    /// The level of each total.
    levels: Vec<i64>,
}

impl BatchTests {
    /// Tests without batches so far.
    pub(super) fn new() -> Self {
        Self {
            batches: 0,
            bare: Bet::new(),
            repeated: Bet::new(),
            earlier: HashMap::new(),
            recent: VecDeque::new(),
            copied: vec![Bet::new(); LAGS],
            correlated: vec![Bet::new(); 2 * SHIFTS.len() * LAGS],
            levels: HashMap::new(),
        }
    }

    /// Takes the totals of a batch. `expected_totals` has the distribution without faults for the
    /// input of each total.
    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        expected_totals: &HashMap<TotalInput, ClassifiedPmf>,
        totals: &[ReleasedTotal],
    ) {
        // Of totals that depend on each other only the first is tested: P(z) is a product.
        let totals = if expected.is_independent { totals } else { &totals[..1] };
        let theta = 1.0 / f64::from(expected.aggregators.max(2));
        let (mut ln_probability, mut levels) = (0.0, Vec::new());
        for ReleasedTotal { input, value, .. } in totals {
            let pmf = &expected_totals[input].pmf;
            ln_probability += value.map_or(0.0, |value| pmf.at(value)).max(FLOOR).ln();
            let of_input = self.levels.entry(*input).or_insert_with(|| Levels::new(pmf, theta));
            levels.push(value.map_or(0, |value| of_input.level(value)));
        }
        let noise = |total: &ReleasedTotal| total.value?.checked_sub(total.input.truth);
        let noise: Option<Vec<i64>> = totals.iter().map(noise).collect();
        let batch = Batch { noise: noise.unwrap_or_default(), levels };
        let negated: Vec<i64> = batch.noise.iter().map(|entry| entry.saturating_neg()).collect();
        // ln of m/(n·P(z)); nothing is like noise that is no integer.
        let ln_ratio = |equal: u64, known: u64| match batch.noise.is_empty() {
            true => f64::NEG_INFINITY,
            false => (float(equal) / float(known)).ln() - ln_probability,
        };

        let is_bare = batch.noise.iter().all(|entry| *entry == 0);
        self.bare.observe(self.batches, ln_ratio(is_bare.into(), 1));
        if self.batches > 0 {
            let count = |noise: &Vec<i64>| self.earlier.get(noise).map_or(0, |count| *count);
            let equal = count(&batch.noise) + count(&negated);
            self.repeated.observe(self.batches, ln_ratio(equal, 2 * self.batches));
        }
        let mut correlated = self.correlated.iter_mut();
        for (earlier, copied) in self.recent.iter().zip(&mut self.copied) {
            let equal = [&batch.noise, &negated].map(|noise| u64::from(*noise == earlier.noise));
            copied.observe(self.batches, ln_ratio(equal.iter().sum(), 2));
            for (shift, sign) in SHIFTS.into_iter().flat_map(|shift| [(shift, 1), (shift, -1)]) {
                let mut ln_ratio = 0.0;
                for (index, (level, total)) in batch.levels.iter().zip(totals).enumerate() {
                    let place = index.checked_add_signed(shift);
                    if let Some(before) = place.and_then(|place| earlier.levels.get(place)) {
                        ln_ratio += self.levels[&total.input].ln_ratio(*level, sign * before);
                    }
                }
                let bet = correlated.next().expect("a bet for each distance, shift and sign");
                bet.observe(self.batches, ln_ratio);
            }
        }
        *self.earlier.entry(batch.noise.clone()).or_default() += 1;
        self.recent.truncate(LAGS - 1);
        self.recent.push_front(batch);
        self.batches += 1;
    }

    /// Each fault with ln of its martingale.
    pub(super) fn evidence(&self) -> [(Fault, f64); 2] {
        let mean = |bets: &[Bet]| ln_mean(bets.iter().map(Bet::ln_wins));
        let dependent =
            [self.repeated.ln_wins(), mean(&self.copied), mean(&self.correlated)].into_iter();
        [(Fault::BareBatches, self.bare.ln_wins()), (Fault::DependentBatches, ln_mean(dependent))]
    }
}

/// The wins of a bet on Q, with some part of the money on Q and the other part on P: ln of the
/// product of (1 − part + part·Q/P) over the batches of each [`schedule`](Bet::schedules), times its
/// weight.
#[derive(Clone, Debug)]
struct Bet(Vec<f64>);

impl Bet {
    /// The bet before the first batch.
    fn new() -> Self {
        Self(Self::schedules().map(|(.., weight)| f64::ln(weight)).collect())
    }

    /// Period of the batches that are bet on, the first of them, the part of the money that is on Q,
    /// and a weight. Weights have a sum of at most 1: of 1/(p²(p − 1)) over the first batches 0 to
    /// p − 1 and the periods p from 2 on the sum is 1.
    fn schedules() -> impl Iterator<Item = (u64, u64, f64, f64)> {
        let any = [0.9, 0.5, 0.05, 0.005].into_iter().map(|part| (1, 0, part, 0.125));
        any.chain((2..=PERIODS).flat_map(|period| {
            let weight = 0.5 / float(period * period * (period - 1));
            (0..period).map(move |first| (period, first, 0.9, weight))
        }))
    }

    /// Takes the batch of this number, for which ln(Q/P) is `ln_ratio`.
    fn observe(&mut self, batch: u64, ln_ratio: f64) {
        let largest = ln_ratio.max(0.0);
        for (wins, (period, first, part, _)) in self.0.iter_mut().zip(Self::schedules()) {
            if batch % period == first {
                // Both are divided by the larger one, which may be beyond the range of floats.
                let win = (1.0 - part) * (-largest).exp() + part * (ln_ratio - largest).exp();
                *wins += largest + win.ln();
            }
        }
    }

    /// ln of the sum of all weighted products.
    fn ln_wins(&self) -> f64 {
        ln_mean(self.0.iter().copied()) + float(self.0.len() as u64).ln()
    }
}

/// Values of a total as levels: eighths of standard deviations from the mean, at most three of them.
#[derive(Clone, Debug)]
struct Levels {
    mean: f64,
    deviation: f64,
    /// θ in the units of a product of two levels.
    theta: f64,
    /// ln of E e^(θ·X·y) for each level y, from the least one on.
    ln_means: Vec<f64>,
}

impl Levels {
    /// The levels of a total of this distribution, for this θ.
    fn new(pmf: &Pmf, theta: f64) -> Self {
        let expectation = |of: &dyn Fn(f64) -> f64| -> f64 {
            pmf.outcomes().map(|(value, probability)| of(signed(value)) * probability).sum()
        };
        let mean = expectation(&|value| value);
        let variance = expectation(&|value| (value - mean).powi(2));
        let deviation = variance.sqrt().max(f64::MIN_POSITIVE);
        let theta = theta / STEPS.powi(2);
        let mut levels = Self { mean, deviation, theta, ln_means: Vec::new() };
        let mut probabilities: BTreeMap<i64, f64> = BTreeMap::new();
        for (value, probability) in pmf.outcomes() {
            *probabilities.entry(levels.level(value)).or_default() += probability;
        }
        for before in -MOST..=MOST {
            let weighted =
                probabilities.iter().map(|(level, p)| p * (theta * signed(level * before)).exp());
            levels.ln_means.push(weighted.sum::<f64>().ln());
        }
        levels
    }

    /// The level of a value.
    fn level(&self, value: i64) -> i64 {
        let level = STEPS * (signed(value) - self.mean) / self.deviation;
        let level = level.clamp(-signed(MOST), signed(MOST)).round();
        nearest_integer(level).expect("a rounded number")
    }

    /// ln of e^(θ·x·y)/E e^(θ·X·y) for the levels x and y = `before`.
    fn ln_ratio(&self, level: i64, before: i64) -> f64 {
        let index = usize::try_from(before + MOST).expect("no level is below the least");
        self.theta * signed(level * before) - self.ln_means[index]
    }
}
