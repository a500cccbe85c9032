//! Noise of clients by itself: what it promises whoever is malicious.
//!
//! A report of bits that are flipped with parameter ε₀ is as many randomized responses as bits change;
//! k reports are k times as many. Their composition is the theorem of Kairouz, Oh and Viswanath
//! ([`dp_accounting::kov15`]), which is exact for these. An answer of k-ary randomized response has
//! three privacy losses, ε₀, 0 and −ε₀, the middle one most often: many of them are composed by their
//! Rényi divergence, which adds up, and is converted at the best order (a few percent above the least ε).

use dp_accounting::kov15;
use dp_calibration::{Budget, conversion, local, zcdp};
use dp_exact::{Delta, Epsilon, Interval, Rational, Refusal, Rho, Rounding, work};

use crate::Error;
use crate::search::{largest_below, largest_within};

/// The most randomized responses that are composed by their own law.
const MOST: u64 = 1 << 17;

/// Bits of e^ε₀.
const PRECISION: u32 = 128;

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
        let pure = self.pure(reports);
        let all = self.responses().saturating_mul(reports);
        // From ε₀ = 5 on nearly every loss is the largest: composition gains less than 2 %.
        let is_large = self.parameter().value() > &Rational::from(5u64);
        if delta.value().is_zero() || all == 1 || is_large {
            return Ok(pure);
        }
        let composed = work::limited(QUESTION, || self.composed(reports, all, delta));
        Ok(composed.map_or(pure.clone(), |composed| composed.min(pure)))
    }

    fn composed(&self, reports: u64, all: u64, delta: &Delta) -> Result<Rational, Error> {
        let none: Delta = "0".parse()?;
        match (u32::try_from(all), self) {
            (Ok(all), Self::Bits { epsilon0, .. }) if u64::from(all) <= MOST => {
                Ok(kov15::epsilon(epsilon0, &none, all, delta)?)
            }
            (Ok(all), Self::Answers { epsilon, answers }) if u64::from(all) <= MOST => {
                let by_any = kov15::epsilon(epsilon, &none, all, delta)?;
                let by_divergence = by_divergence(epsilon, *answers, all, delta);
                Ok(by_divergence.map_or(by_any.clone(), |found| found.min(by_any)))
            }
            _ => Ok(zcdp::epsilon(&self.rho(reports)?, delta)?),
        }
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
            Self::Bits { .. } => parameter * (parameter / 2.0).tanh(),
            Self::Answers { answers, .. } => {
                let others = Rational::from(*answers).to_f64() - 1.0;
                parameter * parameter.exp_m1() / (parameter.exp() + others)
            }
        };
        let is_high = |log: f64| mean(log.exp()) * all > rho;
        dp_exact::search::halved((-20.0, 5.0), 50, is_high).0.exp()
    }
}

/// An ε at δ of so many answers: the Rényi divergence of one, of order α, is ln M/(α − 1) with
/// M = p·e^((α−1)ε) + q·e^(−(α−1)ε) + 1 − p − q, p = e^ε·q and q = 1/(e^ε + k − 1).
fn by_divergence(
    epsilon: &Epsilon,
    answers: u64,
    times: u32,
    delta: &Delta,
) -> Result<Rational, Error> {
    let rate = epsilon.value().to_f64();
    let log_delta = Interval::rational(delta.value(), PRECISION).ln();
    let log_delta = log_delta.map_or(-1e3, |log| log.midpoint());
    let others = Rational::from(answers).to_f64() - 1.0;
    let q = (rate.exp() + others).recip();
    let about = |excess: f64| {
        let losses = (rate * (1.0 + excess)).exp_m1() + (-rate * excess).exp_m1() - rate.exp_m1();
        let moment = (q * losses).ln_1p();
        (f64::from(times) * moment - log_delta) / excess
    };
    let excess = dp_exact::search::minimum((-12.0, 9.0), 80, about);
    let excess = Rational::from_f64(excess)?.round_to_digits(6, Rounding::Down);
    let alpha = &excess + &Rational::one();
    let each = divergence(epsilon, answers, &excess).ok_or(dp_exact::PrecisionError)?;
    let tau = each * Rational::from(u64::from(times));
    let tau = tau.round_to_digits(20, Rounding::Up);
    Ok(conversion::renyi_to_epsilon(&alpha, &tau, delta)?)
}

/// The Rényi divergence of one answer of order 1 + `excess`, rounded up.
fn divergence(epsilon: &Epsilon, answers: u64, excess: &Rational) -> Option<Rational> {
    let enclose = |value: &Rational| Interval::rational(value, PRECISION);
    let one = Interval::integer(1, PRECISION);
    let growth = enclose(epsilon.value()).exp()?;
    let q = one.checked_div(&(&growth + Interval::integer(answers.checked_sub(1)?, PRECISION)))?;
    let p = &q * &growth;
    let moved = enclose(&(epsilon.value() * excess));
    let up = &p * moved.exp()?;
    let down = &q * enclose(&-(epsilon.value() * excess)).exp()?;
    let moment = up + down + one - p - q;
    let divergence = moment.ln()?.checked_div(&enclose(excess))?;
    let upper = divergence.upper().to_rational()?;
    upper.is_positive().then_some(upper)
}

/// ln 3, rounded up: the parameter of the coin-flip survey.
pub(crate) fn coin_flip() -> Result<Epsilon, Error> {
    Ok(local::coin_flip().guarantee()?)
}
