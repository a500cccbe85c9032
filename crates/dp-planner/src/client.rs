//! Noise of clients by itself: what it promises whoever is malicious.
//!
//! A report of bits that are flipped with parameter ε₀ is as many randomized responses as bits change;
//! k reports are k times as many. Their composition is the theorem of Kairouz, Oh and Viswanath
//! ([`dp_accounting::kov15`]), which is exact for these. An answer of k-ary randomized response has
//! three privacy losses, ε₀, 0 and −ε₀, the middle one most often: the accountant adds up
//! their law. Beyond 2^17 responses ρ of zero-concentrated privacy is added up, which is looser.

use dp_accounting::{Accountant, Release, kov15};
use dp_calibration::{Budget, conversion, local, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Refusal, Rho, elementary, work};

use crate::Error;
use crate::promise::Loose;
use crate::search::{largest_below, largest_within};

/// The most randomized responses that are composed by their own law.
const MOST: u64 = 1 << 17;

/// What a single question about composition may cost, in units of work.
const QUESTION: u64 = 60_000_000;

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// Flips bits with probability 1/(e^ε₀ + 1), of which so many differ between two measurements.
    Bits { epsilon0: Epsilon, changed: u64 },
    /// Answers with one of so many values.
    Answers { epsilon: Epsilon, answers: u64 },
}

impl Local {
    /// The same with another parameter.
    pub(crate) fn at(&self, parameter: Epsilon) -> Self {
        match self {
            Self::Bits { changed, .. } => Self::Bits {
                epsilon0: parameter,
                changed: *changed,
            },
            Self::Answers { answers, .. } => Self::Answers {
                epsilon: parameter,
                answers: *answers,
            },
        }
    }

    /// ε₀, or the ε of an answer.
    pub(crate) const fn parameter(&self) -> &Epsilon {
        match self {
            Self::Bits { epsilon0, .. } => epsilon0,
            Self::Answers { epsilon, .. } => epsilon,
        }
    }

    /// How many randomized responses of this parameter a report is at most.
    const fn responses(&self) -> u64 {
        match self {
            Self::Bits { changed, .. } => *changed,
            Self::Answers { .. } => 1,
        }
    }

    /// The pure ε of so many reports.
    pub(crate) fn pure(&self, reports: u64) -> Rational {
        self.parameter().value() * &Rational::from(self.responses().saturating_mul(reports))
    }

    /// An ε at δ of so many reports.
    pub(crate) fn epsilon(&self, reports: u64, delta: &Delta) -> Result<Rational, Error> {
        Ok(self.promised(reports, delta)?.0)
    }

    /// The same, and why it is not the least, if that is known.
    pub(crate) fn promised(
        &self,
        reports: u64,
        delta: &Delta,
    ) -> Result<(Rational, Option<Loose>), Error> {
        let pure = self.pure(reports);
        let all = self.responses().saturating_mul(reports);
        if delta.value().is_zero() || all == 1 {
            return Ok((pure, None));
        }
        // From ε₀ = 5 on nearly every loss is the largest: composition gains less than 2 %.
        let is_large = self.parameter().value() > &Rational::from(5u64);
        let composed = (!is_large)
            .then(|| work::limited(QUESTION, || self.composed(reports, all, delta)))
            .and_then(Result::ok);
        Ok(match composed {
            Some((composed, loose)) if composed < pure => (composed, loose),
            Some((_, None)) => (pure, None),
            _ => (pure, Some(Loose::Costly)),
        })
    }

    fn composed(
        &self,
        reports: u64,
        all: u64,
        delta: &Delta,
    ) -> Result<(Rational, Option<Loose>), Error> {
        let none: Delta = "0".parse()?;
        Ok(match (u32::try_from(all), self) {
            (Ok(all), Self::Bits { epsilon0, .. }) if u64::from(all) <= MOST => {
                (kov15::epsilon(epsilon0, &none, all, delta)?, None)
            }
            (Ok(all), Self::Answers { epsilon, answers }) if u64::from(all) <= MOST => {
                (of_answers(epsilon, *answers, all, delta)?, None)
            }
            _ => {
                let by_rho = zcdp::epsilon(&self.rho(reports)?, delta)?;
                (by_rho, Some(Loose::Concentrated))
            }
        })
    }

    /// A ρ of so many reports.
    pub(crate) fn rho(&self, reports: u64) -> Result<Rho, Error> {
        let each = conversion::pure_to_rho(self.parameter())?;
        let all = Rational::from(self.responses().saturating_mul(reports));
        Ok(Rho::new(each.value() * &all)?)
    }

    /// The largest parameter with which so many reports keep `budget`.
    pub(crate) fn largest(&self, budget: &Budget, reports: u64) -> Result<Epsilon, Error> {
        let all = Rational::from(self.responses().saturating_mul(reports));
        let share = |epsilon: &Epsilon| {
            let share = epsilon.value().checked_div(&all);
            Ok::<_, Error>(Epsilon::new(share.unwrap_or_else(Rational::zero))?)
        };
        match budget {
            Budget::Pure { epsilon } => share(epsilon),
            Budget::Approximate { epsilon, delta } => {
                let pure = share(epsilon)?;
                if reports == 1 {
                    // δ gains next to nothing then, and a pure promise is more.
                    return Ok(pure);
                }
                let rho = zcdp::largest_rho(epsilon, delta)?.value().to_f64();
                let guess = self.about(rho, reports).max(pure.value().to_f64());
                let composed = largest_within(5, 0.999, guess, epsilon.value(), |parameter| {
                    self.at(parameter.clone()).epsilon(reports, delta)
                });
                Ok(composed.map_or(pure.clone(), |composed| composed.max(pure)))
            }
            Budget::ZeroConcentrated { rho } => {
                let guess = rho.value().to_f64() / all.to_f64();
                largest_below(guess.sqrt(), rho.value(), |parameter| {
                    Ok(self.at(parameter.clone()).rho(reports)?.value().clone())
                })
            }
            Budget::Renyi { .. } => {
                let what = "the noise of clients for a Rényi budget";
                Err(Refusal::not_available(what, "give an epsilon or a rho").into())
            }
        }
    }

    /// About the parameter whose mean loss in so many reports is ρ.
    fn about(&self, rho: f64, reports: u64) -> f64 {
        let all = Rational::from(self.responses().saturating_mul(reports)).to_f64();
        let mean = |parameter: f64| match self {
            Self::Bits { .. } => parameter * elementary::tanh(parameter / 2.0),
            Self::Answers { answers, .. } => {
                let others = Rational::from(*answers).to_f64() - 1.0;
                parameter * elementary::exp_m1(parameter) / (elementary::exp(parameter) + others)
            }
        };
        let is_high = |log: f64| mean(elementary::exp(log)) * all > rho;
        elementary::exp(dp_exact::search::halved((-20.0, 5.0), 50, is_high).0)
    }
}

/// An ε at δ of so many answers, by the law of their losses.
fn of_answers(
    epsilon: &Epsilon,
    answers: u64,
    times: u32,
    delta: &Delta,
) -> Result<Rational, Error> {
    let mut accountant = Accountant::new();
    let epsilon = epsilon.clone();
    accountant.add(Release::KaryResponse { epsilon, answers }, times)?;
    Ok(accountant.epsilon(delta)?.upper)
}

/// ln 3, rounded up: the parameter of the coin-flip survey.
pub(crate) fn coin_flip() -> Result<Epsilon, Error> {
    Ok(local::coin_flip().guarantee()?)
}
