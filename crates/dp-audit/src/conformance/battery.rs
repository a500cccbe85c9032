//! The products of likelihood ratios, one for each fault.

use std::collections::HashMap;

use super::expected::{ExpectedRelease, Noise, Total};
use super::faults::{Fault, near};
use super::pmf::Pmf;
use super::{Collected, FaultStatus, Verdict};
use crate::Error;
use crate::confidence::float;

/// A probability below which nothing is told apart: more than what tables leave out.
pub(super) const FLOOR: f64 = 1e-18;

/// Classes of quantiles, of which the last has what no law gives.
const CLASSES: usize = 17;

/// Over so many values that no law gives a mixture is spread: a fault that says which explains them better.
const IMPOSSIBLE: f64 = 1e4;

/// Every fault's product.
#[derive(Clone, Debug)]
pub(super) struct Battery {
    collections: u64,
    /// The law of the noise of all aggregators, as it should be.
    noise: Option<Pmf>,
    laws: HashMap<Total, Law>,
    products: Vec<Product>,
}

/// What should be released of a total.
#[derive(Clone, Debug)]
struct Law {
    law: Pmf,
    /// The probability of each class of quantiles.
    classes: [f64; CLASSES],
}

/// The product of one fault.
#[derive(Clone, Debug)]
struct Product {
    fault: Fault,
    noise: Option<Pmf>,
    laws: HashMap<Total, Pmf>,
    /// Of one draw that is used again and again.
    reused: Option<Pmf>,
    /// By coordinate.
    coordinates: Vec<Coordinate>,
    is_independent: bool,
}

/// What a product remembers of a coordinate.
#[derive(Clone, Debug)]
struct Coordinate {
    ln_ratio: f64,
    before: Option<(Total, f64)>,
    /// The probabilities of the draw that is used again.
    posterior: Option<Vec<f64>>,
    counts: [u64; CLASSES],
}

impl Battery {
    pub(super) fn new(expected: &ExpectedRelease) -> Result<Self, Error> {
        let one = expected.noise.as_ref().map(Noise::pmf).transpose()?;
        let noise = one.as_ref().map(|one| one.times(expected.aggregators)).transpose()?;
        let product = |fault: Fault| {
            let (noise, reused) = match (fault, &one) {
                (Fault::Reused(all), Some(one)) if all > 0 => {
                    let fresh = one.times(expected.aggregators.saturating_sub(all))?;
                    (Some(fresh), Some(one.times(all)?))
                }
                (_, one) => {
                    let noise = one.as_ref().map(|one| fault.noise(expected, one));
                    (noise.transpose()?, None)
                }
            };
            Ok::<_, Error>(Product {
                fault,
                noise,
                reused,
                laws: HashMap::new(),
                coordinates: Vec::new(),
                is_independent: expected.is_independent,
            })
        };
        let products = Fault::of(expected).into_iter().map(product);
        Ok(Self {
            collections: 0,
            noise,
            laws: HashMap::new(),
            products: products.collect::<Result<_, _>>()?,
        })
    }

    pub(super) const fn collections(&self) -> u64 {
        self.collections
    }

    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        collected: &Collected,
    ) -> Result<(), Error> {
        self.collections += 1;
        // Noise that is the same at two coordinates shows in what is left of the first one.
        let mut left = None;
        let values = collected.truths.iter().zip(&collected.released);
        for (place, (&truth, &released)) in values.enumerate() {
            let reports = collected.reports;
            let of = Total { reports, submitted: collected.submitted, truth };
            if !self.laws.contains_key(&of) {
                let law = expected.law(of, expected.clients, 0, self.noise.as_ref())?;
                self.laws.insert(of, Law::new(law));
            }
            let Some(law) = self.laws.get(&of) else {
                continue;
            };
            let seen = Seen { of, released, total: near(expected.total(of, released, 0)), left };
            for product in &mut self.products {
                product.observe(expected, law, &seen, place)?;
            }
            left = seen.total.map(|total| total - truth);
        }
        Ok(())
    }

    pub(super) fn verdicts(&self, error: f64, is_of_later_attempts: bool) -> Vec<Verdict> {
        let threshold = (float(self.products.len() as u64) / error).ln();
        let verdict = |product: &Product| {
            let (evidence, against) = product.evidence();
            let outcome = if evidence >= threshold {
                FaultStatus::Found
            } else if product.fault == Fault::WrongDistribution {
                // That there is none at all cannot be shown.
                FaultStatus::Open
            } else if evidence == 0.0 && against == 0.0 {
                FaultStatus::Invisible
            } else if against >= threshold {
                FaultStatus::Excluded
            } else {
                FaultStatus::Open
            };
            Verdict { fault: product.fault, is_of_later_attempts, outcome, evidence }
        };
        self.products.iter().map(verdict).collect()
    }
}

/// A value that was released.
struct Seen {
    of: Total,
    released: f64,
    total: Option<i64>,
    /// The noise of the coordinate before.
    left: Option<i64>,
}

