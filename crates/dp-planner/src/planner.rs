//! One question: a job and what is wanted, with what was already computed of crowds.

mod shared;

use std::collections::BTreeMap;
use std::rc::Rc;

use dp_amplification::aggregated_rappor::{MultiHot, WeightLimit};
use dp_calibration::{Budget, NoiseLaw};
use dp_exact::{Delta, Rational};
use dp_prio3::randomizers::Rappor;
use dp_task::{Mechanism, PolicyName, Randomizer};

use self::shared::{InCrowd, Known, OfLaw, Shared, is_one_hot};
use crate::client::Local;
use crate::crowd::Crowd;
use crate::errors::Noise;
use crate::pools::{OF_CROWDS, OF_STATED_CROWDS, pooled};
use crate::promise::{Loose, Promise, Promises};
use crate::wanted::{Against, Scope, Wanted};
use crate::{Error, Job, aggregator};

pub(crate) struct Planner<'a> {
    pub(crate) job: &'a Job,
    pub(crate) wanted: &'a Wanted,
    shared: Rc<Shared>,
    /// Whether parameters in crowds are only estimated, to find a number of clients.
    is_sketch: bool,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(job: &'a Job, wanted: &'a Wanted) -> Self {
        let is_asked = matches!(wanted.against, Against::Collector);
        let of_crowds = if is_asked {
            OF_CROWDS
        } else {
            OF_STATED_CROWDS
        };
        Self {
            job,
            wanted,
            shared: Rc::new(Shared::new(of_crowds)),
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
        let limit = if is_one_hot(randomizer) {
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
