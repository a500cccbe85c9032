//! `calibrate rappor`: the guarantee of the sum of many clients' randomized one-hot vectors.

use clap::Args;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency;
use dp_calibration::certificate::{CertifiedMechanism, PrivacyClaim};
use dp_calibration::utility::{Answers, NoisyTotal};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rounding, grouped};
use dp_rappor::{MAX_LENGTH, SentBits, SymmetricRappor, rejection_rate};

use super::figures::{EVERY_DATASET, Figures, Quantity};
use super::mechanism::check_one_hot;
use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, about, adjacency, integers, up};

/// Why a smaller ε may hold where many reports are dropped.
const DROPS_ARE_LOOSE: &str = "A smaller epsilon may hold: clients whose reports may be dropped are not counted, \
    which costs much where drops are frequent and clients few.";

/// Epsilon of a sum of randomized one-hot vectors, whatever the other clients hold
#[derive(Args, Debug)]
pub(super) struct Options {
    /// RAPPOR's parameter: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Epsilon,
    /// Honest clients, the protected one among them
    #[arg(long, alias = "n", value_parser = integers(1..=MAX_CLIENTS))]
    clients: u64,
    /// Delta of the guarantee
    #[arg(long)]
    delta: Delta,
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
    /// Length of the vectors, if heavy reports are dropped
    #[arg(long, requires = "max_weight", value_parser = integers(2..=MAX_LENGTH))]
    length: Option<usize>,
    /// Weight above which a report is dropped
    #[arg(long, requires = "length", value_parser = integers(1..=MAX_LENGTH))]
    max_weight: Option<usize>,
}

/// The answer of `calibrate rappor`: the figures of the ε at `--delta` of the sum of the reports of
/// `--clients` honest clients. Heavy reports are dropped if `--length` and `--max-weight` are
/// given.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { epsilon0, clients, delta, adjacency, .. } = options;
    check_one_hot(*adjacency)?;
    let sum = AggregatedRappor::new(epsilon0.clone(), *clients)?;
    let title = format!(
        "Sum of {} honest clients' one-hot vectors under symmetric RAPPOR with epsilon0 \
         {epsilon0}, at delta {delta} under {adjacency}",
        grouped(clients)
    );
    let figures = Figures::titled(title).at_delta(delta);
    let figures = match (options.length, options.max_weight) {
        (Some(length), Some(max_weight)) if max_weight > length => {
            let accepted = format!("an integer from 1 to {length}");
            return Err(ParameterError::new("max-weight", max_weight, accepted).into());
        }
        (Some(length), Some(max_weight)) => {
            with_drops(figures, &sum, options, [length, max_weight])?
        }
        _ => {
            let bounds = sum.epsilon(delta, *adjacency)?;
            let rappor = SymmetricRappor::new(epsilon0.clone())?;
            let std = about(rappor.standard_deviation(*clients))?;
            let mechanism = CertifiedMechanism::aggregated_rappor(epsilon0, *clients, None);
            let claim = PrivacyClaim {
                epsilon: bounds.upper.clone(),
                delta: delta.value().clone(),
                adjacency: *adjacency,
                releases: vec![(mechanism, 1)],
            };
            let attained =
                "not guaranteed below, if all other clients hold the value that is removed";
            figures
                .bounds_of_aggregation(&bounds, attained)
                .figure("std", std, "standard deviation of every debiased count")
                .because(sum.certificate(delta))
                .certified_by(claim.candidates())
        }
    };
    Ok(figures.local_epsilon(&sum.local_epsilon(*adjacency)))
}

/// Adds the upper bound on ε for a sum from which reports with a weight above `max_weight` are
/// dropped, if the number of dropped reports is public; with the rate of drops, and the standard
/// deviation of a count of the others.
fn with_drops(
    figures: Figures,
    sum: &AggregatedRappor,
    options: &Options,
    [length, max_weight]: [usize; 2],
) -> Result<Figures, Failure> {
    let Options { delta, adjacency, .. } = options;
    let bounds = sum.epsilon_with_drops(delta, *adjacency, length as u64, max_weight as u64)?;
    let bounds = bounds.expect("there is a bound without noise");
    let undropped = sum.epsilon(delta, *adjacency)?;
    let rappor = SymmetricRappor::new(sum.epsilon0().clone())?;
    let dropped = rejection_rate(&rappor, length, 1, max_weight)?;
    let rate = dropped.upper().to_decimal(10, Rounding::Up);
    let SentBits { held, other, .. } = rappor.sent_bits(length, [1, 1], max_weight)?;
    let sent = NoisyTotal::of_clients(Answers { reports: sum.clients(), held, other });
    let figures =
        match &bounds.upper * &Rational::from(20u64) > &undropped.upper * &Rational::from(21u64) {
            true => figures.loosely(DROPS_ARE_LOOSE),
            false => figures,
        };
    Ok(figures
        .guarantee(Quantity::Epsilon, "epsilon_upper", &bounds.upper, EVERY_DATASET)
        .figure(
            "std",
            about(sent.standard_deviation(0))?,
            "standard deviation of an empty bucket's count, if all reports are sent; debiased for what is sent, no count is biased",
        )
        .figure("drop_rate_upper", rate, "probability that an honest report is dropped")
        .figure("revealed", bounds.revealed, "other clients on whom the guarantee does not count")
        .figure(
            "critical_upper",
            up(&bounds.critical),
            "probability that the client's own weight matters",
        )
        .beside("epsilon_without_drops", up(&undropped.upper), "if no report were dropped")
        .because(bounds.certificate()))
}
