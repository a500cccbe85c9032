//! What the releases of a task guarantee together, in each trust model: the policy's own guarantee.

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, Rational};
use dp_prio3::{Loss, Promise, protects_nobody};
use dp_task::{AggregatorNoise, Task};

/// The most releases: as many as an accountant takes.
pub const MAX_RELEASES: u32 = 1 << 20;

/// What is promised of a sequence of releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// (ε, δ)-differential privacy.
    Kept {
        /// ε, at least 0.
        epsilon: Rational,
        /// δ
        delta: Rational,
        /// ρ, where the aggregators' noise is calibrated to one and the promise rests on it.
        rho: Option<Rational>,
    },
    /// Nothing.
    Absent {
        /// Why.
        reason: String,
    },
}

impl Total {
    /// Whether this is a promise that [protects nobody](protects_nobody), or none.
    #[must_use]
    pub fn protects_nobody(&self) -> bool {
        let Self::Kept { epsilon, delta, .. } = self else {
            return true;
        };
        let judged = Delta::new(delta.clone()).ok().and_then(|delta| {
            let loss = Loss::new(epsilon.clone(), delta.clone()).ok()?;
            Some(protects_nobody(loss.budget(), &delta))
        });
        judged.unwrap_or(true)
    }
}

/// What `releases` releases of `task` promise one person together, at the δ of the task.
pub(crate) fn total(task: &Task, model: TrustModel, releases: u32) -> Total {
    let circumstances = task.circumstances().clone().over(releases);
    let (epsilon, delta) = match task.pair_in(model, &circumstances) {
        Promise::Proved(Budget::Pure { epsilon }) => (epsilon.value().clone(), Rational::zero()),
        Promise::Proved(Budget::Approximate { epsilon, delta }) => {
            (epsilon.value().clone(), delta.value().clone())
        }
        Promise::TotalVariation { delta, .. } => (Rational::zero(), delta.value().clone()),
        Promise::Proved(budget) => {
            let reason = format!("no pair of epsilon and delta is known of {budget}");
            return Total::Absent { reason };
        }
        Promise::Absent { reason } => return Total::Absent { reason },
    };
    Total::Kept {
        epsilon,
        delta,
        rho: rho(task, model, releases),
    }
}

/// The ρ of all releases, where the noise is the aggregators' alone and calibrated to one: it adds up.
fn rho(task: &Task, model: TrustModel, releases: u32) -> Option<Rational> {
    let document = task.document();
    let noise = document.aggregator_noise.as_ref();
    match noise.and_then(AggregatorNoise::budget) {
        Some(Budget::ZeroConcentrated { rho })
            if document.client_noise.is_none() && model.honest_aggregators() > 0 =>
        {
            Some(rho.value() * &Rational::from(u64::from(releases)))
        }
        _ => None,
    }
}
