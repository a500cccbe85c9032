//! `calibrate compose`: the guarantee of many releases about the same clients together.

use clap::Args;
use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_calibration::certificate::{Certificate, CertifiedMechanism, PrivacyClaim};
use dp_calibration::{Adjacency, Refusal};
use dp_exact::{Delta, Rational};

use super::certificate::{claimed_adjacency, claimed_delta};
use super::figures::Figures;
use super::mechanism::{MECHANISM, TypedMechanism};
use crate::failure::{Failure, accepted};
use crate::values::{DeltaEpsilon, adjacency, down, epsilon_or_zero, integers, up};

/// Epsilon, or delta, of many releases together, bounded from both sides
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Mechanism of a release; may be repeated. Noise of one aggregator: gaussian:VARIANCE:QUERY or
    /// laplace:SCALE:QUERY, with a QUERY such as one, pair, histogram:24 or sum:80; cube:SCALE:QUERY,
    /// with sumvec:LENGTH:MAX, multihot:LENGTH:WEIGHT or the MAX of one entry alone. One client's
    /// randomized answer: response:EPSILON[:DELTA], or a mechanism of `calibrate local`, where
    /// rappor-two-step is its permanent response. Sum of clients' one-hot
    /// reports: rappor:EPSILON0:CLIENTS, and with one aggregator's noise, DISTRIBUTION gaussian or
    /// laplace, hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS. Where aggregators add missing
    /// reports take rappor with the target number of clients; where reports are dropped, response
    /// with their guarantee
    #[arg(long)]
    mechanism: Vec<String>,
    /// Which batches are neighbours: replacement, deletion or one-coordinate
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
    /// Number of releases, once for all or once for each mechanism [default: 1]
    #[arg(long, value_parser = integers(1..=1_u32 << 20))]
    times: Vec<u32>,
    /// Delta of all releases together: compute their epsilon
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
    let (mut certified, mut words, mut is_sum) = (Vec::new(), Vec::new(), false);
    // Of cube-shaped noise only an upper bound is known.
    let is_bound = options.mechanism.iter().any(|typed| typed.starts_with("cube:"));
    for (typed, times) in options.mechanism.iter().zip(times) {
        let mechanism = TypedMechanism::read(typed, adjacency)?;
        let is_dominated = matches!(mechanism.release, AccountedMechanism::Dominated(_));
        is_sum |= is_dominated && mechanism.of_answer.is_none();
        releases.add(mechanism.release, mechanism.each.saturating_mul(times))?;
        certified.push(mechanism.certified.map(|certified| (certified, times)));
        words.push(format!("{times} × {typed}"));
    }
    let lower = match is_sum {
        true => "not guaranteed below, if all other clients hold the value that is removed",
        false => "not guaranteed below",
    };
    let upper = "holds for all releases together";
    let words = words.join(", ");
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
        let figures = figures.because(Accountant::CERTIFICATE);
        let Some(epsilon) = epsilon else { return Ok(figures) };
        let delta = claimed_delta(delta.upper())?;
        return Ok(figures.certified_by(candidates(certified, adjacency, epsilon.value(), &delta)));
    }
    let accepted = format!("{}, or --epsilon", accepted("delta"));
    let delta = options.delta.as_ref().ok_or_else(|| Refusal::missing("delta", accepted))?;
    let composed = releases.epsilon(delta)?;
    let mut figures = Figures::titled(format!("{words}, together at delta {delta}"))
        .at_delta(delta)
        .figure("epsilon_upper", up(&composed.upper), upper);
    if !is_bound {
        figures = figures.figure("epsilon_lower", down(&composed.lower), lower);
    }
    let candidates = candidates(certified, adjacency, &composed.upper, delta.value());
    Ok(figures.because(composed.certificate()).certified_by(candidates))
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

/// Certificates that all releases together are (ε, δ)-private, for mechanisms with their numbers of
/// releases. None if the checker does not know one of them.
fn candidates(
    mechanisms: Vec<Option<(CertifiedMechanism, u32)>>,
    adjacency: Adjacency,
    epsilon: &Rational,
    delta: &Rational,
) -> Vec<Certificate> {
    let Some(releases) = mechanisms.into_iter().collect() else { return Vec::new() };
    let (epsilon, delta) = (epsilon.clone(), delta.clone());
    PrivacyClaim { epsilon, delta, adjacency: claimed_adjacency(adjacency), releases }.candidates()
}