impl Product {
    fn observe(
        &mut self,
        expected: &ExpectedRelease,
        law: &Law,
        seen: &Seen,
        place: usize,
    ) -> Result<(), Error> {
        // What independent coordinates have in common is counted once.
        let shared =
            if self.is_independent && self.fault == Fault::WrongDistribution { 0 } else { place };
        while self.coordinates.len() <= place.max(shared) {
            self.coordinates.push(Coordinate::new());
        }
        let of = seen.of;
        let clients = expected.clients.map(|flips| self.fault.clients(flips));
        let clients = clients.filter(|_| self.fault != Fault::NotRandomized);
        let heavier = self.fault.heavier();
        let has_law = !self.fault.depends_on_others() || self.reused.is_some();
        if has_law && !self.laws.contains_key(&of) {
            let law = expected.law(of, clients, heavier, self.noise.as_ref())?;
            self.laws.insert(of, law);
        }
        let usual = seen.total.map_or(0.0, |total| law.law.at(total)).max(FLOOR);
        let coordinate = &mut self.coordinates[shared];
        let ratio = match (self.fault, self.laws.get(&of), &self.reused) {
            (Fault::WrongDistribution, ..) => coordinate.class_ratio(law, seen.total),
            (Fault::SameEverywhere, ..) => {
                let is_same =
                    seen.left.is_some() && seen.total.map(|total| total - of.truth) == seen.left;
                repeated(seen.left.is_some(), is_same, usual)
            }
            (Fault::Reused(0), ..) => {
                let before = coordinate.before.replace((of, seen.released));
                let is_alike = before.is_some_and(|(before, _)| before == of);
                repeated(is_alike, before == Some((of, seen.released)), usual)
            }
            (_, Some(fresh), Some(reused)) => {
                coordinate.reused(fresh, reused, seen.total).max(FLOOR) / usual
            }
            (fault, Some(with), None) => {
                fault.probability(expected, of, with, seen.released).max(FLOOR) / usual
            }
            (_, None, _) => 1.0,
        };
        // How many reports there are tells something as well, once for each product.
        let reported = expected.ln_reported(of, clients, heavier)?.max(FLOOR.ln())
            - expected.ln_reported(of, expected.clients, 0)?.max(FLOOR.ln());
        coordinate.ln_ratio += ratio.ln() + reported;
        Ok(())
    }

    /// The log of the product and of that of the reciprocals.
    fn evidence(&self) -> (f64, f64) {
        let all = self.coordinates.iter().map(|coordinate| coordinate.ln_ratio);
        if self.is_independent {
            let sum: f64 = all.sum();
            return (sum, -sum);
        }
        (ln_mean(all.clone()), ln_mean(all.map(|ratio| -ratio)))
    }
}

/// Half of the time as it should be, half of the time as before, if there is something before.
fn repeated(can_be: bool, is_same: bool, usual: f64) -> f64 {
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

impl Law {
    fn new(law: Pmf) -> Self {
        let mut classes = [0.0; CLASSES];
        let mut below = 0.0;
        for (_, probability) in law.outcomes() {
            classes[class(below, probability)] += probability;
            below += probability;
        }
        Self { law, classes }
    }

    /// Of a value.
    fn class(&self, total: Option<i64>) -> usize {
        let Some(total) = total.filter(|total| self.law.at(*total) > 0.0) else {
            return CLASSES - 1;
        };
        let below = self.law.outcomes().take_while(|(outcome, _)| *outcome < total);
        let below = below.map(|(_, probability)| probability).sum();
        class(below, self.law.at(total))
    }
}

/// By the middle of the outcome's quantiles.
fn class(below: f64, probability: f64) -> usize {
    let steps = (0..CLASSES - 2).take_while(|step| {
        let end = float(*step as u64 + 1) / float(CLASSES as u64 - 1);
        below + 0.5 * probability >= end
    });
    steps.count()
}

impl Coordinate {
    fn new() -> Self {
        Self { ln_ratio: 0.0, before: None, posterior: None, counts: [0; CLASSES] }
    }

    /// (c + ½)/(n + k/2) over what the class should have, for k classes.
    fn class_ratio(&mut self, law: &Law, total: Option<i64>) -> f64 {
        let class = law.class(total);
        let all: u64 = self.counts.iter().sum();
        let predicted =
            (float(self.counts[class]) + 0.5) / (float(all) + 0.5 * float(CLASSES as u64));
        self.counts[class] += 1;
        let spread = if class == CLASSES - 1 { IMPOSSIBLE } else { 1.0 };
        predicted / spread / law.classes[class].max(FLOOR)
    }

    /// The probability of a total, if a draw that was made once is in all of them; what is known of the draw after it.
    fn reused(&mut self, fresh: &Pmf, reused: &Pmf, total: Option<i64>) -> f64 {
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
            // It cannot have been so: the product is small, and stays so.
            *posterior = prior();
        }
        sum
    }
}
