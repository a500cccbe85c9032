//! The sequential tests: a product of likelihood ratios for each fault.

use std::collections::HashMap;

use super::expected_release::{ExpectedRelease, TotalInput};
use super::fault::{Fault, nearest_integer};
use super::matrix_coordinates::Coordinate;
use super::pmf::Pmf;
use super::{Collected, FaultStatus, Verdict};
use crate::Error;
use crate::confidence::float;

/// Smallest probability that counts as positive: above the error of the tables.
const FLOOR: f64 = 1e-18;

/// Number of quantile classes; the last one has the values of probability 0.
const CLASSES: usize = 17;

/// Number of impossible values over which a mixture is spread: a fault that predicts the value
/// explains it better.
const IMPOSSIBLE: f64 = 1e4;

/// The tests of all faults.
#[derive(Clone, Debug)]
pub(super) struct FaultTests {
    pub(super) collections: u64,
    /// The expected noise of all aggregators.
    noise: Option<Pmf>,
    totals: HashMap<TotalInput, ExpectedTotal>,
    tests: Vec<FaultTest>,
}

/// The expected distribution of a total.
#[derive(Clone, Debug)]
struct ExpectedTotal {
    total: Pmf,
    /// The quantile class of each outcome of the table.
    class_of: Vec<usize>,
    /// The probability of each quantile class.
    classes: [f64; CLASSES],
}

/// The test of one fault.
#[derive(Clone, Debug)]
struct FaultTest {
    fault: Fault,
    /// The release with clients that have the fault.
    faulty: ExpectedRelease,
    /// The noise of all aggregators with the fault, except for a draw that is reused.
    noise: Option<Pmf>,
    totals: HashMap<TotalInput, Pmf>,
    /// The distribution of a draw that is made once and reused.
    reused: Option<Pmf>,
    coordinates: Vec<CoordinateState>,
}

/// The state of a test for one coordinate.
#[derive(Clone, Debug, Default)]
struct CoordinateState {
    ln_ratio: f64,
    before: Option<(TotalInput, f64)>,
    /// The posterior of the reused draw.
    posterior: Option<Vec<f64>>,
    counts: [u64; CLASSES],
}

impl FaultTests {
    pub(super) fn new(expected: &ExpectedRelease) -> Result<Self, Error> {
        let one = expected.draw()?;
        let noise = one.as_ref().map(|one| one.times(expected.aggregators)).transpose()?;
        let test = |fault: Fault| {
            let reused = match (fault, &one) {
                (Fault::Reused(all), Some(one)) if all > 0 => Some(one.times(all)?),
                _ => None,
            };
            Ok(FaultTest {
                fault,
                faulty: fault.with_clients(expected.clone()),
                noise: one.as_ref().map(|one| fault.noise(expected, one)).transpose()?,
                reused,
                totals: HashMap::new(),
                coordinates: Vec::new(),
            })
        };
        let tests = Fault::of(expected, one.is_some())
            .into_iter()
            .map(test)
            .collect::<Result<_, Error>>()?;
        Ok(Self { collections: 0, noise, totals: HashMap::new(), tests })
    }

    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        collected: &Collected,
    ) -> Result<(), Error> {
        self.collections += 1;
        let mut noise_before = None;
        for (place, coordinate) in expected.coordinates(collected).into_iter().enumerate() {
            let Collected { reports, submitted, .. } = *collected;
            let Coordinate { truth, released, draws } = coordinate;
            let input = TotalInput { reports, submitted, truth, draws };
            if !self.totals.contains_key(&input) {
                let noise = self.noise.as_ref().map(|noise| noise.times(draws)).transpose()?;
                let total = expected.distribution(input, noise.as_ref())?;
                self.totals.insert(input, ExpectedTotal::new(total));
            }
            let total = nearest_integer(expected.total(input, released, 0));
            let sound = &self.totals[&input];
            for test in &mut self.tests {
                test.observe(expected, sound, place, (input, released, total), noise_before)?;
            }
            noise_before = total.map(|total| total - truth);
        }
        Ok(())
    }

    pub(super) fn verdicts(&self, error: f64, is_of_later_attempts: bool) -> Vec<Verdict> {
        let threshold = (float(self.tests.len() as u64) / error).ln();
        let verdict = |test: &FaultTest| {
            let (evidence, against) = test.evidence();
            let outcome = if evidence >= threshold {
                FaultStatus::Found
            } else if test.fault == Fault::WrongDistribution {
                // That no other distribution applies cannot be shown.
                FaultStatus::Open
            } else if evidence == 0.0 && against == 0.0 {
                FaultStatus::Invisible
            } else if against >= threshold {
                FaultStatus::Excluded
            } else {
                FaultStatus::Open
            };
            Verdict { fault: test.fault, is_of_later_attempts, outcome, evidence }
        };
        self.tests.iter().map(verdict).collect()
    }
}

