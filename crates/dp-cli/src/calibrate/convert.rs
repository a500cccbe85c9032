//! `calibrate convert`: a guarantee of one definition of privacy in another one.

use clap::Args;
use dp_calibration::conversion::{self, Conversion, Currency};
use dp_calibration::{Budget, Refusal};
use dp_exact::{Delta, Epsilon, Rational, Rho};

use super::figures::Figures;
use crate::failure::{Failure, accepted};
use crate::values::{fraction, integers, positive, up};

/// A guarantee of one definition of privacy in another one
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Parameter of zero-concentrated privacy
    #[arg(long)]
    rho: Option<Rho>,
    /// Order of Rényi privacy
    #[arg(long, value_parser = positive)]
    alpha: Option<Rational>,
    /// Largest Rényi divergence of the order alpha
    #[arg(long)]
    tau: Option<Rational>,
    /// Parameter of pure privacy; with --rho or --tau: compute the delta at this epsilon
    #[arg(long, alias = "eps")]
    epsilon: Option<Epsilon>,
    /// With --rho or --tau: compute the epsilon at this delta
    #[arg(long)]
    delta: Option<Delta>,
    /// With --epsilon: of randomized response with this many answers
    #[arg(long, value_parser = integers(2..=u64::MAX), conflicts_with_all = ["rho", "alpha", "tau", "delta", "group"])]
    answers: Option<u64>,
    /// Size of a group of clients that the guarantee is to protect together
    #[arg(long, value_parser = integers(1..=u32::MAX))]
    group: Option<u32>,
}

const AFTER_HELP: &str = "\
Conversions:
  --rho R --delta D, --rho R --epsilon E       zero-concentrated to approximate
  --alpha A --tau T --delta D, ... --epsilon E Rényi to approximate
  --epsilon E, --epsilon E --alpha A           pure to zero-concentrated, to Rényi
  --epsilon E --answers K                      randomized response to zero-concentrated
  --epsilon E [--delta D] --group N, --rho R --group N, --alpha A --tau T --group N";

/// The answer of `calibrate convert`: the figures of the conversion that the options ask for; with
/// `--group` of the guarantee of a group.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    match options.group {
        Some(size) => for_group(&options.budget()?, size),
        None => converted(options),
    }
}

impl Options {
    /// The conversion of the typed options: the guarantee that is given, and the figure that is
    /// computed. `Err` for options that are no conversion.
    fn conversion(&self) -> Result<Conversion, Failure> {
        let Self { rho, alpha, tau, epsilon, delta, .. } = self;
        let given = (rho.clone(), alpha.clone(), tau.clone(), epsilon.clone(), delta.clone());
        let (from, to) = match given {
            (Some(rho), None, None, None, Some(delta)) => (rho.into(), Currency::EpsilonAt(delta)),
            (Some(rho), None, None, Some(epsilon), None) => {
                (rho.into(), Currency::DeltaAt(epsilon))
            }
            (None, Some(alpha), Some(tau), None, Some(delta)) => {
                (Budget::Renyi { alpha, tau }, Currency::EpsilonAt(delta))
            }
            (None, Some(alpha), Some(tau), Some(epsilon), None) => {
                (Budget::Renyi { alpha, tau }, Currency::DeltaAt(epsilon))
            }
            (None, None, None, Some(epsilon), None) => {
                (epsilon.into(), self.answers.map_or(Currency::Rho, Currency::RhoOfAnswers))
            }
            (None, Some(alpha), None, Some(epsilon), None) => {
                (epsilon.into(), Currency::TauAt(alpha))
            }
            (Some(_), None, None, None, None) => {
                let accepted = format!("{}, or --epsilon", accepted("delta"));
                return Err(Refusal::missing("delta", accepted).into());
            }
            _ => return Err(unclear()),
        };
        Ok(Conversion { from, to })
    }

    /// The guarantee that the options give, for `--group`: ρ, (α, τ), ε or (ε, δ). `Err` for other
    /// options.
    fn budget(&self) -> Result<Budget, Failure> {
        let Self { rho, alpha, tau, epsilon, delta, .. } = self;
        let given = (rho.clone(), alpha.clone(), tau.clone(), epsilon.clone(), delta.clone());
        Ok(match given {
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

/// The failure for options that are no conversion.
fn unclear() -> Failure {
    let line = "no such conversion: expected --rho with --delta or --epsilon, --alpha and --tau \
                with --delta or --epsilon, --epsilon alone or with --alpha, or a budget with --group";
    Failure::Usage(line.to_owned())
}

/// The figures of a conversion without `--group`.
fn converted(options: &Options) -> Result<Figures, Failure> {
    let conversion = options.conversion()?;
    let converted = conversion.bound()?;
    let mut figures = Figures::titled(conversion.to_string());
    if let Some(epsilon) = &options.epsilon {
        figures = figures.at_epsilon(epsilon);
    }
    if let Some(delta) = &options.delta {
        figures = figures.at_delta(delta);
    }
    // A bound by one order is not the least one.
    let quantity = match (&conversion.from, &conversion.to) {
        (Budget::Renyi { .. }, Currency::EpsilonAt(_)) => "epsilon_upper",
        (Budget::Renyi { .. }, Currency::DeltaAt(_)) => "delta_upper",
        (_, Currency::EpsilonAt(_)) => "epsilon_tightest",
        (_, Currency::DeltaAt(_)) => "delta_tightest",
        (_, Currency::Rho | Currency::RhoOfAnswers(_)) => "rho_tightest",
        _ => "tau_tightest",
    };
    figures = figures.figure(quantity, up(&converted.value), converted.by);
    let candidates = conversion.certificates(&converted.value);
    Ok(figures.because(converted.certificate).certified_by(candidates))
}

/// The figures of the guarantee for `size` clients together, if `budget` holds for one client.
fn for_group(budget: &Budget, size: u32) -> Result<Figures, Failure> {
    let figures = Figures::titled(format!("For a group of {size}: {budget}")).about(budget);
    let together = match &conversion::for_group(budget, size)? {
        Budget::Pure { epsilon } => figures.figure("epsilon_upper", up(epsilon.value()), ""),
        Budget::Approximate { epsilon, delta } => figures
            .figure("epsilon_upper", up(epsilon.value()), "")
            .figure("delta_upper", up(delta.value()), ""),
        Budget::ZeroConcentrated { rho } => figures.figure("rho_upper", up(rho.value()), ""),
        Budget::Renyi { alpha, tau } => {
            figures.figure("alpha", fraction(alpha), "").figure("tau_upper", up(tau), "")
        }
    };
    Ok(together.because(conversion::group_certificate(size)))
}
