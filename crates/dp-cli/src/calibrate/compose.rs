//! `calibrate compose`: the guarantee of many releases about the same clients together.

use clap::Args;
use dp_calibration::accounting::{AccountedMechanism, compose};
use dp_calibration::certificate::PrivacyClaim;
use dp_calibration::{Adjacency, Refusal};
use dp_exact::{Delta, Rational};

use super::figures::Figures;
use super::mechanism::{Certified, MECHANISM, TypedMechanism};
use crate::failure::Failure;
use crate::values::{adjacency, down, integers, required, up};

/// Epsilon of many releases together, bounded from both sides
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Mechanism of a release; may be repeated. Noise of one aggregator: gaussian:VARIANCE:QUERY or
    /// laplace:SCALE:QUERY, with a QUERY such as one, pair, histogram:24 or sum:80. One client's
    /// randomized answer: response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, coin-flip,
    /// basic-rappor:EPSILON or symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0. Sum of clients' one-hot
    /// reports: rappor:EPSILON0:CLIENTS, and with one aggregator's noise, DISTRIBUTION gaussian or
    /// laplace, hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS. Where aggregators add missing
    /// reports take rappor with the target number of clients; where reports are dropped, response
    /// with their guarantee
    #[arg(long)]
    mechanism: Vec<String>,
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
    /// Number of releases, once for all or once for each mechanism [default: 1]
    #[arg(long, value_parser = integers(1..=1_u32 << 20))]
    times: Vec<u32>,
    /// Delta of all releases together
    #[arg(long)]
    delta: Option<Delta>,
}

const AFTER_HELP: &str = "\
Examples:
  ... compose --mechanism gaussian:900:pair --times 100 --delta 1e-6
  ... compose --mechanism hedged:5:gaussian:547:100000 --times 12 --delta 1e-6
  ... compose --mechanism gaussian:900:one --times 52 --mechanism laplace:20:pair --times 12 \\
      --delta 1e-9";

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    if options.mechanism.is_empty() {
        return Err(Refusal::missing("mechanism", MECHANISM).into());
    }
    let adjacency = options.adjacency;
    let times = times(&options.times, options.mechanism.len())?;
    let (mut releases, mut certified, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for (typed, times) in options.mechanism.iter().zip(times) {
        let mechanism = TypedMechanism::read(typed, adjacency)?;
        releases.push((mechanism.release, mechanism.each.saturating_mul(times)));
        certified.push((mechanism.certified, times));
        words.push(format!("{times} × {typed}"));
    }
    let delta = required("delta", &options.delta)?;
    let composed = compose(&releases, delta)?;
    let of_sum = |(release, _): &(AccountedMechanism, u32)| {
        matches!(release, AccountedMechanism::Dominated(_))
    };
    let meaning = if releases.iter().any(of_sum) {
        "not guaranteed below, if all other clients hold the value that is removed"
    } else {
        "not guaranteed below"
    };
    let title = format!("{}, together at delta {delta}", words.join(", "));
    let figures = Figures::titled(title)
        .at_delta(delta)
        .figure("epsilon_upper", up(&composed.upper), "holds for all releases together")
        .figure("epsilon_lower", down(&composed.lower), meaning);
    let claim = claim(certified, adjacency, delta, &composed.upper);
    let candidates = claim.map(|claim| claim.candidates()).unwrap_or_default();
    Ok(figures.because(composed.certificate()).certified_by(candidates))
}

/// The number of releases of each of `count` mechanisms.
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

/// The claim of a certificate; `None` for unknown mechanisms and different adjacencies.
fn claim(
    mechanisms: Vec<(Option<Certified>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Option<PrivacyClaim> {
    let mut releases = Vec::new();
    let mut fixed = Vec::new();
    for (certified, times) in mechanisms {
        let (mechanism, adjacency) = certified?;
        fixed.extend(adjacency);
        releases.push((mechanism, times));
    }
    let adjacency = fixed.first().copied().unwrap_or(adjacency);
    let is_fixed_alike = fixed.iter().all(|other| *other == adjacency);
    let (epsilon, delta) = (upper.clone(), delta.value().clone());
    is_fixed_alike.then_some(PrivacyClaim { epsilon, delta, adjacency, releases })
}
