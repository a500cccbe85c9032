//! `calibrate multihot`: the weight above which a randomized vector is rejected.

use clap::Args;
use dp_exact::{Rational, Rounding, grouped};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, WeightLaw, weight_bound};

use super::answer::Answer;
use super::certificate::{Candidates, Draws};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, number, required};

/// The largest weight of a randomized vector that is accepted, for a rate of honest rejections
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// RAPPOR's parameter: privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<String>,
    /// Length of the vectors
    #[arg(long)]
    length: Option<String>,
    /// True bits of a measurement, at most
    #[arg(long, default_value = "1")]
    input_weight: String,
    /// Rate of honest reports that may be rejected
    #[arg(long)]
    false_positive_rate: Option<String>,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let rappor = SymmetricRappor::new(typed::epsilon0(options.epsilon0.as_ref())?)?;
    let accepted = "an integer from 1 to 1048576";
    let length = required("length", options.length.as_ref(), accepted)?;
    let length = parse_integer("length", length, 1..=MAX_LENGTH)?;
    let weight = parse_integer("input-weight", &options.input_weight, 0..=length)?;
    let rate = options.false_positive_rate.as_ref();
    let text = required("false-positive-rate", rate, "a number from 0 to 1/2")?;
    let rate: Rational = number("false-positive-rate", text)?;
    let bound = |law| weight_bound(&rappor, length, weight, &rate, law);
    let exact = bound(WeightLaw::Exact)?;
    let draft = bound(WeightLaw::Draft)?;
    let mut answer = Answer::to(format!(
        "Weight bound for vectors of {length} bits, at most {weight} of them set, under symmetric \
         RAPPOR with epsilon0 {}, rejecting honest reports at a rate of at most {text}",
        rappor.epsilon0(),
        length = grouped(length)
    ));
    answer.figure("max_weight", exact.bound(), "the least that is enough");
    let achieved = exact.rate().upper().to_decimal(10, Rounding::Up);
    answer.figure("rate_upper", achieved, "the rate that it achieves, rounded up");
    answer.alternative(
        "max_weight_draft",
        draft.bound(),
        "by the Internet-Draft's law, in which no true bit is flipped away",
    );
    let draws = Draws::weight(rappor.epsilon0().clone(), length, weight);
    let candidates = Candidates::exceeded(draws, exact.bound(), rate.clone());
    Ok(answer.because(exact.certificate()).certified_by(candidates))
}
