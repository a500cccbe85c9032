//! `calibrate local`: the guarantee of one client's randomized answer, by its exact ratio, and what
//! it means for estimates.

use clap::Args;
use dp_calibration::certificate::PrivacyClaim;
use dp_calibration::{Adjacency, Refusal};
use dp_exact::{Epsilon, ParameterError, Rational, grouped};
use dp_rappor::{SymmetricRappor, UnaryEncoding};

use super::figures::Figures;
use super::local_answer::{BitLosses, Loss, ReportProbabilities};
use super::mechanism::LocalAnswer;
use crate::failure::{Failure, accepted};
use crate::json::Inputs;
use crate::values::{MAX_CLIENTS, about, adjacency, end_down, end_up, integers};

/// Privacy loss of one client's randomized answer, exactly
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// As for compose, without the parameter where an option gives it. One of several answers:
    /// k-ary:ANSWERS:EPSILON, randomized-response:EPSILON (yes or no), keep:P:ANSWERS (kept with
    /// probability P, else a uniform answer, the truth included), replace:F:ANSWERS (keep with P =
    /// 1 - F), coin-flip. Bits: symmetric-rappor:LENGTH:EPSILON0 (one bit set),
    /// symmetric-rappor:LENGTH:WEIGHT:EPSILON0 (at most WEIGHT bits set), basic-rappor:EPSILON,
    /// bits:P:Q (a set bit is reported with probability P, another one with Q),
    /// rappor-two-step:F:P:Q:HASHES (the permanent response replaces a bit with probability F; a
    /// report shows its zeros with P, its ones with Q)
    #[arg(long, required_unless_present = "best_bits")]
    mechanism: Option<String>,
    /// Take bits:P:Q of least error for one-hot vectors at --epsilon
    #[arg(long, conflicts_with = "mechanism", requires = "epsilon")]
    best_bits: bool,
    /// With --best-bits: the answers over which the error is least [default: many]
    #[arg(long, requires = "best_bits", value_parser = integers(2..=u64::MAX))]
    answers: Option<u64>,
    /// Parameter of symmetric RAPPOR: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<Epsilon>,
    /// Parameter of basic RAPPOR, of k-ary response and of --best-bits
    #[arg(long)]
    epsilon: Option<Epsilon>,
    /// Which batches are neighbours, for bits: replacement, deletion or one-coordinate
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
    /// Also predict the error of an estimate over this many clients
    #[arg(long, alias = "n", value_parser = integers(1..=MAX_CLIENTS))]
    clients: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  ... local --mechanism k-ary:2925 --epsilon 14
  ... local --mechanism bits:0.75:0.05 --clients 10000
  ... local --mechanism rappor-two-step:0.5:0.5:0.75:2
  ... local --best-bits --epsilon 2 --clients 10000";

/// The figures of the exact privacy loss of one client's randomized answer, and why it is exact;
/// the same loss as by `compose` of one release at δ = 0.
pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let answer = read(options, inputs)?;
    let enclosed = answer.loss.enclosed()?;
    let claim = match (&answer.loss, answer.certified) {
        (Loss::Epsilon(epsilon), Some(mechanism)) => Some(PrivacyClaim {
            epsilon: epsilon.clone(),
            delta: Rational::zero(),
            adjacency: options.adjacency,
            releases: vec![(mechanism, 1)],
        }),
        _ => None,
    };
    let mut figures = Figures::titled(answer.title)
        .certified_by(claim.map(|claim| claim.candidates()).unwrap_or_default());
    if let Some(epsilon) = &options.epsilon {
        figures = figures.at_epsilon(epsilon);
    }
    let (ratio, meaning) = answer.loss.ratio();
    figures = figures
        .figure("ratio", ratio, meaning)
        .at_epsilon(&answer.loss.epsilon()?)
        .figure(
            "epsilon_upper",
            end_up(enclosed.upper()),
            "its logarithm, rounded up: pure differential privacy",
        )
        .figure("epsilon_lower", end_down(enclosed.lower()), "its logarithm, rounded down");
    if let Some(BitLosses { bit, one_hot, replacement, deletion }) = &answer.bit_losses {
        for (name, loss, meaning) in [
            ("epsilon_bit", bit, "between vectors that differ in one bit"),
            ("epsilon_one_hot", one_hot, "between one-hot vectors"),
            ("epsilon_replacement", replacement, "between any two inputs"),
            ("epsilon_deletion", deletion, "between an input and the zero vector"),
        ] {
            figures = figures.figure(name, end_up(loss.enclosed()?.upper()), meaning);
        }
    }
    if let Some(lifetime) = &answer.lifetime {
        let epsilon = end_up(lifetime.enclosed()?.upper());
        let meaning = "all reports on one permanent response together";
        figures = figures.at_epsilon(&lifetime.epsilon()?);
        figures = figures.figure("epsilon_lifetime", epsilon, meaning);
    }
    if let Some(probabilities) = &answer.probabilities {
        figures = with_estimates(figures, probabilities, options)?;
    }
    Ok(figures.because(answer.certificate))
}

