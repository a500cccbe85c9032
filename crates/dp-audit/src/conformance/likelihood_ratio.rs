//! The evidence for each fault: a product of likelihood ratios.

use std::collections::HashMap;

use super::batches::BatchTests;
use super::expected_release::{ExpectedRelease, ReleasedTotal, TotalInput};
use super::fault::Fault;
use super::k_norm::JointNoise;
use super::mixture::{ClassifiedPmf, FLOOR, MixtureTests, ln_mean};
use super::pmf::Pmf;
use super::{Collected, FaultStatus, Verdict};
use crate::Error;
use crate::binomial::float;

/// A fault does not show up to this mean |ln| of a collection's ratios: millions would not exclude
/// it.
const LEAST_VISIBLE: f64 = 1e-6;

/// The evidence for all faults.
#[derive(Clone, Debug)]
pub(super) struct FaultEvidence {
    pub(super) collections: u64,
    /// The expected noise of all aggregators in a total.
    noise: Option<Pmf>,
    /// The expected noise in all totals together, if that is K-norm noise.
    joint: Option<JointNoise>,
    totals: HashMap<TotalInput, ClassifiedPmf>,
    ratios: Vec<LikelihoodRatio>,
    mixtures: MixtureTests,
    batches: BatchTests,
}

/// The likelihood ratio of a fault with a known distribution.
#[derive(Clone, Debug)]
struct LikelihoodRatio {
    fault: Fault,
    /// The release with clients that have the fault.
    faulty: ExpectedRelease,
    /// The noise of all aggregators with the fault.
    noise: Option<Pmf>,
    /// K-norm noise with the fault in all totals together, which are one coordinate then.
    joint: Option<JointNoise>,
    totals: HashMap<TotalInput, Pmf>,
    /// ln of the likelihood ratio in each coordinate.
    coordinates: Vec<f64>,
    /// Sum of |ln| of all likelihood ratios, over collections and coordinates.
    visible: f64,
}

impl FaultEvidence {
    /// No evidence yet, for every fault that is tested. `Err` if noise is too wide for a table.
    pub(super) fn new(expected: &ExpectedRelease) -> Result<Self, Error> {
        let one = expected.draw()?;
        let noise = one.as_ref().map(|one| one.times(expected.aggregators)).transpose()?;
        let joint =
            |fault: Fault| expected.k_norm.as_ref().map_or(Ok(None), |k_norm| fault.joint(k_norm));
        let ratio = |fault: Fault| {
            Ok(LikelihoodRatio {
                fault,
                faulty: fault.with_clients(expected.clone()),
                noise: one.as_ref().map(|one| fault.noise(expected, one)).transpose()?,
                joint: joint(fault)?,
                totals: HashMap::new(),
                coordinates: Vec::new(),
                visible: 0.0,
            })
        };
        let ratios = Fault::of(expected, one.is_some())
            .into_iter()
            .map(ratio)
            .collect::<Result<_, Error>>()?;
        let mixtures = MixtureTests::new(expected, noise.as_ref());
        Ok(Self {
            collections: 0,
            noise,
            // All scales multiplied by 1 are no fault.
            joint: joint(Fault::Scaled(1, 1))?,
            totals: HashMap::new(),
            ratios,
            mixtures,
            batches: BatchTests::new(),
        })
    }

