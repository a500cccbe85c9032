//! Tests for noise that depends on earlier batches, and for batches without noise.
//!
//! Whatever the batches before it were, the noise z of a batch should have its distribution P. Each
//! bet against that is another distribution Q of z, given all batches before:
//!
//! - z is one of n known vectors, each equally likely: Q/P = m/(n·P(z)) where m of the vectors are
//!   z. They are 0; plus and minus the noise of all earlier batches; plus and minus the noise of
//!   one;
//! - z is correlated with the noise of one earlier batch, at the same entries or at those beside:
//!   Q/P = Π e^(θ·x·y)/E e^(θ·X·y) over all entries, where x is the entry of z and y the entry of
//!   the earlier batch, in standard deviations, y in whole halves. If one aggregator of k has the
//!   noise of that batch again, the correlation is 1/k: so θ = ±1/k.
//!
//! Money is put on a bet in every batch, in some, or in every n-th one ([`Bet`]). The sum of all
//! wins is a nonnegative martingale that begins with at most 1.

use std::collections::{HashMap, VecDeque};
use std::sync::LazyLock;

use super::expected_release::{ExpectedRelease, ReleasedTotal, TotalInput};
use super::fault::Fault;
use super::mixture::{ClassifiedPmf, FLOOR, ln_sum};
use super::pmf::Pmf;
use crate::binomial::{float, nearest_integer, signed};

/// Largest distance of two batches of which one is bet to determine the other.
const LAGS: usize = 8;

/// Distances from an entry to the one of an earlier batch with which it is correlated.
const SHIFTS: [isize; 3] = [0, 1, -1];

/// Largest number of batches of which always the same one is bet on.
const PERIODS: u64 = 32;

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
    tilts: HashMap<TotalInput, Tilt>,
}

/// A batch that others are compared with.
#[derive(Clone, Debug)]
struct Batch {
    /// The noise of each total; empty if a total is no integer.
    noise: Vec<i64>,
    /// Each total in halves of standard deviations, rounded.
    halves: Vec<i64>,
}

impl BatchTests {
    /// Tests without batches so far. The stakes on each fault sum to at most 1.
    pub(super) fn new() -> Self {
        // `repeated`, `copied` and `correlated` have a third each. Of 1/(n(n + 1)) over all
        // distances n from 1 on the sum is 1; correlations share it among all shifts and both
        // signs.
        let by_lag = (1..=LAGS as u64).map(|lag| 1.0 / float(3 * lag * (lag + 1)));
        let bets = 2 * SHIFTS.len();
        let shared = |stake: f64| vec![Bet::new(stake / float(bets as u64)); bets];
        Self {
            batches: 0,
            bare: Bet::new(1.0),
            repeated: Bet::new(1.0 / 3.0),
            earlier: HashMap::new(),
            recent: VecDeque::new(),
            copied: by_lag.clone().map(Bet::new).collect(),
            correlated: by_lag.flat_map(shared).collect(),
            tilts: HashMap::new(),
        }
    }

    /// Settles every bet at Q/P of a batch's noise, and keeps the noise for later bets.
    /// `distributions` has the distribution without faults for the input of each total. `ln_joint`,
    /// ln of P of all totals together, replaces the product of their single ones; without it only
    /// the first of dependent totals is tested. Where a total is no integer, no noise equals it.
    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        distributions: &HashMap<TotalInput, ClassifiedPmf>,
        totals: &[ReleasedTotal],
        ln_joint: Option<f64>,
    ) {
        let is_known = expected.is_independent || ln_joint.is_some();
        let totals = if is_known { totals } else { &totals[..1] };
        // Products of correlated entries are for independent ones.
        let correlated_entries = if expected.is_independent { totals.len() } else { 1 };
        let theta = 1.0 / f64::from(expected.aggregators.max(2));
        let (mut ln_probability, mut standard) = (0.0, Vec::new());
        for ReleasedTotal { input, value, .. } in totals {
            let pmf = &distributions[input].pmf;
            ln_probability += value.map_or(0.0, |value| pmf.at(value)).max(FLOOR).ln();
            let tilt = self.tilts.entry(*input).or_insert_with(|| Tilt::new(pmf, theta));
            standard.push(value.map_or(0.0, |value| tilt.standard(signed(value))));
        }
        let ln_probability = ln_joint.unwrap_or(ln_probability);
        let added = |total: &ReleasedTotal| total.value?.checked_sub(total.input.truth);
        let noise: Option<_> = totals.iter().map(added).collect();
        let rounded = |x: &f64| nearest_integer((2.0 * x).round()).expect("a rounded number");
        let halves = standard.iter().map(rounded).collect();
        let batch = Batch { noise: noise.unwrap_or_default(), halves };
        let negated: Vec<i64> = batch.noise.iter().map(|entry| entry.saturating_neg()).collect();
        // ln of m/(n·P(z)), where `equal` of the `known` vectors are the noise.
        let ln_known = |equal: u64, known: u64| match batch.noise.is_empty() {
            true => f64::NEG_INFINITY,
            false => (float(equal) / float(known)).ln() - ln_probability,
        };

        let is_bare = batch.noise.iter().all(|entry| *entry == 0);
        self.bare.settle(self.batches, ln_known(is_bare.into(), 1));
        if self.batches > 0 {
            let had = |noise: &Vec<i64>| self.earlier.get(noise).map_or(0, |count| *count);
            let repeats = had(&batch.noise) + had(&negated);
            self.repeated.settle(self.batches, ln_known(repeats, 2 * self.batches));
        }
        let mut correlated = self.correlated.iter_mut();
        for (earlier, copied) in self.recent.iter().zip(&mut self.copied) {
            let copies = [&batch.noise, &negated].map(|noise| u64::from(*noise == earlier.noise));
            copied.settle(self.batches, ln_known(copies.iter().sum(), 2));
            for (shift, sign) in SHIFTS.into_iter().flat_map(|shift| [(shift, 1), (shift, -1)]) {
                let ln_tilted = |(index, (x, total)): (usize, (&f64, &ReleasedTotal))| {
                    let before = earlier.halves.get(index.checked_add_signed(shift)?)?;
                    Some(self.tilts[&total.input].ln_ratio(*x, sign * before))
                };
                let entries = standard.iter().zip(totals).take(correlated_entries).enumerate();
                let bet = correlated.next().expect("a bet for each distance, shift and sign");
                bet.settle(self.batches, entries.filter_map(ln_tilted).sum());
            }
        }
        *self.earlier.entry(batch.noise.clone()).or_default() += 1;
        self.recent.truncate(LAGS - 1);
        self.recent.push_front(batch);
        self.batches += 1;
    }

    /// Each fault with ln of its martingale.
    pub(super) fn evidence(&self) -> [(Fault, f64); 2] {
        let dependent = self.copied.iter().chain(&self.correlated).chain([&self.repeated]);
        let dependent = ln_sum(dependent.flat_map(|bet| bet.0.iter().copied()));
        [
            (Fault::BareBatches, ln_sum(self.bare.0.iter().copied())),
            (Fault::DependentBatches, dependent),
        ]
    }
}

