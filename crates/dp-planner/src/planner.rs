//! One question: a job and what is wanted, with what was already computed of crowds.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use dp_amplification::aggregated_rappor::{MultiHot, WeightLimit};
use dp_calibration::{Budget, Corner, NoiseLaw, TrustModel, discrete_gaussian};
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::randomizers::Rappor;
use dp_task::{Mechanism, PolicyName, Randomizer, VdafType};

use crate::client::Local;
use crate::crowd::Crowd;
use crate::errors::Noise;
use crate::pools::{OF_CROWDS, OF_POLICIES, OF_STATED_CROWDS, pooled};
use crate::promise::{Loose, Promise, Promises};
use crate::wanted::{Against, Scope, Wanted};
use crate::{Error, Job, aggregator};

/// An ε of noise in a crowd, if one is known, and why more is provable, if that is so.
type InCrowd = (Option<Rational>, Option<Loose>);

/// A noise of a type in a trust model, and its promise.
pub(crate) type Stated = (VdafType, Noise, TrustModel, Promise);

/// A noise in a crowd over some releases, and its ε.
type Known = (Local, Crowd, u32, InCrowd);

/// A mechanism, its least noise, and why less may do.
type Least = (Mechanism, NoiseLaw, Option<Loose>);

/// A law over some releases, with the noise of so many honest aggregators, and its ε.
type OfLaw = (NoiseLaw, u32, u32, (Rational, Option<Loose>));

pub(crate) struct Planner<'a> {
    pub(crate) job: &'a Job,
    pub(crate) wanted: &'a Wanted,
    shared: Rc<Shared>,
    pub(crate) stated: RefCell<Vec<Stated>>,
    /// Whether parameters in crowds are only estimated, to find a number of clients.
    is_sketch: bool,
}

/// What the same question over all numbers of clients shares.
struct Shared {
    known: RefCell<Vec<Known>>,
    laws: RefCell<Vec<OfLaw>>,
    least: RefCell<Vec<Least>>,
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
    of_crowds: Cell<u64>,
    of_policies: Cell<u64>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(job: &'a Job, wanted: &'a Wanted) -> Self {
        let is_asked = matches!(wanted.against, Against::Collector);
        let of_crowds = if is_asked {
            OF_CROWDS
        } else {
            OF_STATED_CROWDS
        };
        let shared = Shared {
            known: RefCell::new(Vec::new()),
            laws: RefCell::new(Vec::new()),
            least: RefCell::new(Vec::new()),
            alone: RefCell::new(Vec::new()),
            variances: RefCell::new(Vec::new()),
            parts: RefCell::new(Vec::new()),
            unsearched: RefCell::new(Vec::new()),
            of_crowds: Cell::new(of_crowds),
            of_policies: Cell::new(OF_POLICIES),
        };
        Self {
            job,
            wanted,
            shared: Rc::new(shared),
            stated: RefCell::new(Vec::new()),
            is_sketch: false,
        }
    }