    /// Multiplies the likelihood ratio of every fault by the ratio for this collection.
    pub(super) fn observe(
        &mut self,
        expected: &ExpectedRelease,
        collected: &Collected,
    ) -> Result<(), Error> {
        self.collections += 1;
        let totals = expected.totals(collected);
        for (index, total) in totals.iter().enumerate() {
            let input = total.input;
            if !self.totals.contains_key(&input) {
                let table = expected.distribution(input, self.noise.as_ref())?;
                self.totals.insert(input, ClassifiedPmf::new(table));
            }
            let sound = &self.totals[&input];
            for ratio in self.ratios.iter_mut().filter(|ratio| ratio.joint.is_none()) {
                ratio.observe(expected, sound, index, *total)?;
            }
        }
        let (noise, truths) = (self.noise.as_ref(), &collected.truths);
        self.mixtures.observe(expected, noise, &self.totals, truths, &totals);
        let error = |total: &ReleasedTotal| total.value?.checked_sub(total.input.truth);
        let errors: Option<Vec<i64>> = totals.iter().map(error).collect();
        let mut ln_joint = None;
        if let (Some(sound), Some(errors)) = (&self.joint, &errors) {
            let floor = float(errors.len() as u64) * FLOOR.ln();
            let ln_sound = sound.ln_probability(errors).max(floor);
            for ratio in &mut self.ratios {
                if let Some(faulty) = &ratio.joint {
                    let ln_faulty = faulty.ln_probability(errors).max(floor);
                    ratio.coordinates.resize(1, 0.0);
                    ratio.coordinates[0] += ln_faulty - ln_sound;
                    ratio.visible += (ln_faulty - ln_sound).abs();
                }
            }
            ln_joint = Some(ln_sound);
        }
        self.batches.observe(expected, &self.totals, &totals, ln_joint);
        Ok(())
    }

    /// The verdict on each fault at a likelihood ratio of at least the number of faults over
    /// `error`: for it, the likeliest is found and others are secondary; against it, excluded if
    /// its distribution is known. Invisible if the mean |ln| of its ratios over all collections is
    /// at most [`LEAST_VISIBLE`]; else open.
    pub(super) fn verdicts(&self, error: f64, is_of_later_attempts: bool) -> Vec<Verdict> {
        let others = || self.mixtures.evidence().chain(self.batches.evidence());
        let faults = self.ratios.len() + others().count();
        let threshold = (float(faults as u64) / error).ln();
        let verdict = |fault, outcome, evidence| match evidence >= threshold {
            true => Verdict { fault, is_of_later_attempts, outcome: FaultStatus::Found, evidence },
            false => Verdict { fault, is_of_later_attempts, outcome, evidence },
        };
        let with_distribution = self.ratios.iter().map(|ratio| {
            let (evidence, against) = ratio.evidence();
            let outcome = if ratio.visible <= LEAST_VISIBLE * float(self.collections) {
                FaultStatus::Invisible
            } else if against >= threshold {
                FaultStatus::Excluded
            } else {
                FaultStatus::Open
            };
            verdict(ratio.fault, outcome, evidence)
        });
        // That no other distribution applies cannot be shown.
        let others = others().map(|(fault, evidence)| verdict(fault, FaultStatus::Open, evidence));
        let mut verdicts: Vec<Verdict> = with_distribution.chain(others).collect();
        let likeliest = verdicts.iter().map(|one| one.evidence).fold(f64::NEG_INFINITY, f64::max);
        for verdict in &mut verdicts {
            if verdict.outcome == FaultStatus::Found && verdict.evidence < likeliest {
                verdict.outcome = FaultStatus::Secondary;
            }
        }
        verdicts
    }
}

impl LikelihoodRatio {
    /// Multiplies the ratio of the coordinate at `index` by the ratio of its released total, whose
    /// distribution without faults is `sound`.
    fn observe(
        &mut self,
        expected: &ExpectedRelease,
        sound: &ClassifiedPmf,
        index: usize,
        ReleasedTotal { input, released, value }: ReleasedTotal,
    ) -> Result<(), Error> {
        if self.coordinates.len() <= index {
            self.coordinates.resize(index + 1, 0.0);
        }
        let usual = value.map_or(0.0, |value| sound.pmf.at(value)).max(FLOOR);
        if !self.totals.contains_key(&input) {
            let total = self.faulty.distribution(input, self.noise.as_ref())?;
            self.totals.insert(input, total);
        }
        let faulty = &self.totals[&input];
        let probability = self.fault.probability(expected, input, faulty, released);
        let ln_ratio = (probability.max(FLOOR) / usual).ln();
        self.coordinates[index] += ln_ratio;
        self.visible += ln_ratio.abs();
        Ok(())
    }

    /// The logs of the evidence for the fault and against it: of the product of likelihood ratios,
    /// and of the product of their reciprocals. Products of dependent coordinates, and of a fault
    /// of one coordinate, are averaged: a mean of martingales is one.
    fn evidence(&self) -> (f64, f64) {
        let all = self.coordinates.iter().copied();
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
