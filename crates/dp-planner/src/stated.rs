//! The promises of one release: those that the built policies state.

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Rational, work};
use dp_prio3::{Circumstances, SeveralAggregators};
use dp_task::{PolicyName, Task};

use crate::Error;
use crate::errors::Noise;
use crate::planner::Planner;
use crate::pools::{LARGE, OF_CROWD, OF_HEDGED, OF_LARGE, pooled};
use crate::promise::{Loose, Promise, Promises};

impl Planner<'_> {
    /// The promises of one release: those of the built policy, unless more is known.
    pub(crate) fn per_release(
        &self,
        policy: &PolicyName,
        noise: &Noise,
        task: &Task,
    ) -> Result<Promises, Error> {
        if !self.job.is_of_policies() {
            return self.promises(policy, noise, 1);
        }
        let mut own = self.without_crowd(noise, 1)?;
        if let (Some(randomizer), Some(local), None) =
            (policy.client_noise, &noise.clients, &noise.aggregators)
        {
            // The policy knows its crowd: it is not asked for twice.
            let known = self.crowd(randomizer, local).ok();
            let known = known.and_then(|crowd| self.known_epsilon(local, &crowd, 1));
            let found = known.unwrap_or((None, Some(Loose::Costly)));
            own.oamc = self.in_crowd(own.oamc, found);
        }
        let of = |model: TrustModel, own: Promise| self.of_policy(policy, noise, task, model, own);
        let several = own
            .with_honest_aggregators
            .into_iter()
            .map(|(honest, own)| {
                let several = SeveralAggregators::new(honest)?;
                let model = TrustModel::SeveralAggregatorsOneClient(several);
                Ok((honest, of(model, own)))
            });
        let with_honest_aggregators = several.collect::<Result<_, Error>>()?;
        let oaoc = of(TrustModel::OneAggregatorOneClient, own.oaoc);
        // What holds against more holds against less.
        let mut oamc = of(TrustModel::OneAggregatorMostClients, own.oamc);
        if let (Some(randomizer), Some(local), Some(Loose::Costly), None) = (
            policy.client_noise,
            &noise.clients,
            oamc.loose(),
            &noise.aggregators,
        ) {
            let found = self.crowd_epsilon(randomizer, local, 1);
            oamc = self.without_crowd(noise, 1)?.oamc;
            oamc = self.in_crowd(oamc, found);
        }
        let loose = oamc.loose();
        Ok(Promises {
            with_honest_aggregators,
            oc: of(TrustModel::OneClient, own.oc),
            oamc: oaoc.clone().or(oamc).loosely(loose),
            oaoc,
        })
    }

    /// The promise of the built policy, unless it costs too much or says far less than is known.
    fn of_policy(
        &self,
        policy: &PolicyName,
        noise: &Noise,
        task: &Task,
        model: TrustModel,
        own: Promise,
    ) -> Promise {
        if let Some(promise) = self.stated(policy, noise, model) {
            return promise;
        }
        let promise = self.stated_by(policy, task, model, own);
        self.note_stated(policy, noise, model, promise.clone());
        promise
    }

    fn stated_by(
        &self,
        policy: &PolicyName,
        task: &Task,
        model: TrustModel,
        own: Promise,
    ) -> Promise {
        let noise = task.document().aggregator_noise.as_ref();
        let budget = noise.and_then(|noise| noise.budget());
        if let (None, Some(Budget::ZeroConcentrated { .. })) = (policy.client_noise, budget) {
            // The policy states its ρ alone.
            return own;
        }
        let honest = self.job.honest_clients();
        let circumstances = Circumstances::new(honest, self.wanted.delta.clone());
        let is_hedged = model != TrustModel::OneClient
            && policy.client_noise.is_some()
            && policy.aggregator_noise.is_some();
        let is_large = honest > LARGE;
        let most = match (is_hedged, is_large) {
            (true, false) => OF_HEDGED,
            (true, true) => OF_LARGE,
            (false, _) => OF_CROWD,
        };
        let question = || {
            let state = || Ok::<_, Error>(task.guarantee_in(model, &circumstances));
            work::limited(most, state)
        };
        // Without a crowd one noise alone costs next to nothing, and with one it is asked once for each.
        let stated = match is_hedged {
            true => pooled(self.of_policies(), question),
            false => question().ok(),
        };
        let Some(guarantee) = stated else {
            return match own.loose() {
                Some(_) => own.loosely(Some(Loose::Costly)),
                None => own,
            };
        };
        let rho = match &own {
            Promise::Kept { rho, .. } => rho.clone(),
            Promise::Absent { .. } => None,
        };
        let Some(stated) = Promise::of(&guarantee, rho) else {
            return own;
        };
        // The policy states its own budget, where the noise may promise far less at this δ.
        match (stated.epsilon(), own.epsilon()) {
            (Some(stated), Some(known)) if known * &Rational::from(2u64) < *stated => own,
            (None, Some(_)) => own,
            _ => stated,
        }
    }
}
