//! `calibrate gaussian`: the least discrete Gaussian noise for (epsilon, delta), or what noise of a
//! given variance promises.

mod figures;
mod several;

use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::{KnownSensitivity, NoiseLaw, discrete_gaussian};
use dp_certificate::{Candidates, Claim};
use dp_exact::{Delta, Dyadic, Epsilon, Rational, Refusal, Rounding};

use self::figures::{figures, title};
use super::answer::Answer;
use super::certificate::of_noise;
use super::typed::{self, Moves, Norm, end_down, end_up, up};
use crate::failure::Failure;
use crate::options::integer;

/// Digits of a delta that is claimed.
const CLAIMED: usize = 15;

/// The least discrete Gaussian noise for epsilon and delta, or its delta at a variance
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Privacy loss
    #[arg(long, aliases = ["eps"], allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Slack
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
    #[command(flatten)]
    moves: Moves,
    /// A task that says the query, and its budget where --epsilon is not given
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "sensitivity"])]
    task: Option<PathBuf>,
    /// Tell the delta of --variance or --sigma at --epsilon instead, as either of them does alone
    #[arg(long)]
    delta_at: bool,
    /// The variance of known noise: sigma squared
    #[arg(long, allow_hyphen_values = true)]
    variance: Option<String>,
    /// The standard deviation of known noise, in place of --variance
    #[arg(long, conflicts_with = "variance", allow_hyphen_values = true)]
    sigma: Option<String>,
    /// Aggregators that each add such noise and are honest, for one and pair
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    honest_aggregators: String,
}

impl Options {
    /// The file that is read.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.task.as_deref()
    }

    /// These options, filled in from the task where they were not typed.
    fn filled(&self) -> Result<Self, Failure> {
        let mut filled = self.clone();
        if let Some(path) = &self.task {
            let job = typed::Job::of(path)?;
            filled.moves = filled.moves.of_query(job.query);
            if self.epsilon.is_none() && self.delta.is_none() && !self.delta_at {
                (filled.epsilon, filled.delta) = (job.epsilon, job.delta);
            }
        }
        Ok(filled)
    }

    /// The variance of known noise, from --variance or from --sigma.
    fn variance(&self) -> Result<Option<Rational>, Failure> {
        if let Some(sigma) = &self.sigma {
            let sigma = typed::positive("sigma", sigma)?;
            return Ok(Some(&sigma * &sigma));
        }
        let variance = self.variance.as_ref();
        let variance = variance.map(|typed| typed::positive("variance", typed));
        Ok(variance.transpose()?)
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let options = &options.filled()?;
    let sensitivity = options.moves.known(Norm::L2Squared)?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let honest = integer("honest-aggregators", &options.honest_aggregators, 1..=64)?;
    let sum = typed::several(honest, &sensitivity)?;
    let known = options.variance()?;
    if options.delta_at || known.is_some() && options.delta.is_none() {
        typed::refuse("delta", options.delta.as_ref(), "with --delta-at")?;
        let accepted = "a number greater than 0, such as 2188669/4000, or --sigma";
        let variance = known.ok_or_else(|| Refusal::missing("variance", accepted))?;
        return match sum {
            Some(corner) => {
                several::delta_at(options, &variance, &epsilon, (corner, honest), &sensitivity)
            }
            None => delta_at(options, &variance, &epsilon, &sensitivity),
        };
    }
    typed::refuse("variance", options.variance.as_ref(), "without --delta-at")?;
    typed::refuse(
        "sigma",
        options.sigma.as_ref(),
        "with --delta, which is found from it",
    )?;
    let delta = typed::delta(options.delta.as_ref())?;
    match sum {
        Some(corner) => several::least(options, (&epsilon, &delta), (corner, honest), &sensitivity),
        None => least(options, &epsilon, &delta, &sensitivity),
    }
}

