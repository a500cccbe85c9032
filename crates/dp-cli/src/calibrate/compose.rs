//! `calibrate compose`: the guarantee of many releases about the same clients together.

use clap::Args;
use dp_calibration::accounting::Accountant;
use dp_calibration::certificate::PrivacyClaim;
use dp_calibration::{Adjacency, Refusal, TrustModel};
use dp_exact::{Delta, Rational};

use super::certificate::claimed_delta;
use super::figures::{Figures, Quantity};
use super::mechanism::{MECHANISM, TypedMechanism};
use crate::failure::{Failure, accepted};
use crate::values::{DeltaEpsilon, adjacency, down, epsilon_or_zero, integers};

/// Epsilon, or delta, of many releases together, bounded from both sides
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Mechanism of a release; may be repeated. Noise of one aggregator: gaussian:VARIANCE:QUERY or
    /// laplace:SCALE:QUERY, with a QUERY such as one, pair, histogram:24 or sum:80;
    /// cube:SCALE:QUERY, with sumvec:LENGTH:MAX, multihot:LENGTH:WEIGHT or the MAX of one entry
    /// alone. One client's randomized answer: response:EPSILON[:DELTA], or a mechanism of
    /// `calibrate local`, where rappor-two-step is its permanent response with all reports on it.
    /// Sum of clients' one-hot reports: rappor:EPSILON0:CLIENTS, and with one aggregator's noise,
    /// DISTRIBUTION gaussian or laplace, hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS. Where
    /// aggregators add missing reports take rappor with the target number of clients; where reports
    /// are dropped, response with their guarantee
    #[arg(long)]
    mechanism: Vec<String>,
    /// Which batches are neighbours: replacement, deletion or one-coordinate
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
    /// Number of releases, once for all or once for each mechanism; of rappor-two-step the number
    /// of permanent responses, not of reports [default: 1]
    #[arg(long, value_parser = integers(1..=1_u32 << 20))]
    times: Vec<u32>,
    /// Delta of all releases together: compute their epsilon [default: 0 for noise and answers that
    /// are pure]
    #[arg(long)]
    delta: Option<Delta>,
    /// Epsilon of all releases together: compute their delta; at 0 it is the total variation
    #[arg(long, alias = "eps", value_parser = epsilon_or_zero, conflicts_with = "delta")]
    epsilon: Option<DeltaEpsilon>,
}

const AFTER_HELP: &str = "\
Examples:
  ... compose --mechanism gaussian:900:pair --times 100 --delta 1e-6
  ... compose --mechanism gaussian:900:pair --times 100 --epsilon 2
  ... compose --mechanism hedged:5:gaussian:547:100000 --times 12 --delta 1e-6
  ... compose --mechanism gaussian:900:one --times 52 --mechanism laplace:20:pair --times 12 \\
      --delta 1e-9";

/// The answer of `calibrate compose`: the δ at `--epsilon`, or else the ε at `--delta`, of all
/// releases together, bounded from both sides.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    if options.mechanism.is_empty() {
        return Err(Refusal::missing("mechanism", MECHANISM).into());
    }
    let adjacency = options.adjacency;
    let times = times(&options.times, options.mechanism.len())?;
    let mut releases = Accountant::new();
    let (mut certified, mut words) = (Vec::new(), Vec::new());
    let mut trust_model = TrustModel::OneClient;
    // Of cube-shaped noise only an upper bound is known.
    let is_bound = options.mechanism.iter().any(|typed| typed.starts_with("cube:"));
    for (typed, times) in options.mechanism.iter().zip(times) {
        let mechanism = TypedMechanism::read(typed, adjacency)?;
        if let Some(certified) = &mechanism.certified {
            trust_model = trust_model.and(certified.trust_model);
        }
        releases.add(mechanism.release, mechanism.each.saturating_mul(times))?;
        certified.push(mechanism.certified.map(|certified| (certified, times)));
        words.push(format!("{times} × {typed}"));
    }
    let is_sum = trust_model.needs_other_clients();
    let lower = match is_sum {
        true => "not guaranteed below, if all other clients hold the value that is removed",
        false => "not guaranteed below",
    };
    let upper = "holds for all releases together";
    let words = words.join(", ");
    // The number of clients is the last parameter of a sum.
    let sums = options
        .mechanism
        .iter()
        .filter(|one| one.starts_with("rappor:") || one.starts_with("hedged:"));
    let clients = sums
        .filter_map(|one| one.rsplit(':').next())
        .map(|clients| format!(" with {clients} honest clients"));
    let clients = clients.collect::<Vec<_>>().join(" and");
    let permanent = match words.contains("rappor-two-step") {
        true => " A release of rappor-two-step is a permanent response with all reports on it.",
        false => "",
    };
    let holds = format!(
        " It holds for a person with one measurement in each release, under {} of all of them, in \
         the trust model {trust_model}{clients}.{permanent}",
        adjacency.in_words()
    );
    let certified: Option<Vec<_>> = certified.into_iter().collect();
    // None if the checker does not know one of the mechanisms.
    let candidates = |epsilon: &Rational, delta: &Rational| {
        let (epsilon, delta, releases) = (epsilon.clone(), delta.clone(), certified.clone());
        let claim = releases.map(|releases| PrivacyClaim { epsilon, delta, adjacency, releases });
        claim.map(|claim| claim.candidates()).unwrap_or_default()
    };
    if let Some(epsilon) = &options.epsilon {
        let (delta, written) = match epsilon {
            Some(epsilon) => (releases.delta(epsilon)?, epsilon.to_string()),
            None => (releases.total_variation()?, "0".to_owned()),
        };
        let figures = Figures::titled(format!("{words}, together at epsilon {written}"));
        let figures = match is_bound {
            true => figures.delta_at_most(epsilon, &delta, upper),
            false => figures.delta_at(epsilon, &delta, [lower, upper]),
        };
        let figures = figures.because(format!("{}{holds}", Accountant::CERTIFICATE));
        let Some(epsilon) = epsilon else { return Ok(figures) };
        let delta = claimed_delta(delta.upper())?;
        return Ok(figures.certified_by(candidates(epsilon.value(), &delta)));
    }
    let pure = "0".parse()?;
    let delta = options.delta.as_ref().unwrap_or(&pure);
    let composed = releases.epsilon(delta);
    if options.delta.is_none() && (is_sum || composed.is_err()) {
        let accepted = format!("{}, or --epsilon", accepted("delta"));
        return Err(Refusal::missing("delta", accepted).into());
    }
    let composed = composed?;
    let mut figures = Figures::titled(format!("{words}, together at delta {delta}"))
        .at_delta(delta)
        .guarantee(Quantity::Epsilon, "epsilon_upper", &composed.upper, upper);
    if !is_bound {
        figures = figures.figure("epsilon_lower", down(&composed.lower), lower);
    }
    let candidates = candidates(&composed.upper, delta.value());
    Ok(figures.because(format!("{}{holds}", composed.certificate())).certified_by(candidates))
}

/// The number of releases of each of `count` mechanisms: 1 each if `times` is empty, a single
/// number for all, or one for each; `Err` for any other length of `times`.
fn times(times: &[u32], count: usize) -> Result<Vec<u32>, Refusal> {
    match times {
        [] => Ok(vec![1; count]),
        [all] => Ok(vec![*all; count]),
        each if each.len() == count => Ok(each.to_vec()),
        each => {
            let given: Vec<String> = each.iter().map(ToString::to_string).collect();
            let context = format!("with {count} mechanisms");
            let change = "give it once, or once for each of them";
            Err(Refusal::contradiction("times", given.join(", "), context, change))
        }
    }
}
