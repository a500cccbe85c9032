//! What so many releases of a task promise together, in each trust model.
//!
//! Several arguments bound the same sequence of releases, and the least ε at the δ of the task counts:
//!
//! - **What clients flip**, whoever else is malicious: k reports are k times as many randomized responses,
//!   or k answers ([`dp_accounting::compose`]).
//! - **What aggregators draw**: k independent draws of a known law ([`dp_accounting::compose`]); of several
//!   honest aggregators k releases are one on k times as many coordinates
//!   ([`honest::gaussian_delta`]).
//! - **What the policy promises of one release** at δ/(2k), composed as any k pairs (ε, δ) are
//!   ([`kov15`]). This is the way for crowds, hedged policies and compensation.
//! - Whatever is promised against a stronger adversary.
//!
//! The data of a release may depend on earlier results. `docs/composition.md` of [`dp_accounting`] has the
//! theorems.

use dp_accounting::{Release, compose, kov15};
use dp_calibration::{Adjacency, Budget, Corner, NoiseLaw, TrustModel, honest, local};
use dp_exact::{Delta, Epsilon, Rational, Rounding, work};
use dp_prio3::{Circumstances, Guarantee, Loss, Promise, protects_nobody};
use dp_task::{AggregatorNoise, ClientNoise, Task, Vdaf};

use crate::Error;

/// The most releases: as many as an accountant takes.
pub const MAX_RELEASES: u32 = 1 << 20;

/// What one argument about a sequence may cost, in units of work.
const QUESTION: u64 = 1_500_000_000;

/// A pure promise is taken before one with a δ whose ε is smaller by less than this factor.
const PURE_ALLOWANCE: (i64, u64) = (1001, 1000);

/// Steps of a search for an ε.
const STEPS: u32 = 24;

/// Digits of an ε that is searched for, or composed of pairs.
const DIGITS: usize = 12;

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

/// Releases of one task.
struct Sequence<'a> {
    task: &'a Task,
    delta: &'a Delta,
    releases: u32,
}

/// What a report is, as randomized responses or answers: so many of them.
struct OwnNoise {
    release: Release,
    epsilon: Rational,
    times: u64,
}

/// What clients flip, if they do.
fn own_noise(task: &Task) -> Result<Option<OwnNoise>, Error> {
    let Some(noise) = &task.document().client_noise else {
        return Ok(None);
    };
    let entries = match &task.document().vdaf {
        Vdaf::Histogram { length, .. } | Vdaf::MultihotCountVec { length, .. } => *length,
        _ => 1,
    };
    let entries = u64::try_from(entries).unwrap_or(u64::MAX);
    let response = |epsilon: &Epsilon, times: u64| -> Result<OwnNoise, Error> {
        Ok(OwnNoise {
            release: Release::RandomizedResponse {
                epsilon: epsilon.clone(),
                delta: Delta::new(Rational::zero())?,
            },
            epsilon: epsilon.value().clone(),
            times,
        })
    };
    Ok(Some(match noise {
        ClientNoise::RandomizedResponse { epsilon } => response(epsilon, 1)?,
        ClientNoise::CoinFlip {} => response(&local::coin_flip().guarantee()?, 1)?,
        ClientNoise::KaryRandomizedResponse { epsilon } => OwnNoise {
            release: Release::KaryResponse {
                epsilon: epsilon.clone(),
                answers: entries,
            },
            epsilon: epsilon.value().clone(),
            times: 1,
        },
        ClientNoise::SymmetricRappor {
            epsilon0,
            input_weight,
            ..
        } => {
            let weight = u64::try_from(*input_weight).unwrap_or(u64::MAX);
            response(epsilon0, entries.min(weight.saturating_mul(2)))?
        }
        ClientNoise::OneHotRappor { epsilon0, .. } => response(epsilon0, 2)?,
        ClientNoise::BasicRappor { epsilon, .. } => {
            let half = epsilon.value().checked_div(&Rational::integer(2));
            let half = Epsilon::new(half.unwrap_or_else(|| epsilon.value().clone()))?;
            response(&half, 2)?
        }
    }))
}

/// What each aggregator draws, and what one measurement moves; `None` also where a measurement may be
/// dropped for its weight and its neighbour not, which noise does not hide. (Of one-hot vectors both are, with
/// coins that are as likely.)
fn drawn_noise(task: &Task) -> Option<(NoiseLaw, Corner)> {
    let parts_by_drops = match &task.document().client_noise {
        Some(ClientNoise::SymmetricRappor {
            false_positive_rate,
            ..
        }) => !false_positive_rate.is_zero(),
        _ => false,
    };
    if parts_by_drops {
        return None;
    }
    let parameter = |wanted: &str| {
        let parameters = task.parameters().iter();
        let mut found = parameters.filter(|(name, _)| *name == wanted);
        found.next()?.1.parse::<Rational>().ok()
    };
    let law = match task.document().aggregator_noise.as_ref()? {
        AggregatorNoise::DiscreteLaplace { .. } => NoiseLaw::DiscreteLaplace {
            scale: parameter("scale")?,
        },
        AggregatorNoise::DiscreteGaussian { .. } => NoiseLaw::DiscreteGaussian {
            variance: parameter("variance")?,
        },
        AggregatorNoise::Compensation { .. } => return None,
    };
    let corner = task.query().corner(Adjacency::Replacement).ok()??;
    Some((law, corner))
}