impl FaultTest {
    /// Takes the released value of the coordinate at index `place` with its total, if that is an
    /// integer; `noise_before` is the noise of the coordinate before.
    fn observe(
        &mut self,
        expected: &ExpectedRelease,
        sound: &ExpectedTotal,
        place: usize,
        (input, released, total): (TotalInput, f64, Option<i64>),
        noise_before: Option<i64>,
    ) -> Result<(), Error> {
        // Independent coordinates have one count of classes in common.
        let place = if expected.is_independent && self.fault == Fault::WrongDistribution {
            0
        } else {
            place
        };
        if self.coordinates.len() <= place {
            self.coordinates.resize_with(place + 1, CoordinateState::default);
        }
        let coordinate = &mut self.coordinates[place];
        let usual = total.map_or(0.0, |total| sound.total.at(total)).max(FLOOR);
        let ratio = match (self.fault, &self.reused) {
            (Fault::WrongDistribution, _) => coordinate.class_ratio(sound, total),
            (Fault::SameEverywhere, _) => {
                let is_same = total.map(|total| total - input.truth) == noise_before;
                repeated_ratio(noise_before.is_some(), is_same, usual)
            }
            (Fault::Reused(0), _) => {
                let before = coordinate.before.replace((input, released));
                let can_be = before.is_some_and(|(before, _)| before == input);
                repeated_ratio(can_be, before == Some((input, released)), usual)
            }
            (fault, reused) => {
                if !self.totals.contains_key(&input) {
                    let noise = self.noise.as_ref();
                    let noise = noise.map(|noise| noise.times(input.draws)).transpose()?;
                    let total = self.faulty.distribution(input, noise.as_ref())?;
                    self.totals.insert(input, total);
                }
                let faulty = &self.totals[&input];
                let probability = match reused {
                    Some(reused) => {
                        let reused = reused.times(input.draws)?;
                        coordinate.reused_probability(faulty, &reused, total)
                    }
                    None => fault.probability(expected, input, faulty, released),
                };
                probability.max(FLOOR) / usual
            }
        };
        // The number of reports is evidence as well.
        let reported = self.faulty.ln_reported(input)?.max(FLOOR.ln())
            - expected.ln_reported(input)?.max(FLOOR.ln());
        coordinate.ln_ratio += ratio.ln() + reported;
        Ok(())
    }

    /// The log of the product, and of the product of the reciprocals. Products of dependent
    /// coordinates, and of a fault of one coordinate, are averaged: a mean of martingales is one.
    fn evidence(&self) -> (f64, f64) {
        let all = self.coordinates.iter().map(|coordinate| coordinate.ln_ratio);
        if self.fault == Fault::BareTotal {
            // Which total it would be is not known: the fault is excluded where each of them is.
            return (ln_mean(all.clone()), all.map(|ratio| -ratio).fold(f64::INFINITY, f64::min));
        }
        if self.faulty.is_independent {
            let sum: f64 = all.sum();
            return (sum, -sum);
        }
        (ln_mean(all.clone()), ln_mean(all.map(|ratio| -ratio)))
    }
}

/// The likelihood ratio of a value that is repeated with probability 1/2, if it can be.
fn repeated_ratio(can_be: bool, is_same: bool, usual: f64) -> f64 {
    match (can_be, is_same) {
        (false, _) => 1.0,
        (true, false) => 0.5,
        (true, true) => 0.5 + 0.5 / usual,
    }
}

fn ln_mean(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    let (sum, count) =
        logs.fold((0.0, 0.0), |(sum, count), log| (sum + (log - largest).exp(), count + 1.0));
    largest + (sum / f64::max(count, 1.0)).ln()
}

impl ExpectedTotal {
    fn new(total: Pmf) -> Self {
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
        let class_of = total.outcomes().map(class_of).collect();
        Self { total, class_of, classes }
    }

    /// The quantile class of a value.
    fn class(&self, total: Option<i64>) -> usize {
        let place = total.and_then(|total| self.total.index(total));
        place.map_or(CLASSES - 1, |place| self.class_of[place])
    }
}

impl CoordinateState {
    /// Krichevsky and Trofimov's (c + ½)/(n + k/2) for k classes, over the expected probability.
    fn class_ratio(&mut self, expected: &ExpectedTotal, total: Option<i64>) -> f64 {
        let class = expected.class(total);
        let all: u64 = self.counts.iter().sum();
        let predicted =
            (float(self.counts[class]) + 0.5) / (float(all) + 0.5 * float(CLASSES as u64));
        self.counts[class] += 1;
        let spread = if class == CLASSES - 1 { IMPOSSIBLE } else { 1.0 };
        predicted / spread / expected.classes[class].max(FLOOR)
    }

    /// The probability of a total that contains a reused draw. Updates the posterior of the draw.
    fn reused_probability(&mut self, fresh: &Pmf, reused: &Pmf, total: Option<i64>) -> f64 {
        let Some(total) = total else { return 0.0 };
        let prior = || reused.outcomes().map(|(_, probability)| probability).collect();
        let posterior = self.posterior.get_or_insert_with(prior);
        let mut sum = 0.0;
        for (probability, (draw, _)) in posterior.iter_mut().zip(reused.outcomes()) {
            *probability *= fresh.at(total - draw);
            sum += *probability;
        }
        if sum > 0.0 {
            posterior.iter_mut().for_each(|probability| *probability /= sum);
        } else {
            // No draw explains the totals: the product is small, and stays so.
            *posterior = prior();
        }
        sum
    }
}
