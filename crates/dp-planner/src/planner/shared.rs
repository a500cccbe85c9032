//! What was found for a question, over all numbers of clients that are tried.

use std::cell::{Cell, RefCell};

use dp_calibration::{Budget, Corner, NoiseLaw, TrustModel, discrete_gaussian};
use dp_exact::{Epsilon, Rational};
use dp_task::{Mechanism, PolicyName, Randomizer, VdafType};

use super::Planner;
use crate::Error;
use crate::client::Local;
use crate::crowd::Crowd;
use crate::errors::Noise;
use crate::pools::OF_POLICIES;
use crate::promise::{Loose, Promise};

/// An ε of noise in a crowd, if one is known, and why more is provable, if that is so.
pub(super) type InCrowd = (Option<Rational>, Option<Loose>);

/// A noise of a type over so many reports in a trust model, and its promise.
type Stated = (VdafType, Noise, u64, TrustModel, Promise);

/// A noise in a crowd over some releases, and its ε.
pub(super) type Known = (Local, Crowd, u32, InCrowd);

/// A mechanism, its least noise, and why less may do.
pub(super) type Least = (Mechanism, NoiseLaw, Option<Loose>);

/// A law over some releases, with the noise of so many honest aggregators, and its ε.
pub(super) type OfLaw = (NoiseLaw, u32, u32, (Rational, Option<Loose>));

/// What the same question over all numbers of clients shares.
pub(super) struct Shared {
    pub(super) known: RefCell<Vec<Known>>,
    stated: RefCell<Vec<Stated>>,
    /// The fewest clients whose vectors have one bit, beside noise of aggregators, and all their noise.
    one_hot: RefCell<Vec<(Option<Mechanism>, u64, Noise)>>,
    pub(super) laws: RefCell<Vec<OfLaw>>,
    pub(super) least: RefCell<Vec<Least>>,
    /// The parameter of clients who keep the budget by themselves.
    alone: RefCell<Vec<(Randomizer, Epsilon)>>,
    /// The variance of Gaussian noise that keeps the budget where so many counts change, about.
    variances: RefCell<Vec<(u64, f64)>>,
    /// What a parameter that was found in a crowd is, as a part of what Gaussian noise suggests: of bits or
    /// of answers, by the number of counts that change.
    parts: RefCell<Vec<(bool, u64, f64)>>,
    /// Randomizers whose parameter in a crowd was not found.
    unsearched: RefCell<Vec<Randomizer>>,
    /// Units of work that are left for compositions of crowds, and for the promises of built policies.
    pub(super) of_crowds: Cell<u64>,
    of_policies: Cell<u64>,
}

impl Shared {
    pub(super) const fn new(of_crowds: u64) -> Self {
        Self {
            known: RefCell::new(Vec::new()),
            stated: RefCell::new(Vec::new()),
            one_hot: RefCell::new(Vec::new()),
            laws: RefCell::new(Vec::new()),
            least: RefCell::new(Vec::new()),
            alone: RefCell::new(Vec::new()),
            variances: RefCell::new(Vec::new()),
            parts: RefCell::new(Vec::new()),
            unsearched: RefCell::new(Vec::new()),
            of_crowds: Cell::new(of_crowds),
            of_policies: Cell::new(OF_POLICIES),
        }
    }
}

