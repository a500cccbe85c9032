//! `calibrate rappor`: what the sum of many clients' randomized one-hot vectors guarantees.

use clap::Args;
use dp_amplification::OtherClients;
use dp_amplification::aggregated_rappor::{
    AggregatedRappor, WeightLimit, largest_epsilon0, least_clients,
};
use dp_calibration::{Adjacency, TrustModel};
use dp_exact::{Delta, Epsilon, Rational, Refusal, Rounding, grouped};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, dropping_effect};

use super::answer::Answer;
use super::certificate::{Candidates, Claim, Mechanism, Release};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, about, down, refuse, required, up};

/// The epsilon of a sum of randomized one-hot vectors, for every dataset of the others
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// RAPPOR's parameter: privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<String>,
    /// Honest clients, the protected one among them
    #[arg(long, aliases = ["n", "users", "num-clients"])]
    clients: Option<String>,
    /// Slack
    #[arg(long)]
    delta: Option<String>,
    /// replacement or deletion
    #[arg(long, default_value = "replacement")]
    adjacency: String,
    /// Length of the vectors, where heavy reports are dropped
    #[arg(long)]
    length: Option<String>,
    /// Reports with more bits than this are dropped
    #[arg(long)]
    max_weight: Option<String>,
    /// The guarantee that is wanted: tell the largest epsilon0 for --clients, or the least clients for
    /// --epsilon0, that keep it
    #[arg(long, aliases = ["target-epsilon", "eps"])]
    epsilon: Option<String>,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    if let Some(target) = &options.epsilon {
        return inverse(options, target);
    }
    let epsilon0 = typed::epsilon0(options.epsilon0.as_ref())?;
    let clients = typed::clients(options.clients.as_ref())?;
    let delta = typed::delta(options.delta.as_ref())?;
    let adjacency = typed::adjacency(&options.adjacency)?;
    let limit = limit(options)?;
    let sum = AggregatedRappor::new(epsilon0.clone(), clients)?;
    let mut answer = Answer::to(format!(
        "Sum of {clients} honest clients' one-hot vectors under symmetric RAPPOR with epsilon0 \
         {epsilon0}, at delta {delta} under {adjacency}",
        clients = grouped(clients)
    ))
    .at_delta(&delta);
    let (text, candidates) = match limit {
        None => kept(&mut answer, &sum, &delta, adjacency)?,
        Some(limit) => {
            let text = dropping(&mut answer, &sum, &delta, adjacency, limit)?;
            (text, Candidates::outside("reports that are dropped for their weight"))
        }
    };
    let local = up(&sum.local_epsilon(adjacency));
    let meaning = "delta 0, whatever the others and the aggregators do";
    answer.alternative("epsilon_local", local, meaning);
    Ok(answer.because(text).certified_by(candidates))
}

/// --length and --max-weight, which go together.
fn limit(options: &Options) -> Result<Option<WeightLimit>, Failure> {
    if options.length.is_none() && options.max_weight.is_none() {
        return Ok(None);
    }
    let accepted = "an integer, with the other of --length and --max-weight";
    let length = required("length", options.length.as_ref(), accepted)?;
    let length = parse_integer("length", length, 2..=MAX_LENGTH as u64)?;
    let max_weight = required("max-weight", options.max_weight.as_ref(), accepted)?;
    let max_weight = parse_integer("max-weight", max_weight, 1..=length)?;
    Ok(Some(WeightLimit { length, max_weight }))
}

