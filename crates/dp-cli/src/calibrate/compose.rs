//! `calibrate compose`: what many releases about the same clients guarantee together.

use std::path::{Path, PathBuf};

use clap::Args;
use dp_accounting::{AccountedMechanism, Theorem, compose};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::hedged::Hedged;
use dp_calibration::local;
use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Refusal};
use dp_prio3::PrivacyBound;

use super::answer::Answer;
use super::certificate::{self, Candidates, Claim, Mechanism as Claimed, Release as Released};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::policies;
use crate::typed::{self, down, noise_law, number, up, worst_difference};

const MECHANISM: &str = "gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, response:EPSILON[:DELTA], \
    k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON, symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, \
    rappor:EPSILON0:CLIENTS or hedged:EPSILON0:LAW:PARAMETER:CLIENTS";

/// The epsilon of many releases together, bounded from both sides
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, response:EPSILON, response:EPSILON:DELTA,
    /// k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON, symmetric-rappor:LENGTH:EPSILON0 or
    /// symmetric-rappor:LENGTH:WEIGHT:EPSILON0 of one client, rappor:EPSILON0:CLIENTS of the sum of their
    /// one-hot reports, hedged:EPSILON0:LAW:PARAMETER:CLIENTS of that sum with the noise of an aggregator, of the law
    /// gaussian or laplace; with a QUERY such as one, pair, histogram:24 or sum:80; may be repeated. Where reports
    /// that are missing are added: rappor with the clients that were wished for. Where reports are dropped:
    /// response:EPSILON:DELTA of what they guarantee
    #[arg(long)]
    mechanism: Vec<String>,
    /// In place of mechanisms, a task: what its releases guarantee together, in each trust model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mechanism", "adjacency"])]
    pub(super) task: Option<PathBuf>,
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement")]
    adjacency: String,
    /// How often it is released, once for all or once for each mechanism [default: 1]
    #[arg(long)]
    times: Vec<String>,
    /// Slack of all releases together
    #[arg(long)]
    delta: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  ... compose --mechanism gaussian:900:pair --times 100 --delta 1e-6
  ... compose --mechanism hedged:5:gaussian:547:100000 --times 12 --delta 1e-6
  ... compose --mechanism gaussian:900:one --times 52 --mechanism laplace:20:pair --times 12 \\
      --delta 1e-9";

