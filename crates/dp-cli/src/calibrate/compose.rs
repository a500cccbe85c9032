//! `calibrate compose`: what many releases about the same clients promise together.

use clap::Args;
use dp_calibration::aggregated_rappor::AggregatedRappor;
use dp_calibration::privacy_loss::{Accountant, LossBounds, Release, UpperBy};
use dp_calibration::{Adjacency, Corner, conversion, discrete_gaussian, kov15, zcdp};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};

use super::answer::Answer;
use super::typed::{self, down, number, positive, up};
use crate::failure::Failure;
use crate::options::integer;

const MECHANISM: &str = "gaussian:VARIANCE:one|pair, laplace:SCALE:one|pair, \
    response:EPSILON, response:EPSILON:DELTA or rappor:EPSILON0:CLIENTS";

/// The epsilon of many releases together, bounded from both sides
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// gaussian:VARIANCE:one|pair, laplace:SCALE:one|pair, response:EPSILON, response:EPSILON:DELTA or
    /// rappor:EPSILON0:CLIENTS; may be repeated
    #[arg(long, allow_hyphen_values = true)]
    mechanism: Vec<String>,
    /// How often it is released, once for all or once for each mechanism [default: 1]
    #[arg(long, allow_hyphen_values = true)]
    times: Vec<String>,
    /// Slack of all releases together
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  ... compose --mechanism gaussian:900:pair --times 100 --delta 1e-6
  ... compose --mechanism gaussian:900:one --times 52 --mechanism laplace:20:pair --times 12 \\
      --delta 1e-9";

/// Equal releases.
struct Part {
    typed: String,
    release: Release,
    times: u32,
}

impl Part {
    /// Whether the noise is wider than the accountant follows.
    fn is_wide(&self) -> bool {
        match &self.release {
            Release::GaussianOne { variance } | Release::GaussianPair { variance } => {
                *variance > 10_000_000_000
            }
            _ => false,
        }
    }
}

/// By the privacy losses: the law of their sum, or the sum of the largest ones.
fn by_losses(parts: &[Part], delta: &Delta) -> Result<LossBounds, Failure> {
    let mut accountant = Accountant::new();
    for part in parts {
        accountant.add(part.release.clone(), part.times)?;
    }
    Ok(accountant.epsilon(delta)?)
}

/// An ε that holds for all releases together, and how it is printed and explained.
struct Bound {
    epsilon: Rational,
    name: &'static str,
    meaning: &'static str,
    certificate: &'static str,
}

/// What each other theorem says, in the order in which the answer names them.
fn others(parts: &[Part], delta: &Delta) -> Result<Vec<Bound>, Failure> {
    let concentrated = concentrated(parts, delta)?.map(|epsilon| Bound {
        epsilon,
        name: "epsilon_zcdp",
        meaning: "by adding up zero-concentrated privacy, converted as tightly as is known",
        certificate: "Zero-concentrated privacy adds up (Bun, Steinke 2016, Lemma 1.7), and the sum was \
                      converted at the best order.",
    });
    let basic = basic(parts, delta).map(|epsilon| Bound {
        epsilon,
        name: "epsilon_basic",
        meaning: "by adding up epsilon and delta, an equal share of delta for each",
        certificate: "Basic composition: epsilon and delta add up (Dwork, Rothblum, Vadhan 2010), an equal \
                      share of delta for each release that needs one.",
    });
    let optimal = optimal(parts, delta).map(|epsilon| Bound {
        epsilon,
        name: "epsilon_kov15",
        meaning: "best for k equal releases of which nothing else is known (Kairouz, Oh, Viswanath 2015)",
        certificate: "The optimal composition of equal (epsilon, delta) private releases (Kairouz, Oh, \
                      Viswanath 2015, Theorem 3.3).",
    });
    let all = [concentrated, basic, optimal];
    Ok(all.into_iter().flatten().collect())
}

const LAW: &str = "The law of the sum of all privacy losses, on a lattice, with every rounding counted: \
    exact where the losses lie on one that is not too fine, else on a grid, once spread so that delta can \
    only grow and once merged so that it can only shrink.";

const LARGEST: &str = "The sum of the largest privacy losses, which no sum of losses exceeds: at this delta the \
    law of the sum says no more.";