/// Where no report is dropped.
fn kept(
    answer: &mut Answer,
    sum: &AggregatedRappor,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<(String, Candidates), Failure> {
    let bounds = sum.epsilon(delta, adjacency)?;
    let meaning = "holds for every dataset of the other clients";
    answer.figure("epsilon_upper", up(&bounds.upper), meaning);
    let meaning = "fails below, for the dataset that is named";
    answer.figure("epsilon_lower", down(&bounds.lower), meaning);
    named(answer, &bounds.attained_by);
    let rappor = SymmetricRappor::new(sum.epsilon0().clone())?;
    let std = about(rappor.standard_deviation(sum.clients()))?;
    answer.figure("std", std, "standard deviation of every debiased count");
    Ok((sum.certificate(&bounds, delta), candidates(sum, delta, adjacency, &bounds.upper)))
}

/// Certificates of the sum of so many clients' reports.
fn candidates(
    sum: &AggregatedRappor,
    delta: &Delta,
    adjacency: Adjacency,
    upper: &Rational,
) -> Candidates {
    let rappor = Mechanism::rappor(sum.epsilon0().clone(), sum.clients(), None);
    Candidates::of(&Claim {
        epsilon: upper.clone(),
        delta: delta.value().clone(),
        adjacency,
        trust_model: TrustModel::OneAggregatorMostClients,
        releases: vec![Release::once(rappor)],
        every_larger_variance: false,
    })
}

fn named(answer: &mut Answer, others: &OtherClients) {
    let meaning = "other clients that hold the value that is removed";
    answer.figure("attained_by_removed", others.removed, meaning);
    let meaning = "that hold the value put in its place";
    answer.figure("attained_by_added", others.added, meaning);
    answer.figure("attained_by_neither", others.neither, "that hold any other value");
}

/// Where reports of more than a certain weight are dropped, and their number is public.
fn dropping(
    answer: &mut Answer,
    sum: &AggregatedRappor,
    delta: &Delta,
    adjacency: Adjacency,
    limit: WeightLimit,
) -> Result<String, Failure> {
    let bounds = sum.epsilon_with_drops(delta, adjacency, limit)?;
    let rappor = SymmetricRappor::new(sum.epsilon0().clone())?;
    let index = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let (length, max_weight) = (index(limit.length), index(limit.max_weight));
    let effect = dropping_effect(&rappor, sum.clients(), length, max_weight)?;
    let meaning =
        "holds for every dataset of the other clients, for an aggregator that sees what is dropped";
    answer.figure("epsilon_upper", up(&bounds.upper), meaning);
    let lower = sum.attained_epsilon_with_drops(delta, adjacency, limit)?;
    let meaning = "fails below, for the dataset that is named, already from the published result";
    answer.figure("epsilon_lower", down(&lower), meaning);
    let others = OtherClients { removed: sum.clients() - 1, added: 0, neither: 0 };
    named(answer, &others);
    let meaning = "standard deviation of an empty bucket's debiased count, dropping included";
    answer.figure("std", about(effect.standard_deviation)?, meaning);
    answer.figure("bias", about(effect.bias)?, "and its mean");
    let rate = effect.rate.upper().to_decimal(10, Rounding::Up);
    answer.figure("drop_rate_upper", rate, "probability that an honest report is dropped");
    let meaning = "other clients that the guarantee does not count on";
    answer.figure("revealed", bounds.revealed, meaning);
    let meaning = "probability that the client's own weight matters";
    answer.figure("critical_upper", up(&bounds.critical), meaning);
    let undropped = sum.epsilon(delta, adjacency)?;
    let meaning = "if no report were dropped; not this policy";
    answer.alternative("epsilon_without_drops", up(&undropped.upper), meaning);
    Ok(bounds.certificate().to_owned())
}

/// The largest epsilon0 for a number of clients, or the least clients for an epsilon0.
fn inverse(options: &Options, target: &str) -> Result<Answer, Failure> {
    let epsilon: Epsilon = typed::number("epsilon", target)?;
    let delta = typed::delta(options.delta.as_ref())?;
    let adjacency = typed::adjacency(&options.adjacency)?;
    refuse("length", options.length.as_ref(), "with --epsilon")?;
    refuse("max-weight", options.max_weight.as_ref(), "with --epsilon")?;
    match (&options.epsilon0, &options.clients) {
        (None, Some(_)) => {
            let clients = typed::clients(options.clients.as_ref())?;
            by_epsilon0(clients, &epsilon, &delta, adjacency)
        }
        (Some(_), None) => {
            let epsilon0 = typed::epsilon0(options.epsilon0.as_ref())?;
            by_clients(&epsilon0, &epsilon, &delta, adjacency)
        }
        (Some(_), Some(_)) => {
            let place = "with both --epsilon0 and --clients";
            let change = "leave out the one that is to be found";
            Err(Refusal::contradiction("epsilon", target, place, change).into())
        }
        (None, None) => {
            let accepted = "the one that is known; the other is the answer";
            Err(Refusal::missing("epsilon0 or clients", accepted).into())
        }
    }
}

fn by_epsilon0(
    clients: u64,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<Answer, Failure> {
    let found = largest_epsilon0(clients, epsilon, delta, adjacency)?;
    let certificate = found.certificate();
    let mut answer = Answer::to(format!(
        "Symmetric RAPPOR of {clients} honest clients for epsilon {epsilon} and delta {delta} under \
         {adjacency}", clients = grouped(clients)))
    .at_epsilon(epsilon)
    .at_delta(delta);
    let meaning = "the largest local parameter, to six digits; every smaller one is safe as well";
    answer.figure("epsilon0", &found.meets, meaning);
    proved(&mut answer, up(&found.epsilon));
    if let Some(misses) = found.misses {
        answer.figure("epsilon0_refuted", misses, "misses the target");
    }
    Ok(answer.because(certificate))
}

fn by_clients(
    epsilon0: &Epsilon,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<Answer, Failure> {
    let found = least_clients(epsilon0, epsilon, delta, adjacency)?;
    let certificate = found.certificate();
    let mut answer = Answer::to(format!(
        "Clients under symmetric RAPPOR with epsilon0 {epsilon0} for epsilon {epsilon} and delta \
         {delta} under {adjacency}"
    ))
    .at_epsilon(epsilon)
    .at_delta(delta);
    let meaning = "the least number of honest clients; every larger one is safe as well";
    answer.figure("clients", found.meets, meaning);
    proved(&mut answer, up(&found.epsilon));
    if let Some(misses) = found.misses {
        answer.figure("clients_refuted", misses, "miss the target");
    }
    Ok(answer.because(certificate))
}

fn proved(answer: &mut Answer, epsilon: String) {
    let meaning = "proved there, for every dataset of the other clients";
    answer.figure("epsilon_upper", epsilon, meaning);
}