fn least(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &KnownSensitivity,
) -> Result<Answer, Failure> {
    let least = discrete_gaussian::least(epsilon, delta, sensitivity)?;
    let mut answer = Answer::to(title(epsilon, delta, sensitivity))
        .at_epsilon(epsilon)
        .at_delta(delta);
    figures(&mut answer, &least.sigma, &least.noise.variance, &least.rho);
    let bound = if least.is_delta_met {
        end_up(least.noise.delta.upper())
    } else {
        up(delta.value())
    };
    let meaning = if least.noise.is_exact() {
        "exact delta of this noise, rounded up"
    } else {
        "upper bound on delta"
    };
    answer.figure("delta_upper", bound, meaning);
    let continuous = least.continuous_sigma.to_decimal(25, Rounding::Up);
    let meaning = "for continuous noise, which nobody draws; no promise for discrete noise";
    answer.alternative("sigma_continuous", continuous, meaning);
    if let Some(deployed) = &least.delta_at_continuous {
        let verdict = if least.is_continuous_broken() == Some(true) {
            "delta of discrete noise at that sigma: above the promise, it is broken"
        } else {
            "delta of discrete noise at that sigma: it happens to be kept here"
        };
        answer.alternative("delta_at_continuous", end_down(deployed.lower()), verdict);
    }
    if let Some(sigma) = &least.concentrated_sigma {
        let meaning =
            "by zero-concentrated privacy alone (Canonne, Kamath, Steinke 2020, Corollary 13)";
        answer.alternative("sigma_zcdp", up(sigma), meaning);
    }
    let claim = claim(options, epsilon, delta.value(), &least.noise.variance, 1)?;
    let candidates = Candidates::of_larger_variances(&claim, &least.noise.cover, sensitivity);
    Ok(answer.because(least.certificate()).certified_by(candidates))
}

/// A delta as it is claimed.
fn claimed(upper: &Dyadic) -> Result<Rational, Failure> {
    Ok(upper.to_decimal(CLAIMED, Rounding::Up).parse()?)
}

/// What is claimed of the noise of so many aggregators.
fn claim(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Rational,
    variance: &Rational,
    aggregators: u32,
) -> Result<Claim, Failure> {
    let variance = variance.clone();
    Ok(of_noise(
        (epsilon.value(), delta),
        (
            &options.moves.query(Norm::L2Squared)?,
            options.moves.adjacency()?,
        ),
        NoiseLaw::DiscreteGaussian { variance },
        aggregators,
    ))
}

fn delta_at(
    options: &Options,
    variance: &Rational,
    epsilon: &Epsilon,
    sensitivity: &KnownSensitivity,
) -> Result<Answer, Failure> {
    let delta = discrete_gaussian::promised_delta(variance, epsilon, sensitivity)?;
    let mut answer = Answer::to(format!(
        "Discrete Gaussian noise of variance {variance} at epsilon {epsilon}, {sensitivity}"
    ))
    .at_epsilon(epsilon);
    let [least, most] = if delta.is_exact() {
        ["the exact delta is at least this", "and at most this"]
    } else {
        let attained = "attained where that many coordinates move by 1 each, if it is not 0";
        [attained, "holds for every difference"]
    };
    answer.figure("delta_lower", end_down(&delta.lower), least);
    answer.figure("delta_upper", end_up(&delta.upper), most);
    let meaning = "zero-concentrated privacy, rounded up";
    answer.figure("rho", up(delta.rho.value()), meaning);
    if let Some(concentrated) = &delta.concentrated {
        let meaning = "upper bound by zero-concentrated privacy alone";
        answer.alternative("delta_zcdp", end_up(concentrated.upper()), meaning);
    }
    if let Some(continuous) = &delta.continuous {
        let nearest = continuous.upper().to_decimal(10, Rounding::Nearest);
        let meaning = "of continuous noise of that sigma; says nothing about discrete noise";
        answer.alternative("delta_continuous", nearest, meaning);
    }
    // The checker rounds up, too.
    let upper = claimed(&delta.upper)?;
    let candidates = Candidates::of(&claim(options, epsilon, &upper, variance, 1)?);
    Ok(answer.because(delta.certificate()).certified_by(candidates))
}