/// Batch `first` and every `period`-th one after it are bet on, with `part` of the money on Q and
/// the other part on P. The schedule has the part `weight` of a bet's stake.
struct Schedule {
    period: u64,
    first: u64,
    part: f64,
    weight: f64,
}

/// The schedules of every bet. Their weights have a sum of at most 1: of 1/(p²(p − 1)) over the
/// first batches 0 to p − 1 and the periods p from 2 on the sum is 1.
static SCHEDULES: LazyLock<Vec<Schedule>> = LazyLock::new(|| {
    let every = |part| Schedule { period: 1, first: 0, part, weight: 0.125 };
    let periodic = (2..=PERIODS).flat_map(|period| {
        let weight = 0.5 / float(period * period * (period - 1));
        (0..period).map(move |first| Schedule { period, first, part: 0.97, weight })
    });
    [0.9, 0.5, 0.05, 0.005].map(every).into_iter().chain(periodic).collect()
});

/// The wins of a bet on Q by each [`Schedule`]: ln of the product of (1 − part + part·Q/P) over its
/// batches, times the stake and its weight.
#[derive(Clone, Debug)]
struct Bet(Vec<f64>);

impl Bet {
    /// The bet before the first batch, with this stake: a part of all money.
    fn new(stake: f64) -> Self {
        Self(SCHEDULES.iter().map(|schedule| (stake * schedule.weight).ln()).collect())
    }

    /// Multiplies the wins by those in the batch of this number, for which ln(Q/P) is `ln_ratio`.
    fn settle(&mut self, batch: u64, ln_ratio: f64) {
        let largest = ln_ratio.max(0.0);
        for (wins, &Schedule { period, first, part, .. }) in self.0.iter_mut().zip(&*SCHEDULES) {
            if batch % period == first {
                // Both are divided by the larger one, which may be beyond the range of floats.
                let win = (1.0 - part) * (-largest).exp() + part * (ln_ratio - largest).exp();
                *wins += largest + win.ln();
            }
        }
    }
}

/// The likelihood ratio of a total x that is correlated with an earlier entry y, both in standard
/// deviations: e^(θ·x·y)/E e^(θ·X·y), where X is the total without faults.
#[derive(Clone, Debug)]
struct Tilt {
    mean: f64,
    deviation: f64,
    theta: f64,
    /// ln of E e^(θ·X·y) for y from −3 to 3 in halves.
    ln_means: Vec<f64>,
}

impl Tilt {
    /// Totals of this distribution, and this θ.
    fn new(pmf: &Pmf, theta: f64) -> Self {
        let expectation = |of: &dyn Fn(f64) -> f64| -> f64 {
            pmf.outcomes().map(|(value, probability)| of(signed(value)) * probability).sum()
        };
        let mean = expectation(&|value| value);
        let variance = expectation(&|value| (value - mean).powi(2));
        let mut tilt = Self { mean, deviation: variance.sqrt(), theta, ln_means: Vec::new() };
        let ln_mean = |halves: i64| {
            let power = 0.5 * theta * signed(halves);
            expectation(&|value| (power * tilt.standard(value)).exp()).ln()
        };
        tilt.ln_means = (-6..=6).map(ln_mean).collect();
        tilt
    }

    /// A value in standard deviations from the mean, cut to −3 to 3 of them.
    fn standard(&self, value: f64) -> f64 {
        // Where nothing varies, all is 0.
        let deviation = self.deviation.max(f64::MIN_POSITIVE);
        ((value - self.mean) / deviation).clamp(-3.0, 3.0)
    }

    /// ln of the likelihood ratio for x in standard deviations and y in halves of them.
    fn ln_ratio(&self, x: f64, halves: i64) -> f64 {
        let index = usize::try_from(halves + 6).expect("y is from −3 to 3");
        0.5 * self.theta * x * signed(halves) - self.ln_means[index]
    }
}
