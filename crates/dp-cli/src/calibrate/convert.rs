//! `calibrate convert`: what a guarantee in one currency means in another.

use clap::Args;
use dp_calibration::conversion::{self, Conversion};
use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};

use super::answer::Answer;
use super::certificate::{Candidates, Claim, Mechanism, Release, Steering};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, DIGITS, optional, positive, required, up};

/// What a guarantee in one currency means in another
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// From zero-concentrated privacy
    #[arg(long)]
    rho: Option<String>,
    /// From Rényi privacy: its order
    #[arg(long)]
    alpha: Option<String>,
    /// From Rényi privacy: its divergence
    #[arg(long)]
    tau: Option<String>,
    /// From pure privacy; with --rho or --tau: find the delta at this epsilon
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<String>,
    /// With --rho or --tau: find the epsilon at this delta
    #[arg(long)]
    delta: Option<String>,
    /// What the guarantee means for a group of this size
    #[arg(long)]
    group: Option<String>,
}

const AFTER_HELP: &str = "\
Conversions:
  --rho R --delta D, --rho R --epsilon E       zero-concentrated to approximate
  --alpha A --tau T --delta D, ... --epsilon E Rényi to approximate
  --epsilon E, --epsilon E --alpha A           pure to zero-concentrated, to Rényi
  --epsilon E [--delta D] --group N, --rho R --group N, --alpha A --tau T --group N";

/// What was typed of each currency.
struct Typed {
    rho: Option<Rho>,
    alpha: Option<Rational>,
    tau: Option<Rational>,
    epsilon: Option<Epsilon>,
    delta: Option<Delta>,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let alpha = options.alpha.as_ref();
    let typed = Typed {
        epsilon: optional("epsilon", options.epsilon.as_ref())?,
        delta: optional("delta", options.delta.as_ref())?,
        rho: optional("rho", options.rho.as_ref())?,
        alpha: alpha.map(|text| positive("alpha", text)).transpose()?,
        tau: optional("tau", options.tau.as_ref())?,
    };
    match &options.group {
        Some(size) => group(&typed.budget()?, parse_integer("group", size, 1..=u32::MAX)?),
        None => converted(&typed.conversion()?),
    }
}

impl Typed {
    fn conversion(self) -> Result<Conversion, Failure> {
        let Self { rho, alpha, tau, epsilon, delta } = self;
        Ok(match (rho, alpha, tau, epsilon, delta) {
            (Some(rho), None, None, None, Some(delta)) => Conversion::RhoToEpsilon { rho, delta },
            (Some(rho), None, None, Some(epsilon), None) => Conversion::RhoToDelta { rho, epsilon },
            (None, Some(alpha), Some(tau), None, Some(delta)) => {
                Conversion::RenyiToEpsilon { alpha, tau, delta }
            }
            (None, Some(alpha), Some(tau), Some(epsilon), None) => {
                Conversion::RenyiToDelta { alpha, tau, epsilon }
            }
            (None, None, None, Some(epsilon), None) => Conversion::PureToRho { epsilon },
            (None, Some(alpha), None, Some(epsilon), None) => {
                Conversion::PureToRenyi { epsilon, alpha }
            }
            (Some(_), None, None, None, None) => {
                required("delta", None, "a slack, or --epsilon")?;
                return Err(unclear());
            }
            _ => return Err(unclear()),
        })
    }

    fn budget(self) -> Result<Budget, Failure> {
        let Self { rho, alpha, tau, epsilon, delta } = self;
        Ok(match (rho, alpha, tau, epsilon, delta) {
            (Some(rho), None, None, None, None) => Budget::ZeroConcentrated { rho },
            (None, Some(alpha), Some(tau), None, None) => Budget::renyi(alpha, tau)?,
            (None, None, None, Some(epsilon), None) => Budget::Pure { epsilon },
            (None, None, None, Some(epsilon), Some(delta)) => {
                Budget::Approximate { epsilon, delta }
            }
            _ => return Err(unclear()),
        })
    }
}

fn unclear() -> Failure {
    let line = "no such conversion: expected --rho with --delta or --epsilon, --alpha and --tau \
                with --delta or --epsilon, --epsilon alone or with --alpha, or a budget with --group";
    Failure::Usage(line.to_owned())
}