const ADAPTIVE: &str = " The data and each mechanism may be chosen after seeing the earlier releases, as \
    long as the parameters listed here are fixed beforehand.";

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let parts = parts(options)?;
    let delta = typed::delta(options.delta.as_ref())?;
    let others = others(&parts, &delta)?;
    let least = others
        .iter()
        .min_by(|one, other| one.epsilon.cmp(&other.epsilon));
    let wide = parts.iter().any(Part::is_wide);
    // Where noise is wider than the accountant follows, zero-concentrated privacy is nearly tight.
    let by_losses = if wide && least.is_some() {
        None
    } else {
        match (by_losses(&parts, &delta), least) {
            (Ok(bounds), _) => Some(bounds),
            (Err(error), None) => return Err(error),
            (Err(_), Some(_)) => None,
        }
    };
    let words = parts
        .iter()
        .map(|part| format!("{} × {}", part.times, part.typed));
    let words = words.collect::<Vec<_>>().join(", ");
    let mut answer = Answer::to(format!("{words}, together at delta {delta}"));
    let meaning = "holds for all releases together";
    let (upper, certificate) = match (&by_losses, least) {
        (Some(bounds), Some(least)) if least.epsilon < bounds.upper => {
            (&least.epsilon, least.certificate)
        }
        (Some(bounds), _) => match bounds.by {
            UpperBy::LargestLosses => (&bounds.upper, LARGEST),
            _ => (&bounds.upper, LAW),
        },
        (None, Some(least)) => (&least.epsilon, least.certificate),
        (None, None) => return Err(ParameterError::new("mechanism", words, MECHANISM).into()),
    };
    answer.figure("epsilon_upper", up(upper), meaning);
    let mut meaning = "fails below";
    if parts
        .iter()
        .any(|part| matches!(part.release, Release::Rappor { .. }))
    {
        meaning = "fails below, if all other clients hold the value that is removed";
    }
    let lower = by_losses.as_ref().map(|bounds| down(&bounds.lower));
    if by_losses.is_none() {
        meaning = "no lower bound was computed";
    }
    let lower = lower.unwrap_or_else(|| down(&Rational::zero()));
    answer.figure("epsilon_lower", lower, meaning);
    for other in &others {
        answer.alternative(other.name, up(&other.epsilon), other.meaning);
    }
    Ok(answer.because(certificate.to_owned() + ADAPTIVE))
}

fn parts(options: &Options) -> Result<Vec<Part>, Failure> {
    if options.mechanism.is_empty() {
        return Err(ParameterError::new("mechanism", "missing", MECHANISM).into());
    }
    let count = options.mechanism.len();
    let once = ["1".to_owned()];
    let times: &[String] = if options.times.is_empty() {
        &once
    } else {
        &options.times
    };
    if times.len() != 1 && times.len() != count {
        let accepted = format!("once, or once for each of {count} mechanisms");
        let given = format!("given {} times", times.len());
        return Err(ParameterError::new("times", given, accepted).into());
    }
    let parts = options.mechanism.iter().zip(times.iter().cycle());
    let parts = parts.map(|(typed, times)| {
        Ok(Part {
            typed: typed.clone(),
            release: release(typed)?,
            times: integer("times", times, 1..=1 << 20)?,
        })
    });
    parts.collect()
}

fn release(typed: &str) -> Result<Release, Failure> {
    let cells: Vec<&str> = typed.split(':').collect();
    Ok(match cells[..] {
        ["gaussian", variance, query @ ("one" | "pair")] => {
            let variance = positive("variance", variance)?;
            if query == "one" {
                Release::GaussianOne { variance }
            } else {
                Release::GaussianPair { variance }
            }
        }
        ["laplace", scale, query @ ("one" | "pair")] => {
            let scale = positive("scale", scale)?;
            if query == "one" {
                Release::LaplaceOne { scale }
            } else {
                Release::LaplacePair { scale }
            }
        }
        ["response", epsilon] => Release::RandomizedResponse {
            epsilon: number("epsilon", epsilon)?,
            delta: number("delta", "0")?,
        },
        ["response", epsilon, delta] => Release::RandomizedResponse {
            epsilon: number("epsilon", epsilon)?,
            delta: number("delta", delta)?,
        },
        ["rappor", epsilon0, clients] => {
            let clients = integer("clients", clients, 1..=10_000_000_000)?;
            Release::Rappor {
                sum: AggregatedRappor::new(number("epsilon0", epsilon0)?, clients)?,
                adjacency: Adjacency::Replacement,
            }
        }
        _ => return Err(ParameterError::new("mechanism", typed, MECHANISM).into()),
    })
}