/// How the ε of a theorem is called, and what it is.
const fn named(theorem: Theorem) -> (&'static str, &'static str) {
    match theorem {
        Theorem::ZeroConcentrated => (
            "epsilon_zcdp",
            "by adding up zero-concentrated privacy, converted as tightly as is known",
        ),
        Theorem::Basic => {
            ("epsilon_basic", "by adding up epsilon and delta, an equal share of delta for each")
        }
        Theorem::Optimal => (
            "epsilon_kov15",
            "best for k equal releases of which nothing else is known (Kairouz, Oh, Viswanath 2015)",
        ),
        _ => ("epsilon_losses", "by the privacy losses"),
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    if let Some(path) = &options.task {
        return of_task(path, &options.times, options.delta.as_ref());
    }
    if options.mechanism.is_empty() {
        return Err(Refusal::missing("mechanism", MECHANISM).into());
    }
    let delta = typed::delta(options.delta.as_ref())?;
    let adjacency = typed::adjacency(&options.adjacency)?;
    let typed = releases(options, adjacency)?;
    let releases: Vec<(AccountedMechanism, u32)> =
        typed.iter().map(|(_, one)| one.clone()).collect();
    let composed = compose(&releases, &delta)?;
    let words: Vec<&str> = typed.iter().map(|(words, _)| words.as_str()).collect();
    let words = words.join(", ");
    let mut answer = Answer::to(format!("{words}, together at delta {delta}")).at_delta(&delta);
    let meaning = "holds for all releases together";
    answer.figure("epsilon_upper", up(&composed.upper), meaning);
    let for_every_dataset = |(release, _): &(AccountedMechanism, u32)| {
        matches!(release, AccountedMechanism::Dominated(_))
    };
    let meaning = if composed.lower.is_none() {
        "no lower bound was computed"
    } else if releases.iter().any(for_every_dataset) {
        "fails below, if all other clients hold the value that is removed"
    } else {
        "fails below"
    };
    let lower = composed.lower.clone().unwrap_or_else(Rational::zero);
    answer.figure("epsilon_lower", down(&lower), meaning);
    for (theorem, epsilon) in &composed.others {
        let (name, meaning) = named(*theorem);
        answer.alternative(name, up(epsilon), meaning);
    }
    let times = options.mechanism.iter().zip(times(options)?);
    let candidates = candidates(times, adjacency, &delta, &composed.upper);
    Ok(answer.because(composed.certificate()).certified_by(candidates))
}

/// A mechanism in words, what it is, and how often it is released.
type Typed = (String, (AccountedMechanism, u32));

/// How often each mechanism is released.
fn times(options: &Options) -> Result<Vec<u32>, Failure> {
    let (typed, count) = (&options.times, options.mechanism.len());
    if typed.len() > 1 && typed.len() != count {
        let place = format!("with {count} mechanisms");
        let change = "give it once, or once for each of them";
        return Err(Refusal::contradiction("times", typed.join(", "), place, change).into());
    }
    let each = typed.iter().cycle().take(if typed.is_empty() { 0 } else { count });
    let each = each.map(|times| parse_integer("times", times, 1..=1 << 20));
    let mut each = each.collect::<Result<Vec<u32>, ParameterError>>()?;
    each.resize(count, 1);
    Ok(each)
}

/// Each mechanism in words, what it is, and how often it is released.
fn releases(options: &Options, adjacency: Adjacency) -> Result<Vec<Typed>, Failure> {
    let parts = options.mechanism.iter().zip(times(options)?);
    let releases = parts.map(|(typed, times)| {
        let (release, each) = mechanism(typed, adjacency)?;
        let all = each.saturating_mul(times);
        Ok((format!("{times} × {typed}"), (release, all)))
    });
    releases.collect()
}

/// A mechanism, and of how many of them one release consists.
fn mechanism(typed: &str, adjacency: Adjacency) -> Result<(AccountedMechanism, u32), Failure> {
    let cells: Vec<&str> = typed.splitn(3, ':').collect();
    let unknown = || ParameterError::new("mechanism", typed, MECHANISM);
    let clients = |text: &str| parse_integer("clients", text, 1..=10_000_000_000);
    let release = match cells[..] {
        ["response", epsilon] => response(epsilon, "0")?,
        ["response", epsilon, delta] => response(epsilon, delta)?,
        ["coin-flip"] => AccountedMechanism::RandomizedResponse {
            epsilon: local::coin_flip().guarantee()?,
            delta: number("delta", "0")?,
        },
        ["k-ary", answers, epsilon] => AccountedMechanism::KaryResponse {
            epsilon: number("epsilon", epsilon)?,
            answers: parse_integer("answers", answers, 2..=u64::MAX)?,
        },
        ["basic-rappor", epsilon] => {
            let epsilon: Epsilon = number("epsilon", epsilon)?;
            let half = epsilon.value() * &Rational::new(1, 2)?;
            return bits(Epsilon::new(half)?, 2, 1, adjacency);
        }
        ["symmetric-rappor", length, end] => {
            let length = parse_integer("length", length, 1..=1 << 20)?;
            let (weight, epsilon0) = match end.split_once(':') {
                Some((weight, epsilon0)) => {
                    (parse_integer("weight", weight, 1..=length)?, epsilon0)
                }
                None => (1, end),
            };
            return bits(number("epsilon0", epsilon0)?, length, weight, adjacency);
        }
        ["rappor", epsilon0, people] => {
            let sum = AggregatedRappor::new(number("epsilon0", epsilon0)?, clients(people)?)?;
            AccountedMechanism::Dominated(sum.dominating_pair(adjacency))
        }
        ["hedged", epsilon0, end] => {
            let cells: Vec<&str> = end.split(':').collect();
            let [name, parameter, people] = cells[..] else {
                return Err(unknown().into());
            };
            let law = noise_law(name, parameter)?.ok_or_else(unknown)?;
            let sum = Hedged::new(number("epsilon0", epsilon0)?, clients(people)?, law, 1)?;
            AccountedMechanism::Dominated(sum.dominating_pair(adjacency))
        }
        [name, parameter, moved] => {
            let law = noise_law(name, parameter)?.ok_or_else(unknown)?;
            let difference = worst_difference(moved, adjacency)?;
            AccountedMechanism::Noise { law, difference }
        }
        _ => return Err(unknown().into()),
    };
    Ok((release, 1))
}

/// Randomized bits of which at most `weight` are set, as many as differ under the adjacency.
fn bits(
    epsilon0: Epsilon,
    length: u32,
    weight: u32,
    adjacency: Adjacency,
) -> Result<(AccountedMechanism, u32), Failure> {
    let differing = match adjacency {
        Adjacency::Replacement => length.min(weight.saturating_mul(2)),
        Adjacency::Deletion => weight,
    };
    let delta = number("delta", "0")?;
    let release = AccountedMechanism::RandomizedResponse { epsilon: epsilon0, delta };
    Ok((release, differing))
}

fn response(epsilon: &str, delta: &str) -> Result<AccountedMechanism, ParameterError> {
    Ok(AccountedMechanism::RandomizedResponse {
        epsilon: number("epsilon", epsilon)?,
        delta: number("delta", delta)?,
    })
}

/// Certificates to try, or none where the checker knows no such mechanism.
fn candidates(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Candidates {
    let claim = claim(typed, adjacency, delta, upper);
    claim.map_or_else(Candidates::default, |claim| Candidates::of(&claim))
}

fn claim(
    typed: impl Iterator<Item = (impl AsRef<str>, u32)>,
    adjacency: Adjacency,
    delta: &Delta,
    upper: &Rational,
) -> Option<Claim> {
    let mut releases = Vec::new();
    let mut neighbours = Vec::new();
    for (text, times) in typed {
        let (mechanism, of) = claimed(text.as_ref(), adjacency)?;
        neighbours.extend(of);
        releases.push(Released { mechanism, times });
    }
    // A query that is typed is about the option's neighbours, `pair` about replaced measurements.
    let adjacency = neighbours.first().copied().unwrap_or(adjacency);
    if neighbours.iter().any(|of| *of != adjacency) {
        return None;
    }
    let is_crowd = |release: &Released| matches!(release.mechanism, Claimed::Rappor(_));
    let is_noise = |release: &Released| matches!(release.mechanism, Claimed::Noise { .. });
    let trust_model = match (releases.iter().any(is_crowd), releases.iter().any(is_noise)) {
        (true, _) => TrustModel::OneAggregatorMostClients,
        (false, true) => TrustModel::OneAggregatorOneClient,
        (false, false) => TrustModel::OneClient,
    };
    Some(Claim {
        epsilon: upper.clone(),
        delta: delta.value().clone(),
        adjacency,
        trust_model,
        releases,
        every_larger_variance: false,
    })
}

/// A mechanism as the checker knows it, and the neighbours under which its query moves what it moves.
fn claimed(text: &str, adjacency: Adjacency) -> Option<(Claimed, Option<Adjacency>)> {
    let cells: Vec<&str> = text.splitn(3, ':').collect();
    let people = |typed: &str| parse_integer::<u64>("clients", typed, 1..=u64::MAX).ok();
    let private = |epsilon: &str, delta: &str| {
        let (epsilon, delta) = (epsilon.parse().ok()?, delta.parse().ok()?);
        Some((Claimed::private(epsilon, delta), None))
    };
    match cells[..] {
        ["response", epsilon] => private(epsilon, "0"),
        ["response", epsilon, delta] => private(epsilon, delta),
        ["rappor", epsilon0, clients] => {
            let (epsilon0, clients) = (epsilon0.parse().ok()?, people(clients)?);
            Some((Claimed::rappor(epsilon0, clients, None), Some(adjacency)))
        }
        ["hedged", epsilon0, end] => {
            let [name, parameter, clients] = end.split(':').collect::<Vec<&str>>()[..] else {
                return None;
            };
            let law = noise_law(name, parameter).ok()??;
            let (epsilon0, clients) = (epsilon0.parse().ok()?, people(clients)?);
            Some((Claimed::rappor(epsilon0, clients, Some(law)), Some(adjacency)))
        }
        [name, parameter, query] => {
            let law = noise_law(name, parameter).ok()??;
            let of = certificate::adjacency(query, adjacency);
            let query = certificate::query(query);
            let of = (query != "count").then_some(of);
            Some((Claimed::noise(law, query), of))
        }
        _ => None,
    }
}

/// The names of the figures, by trust model.
const FIGURES: [&str; 3] = ["epsilon_oc", "epsilon_oaoc", "epsilon_oamc"];

/// ε in each trust model, over `times` releases or else the task's number of releases, at the typed δ or else the
/// task's δ.
fn of_task(path: &Path, times: &[String], delta: Option<&String>) -> Result<Answer, Failure> {
    let task = policies::read(path)?;
    let releases = match times {
        [] => task.releases(),
        [times] => parse_integer("times", times, 1..=1 << 20)?,
        several => {
            let given = several.join(", ");
            let change = "give it once";
            return Err(Refusal::contradiction("times", given, "with --task", change).into());
        }
    };
    let mut circumstances = task.circumstances().clone().over(releases);
    if let Some(delta) = delta {
        circumstances = circumstances.at(number::<Delta>("delta", delta)?);
    }
    let at = circumstances.delta().clone();
    let name = task.policy_name().name;
    let mut answer =
        Answer::to(format!("{releases} releases of {name}, together at delta {at}")).at_delta(&at);
    for (figure, model) in FIGURES.into_iter().zip(TrustModel::ALL) {
        let who = model.must_be_honest();
        let are = if who.contains(" and ") { "are" } else { "is" };
        match task.pair_in(model, &circumstances) {
            PrivacyBound::Proved(Budget::Pure { epsilon }) => {
                let meaning = format!("with delta 0, if {who} {are} honest");
                answer.figure(figure, up(epsilon.value()), meaning);
            }
            PrivacyBound::Proved(Budget::Approximate { epsilon, .. }) => {
                let meaning = format!("if {who} {are} honest");
                answer.figure(figure, up(epsilon.value()), meaning);
            }
            PrivacyBound::TotalVariation { .. } => {
                answer.figure(figure, 0, format!("if {who} {are} honest"))
            }
            PrivacyBound::Proved(other) => answer.figure(figure, "none", other.to_string()),
            PrivacyBound::Absent { reason } => answer.figure(figure, "none", reason),
        }
    }
    Ok(answer.because(
        "The guarantee of the task's policy over all releases, as plan and statement state it: products of \
         the pairs of laws that dominate one release (Zhu, Dong, Wang 2022, Theorem 10), for data that may \
         depend on earlier results.",
    ))
}