/// The figures with the probabilities of a report, the unbiased estimate from a count of reports,
/// and its error over the clients of the question. Without the estimate if 20 digits do not tell
/// the probabilities apart.
fn with_estimates(
    figures: Figures,
    probabilities: &ReportProbabilities,
    options: &Options,
) -> Result<Figures, Failure> {
    let ReportProbabilities { held, other, replaced } = probabilities;
    let mut figures = figures
        .figure("probability_held", held, "an answer, or a one, is reported where it is true")
        .figure("probability_other", other, "and where it is not");
    if let Some(replaced) = replaced {
        let meaning = "the report is a uniform answer, the truth included";
        figures = figures.figure("probability_replaced", replaced, meaning);
    }
    // Of one answer or bit the count is that of reports with these two probabilities.
    let Ok(bits) = UnaryEncoding::new(held.clone(), other.clone()) else { return Ok(figures) };
    let [slope, offset] = [bits.estimate(1, 0).value, -bits.estimate(0, 1).value];
    figures = figures
        .figure(
            "estimate_slope",
            about(slope)?,
            "unbiased estimate: slope · count - offset · clients",
        )
        .figure("estimate_offset", about(offset)?, "");
    let Some(clients) = options.clients else { return Ok(figures) };
    for (name, holding) in [("std_if_none", 0), ("std_if_all", clients)] {
        let std = about(bits.standard_deviation(holding, clients))?;
        let meaning = match holding {
            0 => format!(
                "error of an estimate over {} clients, if nobody holds it",
                grouped(clients)
            ),
            _ => "if every client holds it".to_owned(),
        };
        figures = figures.figure(name, std, meaning);
    }
    if let (true, Some(epsilon)) = (options.best_bits, &options.epsilon) {
        let std = SymmetricRappor::basic(epsilon)?.standard_deviation(clients);
        let meaning = "by symmetric RAPPOR with the same epsilon, whoever holds it";
        figures = figures.beside("std_symmetric", about(std)?, meaning);
    }
    Ok(figures)
}

/// The mechanism, spelled as for `compose` or with its parameter in an option, or the best bits.
/// `Err` for an unknown one, a missing parameter, and an option that has no meaning with it.
fn read(options: &Options, inputs: &Inputs) -> Result<LocalAnswer, Failure> {
    let Options { mechanism, epsilon0, epsilon, adjacency, .. } = options;
    let best = match (epsilon, options.best_bits) {
        (Some(epsilon), true) => {
            let best = UnaryEncoding::optimized(epsilon, options.answers)?;
            Some(format!("bits:{}:{}", best.p(), best.q()))
        }
        _ => None,
    };
    let mechanism = best.as_deref().or(mechanism.as_deref()).unwrap_or_default();
    let unknown = || ParameterError::new("mechanism", mechanism, accepted("mechanism"));
    let (parameter, foreign, words): (_, &[&str], _) = match mechanism.split(':').next() {
        Some("symmetric-rappor") => {
            (Some(("epsilon0", epsilon0)), &["epsilon"], "with symmetric RAPPOR")
        }
        Some("basic-rappor") => (Some(("epsilon", epsilon)), &["epsilon0"], "with basic RAPPOR"),
        Some("k-ary" | "randomized-response") => {
            (Some(("epsilon", epsilon)), &["epsilon0"], "with k-ary response")
        }
        Some("coin-flip") => (None, &["epsilon0", "epsilon"], "with coin flips"),
        Some("bits") if best.is_some() => (None, &["epsilon0"], "with --best-bits"),
        Some("bits" | "rappor-two-step" | "keep" | "replace") => {
            (None, &["epsilon0", "epsilon"], "with a mechanism by its probabilities")
        }
        _ => return Err(unknown().into()),
    };
    inputs.refuse(foreign.iter().copied(), words)?;
    let spelled = match parameter {
        Some((_, Some(parameter))) => &format!("{mechanism}:{parameter}"),
        _ => mechanism,
    };
    match (LocalAnswer::read(spelled, *adjacency, u64::MAX)?, parameter) {
        (Some(answer), _) => Ok(answer),
        (None, Some((option, None))) => Err(Refusal::missing(option, accepted(option)).into()),
        (None, _) => Err(unknown().into()),
    }
}