impl Sequence<'_> {
    fn nothing() -> Total {
        let reason = String::new();
        Total::Absent { reason }
    }

    /// The least that is known of so many equal releases, of which one costs the pure ε `each`.
    fn composed(&self, release: Release, each: Option<Rational>, times: u64) -> Total {
        let releases = u64::from(self.releases);
        let all = releases.saturating_mul(times);
        let pure = each.map(|each| each * Rational::from(all));
        let pure = pure.map_or_else(Self::nothing, |pure| Total::kept(pure, &Rational::zero()));
        let Ok(all) = u32::try_from(all) else {
            return pure;
        };
        let question = || compose(&[(release, all)], self.delta);
        match work::limited(QUESTION, question) {
            Ok(composed) => pure.or_gained(Total::kept(composed.upper, self.delta.value())),
            Err(_) => pure,
        }
    }

    fn of_clients(&self, own: &OwnNoise) -> Total {
        let each = Some(own.epsilon.clone());
        self.composed(own.release.clone(), each, own.times)
    }

    fn of_aggregators(&self, law: &NoiseLaw, corner: &Corner, honest: u32) -> Total {
        let each = match law {
            NoiseLaw::DiscreteLaplace { scale } => {
                let moved = num_bigint::BigInt::from(corner.l1());
                Rational::integer(moved).checked_div(scale)
            }
            NoiseLaw::DiscreteGaussian { .. } => None,
        };
        let release = Release::Noise {
            law: law.clone(),
            corner: corner.clone(),
        };
        let one = self.composed(release, each, 1);
        match (law, &one) {
            (NoiseLaw::DiscreteGaussian { variance }, Total::Kept { epsilon, .. })
                if honest > 1 =>
            {
                let several = self.of_gaussians(variance, corner, honest, epsilon);
                one.or(several)
            }
            _ => one,
        }
    }

    /// The ε of the sum of several Gaussian noises, from one that is known to be enough.
    fn of_gaussians(
        &self,
        variance: &Rational,
        corner: &Corner,
        honest: u32,
        enough: &Rational,
    ) -> Total {
        let coordinates = corner.coordinates().saturating_mul(self.releases.into());
        let Ok(corner) = Corner::new(coordinates, corner.step().clone()) else {
            return Self::nothing();
        };
        let holds = |epsilon: &Rational| -> Result<bool, Error> {
            let epsilon = Epsilon::new(epsilon.clone())?;
            let delta = honest::gaussian_delta(variance, &epsilon, &corner, honest.min(64))?;
            Ok(delta.upper().cmp_rational(self.delta.value()).is_le())
        };
        let search = || {
            let (mut low, mut high) = (Rational::zero(), enough.clone());
            for _ in 0..STEPS {
                let sum = &low + &high;
                let Some(middle) = sum.checked_div(&Rational::integer(2)) else {
                    break;
                };
                let middle = middle.round_to_digits(DIGITS, Rounding::Up);
                if holds(&middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            Ok::<_, Error>(high)
        };
        match work::limited(QUESTION, search) {
            Ok(epsilon) => Total::kept(epsilon, self.delta.value()),
            Err(_) => Self::nothing(),
        }
    }

    /// By what the policy promises of one release.
    fn of_pairs(&self, model: TrustModel) -> Total {
        let question = || {
            let parts = Rational::from(2 * u64::from(self.releases));
            let share = self.delta.value().checked_div(&parts);
            let share = share.unwrap_or_else(Rational::zero);
            let share = Delta::new(share.round_to_digits(DIGITS, Rounding::Down))?;
            let honest = self.task.circumstances().honest_clients();
            let guarantee = self
                .task
                .guarantee_in(model, &Circumstances::new(honest, share));
            Ok::<_, Error>(self.of_promise(&guarantee.promise))
        };
        work::limited(QUESTION, question).unwrap_or_else(|_| Self::nothing())
    }

    fn of_promise(&self, promise: &Promise) -> Total {
        let (epsilon, delta) = match promise {
            Promise::Proved(Budget::Pure { epsilon }) => (epsilon.value(), &Rational::zero()),
            Promise::Proved(Budget::Approximate { epsilon, delta }) => {
                (epsilon.value(), delta.value())
            }
            Promise::TotalVariation { delta, .. } => (&Rational::zero(), delta.value()),
            Promise::Proved(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })
            | Promise::Absent { .. } => return Self::nothing(),
        };
        let releases = Rational::from(u64::from(self.releases));
        // Both add up (Dwork, Rothblum, Vadhan 2010).
        let (sum, slack) = (epsilon * &releases, delta * &releases);
        let basic = if slack <= *self.delta.value() {
            Total::kept(sum, &slack)
        } else {
            Self::nothing()
        };
        let composed = || {
            let (epsilon, delta) = (Epsilon::new(epsilon.clone())?, Delta::new(delta.clone())?);
            kov15::epsilon(&epsilon, &delta, self.releases, self.delta)
        };
        match work::limited(QUESTION, composed) {
            Ok(composed) if self.releases > 1 => {
                basic.or(Total::kept(composed, self.delta.value()))
            }
            _ => basic,
        }
    }

    /// The same with the ρ that adds up, where the noise is calibrated to one.
    fn with_rho(&self, total: Total, model: TrustModel) -> Total {
        let noise = self.task.document().aggregator_noise.as_ref();
        let budget = noise.and_then(AggregatorNoise::budget);
        let is_alone = self.task.document().client_noise.is_none();
        match (total, budget) {
            (Total::Kept { epsilon, delta, .. }, Some(Budget::ZeroConcentrated { rho: each }))
                if is_alone && model.honest_aggregators() > 0 =>
            {
                let rho = each.value() * &Rational::from(u64::from(self.releases));
                Total::Kept {
                    epsilon,
                    delta,
                    rho: Some(rho),
                }
            }
            (total, _) => total,
        }
    }
}
