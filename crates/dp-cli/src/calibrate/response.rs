//! `calibrate response`: what the histogram of many clients' randomized answers guarantees.

use clap::Args;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_exact::grouped;

use super::answer::Answer;
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, about, down, required, up};

/// The epsilon of a histogram of k-ary randomized answers, for every dataset of the others
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// What one answer guarantees by itself
    #[arg(long, aliases = ["epsilon0", "eps"])]
    epsilon: Option<String>,
    /// Answers to choose from: the buckets of the histogram
    #[arg(long)]
    answers: Option<String>,
    /// Honest clients, the protected one among them
    #[arg(long, aliases = ["n", "users", "num-clients"])]
    clients: Option<String>,
    /// Slack
    #[arg(long)]
    delta: Option<String>,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let accepted = "an integer from 2 to 4294967295";
    let answers = required("answers", options.answers.as_ref(), accepted)?;
    let answers: u32 = parse_integer("answers", answers, 2..=u32::MAX)?;
    let clients = typed::clients(options.clients.as_ref())?;
    let delta = typed::delta(options.delta.as_ref())?;
    let sum = AggregatedResponse::new(epsilon.clone(), answers.into(), clients);
    let sum = sum.map_err(as_typed)?;
    let bounds = sum.epsilon(&delta)?;
    let mut answer = Answer::to(format!(
        "Histogram of {clients} honest clients' answers under randomized response with {answers} \
         answers and epsilon {epsilon} each, at delta {delta} under replacement",
        clients = grouped(clients),
        answers = grouped(answers)
    ))
    .at_delta(&delta);
    let meaning = "holds for every dataset of the other clients";
    answer.figure("epsilon_upper", up(&bounds.upper), meaning);
    let meaning = "fails below, for the dataset that is named";
    answer.figure("epsilon_lower", down(&bounds.lower), meaning);
    let others = &bounds.attained_by;
    let meaning = "other clients that hold the value that is removed";
    answer.figure("attained_by_removed", others.removed, meaning);
    let meaning = "that hold the value put in its place";
    answer.figure("attained_by_added", others.added, meaning);
    let meaning = "that hold one third value";
    answer.figure("attained_by_neither", others.neither, meaning);
    let std = about(sum.standard_deviation_of_empty_bucket())?;
    let meaning = "standard deviation of an empty bucket's debiased count";
    answer.figure("std", std, meaning);
    let meaning = "delta 0, whatever the others and the aggregators do";
    answer.alternative("epsilon_local", up(sum.local_epsilon()), meaning);
    Ok(answer.because(sum.certificate(&bounds, &delta)))
}

/// The crate's name of the parameter is that of a local one.
fn as_typed(error: dp_calibration::Error) -> dp_calibration::Error {
    match error {
        dp_calibration::Error::Parameter(error) if error.name() == "epsilon0" => {
            error.renamed("epsilon").into()
        }
        other => other,
    }
}
