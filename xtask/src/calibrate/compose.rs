//! `calibrate compose`: what many releases about the same clients promise together.

use clap::Args;
use dp_calibration::aggregated_rappor::AggregatedRappor;
use dp_calibration::privacy_loss::{Accountant, LossBounds, Release};
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

/// By the law of the sum of all privacy losses.
fn together(parts: &[Part], delta: &Delta) -> Result<LossBounds, Failure> {
    let mut accountant = Accountant::new();
    for part in parts {
        accountant.add(part.release.clone(), part.times)?;
    }
    Ok(accountant.epsilon(delta)?)
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let parts = parts(options)?;
    let delta = typed::delta(options.delta.as_ref())?;
    let by_sum = concentrated(&parts, &delta)?;
    let bounds = match &by_sum {
        Some(epsilon) if parts.iter().any(Part::is_wide) => LossBounds {
            upper: epsilon.clone(),
            lower: Rational::zero(),
        },
        _ => together(&parts, &delta)?,
    };
    let words = parts
        .iter()
        .map(|part| format!("{} × {}", part.times, part.typed));
    let words = words.collect::<Vec<_>>().join(", ");
    let mut answer = Answer::to(format!("{words}, together at delta {delta}"));
    let meaning = "holds for all releases together";
    answer.figure("epsilon_upper", up(&bounds.upper), meaning);
    let mut meaning = "fails below";
    if parts
        .iter()
        .any(|part| matches!(part.release, Release::Rappor { .. }))
    {
        meaning = "fails below, if all other clients hold the value that is removed";
    }
    answer.figure("epsilon_lower", down(&bounds.lower), meaning);
    if let Some(epsilon) = by_sum {
        let meaning = "by adding up zero-concentrated privacy, converted as tightly as is known";
        answer.alternative("epsilon_zcdp", up(&epsilon), meaning);
    }
    let each = each(&parts, &delta, 1);
    if let Some(each) = &each {
        let sum = parts
            .iter()
            .zip(each)
            .fold(Rational::zero(), |sum, (part, (epsilon, _))| {
                sum + epsilon * &Rational::from(u64::from(part.times))
            });
        let meaning = "by adding up epsilon and delta, an equal share of delta for each";
        answer.alternative("epsilon_basic", up(&sum), meaning);
    }
    if let Some(epsilon) = optimal(&parts, &delta) {
        let meaning = "best for k equal releases of which nothing else is known (Kairouz, Oh, \
                       Viswanath 2015)";
        answer.alternative("epsilon_kov15", up(&epsilon), meaning);
    }
    if parts.iter().any(Part::is_wide) {
        return Ok(answer.because(
            "For noise of a variance above 1e10: by adding up zero-concentrated privacy, which is \
             nearly tight there. No lower bound was computed.",
        ));
    }
    Ok(answer.because(
        "The law of the sum of all privacy losses, on a lattice, with every rounding counted: \
         exact where the losses lie on one that is not too fine, else on a grid, once spread so that \
         delta can only grow and once merged so that it can only shrink. The data may be chosen adaptively, the sequence of \
         mechanisms not.",
    ))
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

/// The optimal composition of k equal releases, of which only (ε, δ) is used: half of δ for them.
fn optimal(parts: &[Part], delta: &Delta) -> Option<Rational> {
    let [part] = parts else {
        return None;
    };
    let each = each(parts, delta, 2)?;
    let (epsilon, slack) = each.first()?;
    let epsilon = Epsilon::new(epsilon.clone()).ok()?;
    let slack = Delta::new(slack.clone()).ok()?;
    kov15::epsilon(&epsilon, &slack, part.times, delta).ok()
}