impl Planner<'_> {
    /// What the built policy was found to promise.
    pub(crate) fn stated(
        &self,
        policy: &PolicyName,
        noise: &Noise,
        model: TrustModel,
    ) -> Option<Promise> {
        let clients = self.job.clients;
        let stated = self.shared.stated.borrow();
        let mut found = stated.iter();
        let found = found.find(|(vdaf, one, over, of, _)| {
            *vdaf == policy.vdaf && one == noise && *over == clients && *of == model
        });
        found.map(|(.., promise)| promise.clone())
    }

    /// Notes it.
    pub(crate) fn note_stated(
        &self,
        policy: &PolicyName,
        noise: &Noise,
        model: TrustModel,
        promise: Promise,
    ) {
        let stated = (policy.vdaf, noise.clone(), self.job.clients, model, promise);
        self.shared.stated.borrow_mut().push(stated);
    }

    /// The fewest clients of a policy that differs in the name of its parameter alone, and their noise.
    pub(crate) fn twin(&self, policy: &PolicyName) -> Option<(u64, Noise)> {
        if !is_one_hot(policy.client_noise?) {
            return None;
        }
        let known = self.shared.one_hot.borrow();
        let mut found = known.iter();
        let (_, clients, noise) = found.find(|(one, ..)| *one == policy.aggregator_noise)?;
        Some((*clients, noise.clone()))
    }

    /// Notes them.
    pub(crate) fn note_twin(&self, policy: &PolicyName, clients: u64, noise: &Noise) {
        if policy.client_noise.is_some_and(is_one_hot) {
            let found = (policy.aggregator_noise, clients, noise.clone());
            self.shared.one_hot.borrow_mut().push(found);
        }
    }

    /// The work that is left for the promises of built policies.
    pub(crate) fn of_policies(&self) -> &Cell<u64> {
        &self.shared.of_policies
    }

    /// The largest parameter with which clients keep the budget by themselves.
    pub(crate) fn largest_alone(
        &self,
        randomizer: Randomizer,
        local: &Local,
        budget: &Budget,
        reports: u64,
    ) -> Result<Epsilon, Error> {
        let known = self.shared.alone.borrow();
        if let Some((_, found)) = known.iter().find(|(one, _)| *one == randomizer) {
            return Ok(found.clone());
        }
        drop(known);
        let found = local.largest(budget, reports)?;
        let mut known = self.shared.alone.borrow_mut();
        known.push((randomizer, found.clone()));
        Ok(found)
    }

    /// The variance of Gaussian noise that keeps ε at the δ that is wanted where so many counts change
    /// by one, about.
    pub(crate) fn variance_for(&self, counts: u64, epsilon: &Epsilon) -> Result<f64, Error> {
        let known = self.shared.variances.borrow();
        if let Some((_, found)) = known.iter().find(|(one, _)| *one == counts) {
            return Ok(*found);
        }
        drop(known);
        let corner = Corner::new(counts, 1u32)?;
        let noise = discrete_gaussian::calibrate(epsilon, &self.wanted.delta, &corner)?;
        let found = noise.variance.to_f64();
        self.shared.variances.borrow_mut().push((counts, found));
        Ok(found)
    }

    /// What was last found of such noise in a crowd, perhaps over another number of clients.
    pub(crate) fn part(&self, local: &Local, counts: u64) -> Option<f64> {
        let is_of_bits = matches!(local, Local::Bits { .. });
        let known = self.shared.parts.borrow();
        let mut found = known.iter().rev();
        let found = found.find(|(bits, of, _)| *bits == is_of_bits && *of == counts);
        found.map(|(.., part)| *part)
    }

    /// Notes it.
    pub(crate) fn note_part(&self, local: &Local, counts: u64, part: f64) {
        let is_of_bits = matches!(local, Local::Bits { .. });
        let mut known = self.shared.parts.borrow_mut();
        known.push((is_of_bits, counts, part));
    }

    /// Notes that the parameter of a randomizer in a crowd takes too long to find.
    pub(crate) fn give_up(&self, randomizer: Randomizer) {
        if !self.is_unsearched(randomizer) {
            self.shared.unsearched.borrow_mut().push(randomizer);
        }
    }

    /// Whether that was noted, perhaps over another number of clients.
    pub(crate) fn is_unsearched(&self, randomizer: Randomizer) -> bool {
        self.shared.unsearched.borrow().contains(&randomizer)
    }

    /// Whether less noise may do: the parameter of this policy's clients was found for each of them
    /// alone and not for the crowd, or that of its aggregators takes too long.
    pub(crate) fn gave_up(&self, policy: &PolicyName) -> bool {
        match (policy.client_noise, policy.aggregator_noise) {
            (Some(randomizer), None) => self.is_unsearched(randomizer),
            (_, Some(mechanism)) => {
                let least = self.shared.least.borrow();
                let mut found = least.iter().filter(|(one, ..)| *one == mechanism);
                found.any(|(.., loose)| loose.is_some())
            }
            (None, None) => false,
        }
    }
}

/// Whether the vectors of a randomizer have one bit that is set: basic RAPPOR is the other one with ε = 2ε₀.
pub(super) const fn is_one_hot(randomizer: Randomizer) -> bool {
    matches!(
        randomizer,
        Randomizer::OneHotRappor | Randomizer::BasicRappor
    )
}
