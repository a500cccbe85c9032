//! `calibrate convert`: a guarantee of one definition of privacy in another one.

use clap::Args;
use dp_calibration::conversion::{self, Conversion, Currency};
use dp_calibration::{Budget, Refusal};
use dp_exact::{Delta, Epsilon, Rational, Rho};

use super::figures::{Figures, Quantity};
use crate::failure::{Failure, accepted};
use crate::values::{fraction, integers, positive, up};

/// Millionths in 1.
const MILLION: u64 = 1_000_000;

/// A guarantee of one definition of privacy in another one
#[derive(Args, Clone, Debug)]
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
    /// Parameter of pure privacy in millionths: the privacy_budget of a report of
    /// draft-thomson-ppm-dap-attribution, or its collection's min_dp_budget if that is less
    #[arg(long, value_parser = integers(1..=u32::MAX), conflicts_with = "epsilon")]
    micro_epsilon: Option<u32>,
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
  --micro-epsilon N                            as --epsilon N/1000000
  --epsilon E [--delta D] --group N, --rho R --group N, --alpha A --tau T --group N";

/// The answer of `calibrate convert`: the figures of the conversion that the options ask for; with
/// `--group` of the guarantee of a group.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let mut options = options.clone();
    if let Some(millionths) = options.micro_epsilon {
        options.epsilon = Some(Epsilon::new(Rational::new(millionths, MILLION)?)?);
    }
    let options = &options;
    match (options.group, options.read()?) {
        (Some(size), (budget, None)) => for_group(&budget, size),
        (None, (from, Some(to))) => converted(options, &Conversion { from, to }),
        (None, (Budget::ZeroConcentrated { .. }, None)) => {
            let accepted = format!("{}, or --epsilon", accepted("delta"));
            Err(Refusal::missing("delta", accepted).into())
        }
        _ => Err(unclear()),
    }
}

impl Options {
    /// The guarantee that the options give, and the figure that they ask of it: with ρ or τ the δ
    /// at an ε or the ε at a δ, of a pure ε its τ at an order, or its ρ unless a group is asked
    /// for. `None` if none is asked for. `Err` for options that are neither a conversion nor a
    /// group's.
    fn read(&self) -> Result<(Budget, Option<Currency>), Failure> {
        let Self { rho, alpha, tau, epsilon, delta, .. } = self.clone();
        Ok(match (rho, alpha, tau, epsilon, delta) {
            (None, None, None, Some(epsilon), Some(delta)) => {
                (Budget::Approximate { epsilon, delta }, None)
            }
            (None, None, None, Some(epsilon), None) => {
                let rho = self.answers.map_or(Currency::Rho, Currency::RhoOfAnswers);
                (epsilon.into(), self.group.is_none().then_some(rho))
            }
            (None, Some(alpha), None, Some(epsilon), None) => {
                (epsilon.into(), Some(Currency::TauAt(alpha)))
            }
            (rho, alpha, tau, epsilon, delta) => {
                let budget = match (rho, alpha, tau) {
                    (Some(rho), None, None) => rho.into(),
                    (None, Some(alpha), Some(tau)) => Budget::Renyi { alpha, tau },
                    _ => return Err(unclear()),
                };
                let asked = [epsilon.map(Currency::DeltaAt), delta.map(Currency::EpsilonAt)];
                if asked.iter().all(Option::is_some) {
                    return Err(unclear());
                }
                (budget, asked.into_iter().flatten().next())
            }
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
fn converted(options: &Options, conversion: &Conversion) -> Result<Figures, Failure> {
    let converted = conversion.bound()?;
    let mut figures = Figures::titled(conversion.to_string());
    if let Some(epsilon) = &options.epsilon {
        figures = figures.at_epsilon(epsilon);
    }
    if let Some(delta) = &options.delta {
        figures = figures.at_delta(delta);
    }
    // Bounds by the orders of the divergence are not the least ones.
    let value = &converted.value;
    figures = match &conversion.to {
        Currency::EpsilonAt(_) => {
            figures.guarantee(Quantity::Epsilon, "epsilon_upper", value, converted.by)
        }
        Currency::DeltaAt(_) => {
            figures.guarantee(Quantity::Delta, "delta_upper", value, converted.by)
        }
        Currency::Rho | Currency::RhoOfAnswers(_) => {
            figures.figure("rho_tightest", up(value), converted.by)
        }
        _ => figures.figure("tau_tightest", up(value), converted.by),
    };
    if let (Currency::Rho, Some(epsilon)) = (&conversion.to, &options.epsilon) {
        figures = match options.micro_epsilon {
            Some(_) => figures.figure("epsilon", epsilon, "exactly"),
            None => {
                let millionths = (epsilon.value() * &Rational::from(MILLION)).floor();
                figures.beside("micro_epsilon", millionths, "epsilon in millionths, rounded down")
            }
        };
    }
    let candidates = conversion.certificates(&converted.value);
    Ok(figures.because(converted.certificate).certified_by(candidates))
}

/// The figures of the guarantee for `size` clients together, if `budget` holds for one client.
fn for_group(budget: &Budget, size: u32) -> Result<Figures, Failure> {
    let figures = Figures::titled(format!("For a group of {size}: {budget}")).about(budget);
    let together = match &conversion::for_group(budget, size)? {
        Budget::Pure { epsilon } => {
            figures.guarantee(Quantity::Epsilon, "epsilon_upper", epsilon.value(), "")
        }
        Budget::Approximate { epsilon, delta } => figures
            .guarantee(Quantity::Epsilon, "epsilon_upper", epsilon.value(), "")
            .guarantee(Quantity::Delta, "delta_upper", delta.value(), ""),
        Budget::ZeroConcentrated { rho } => figures.figure("rho_upper", up(rho.value()), ""),
        Budget::Renyi { alpha, tau } => {
            figures.figure("alpha", fraction(alpha), "").figure("tau_upper", up(tau), "")
        }
    };
    Ok(together.because(conversion::group_certificate(size)))
}
