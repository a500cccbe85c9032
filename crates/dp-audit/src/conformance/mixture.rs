//! Tests for faults without a distribution of their own.
//!
//! A value falls into one of k classes: the quantiles of its expected distribution. Krichevsky and
//! Trofimov (1981) predict the class of the next value as (c + ½)/(n + k/2), where c of n values
//! fell into the class before. The product of these predictions over the expected probabilities is
//! a nonnegative martingale of mean 1 if the values are independent of each other and have the
//! expected distribution. It grows if they have any other distribution of classes.
//!
//! A mean of such martingales is one as well, whatever their dependence: each fault has the mean of
//! a number of mixtures that is fixed beforehand.

use std::collections::{BTreeMap, HashMap};
use std::iter::repeat_n;

use super::expected_release::{ExpectedRelease, ReleasedTotal, TotalInput};
use super::fault::Fault;
use super::pmf::Pmf;
use crate::binomial::float;

/// Smallest probability that counts as positive: above the error of the tables.
pub(super) const FLOOR: f64 = 1e-18;

/// Number of quantile classes; the last one has the values of probability 0.
const CLASSES: usize = 17;

/// Number of impossible values over which a mixture is spread: a fault that predicts the value
/// explains it better.
const IMPOSSIBLE: f64 = 1e4;

/// Largest number of different inputs whose totals get a mixture of their own.
const INPUTS: usize = 64;

/// Largest distance of two coordinates that get mixtures of their own.
const NEIGHBOURS: usize = 4;

/// A distribution whose outcomes are divided into quantile classes.
#[derive(Clone, Debug)]
pub(super) struct ClassifiedPmf {
    pub(super) pmf: Pmf,
    /// The quantile class of each outcome of the table.
    class_of: Vec<usize>,
    /// The probability of each quantile class.
    classes: [f64; CLASSES],
}

impl ClassifiedPmf {
    /// Puts each outcome into the class, of 16 of equal width, in which the middle of its quantiles
    /// lies. A 17th class has probability 0.
    pub(super) fn new(pmf: Pmf) -> Self {
        let mut classes = [0.0; CLASSES];
        let mut below = 0.0;
        let class_of = |(_, probability): (i64, f64)| {
            // The class of the middle of the outcome's quantiles.
            let middle = below + 0.5 * probability;
            let ends = (1..CLASSES - 1).map(|end| float(end as u64) / float(CLASSES as u64 - 1));
            let class = ends.take_while(|end| middle >= *end).count();
            classes[class] += probability;
            below += probability;
            class
        };
        let class_of = pmf.outcomes().map(class_of).collect();
        Self { pmf, class_of, classes }
    }

    /// The quantile class of a value; the last class for `None` and outside of the table.
    fn class(&self, value: Option<i64>) -> usize {
        let index = value.and_then(|value| self.pmf.index(value));
        index.map_or(CLASSES - 1, |index| self.class_of[index])
    }
}

/// The mixture over all distributions of classes, after some values.
#[derive(Clone, Debug, Default)]
struct ClassMixture {
    /// ln of the product of predicted over expected probabilities.
    ln_ratio: f64,
    counts: [u64; CLASSES],
}

impl ClassMixture {
    /// Multiplies the ratio by the predicted over the expected probability of the value's class,
    /// and counts it. `None`, a value that is no integer, falls into the last class.
    fn observe(&mut self, expected: &ClassifiedPmf, value: Option<i64>) {
        let class = expected.class(value);
        let all: u64 = self.counts.iter().sum();
        let predicted =
            (float(self.counts[class]) + 0.5) / (float(all) + 0.5 * float(CLASSES as u64));
        self.counts[class] += 1;
        let spread = if class == CLASSES - 1 { IMPOSSIBLE } else { 1.0 };
        self.ln_ratio += (predicted / spread / expected.classes[class].max(FLOOR)).ln();
    }
}

/// ln of the mean of numbers whose logarithms are given.
pub(super) fn ln_mean(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    ln_sum(logs.clone()) - float(logs.count().max(1) as u64).ln()
}

/// ln of the sum of numbers whose logarithms are given; −∞ for none.
pub(super) fn ln_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// The tests of all faults without a distribution of their own.
#[derive(Clone, Debug)]
pub(super) struct MixtureTests {
    /// One mixture of all coordinates or, if they depend on each other, one of each.
    values: Vec<ClassMixture>,
    /// A mixture for each of the first [`INPUTS`] different inputs. An input is the true totals of
    /// a collection alone, or with the true total of a coordinate; coordinates that depend on each
    /// other have an input each.
    by_input: BTreeMap<(Vec<i64>, Option<i64>, usize), ClassMixture>,
    /// `None` if coordinates depend on each other.
    combinations: Option<Combinations>,
}

impl MixtureTests {
    /// Tests without values so far. `noise` is the noise of all aggregators in a total. Sums and
    /// differences are not tested if it is too wide for the table of two totals.
    pub(super) fn new(expected: &ExpectedRelease, noise: Option<&Pmf>) -> Self {
        let has_pairs = expected.is_independent && expected.query.totals() > 1;
        let has_table = noise.is_none_or(|noise| noise.times(2).is_ok());
        Self {
            values: Vec::new(),
            by_input: BTreeMap::new(),
            combinations: (has_pairs && has_table).then(Combinations::default),
        }
    }