fn converted(conversion: &Conversion) -> Result<Answer, Failure> {
    let converted = conversion.bounds()?;
    let [tightest, classical] = names(conversion);
    let answer = Answer::to(conversion.to_string());
    let mut answer = match conversion {
        Conversion::RhoToEpsilon { delta, .. } | Conversion::RenyiToEpsilon { delta, .. } => {
            answer.at_delta(delta)
        }
        Conversion::RhoToDelta { epsilon, .. }
        | Conversion::RenyiToDelta { epsilon, .. }
        | Conversion::PureToRho { epsilon }
        | Conversion::PureToRenyi { epsilon, .. } => answer.at_epsilon(epsilon),
        _ => answer,
    };
    answer.figure(tightest, up(&converted.tightest.value), converted.tightest.by);
    if let Some(bound) = &converted.classical {
        answer.alternative(classical, up(&bound.value), bound.by);
    }
    let claimed = match (conversion, &converted.classical) {
        (Conversion::RenyiToEpsilon { .. } | Conversion::RenyiToDelta { .. }, Some(classical)) => {
            classical
        }
        _ => &converted.tightest,
    };
    let candidates = candidates(conversion, &claimed.value);
    Ok(answer.because(converted.certificate).certified_by(candidates.unwrap_or_default()))
}

/// What is added to an ε or a δ, in parts of it: the checker rounds up.
const LOOSER: [&str; 5] = ["1e-9", "1e-6", "1e-4", "1e-3", "0.01"];

/// Certificates of a bound by one order, which the checker knows; it does not know the joint range.
fn candidates(conversion: &Conversion, claimed: &Rational) -> Option<Candidates> {
    let looser = |part: &str| {
        let factor = part.parse::<Rational>().ok()? + Rational::one();
        let larger = (claimed * &factor).round_to_digits(DIGITS, Rounding::Up);
        Some(larger)
    };
    let mut candidates = Candidates::default();
    for part in LOOSER {
        let (epsilon, delta) = match conversion {
            Conversion::RhoToEpsilon { delta, .. } | Conversion::RenyiToEpsilon { delta, .. } => {
                (looser(part)?, delta.value().clone())
            }
            Conversion::RhoToDelta { epsilon, .. } | Conversion::RenyiToDelta { epsilon, .. } => {
                (epsilon.value().clone(), looser(part)?)
            }
            _ => return None,
        };
        let (mechanism, steering) = match conversion {
            Conversion::RhoToEpsilon { rho, .. } | Conversion::RhoToDelta { rho, .. } => {
                let steering = Steering::concentrated(rho, &epsilon);
                (Mechanism::concentrated(rho.clone()), steering)
            }
            Conversion::RenyiToEpsilon { alpha, tau, .. }
            | Conversion::RenyiToDelta { alpha, tau, .. } => {
                let divergences = Mechanism::renyi(alpha.clone(), tau.clone());
                (divergences, Steering::at(alpha.clone()))
            }
            _ => return None,
        };
        let claim = Claim {
            epsilon,
            delta,
            adjacency: Adjacency::Replacement,
            trust_model: TrustModel::OneClient,
            releases: vec![Release::once(mechanism)],
            every_larger_variance: false,
        };
        candidates.add(claim, steering);
    }
    Some(candidates)
}

/// The keys of the tightest bound and of the classical one.
const fn names(conversion: &Conversion) -> [&'static str; 2] {
    match conversion {
        Conversion::RhoToEpsilon { .. } => ["epsilon_tightest", "epsilon_classical"],
        Conversion::RenyiToEpsilon { .. } => ["epsilon_tightest", "epsilon_upper"],
        Conversion::RhoToDelta { .. } | Conversion::RenyiToDelta { .. } => {
            ["delta_tightest", "delta_upper"]
        }
        Conversion::PureToRho { .. } => ["rho_tightest", "rho_upper"],
        _ => ["tau_tightest", "tau_upper"],
    }
}

fn group(budget: &Budget, size: u32) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!("For a group of {size}: {budget}")).about(budget);
    let together = conversion::for_group(budget, size)?;
    match &together {
        Budget::Pure { epsilon } => answer.figure("epsilon_upper", up(epsilon.value()), ""),
        Budget::Approximate { epsilon, delta } => {
            answer.figure("epsilon_upper", up(epsilon.value()), "");
            answer.figure("delta_upper", up(delta.value()), "");
        }
        Budget::ZeroConcentrated { rho } => answer.figure("rho_upper", up(rho.value()), ""),
        Budget::Renyi { alpha, tau } => {
            answer.figure("alpha", typed::fraction(alpha), "");
            answer.figure("tau_upper", up(tau), "");
        }
    }
    Ok(answer.because(conversion::group_certificate(size)))
}