    /// The same question over another number of clients: what was found and what does not depend on it
    /// is known, and the work that is left is left for both.
    pub(crate) fn of_size<'b>(&self, job: &'b Job) -> Planner<'b>
    where
        'a: 'b,
    {
        Planner {
            job,
            wanted: self.wanted,
            shared: Rc::clone(&self.shared),
            stated: RefCell::new(Vec::new()),
            is_sketch: false,
        }
    }

    /// The same where parameters in crowds are only estimated: nothing of it is for an answer.
    pub(crate) fn into_sketch(self) -> Self {
        Self {
            is_sketch: true,
            ..self
        }
    }

    pub(crate) const fn is_sketch(&self) -> bool {
        self.is_sketch
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

    /// How many releases the budget is for.
    pub(crate) const fn counted(&self) -> u32 {
        match self.wanted.scope {
            Scope::Release => 1,
            Scope::Total => self.job.releases,
        }
    }

    /// The honest clients' part of the randomness.
    pub(crate) fn crowd(&self, randomizer: Randomizer, local: &Local) -> Result<Crowd, Error> {
        let length = self.job.estimates();
        let several = MultiHot {
            length,
            ones: self.job.ones(),
        };
        let is_one_hot = matches!(
            randomizer,
            Randomizer::OneHotRappor | Randomizer::BasicRappor
        );
        let limit = if is_one_hot {
            let epsilon0 = local.parameter().clone();
            let rate = self.job.false_positive_rate(self.wanted, &epsilon0)?;
            let entries = usize::try_from(length).unwrap_or(usize::MAX);
            let bound = Rappor::one_hot(entries, epsilon0, &rate)?.max_weight();
            let max_weight = u64::try_from(bound).unwrap_or(u64::MAX);
            Some(WeightLimit { length, max_weight })
        } else {
            None
        };
        Ok(Crowd {
            honest: self.job.honest_clients(),
            adjacency: self.job.adjacency,
            several: (randomizer == Randomizer::SymmetricRappor).then_some(several),
            limit,
        })
    }

    /// An ε of so many releases in the crowd, if it is known: for one report of a person in each.
    pub(crate) fn crowd_epsilon(
        &self,
        randomizer: Randomizer,
        local: &Local,
        releases: u32,
    ) -> InCrowd {
        if self.job.honest_clients() < 2 || self.wanted.delta.value().is_zero() {
            return (None, None);
        }
        if self.job.reports_per_client > 1 {
            return (None, Some(Loose::Reports));
        }
        let Ok(crowd) = self.crowd(randomizer, local) else {
            return (None, Some(Loose::Costly));
        };
        if let Some(found) = self.known_epsilon(local, &crowd, releases) {
            return found;
        }
        let delta = &self.wanted.delta;
        let question = || match Crowd::is_composed(local, releases) {
            true => crowd.epsilon(local, releases, delta),
            false => crowd.by_pairs(local, releases, delta),
        };
        let found = match pooled(&self.shared.of_crowds, question) {
            None => (None, Some(Loose::Costly)),
            Some(epsilon) if Crowd::is_composed(local, releases) => (Some(epsilon), None),
            Some(epsilon) => (Some(epsilon), Some(Loose::Pairs)),
        };
        let known = (local.clone(), crowd, releases, found.clone());
        self.shared.known.borrow_mut().push(known);
        found
    }

    /// The same, if it was asked for before.
    pub(crate) fn known_epsilon(
        &self,
        local: &Local,
        crowd: &Crowd,
        releases: u32,
    ) -> Option<InCrowd> {
        let is_asked =
            |(one, of, times, _): &&Known| one == local && of == crowd && *times == releases;
        let known = self.shared.known.borrow();
        let (.., found) = known.iter().find(is_asked)?;
        Some(found.clone())
    }

    /// The promises of so many releases in all trust models. Of hedged policies that in OAMC is the one
    /// in OAOC, which holds there too.
    pub(crate) fn promises(
        &self,
        policy: &PolicyName,
        noise: &Noise,
        releases: u32,
    ) -> Result<Promises, Error> {
        let mut promises = self.without_crowd(noise, releases)?;
        if let (Some(randomizer), Some(local), None) =
            (policy.client_noise, &noise.clients, &noise.aggregators)
        {
            let found = self.crowd_epsilon(randomizer, local, releases);
            promises.oamc = self.in_crowd(promises.oamc, found);
        }
        Ok(promises)
    }

    /// The better promise of clients' noise by itself and in the crowd.
    pub(crate) fn in_crowd(&self, alone: Promise, (epsilon, loose): InCrowd) -> Promise {
        match epsilon {
            None => alone.loosely(loose),
            Some(epsilon) => {
                let found = Promise::kept(epsilon, &self.wanted.delta, None).loosely(loose);
                alone.or(found)
            }
        }
    }

    pub(crate) fn without_crowd(&self, noise: &Noise, releases: u32) -> Result<Promises, Error> {
        let delta = &self.wanted.delta;
        let oc = match &noise.clients {
            None => Promise::Absent {
                reason:
                    "clients send their measurements without randomization, and all aggregators \
                         together can put them together again"
                        .to_owned(),
            },
            Some(local) => {
                let reports = u64::from(releases) * u64::from(self.job.reports_per_client);
                let (epsilon, loose) = local.promised(reports, delta)?;
                let pure = local.pure(reports);
                let rho = local.rho(reports).ok().map(|rho| rho.value().clone());
                let zero = "0".parse()?;
                let delta = if epsilon < pure { delta } else { &zero };
                Promise::kept(epsilon, delta, rho).loosely(loose)
            }
        };
        let oaoc = self.with_aggregators(&oc, noise, releases, 1)?;
        let several = (2..=self.job.honest_aggregators).map(|honest| {
            let promise = self.with_aggregators(&oc, noise, releases, honest)?;
            Ok((honest, promise))
        });
        let with_honest_aggregators = several.collect::<Result<BTreeMap<_, _>, Error>>()?;
        Ok(Promises {
            oc,
            oamc: oaoc.clone(),
            oaoc,
            with_honest_aggregators,
        })
    }

    /// What clients' noise promises by itself, or so many honest aggregators'.
    fn with_aggregators(
        &self,
        oc: &Promise,
        noise: &Noise,
        releases: u32,
        honest: usize,
    ) -> Result<Promise, Error> {
        let Some(law) = &noise.aggregators else {
            return Ok(oc.clone());
        };
        let moves = self.job.moves(releases)?;
        let delta = &self.wanted.delta;
        let honest = u32::try_from(honest).unwrap_or(u32::MAX);
        let is_several = honest > 1;
        let honest = match law {
            // Far out, the sum of several has the ratios of one.
            NoiseLaw::DiscreteLaplace { .. } => 1,
            NoiseLaw::DiscreteGaussian { .. } => honest,
        };
        let (epsilon, of_law) = self.of_law(law, releases, honest)?;
        let is_pure = matches!(law, NoiseLaw::DiscreteLaplace { .. })
            && aggregator::pure(law, &moves).is_some_and(|pure| pure <= epsilon);
        let zero = "0".parse()?;
        let rho = aggregator::rho(law, &moves).ok();
        let rho = rho.map(|rho| rho.value().clone());
        let kept = Promise::kept(epsilon, if is_pure { &zero } else { delta }, rho);
        let is_laplace = matches!(law, NoiseLaw::DiscreteLaplace { .. });
        let loose = match (&noise.clients, is_laplace && is_several && !is_zero(delta)) {
            (Some(_), _) => Some(Loose::Apart),
            (None, true) => Some(Loose::OneOfSeveral),
            (None, false) => of_law,
        };
        Ok(oc.clone().or(kept).loosely(loose))
    }

    /// The least noise of one aggregator that keeps the budget.
    pub(crate) fn least(&self, mechanism: Mechanism, budget: &Budget) -> Result<NoiseLaw, Error> {
        if let Some((_, law, _)) = self
            .shared
            .least
            .borrow()
            .iter()
            .find(|(one, ..)| *one == mechanism)
        {
            return Ok(law.clone());
        }
        let moves = self.job.moves(self.counted())?;
        let (law, loose) = aggregator::least(mechanism, budget, &moves)?;
        self.shared
            .least
            .borrow_mut()
            .push((mechanism, law.clone(), loose));
        Ok(law)
    }

    /// An ε of so many aggregators' noise: at most the one that it was calibrated to.
    fn of_law(
        &self,
        law: &NoiseLaw,
        releases: u32,
        honest: u32,
    ) -> Result<(Rational, Option<Loose>), Error> {
        let is_asked =
            |(one, times, of, _): &&OfLaw| one == law && *times == releases && *of == honest;
        if let Some((.., epsilon)) = self.shared.laws.borrow().iter().find(is_asked) {
            return Ok(epsilon.clone());
        }
        let moves = self.job.moves(releases)?;
        let (found, loose) = aggregator::epsilon(law, &self.wanted.delta, &moves, honest)?;
        let epsilon = match &self.wanted.budget {
            Some(Budget::Approximate { epsilon, .. })
                if releases == self.counted() && *epsilon.value() <= found =>
            {
                (epsilon.value().clone(), None)
            }
            _ => (found, loose),
        };
        let known = (law.clone(), releases, honest, epsilon.clone());
        self.shared.laws.borrow_mut().push(known);
        Ok(epsilon)
    }
}

fn is_zero(delta: &Delta) -> bool {
    delta.value().is_zero()
}
