//! `calibrate convert`: what a guarantee in one currency means in another.

use clap::Args;
use dp_calibration::{Budget, conversion, zcdp};
use dp_exact::{Delta, Epsilon, Interval, ParameterError, Rational, Rho, refine};

use super::answer::Answer;
use super::typed::{self, number, positive, required, up};
use crate::failure::Failure;
use crate::options::integer;

/// What a guarantee in one currency means in another
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// From zero-concentrated privacy
    #[arg(long, allow_hyphen_values = true)]
    rho: Option<String>,
    /// From Rényi privacy: its order
    #[arg(long, allow_hyphen_values = true)]
    alpha: Option<String>,
    /// From Rényi privacy: its divergence
    #[arg(long, allow_hyphen_values = true)]
    tau: Option<String>,
    /// From pure privacy; with --rho or --tau: find the delta at this epsilon
    #[arg(long, allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// With --rho or --tau: find the epsilon at this delta
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
    /// What the guarantee means for a group of this size
    #[arg(long, allow_hyphen_values = true)]
    group: Option<String>,
}

const AFTER_HELP: &str = "\
Conversions:
  --rho R --delta D, --rho R --epsilon E       zero-concentrated to approximate
  --alpha A --tau T --delta D, ... --epsilon E Rényi to approximate
  --epsilon E, --epsilon E --alpha A           pure to zero-concentrated, to Rényi
  --epsilon E [--delta D] --group N, --rho R --group N, --alpha A --tau T --group N";

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let epsilon = parsed::<Epsilon>("epsilon", options.epsilon.as_ref())?;
    let delta = parsed::<Delta>("delta", options.delta.as_ref())?;
    let rho = parsed::<Rho>("rho", options.rho.as_ref())?;
    let alpha = options.alpha.as_ref().map(|text| positive("alpha", text));
    let alpha = alpha.transpose()?;
    let tau = parsed::<Rational>("tau", options.tau.as_ref())?;
    if let Some(size) = &options.group {
        let size = integer("group", size, 1..=u32::MAX)?;
        let budget = match (rho, alpha, tau, epsilon, delta) {
            (Some(rho), None, None, None, None) => Budget::ZeroConcentrated { rho },
            (None, Some(alpha), Some(tau), None, None) => Budget::renyi(alpha, tau)?,
            (None, None, None, Some(epsilon), None) => Budget::Pure { epsilon },
            (None, None, None, Some(epsilon), Some(delta)) => {
                Budget::Approximate { epsilon, delta }
            }
            _ => return Err(unclear()),
        };
        return group(&budget, size);
    }
    match (rho, alpha, tau, epsilon, delta) {
        (Some(rho), None, None, None, Some(delta)) => rho_to_epsilon(&rho, &delta),
        (Some(rho), None, None, Some(epsilon), None) => rho_to_delta(&rho, &epsilon),
        (None, Some(alpha), Some(tau), None, Some(delta)) => renyi_to_epsilon(&alpha, &tau, &delta),
        (None, Some(alpha), Some(tau), Some(epsilon), None) => {
            renyi_to_delta(&alpha, &tau, &epsilon)
        }
        (None, None, None, Some(epsilon), None) => pure_to_rho(&epsilon),
        (None, Some(alpha), None, Some(epsilon), None) => pure_to_renyi(&epsilon, &alpha),
        (Some(_), None, None, None, None) => {
            required("delta", None, "a slack, or --epsilon")?;
            Err(unclear())
        }
        _ => Err(unclear()),
    }
}

fn parsed<T>(name: &'static str, text: Option<&String>) -> Result<Option<T>, ParameterError>
where
    T: std::str::FromStr<Err = ParameterError>,
{
    text.map(|text| number(name, text)).transpose()
}

fn unclear() -> Failure {
    let line = "no such conversion: expected --rho with --delta or --epsilon, --alpha and --tau \
                with --delta or --epsilon, --epsilon alone or with --alpha, or a budget with --group";
    Failure::Usage(line.to_owned())
}

fn rho_to_epsilon(rho: &Rho, delta: &Delta) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Zero-concentrated differential privacy with rho {rho}, at delta {delta}"
    ));
    let tightest = conversion::rho_to_epsilon(rho, delta)?;
    let meaning = "the least that one order proves, of the orders that were searched";
    answer.figure("epsilon_tightest", up(&tightest), meaning);
    let meaning = "by Canonne, Kamath, Steinke 2020, Corollary 13";
    answer.figure("epsilon_upper", up(&zcdp::epsilon(rho, delta)?), meaning);
    let meaning = "rho + 2·√(rho·ln(1/delta)) (Bun, Steinke 2016, Proposition 1.3)";
    answer.alternative("epsilon_classical", up(&classical(rho, delta)?), meaning);
    Ok(answer.because(
        "At one well-chosen order, the Rényi divergence bounds delta (Corollary 13), and more \
         tightly the joint range of divergence and delta (Asoodeh, Liao, Calmon, Kosut, Sankar \
         2020); any order gives a valid bound, which is certified in interval arithmetic.",
    ))
}

