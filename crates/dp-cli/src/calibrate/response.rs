//! `calibrate response`: what the histogram of many clients' randomized answers promises.

use clap::Args;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_exact::{Epsilon, ParameterError, Rational};

use super::answer::Answer;
use super::typed::{self, about, down, required, up};
use crate::failure::Failure;
use crate::options::integer;

/// The epsilon of a histogram of k-ary randomized answers, for every dataset of the others
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Local parameter: privacy loss of one answer
    #[arg(long, allow_hyphen_values = true)]
    epsilon0: Option<String>,
    /// Answers to choose from: the buckets of the histogram
    #[arg(long, allow_hyphen_values = true)]
    answers: Option<String>,
    /// Honest clients, the protected one among them
    #[arg(long, allow_hyphen_values = true)]
    clients: Option<String>,
    /// Slack
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let epsilon0 = typed::epsilon0(options.epsilon0.as_ref())?;
    let accepted = "an integer from 2 to 4294967295";
    let answers = whole(
        "answers",
        options.answers.as_ref(),
        2..=u32::MAX.into(),
        accepted,
    )?;
    let accepted = "an integer from 1 to 10000000000";
    let clients = whole(
        "clients",
        options.clients.as_ref(),
        1..=10_000_000_000,
        accepted,
    )?;
    let delta = typed::delta(options.delta.as_ref())?;
    let sum = AggregatedResponse::new(epsilon0.clone(), answers, clients)?;
    let bounds = sum.epsilon(&delta)?;
    let mut answer = Answer::to(format!(
        "Histogram of {clients} honest clients' answers under randomized response with {answers} \
         answers and epsilon0 {epsilon0}, at delta {delta} under replacement"
    ));
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
    let std = about(standard_deviation(&epsilon0, answers, clients))?;
    let meaning = "standard deviation of an empty bucket's debiased count";
    answer.figure("std", std, meaning);
    let meaning = "delta 0, whatever the others and the aggregators do";
    answer.alternative("epsilon_local", up(sum.local_epsilon()), meaning);
    Ok(answer.because(format!(
        "Where all datasets of the other clients can be listed, both bounds are exact. Else an \
         adversary that is told which of the others answered truthfully is left with uniform \
         answers that hide the client, whatever the data: epsilon_upper is enough. Where {} other \
         clients hold the client's value, {} the value put in its place and {} one third value, \
         delta exceeds {delta} at every epsilon below epsilon_lower. Every rounding is outward.",
        others.removed, others.added, others.neither,
    )))
}

fn whole(
    name: &'static str,
    given: Option<&String>,
    range: std::ops::RangeInclusive<u64>,
    accepted: &'static str,
) -> Result<u64, ParameterError> {
    integer(name, required(name, given, accepted)?, range)
}

/// An empty bucket gets Bin(n, 1/c) answers, c = e^ε₀ + k − 1, and debiasing multiplies by
/// c/(e^ε₀ − 1): √(n·(c − 1))/(e^ε₀ − 1).
fn standard_deviation(epsilon0: &Epsilon, answers: u64, clients: u64) -> f64 {
    let gain = epsilon0.value().to_f64().exp_m1();
    let [answers, clients] = [answers, clients].map(|count| Rational::from(count).to_f64());
    (clients * (gain + answers - 1.0)).sqrt() / gain
}
