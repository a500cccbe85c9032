//! `calibrate multihot`: the weight above which a randomized vector is rejected.

use clap::Args;
use dp_calibration::certificate::weight_exceeds;
use dp_exact::{Epsilon, ParameterError, Rational, Rounding, grouped};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, weight_bound};

use super::figures::Figures;
use crate::failure::Failure;
use crate::values::integers;

/// Largest accepted weight of a randomized vector, for a rate of rejected honest reports
#[derive(Args, Debug)]
pub(super) struct Options {
    /// RAPPOR's parameter: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Epsilon,
    /// Length of the vectors
    #[arg(long, value_parser = integers(1..=MAX_LENGTH))]
    length: usize,
    /// Largest number of true bits in a measurement
    #[arg(long, default_value = "1", value_parser = integers(0..=MAX_LENGTH))]
    input_weight: usize,
    /// Largest rate of honest reports that are rejected, up to 1/2
    #[arg(long)]
    false_positive_rate: Rational,
}

/// The answer of `calibrate multihot`: the figures of the least weight bound for which honest
/// randomized vectors are rejected at a rate of at most `--false-positive-rate`.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { epsilon0, length, input_weight, false_positive_rate: rate } = options;
    if input_weight > length {
        let accepted = format!("an integer from 0 to {length}");
        return Err(ParameterError::new("input-weight", input_weight, accepted).into());
    }
    let rappor = SymmetricRappor::new(epsilon0.clone())?;
    let exact = weight_bound(&rappor, *length, *input_weight, rate)?;
    // The true bits, and of the others as many as flip on.
    let draft = input_weight
        + match length - input_weight {
            0 => 0,
            others => weight_bound(&rappor, others, 0, rate)?.bound,
        };
    let title = format!(
        "Weight bound for vectors of {} bits, at most {input_weight} of them set, under symmetric \
         RAPPOR with epsilon0 {epsilon0}, rejecting honest reports at a rate of at most {rate}",
        grouped(length)
    );
    let achieved = exact.rate.upper().to_decimal(10, Rounding::Up);
    let by_draft = "by the Internet-Draft's distribution, which never flips a true bit";
    let bits = (*length, *input_weight);
    Ok(Figures::titled(title)
        .figure("max_weight", exact.bound, "the least bound with this rate, to nine digits")
        .figure("rate_upper", achieved, "rate of rejected honest reports, rounded up")
        .beside("max_weight_draft", draft, by_draft)
        .because(exact.certificate())
        .certified_by(weight_exceeds(epsilon0, bits, exact.bound, rate)))
}