/// ρ + 2·√(ρ·ln(1/δ)), rounded up.
fn classical(rho: &Rho, delta: &Delta) -> Result<Rational, Failure> {
    let epsilon = refine(|precision| {
        let precision = precision.max(128);
        let log = -Interval::rational(delta.value(), precision).ln()?;
        let rho = Interval::rational(rho.value(), precision);
        let epsilon = &rho + &(&rho * &log).sqrt()?.shifted(1);
        epsilon.upper().to_rational()
    });
    Ok(epsilon.map_err(dp_calibration::Error::from)?)
}

fn rho_to_delta(rho: &Rho, epsilon: &Epsilon) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Zero-concentrated differential privacy with rho {rho}, at epsilon {epsilon}"
    ));
    let tightest = conversion::rho_to_delta(rho, epsilon)?;
    let meaning = "the least that one order proves, of the orders that were searched";
    answer.figure("delta_tightest", up(&tightest), meaning);
    let corollary = zcdp::delta(rho, epsilon)?;
    let meaning = "by Canonne, Kamath, Steinke 2020, Corollary 13";
    answer.figure("delta_upper", typed::end_up(corollary.upper()), meaning);
    Ok(answer.because(
        "At one well-chosen order, the Rényi divergence bounds delta, and more tightly the joint \
         range of divergence and delta (Asoodeh, Liao, Calmon, Kosut, Sankar 2020).",
    ))
}

fn renyi_to_epsilon(alpha: &Rational, tau: &Rational, delta: &Delta) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Rényi differential privacy of order {alpha} with divergence {tau}, at delta {delta}"
    ));
    let tightest = conversion::renyi_to_epsilon(alpha, tau, delta)?;
    let meaning = "the least epsilon of twelve digits that this divergence allows";
    answer.figure("epsilon_tightest", up(&tightest), meaning);
    let classical = conversion::renyi_to_epsilon_classical(alpha, tau, delta)?;
    let meaning = "by Canonne, Kamath, Steinke 2020, Proposition 12";
    answer.alternative("epsilon_upper", up(&classical), meaning);
    Ok(answer.because(JOINT_RANGE))
}

fn renyi_to_delta(alpha: &Rational, tau: &Rational, epsilon: &Epsilon) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Rényi differential privacy of order {alpha} with divergence {tau}, at epsilon {epsilon}"
    ));
    let tightest = conversion::renyi_to_delta(alpha, tau, epsilon)?;
    let meaning = "the least delta of twelve digits that this divergence allows";
    answer.figure("delta_tightest", up(&tightest), meaning);
    let classical = conversion::renyi_to_delta_classical(alpha, tau, epsilon)?;
    let meaning = "by Canonne, Kamath, Steinke 2020, Proposition 12";
    answer.alternative("delta_upper", up(&classical), meaning);
    Ok(answer.because(JOINT_RANGE))
}

const JOINT_RANGE: &str = "No pair of laws has this divergence and a larger delta: the joint range \
    of the two is that of pairs of coins (Asoodeh, Liao, Calmon, Kosut, Sankar 2020), and is \
    certified in interval arithmetic. The best pair of coins attains it.";

fn pure_to_rho(epsilon: &Epsilon) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!("Pure differential privacy with epsilon {epsilon}"));
    let rho = conversion::pure_to_rho(epsilon)?;
    answer.figure(
        "rho_tightest",
        up(rho.value()),
        "epsilon·tanh(epsilon/2), rounded up",
    );
    let classical = conversion::pure_to_rho_classical(epsilon)?;
    let meaning = "epsilon^2/2 (Bun, Steinke 2016, Proposition 1.4)";
    answer.alternative("rho_upper", up(classical.value()), meaning);
    Ok(answer.because(
        "Randomized response is the worst mechanism, and attains it as the order falls to 1.",
    ))
}

fn pure_to_renyi(epsilon: &Epsilon, alpha: &Rational) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Pure differential privacy with epsilon {epsilon}, at order {alpha}"
    ));
    let tau = conversion::pure_to_renyi(epsilon, alpha)?;
    answer.figure("tau_tightest", up(&tau), "the Rényi divergence, rounded up");
    let classical = conversion::pure_to_renyi_classical(epsilon, alpha);
    let meaning = "the smaller of epsilon and alpha·epsilon^2/2 (Bun, Steinke 2016)";
    answer.alternative("tau_upper", up(&classical), meaning);
    Ok(answer.because("Randomized response is the worst mechanism, and attains it."))
}

fn group(budget: &Budget, size: u32) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!("For a group of {size}: {budget}"));
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
    Ok(answer.because(format!(
        "The group's data change one member at a time, in {size} steps, each within the budget. A \
         guarantee under deletion is one under replacement for a group of 2."
    )))
}