/// The ε of the sum of the zero-concentrated guarantees, if all releases have one.
fn concentrated(parts: &[Part], delta: &Delta) -> Result<Option<Rational>, Failure> {
    let mut sum = Rational::zero();
    for part in parts {
        let rho = match &part.release {
            Release::GaussianOne { variance } => zcdp::rho(variance, &1u32.into()),
            Release::GaussianPair { variance } => zcdp::rho(variance, &2u32.into()),
            Release::LaplaceOne { scale } => pure(scale, 1).and_then(|one| rho(&one, 1)),
            Release::LaplacePair { scale } => pure(scale, 1).and_then(|one| rho(&one, 2)),
            Release::RandomizedResponse { epsilon, delta } if delta.value().is_zero() => {
                rho(epsilon, 1)
            }
            _ => return Ok(None),
        };
        let Ok(rho) = rho else {
            return Ok(None);
        };
        sum = sum + rho.value() * &Rational::from(u64::from(part.times));
    }
    Ok(conversion::rho_to_epsilon(&Rho::new(sum)?, delta).ok())
}

/// The ρ of `times` releases of pure privacy.
fn rho(epsilon: &Epsilon, times: u64) -> Result<Rho, dp_calibration::Error> {
    let rho = conversion::pure_to_rho(epsilon)?;
    Ok(Rho::new(rho.value() * &Rational::from(times))?)
}

/// The ε of discrete Laplace noise, for an L1 sensitivity.
fn pure(scale: &Rational, l1: u64) -> Result<Epsilon, dp_calibration::Error> {
    let epsilon = Rational::from(l1).checked_div(scale);
    Ok(Epsilon::new(epsilon.unwrap_or_else(Rational::zero))?)
}

/// (ε, δ) of one release of each part, if that is known: δ is 0, or all releases that need one
/// share one `part` of the whole equally.
fn each(parts: &[Part], delta: &Delta, part: u64) -> Option<Vec<(Rational, Rational)>> {
    let gaussian = |part: &&Part| {
        let release = &part.release;
        matches!(
            release,
            Release::GaussianOne { .. } | Release::GaussianPair { .. }
        )
    };
    let sharing: u64 = parts
        .iter()
        .filter(gaussian)
        .map(|part| u64::from(part.times))
        .sum();
    let share = Rational::from(sharing.max(1) * part).reciprocal()? * delta.value();
    let share = Delta::new(share).ok()?;
    let none = Rational::zero;
    let known = |variance: &Rational, corner: &Corner| {
        let epsilon = discrete_gaussian::epsilon(variance, &share, corner).ok()?;
        Some((epsilon, share.value().clone()))
    };
    let each = parts.iter().map(|part| match &part.release {
        Release::GaussianOne { variance } => known(variance, &Corner::one()),
        Release::GaussianPair { variance } => known(variance, &Corner::one_hot()),
        Release::LaplaceOne { scale } => Some((pure(scale, 1).ok()?.value().clone(), none())),
        Release::LaplacePair { scale } => Some((pure(scale, 2).ok()?.value().clone(), none())),
        Release::RandomizedResponse { epsilon, delta } if delta.value().is_zero() => {
            Some((epsilon.value().clone(), none()))
        }
        _ => None,
    });
    each.collect()
}

/// The sum of ε, at an equal share of δ for each release that needs one.
fn basic(parts: &[Part], delta: &Delta) -> Option<Rational> {
    let each = each(parts, delta, 1)?;
    let all = parts.iter().zip(each);
    Some(all.fold(Rational::zero(), |sum, (part, (epsilon, _))| {
        sum + epsilon * Rational::from(u64::from(part.times))
    }))
}

/// The optimal composition of k equal releases, of which only (ε, δ) is used: half of δ for them. A
/// histogram with Laplace noise is two such releases.
fn optimal(parts: &[Part], delta: &Delta) -> Option<Rational> {
    let [part] = parts else {
        return None;
    };
    if let Release::LaplacePair { scale } = &part.release {
        let none = Delta::new(Rational::zero()).ok()?;
        return kov15::epsilon(&pure(scale, 1).ok()?, &none, 2 * part.times, delta).ok();
    }
    let each = each(parts, delta, 2)?;
    let (epsilon, slack) = each.first()?;
    let epsilon = Epsilon::new(epsilon.clone()).ok()?;
    let slack = Delta::new(slack.clone()).ok()?;
    kov15::epsilon(&epsilon, &slack, part.times, delta).ok()
}
