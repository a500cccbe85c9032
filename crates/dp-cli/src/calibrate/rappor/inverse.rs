//! `calibrate rappor --epsilon`: the largest epsilon0 for a number of clients, or the least
//! clients for an epsilon0.

use dp_amplification::aggregated_rappor::{largest_epsilon0, least_clients};
use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon, Refusal, grouped};

use super::options::Options;
use crate::calibrate::answer::Answer;
use crate::calibrate::typed::{self, refuse, up};
use crate::failure::Failure;

pub(super) fn answer(options: &Options, target: &str) -> Result<Answer, Failure> {
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
