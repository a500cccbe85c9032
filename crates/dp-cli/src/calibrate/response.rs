//! `calibrate response`: the guarantee of a histogram of many clients' randomized answers.

use clap::Args;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::Error;
use dp_exact::{Delta, Epsilon, grouped};

use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, about, integers};

/// Epsilon of a histogram of k-ary randomized answers, whatever the other clients hold
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Epsilon of one answer by itself
    #[arg(long, alias = "eps")]
    epsilon: Epsilon,
    /// Answers to choose from: the buckets of the histogram
    #[arg(long, value_parser = integers(2..=u32::MAX))]
    answers: u32,
    /// Honest clients, the protected one among them
    #[arg(long, alias = "n", value_parser = integers(1..=MAX_CLIENTS))]
    clients: u64,
    /// Delta of the guarantee
    #[arg(long)]
    delta: Delta,
}

/// The answer of `calibrate response`: the figures of the ε at `--delta` of the histogram of all
/// clients' k-ary randomized answers.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { epsilon, answers, clients, delta } = options;
    let sum = AggregatedResponse::new(epsilon.clone(), u64::from(*answers), *clients);
    // The library calls the ε of one answer `epsilon0`.
    let sum = sum.map_err(|error| match error {
        Error::Parameter(error) if error.name() == "epsilon0" => error.renamed("epsilon").into(),
        other => other,
    })?;
    let bounds = sum.epsilon(delta)?;
    let title = format!(
        "Histogram of {} honest clients' answers under randomized response with {} answers and \
         epsilon {epsilon} each, at delta {delta} under replacement",
        grouped(clients),
        grouped(answers)
    );
    let std = about(sum.standard_deviation_of_empty_bucket())?;
    let attained = if *answers == 2 {
        "not guaranteed below, if all other clients hold the value that is removed"
    } else {
        "not guaranteed below, if all other clients hold one third value"
    };
    Ok(Figures::titled(title)
        .at_delta(delta)
        .bounds_of_aggregation(&bounds, attained)
        .figure("std", std, "standard deviation of an empty bucket's debiased count")
        .local_epsilon(sum.local_epsilon())
        .because(sum.certificate(delta)))
}