    /// Takes the totals of a collection whose true totals are `truths`. `distributions` has the
    /// distribution without faults for the input of each total, `noise` is the noise of all
    /// aggregators in a total.
    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        noise: Option<&Pmf>,
        distributions: &HashMap<TotalInput, ClassifiedPmf>,
        truths: &[i64],
        totals: &[ReleasedTotal],
    ) {
        let coordinates = if expected.is_independent { 1 } else { totals.len() };
        self.values.resize_with(coordinates, ClassMixture::default);
        for (index, total) in totals.iter().enumerate() {
            let sound = &distributions[&total.input];
            // Values of one mixture have to be independent of each other.
            let coordinate = if expected.is_independent { 0 } else { index };
            self.values[coordinate].observe(sound, total.value);
            for truth in [None, Some(total.input.truth)] {
                let input = (truths.to_vec(), truth, coordinate);
                if self.by_input.len() < INPUTS || self.by_input.contains_key(&input) {
                    self.by_input.entry(input).or_default().observe(sound, total.value);
                }
            }
        }
        if let Some(combinations) = &mut self.combinations {
            combinations.observe(expected, noise, totals);
        }
    }

    /// Each fault with ln of its martingale.
    pub(super) fn evidence(&self) -> impl Iterator<Item = (Fault, f64)> {
        let ln_ratio = |mixture: &ClassMixture| mixture.ln_ratio;
        let evidence = move |all: &[ClassMixture]| ln_mean(all.iter().map(ln_ratio));
        let combinations = self.combinations.as_ref();
        let dependent = combinations.map(|all| (Fault::WrongSums, evidence(&all.mixtures)));
        let values = (Fault::WrongDistribution, evidence(&self.values));
        // The number of mixtures is fixed; the ratio of one without values is 1.
        let unseen = repeat_n(0.0, INPUTS - self.by_input.len());
        let by_input = ln_mean(self.by_input.values().map(ln_ratio).chain(unseen));
        [values, (Fault::WrongForSomeData, by_input)].into_iter().chain(dependent)
    }
}

/// The test of sums and differences of independent totals, in time proportional to their number.
///
/// Noise of totals may have the right distribution in each of them, and depend on each other: noise
/// that is minus the noise of another total adds up to nothing. The mean is over
///
/// - the sum of all totals;
/// - the sums, and the differences, of pairs (i, i + s) without a common total, where s is another
///   one in each collection: a weak dependence of many pairs;
/// - the sum, and the difference, of each pair of totals whose distance is at most [`NEIGHBOURS`].
#[derive(Clone, Debug, Default)]
struct Combinations {
    collections: usize,
    /// The mixtures in the order of the list above.
    mixtures: Vec<ClassMixture>,
    /// The distribution of each sum, by the input of the sum, and of each difference, by the inputs
    /// of both totals; `None` if it is too wide for a table.
    tables: HashMap<(TotalInput, Option<TotalInput>), Option<ClassifiedPmf>>,
}

impl Combinations {
    /// Gives the sums and differences of a collection's totals to their mixtures; nothing if there
    /// is one total.
    fn observe(
        &mut self,
        expected: &ExpectedRelease,
        noise: Option<&Pmf>,
        totals: &[ReleasedTotal],
    ) {
        let count = totals.len();
        if count < 2 {
            return;
        }
        let neighbours = (1..=NEIGHBOURS.min(count - 1))
            .flat_map(|distance| (0..count - distance).map(move |first| (first, first + distance)));
        self.mixtures.resize_with(3 + 2 * neighbours.clone().count(), ClassMixture::default);
        let all = totals[1..].iter().try_fold(totals[0], |sum, total| sum.plus(*total));
        if let Some(all) = all {
            self.sum(0, expected, noise, all);
        }
        let distance = 1 + self.collections % (count - 1);
        self.collections += 1;
        // In blocks of `distance` totals, a pair begins at each total of every other block.
        for first in (0..count - distance).filter(|first| (first / distance).is_multiple_of(2)) {
            self.pair(1, expected, noise, [totals[first], totals[first + distance]]);
        }
        for (number, (first, second)) in neighbours.enumerate() {
            self.pair(3 + 2 * number, expected, noise, [totals[first], totals[second]]);
        }
    }

    /// Gives the sum of two totals to the mixture at `index`, and their difference to the next one;
    /// nothing if a total is no integer, or the distribution too wide for a table.
    fn pair(
        &mut self,
        index: usize,
        expected: &ExpectedRelease,
        noise: Option<&Pmf>,
        [first, second]: [ReleasedTotal; 2],
    ) {
        let Some(sum) = first.plus(second) else { return };
        self.sum(index, expected, noise, sum);
        let (one, other) = (first.without_truth(expected), second.without_truth(expected));
        let table = self.tables.entry((one.input, Some(other.input))).or_insert_with(|| {
            let [first, second] =
                [one, other].map(|total| expected.distribution(total.input, noise).ok());
            first?.plus(&second?.negated()).ok().map(ClassifiedPmf::new)
        });
        if let (Some(table), Some(one), Some(other)) = (table, one.value, other.value) {
            self.mixtures[index + 1].observe(table, Some(one - other));
        }
    }

    /// Gives a sum of totals to the mixture at `index`; nothing if its distribution is too wide for
    /// a table.
    fn sum(
        &mut self,
        index: usize,
        expected: &ExpectedRelease,
        noise: Option<&Pmf>,
        sum: ReleasedTotal,
    ) {
        let sum = sum.without_truth(expected);
        // Reports, ones and draws of independent totals add up, and so the sum is like one total.
        let table = self.tables.entry((sum.input, None)).or_insert_with(|| {
            expected.distribution(sum.input, noise).ok().map(ClassifiedPmf::new)
        });
        if let Some(table) = table {
            self.mixtures[index].observe(table, sum.value);
        }
    }
}
