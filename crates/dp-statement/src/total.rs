//! What so many releases of a task promise together, in each trust model.
//!
//! Several arguments bound the same sequence of releases, and the least ε at the δ of the task counts:
//!
//! - **What clients flip**, whoever else is malicious: k reports are k times as many randomized responses,
//!   or k answers ([`dp_accounting::compose`]).
//! - **What aggregators draw**: k independent draws of a known law ([`dp_accounting::compose`]); of several
//!   honest aggregators k releases are one on k times as many coordinates
//!   ([`dp_calibration::honest::gaussian_delta`]).
//! - **What the policy promises of one release** at δ/(2k), composed as any k pairs (ε, δ) are
//!   ([`dp_accounting::kov15`]). This is the way for crowds, hedged policies and compensation.
//! - Whatever is promised against a stronger adversary.
//!
//! The data of a release may depend on earlier results. `docs/composition.md` of [`dp_accounting`] has the
//! theorems.

mod noise;
mod sequence;

use dp_calibration::TrustModel;
use dp_exact::{Delta, Rational, work};
use dp_prio3::{Guarantee, Loss, Promise, protects_nobody};
use dp_task::Task;

use crate::Error;
use noise::{drawn_noise, own_noise};
use sequence::Sequence;

/// The most releases: as many as an accountant takes.
pub const MAX_RELEASES: u32 = 1 << 20;

/// A pure promise is taken before one with a δ whose ε is smaller by less than this factor.
const PURE_ALLOWANCE: (i64, u64) = (1001, 1000);

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
    fn kept(epsilon: Rational, delta: &Rational) -> Self {
        let (delta, rho) = (delta.clone(), None);
        Self::Kept {
            epsilon,
            delta,
            rho,
        }
    }

    /// The one that says more: the smaller ε, of equal ones the smaller δ.
    pub(crate) fn or(self, other: Self) -> Self {
        let key = |one: &Self| match one {
            Self::Kept { epsilon, delta, .. } => Some((epsilon.clone(), delta.clone())),
            Self::Absent { .. } => None,
        };
        match (key(&self), key(&other)) {
            (Some(one), Some(two)) if two < one => other,
            (None, Some(_)) => other,
            _ => self,
        }
    }

    /// A promise with a δ, if it says more than this pure one by more than next to nothing.
    fn or_gained(self, other: Self) -> Self {
        let (Self::Kept { epsilon: pure, .. }, Self::Kept { epsilon, .. }) = (&self, &other) else {
            return self.or(other);
        };
        let (numerator, denominator) = PURE_ALLOWANCE;
        let allowance = Rational::new(numerator, denominator);
        match allowance.map(|allowance| epsilon * &allowance) {
            Ok(least) if least < *pure => other,
            _ => self,
        }
    }

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

/// What `releases` releases of `task` promise where one promises `guarantee`, beyond what they do in a model
/// that implies it: the noise of clients counts in OC, that of aggregators in OAOC, 2AOC and so on.
///
/// # Errors
/// If all arguments together cost more work than is allowed.
pub(crate) fn total(task: &Task, guarantee: &Guarantee, releases: u32) -> Result<Total, Error> {
    let model = guarantee.trust_model;
    let sequence = Sequence {
        task,
        delta: task.circumstances().delta(),
        releases,
    };
    let mut best = match &guarantee.promise {
        Promise::Absent { reason } => Total::Absent {
            reason: reason.clone(),
        },
        Promise::Proved(_) | Promise::TotalVariation { .. } => Total::Absent {
            reason: "what so many releases promise together cannot be computed".to_owned(),
        },
    };
    let needs_nobody = model == TrustModel::OneClient;
    if let (true, Some(own)) = (needs_nobody, own_noise(task)?) {
        best = best.or(sequence.of_clients(&own));
    }
    let counts_noise = !needs_nobody && !model.needs_other_clients();
    if let (true, Some((law, corner))) = (counts_noise, drawn_noise(task)) {
        let honest = model.honest_aggregators().into();
        best = best.or(sequence.of_aggregators(&law, &corner, honest));
    }
    best = best.or(match releases {
        1 => sequence.of_promise(&guarantee.promise),
        _ => sequence.of_pairs(model),
    });
    if work::is_used_up() {
        let given: [(_, &dyn std::fmt::Display); 1] = [("releases", &releases)];
        return Err(work::refusal("the statement", &given, "take fewer releases").into());
    }
    Ok(sequence.with_rho(best, model))
}
