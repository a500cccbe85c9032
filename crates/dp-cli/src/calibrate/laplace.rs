//! `calibrate laplace`: the least discrete Laplace noise for epsilon, or for epsilon and delta.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::discrete_laplace::{self, BesideLaplace};
use dp_calibration::utility::TotalNoise;
use dp_calibration::{NoiseDistribution, SensitivityBound, WorstCaseDifference, noise_sum};
use dp_exact::{Delta, Epsilon, Rational};

use super::answer::Answer;
use super::certificate::{Candidates, Claim, of_noise};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, Moves, Norm, about, end_up, fraction, up};

/// The least discrete Laplace noise for epsilon, or for epsilon and delta
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Privacy loss
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<String>,
    /// Slack
    #[arg(long, default_value = "0")]
    delta: String,
    #[command(flatten)]
    moves: Moves,
    /// A task that says the query, and its budget where --epsilon is not given
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "sensitivity"])]
    pub(super) task: Option<PathBuf>,
    /// Aggregators that each add such noise and are honest, 1 or 2, for one and pair
    #[arg(long, default_value = "1")]
    honest_aggregators: String,
}

impl Options {
    /// These options, filled in from the task where they were not typed.
    fn filled(&self) -> Result<Self, Failure> {
        let mut filled = self.clone();
        if let Some(path) = &self.task {
            let job = typed::Job::of(path)?;
            filled.moves = filled.moves.of_query(job.query);
            if self.epsilon.is_none() {
                filled.epsilon = job.epsilon;
            }
        }
        Ok(filled)
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let options = &options.filled()?;
    let sensitivity = options.moves.known(Norm::L1)?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let delta: Delta = typed::number("delta", &options.delta)?;
    let honest = parse_integer("honest-aggregators", &options.honest_aggregators, 1..=2)?;
    match typed::several(honest, &sensitivity)? {
        Some(difference) => two(options, &epsilon, &delta, difference, &sensitivity),
        None => one(options, &epsilon, &delta, &sensitivity),
    }
}

fn title(epsilon: &Epsilon, delta: &Delta, sensitivity: &SensitivityBound) -> String {
    format!("Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {sensitivity}")
}

/// The least scale of one honest aggregator.
fn one(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &SensitivityBound,
) -> Result<Answer, Failure> {
    let least = discrete_laplace::compare(epsilon, delta, sensitivity)?;
    let mut answer =
        Answer::to(title(epsilon, delta, sensitivity)).at_epsilon(epsilon).at_delta(delta);
    figures(&mut answer, &least.noise.scale)?;
    match &least.beside {
        BesideLaplace::Pure { rho, classical } => {
            answer.figure("delta_upper", "0", "pure differential privacy");
            let meaning = "zero-concentrated privacy, epsilon·tanh(epsilon/2), rounded up";
            answer.figure("rho", up(rho.value()), meaning);
            let meaning = "the classical epsilon^2/2 (Bun, Steinke 2016)";
            answer.alternative("rho_classical", up(classical.value()), meaning);
        }
        BesideLaplace::Approximate { pure, any_pure } => {
            let meaning = if least.noise.is_exact() {
                "exact delta of this noise, rounded up"
            } else {
                "upper bound on delta; attained if one number can move all the way"
            };
            answer.figure("delta_upper", end_up(least.noise.delta.upper()), meaning);
            let meaning = "with the same epsilon and delta 0";
            answer.alternative("scale_pure", up(pure), meaning);
            let meaning = "by what is true of every mechanism with pure differential privacy";
            answer.alternative("scale_any_pure", up(any_pure), meaning);
        }
    }
    let claim = claim(options, epsilon, delta, &least.noise.scale, 1)?;
    let candidates = Candidates::of(&claim);
    Ok(answer.because(least.certificate()).certified_by(candidates))
}

/// What is claimed of the noise of so many aggregators.
fn claim(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Delta,
    scale: &Rational,
    aggregators: u32,
) -> Result<Claim, Failure> {
    let scale = scale.clone();
    let law = NoiseDistribution::DiscreteLaplace { scale };
    let budget = (epsilon.value(), delta.value());
    of_noise(budget, &options.moves, Norm::L1, law, aggregators)
}

/// The least scale of each of two honest aggregators.
fn two(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Delta,
    difference: &WorstCaseDifference,
    sensitivity: &SensitivityBound,
) -> Result<Answer, Failure> {
    let least = noise_sum::compare_laplace(epsilon, delta, difference)?;
    let title = title(epsilon, delta, sensitivity);
    let mut answer = Answer::to(format!("{title}, from each of 2 honest aggregators"))
        .at_epsilon(epsilon)
        .at_delta(delta);
    figures(&mut answer, &least.noise.scale)?;
    let meaning = "delta of their noise together, rounded up";
    answer.figure("delta_upper", end_up(least.noise.delta.upper()), meaning);
    let meaning = "what this noise guarantees if only one of them is honest, at the same delta";
    let alone = up(&least.one_honest_epsilon);
    answer.figure("epsilon_one_honest", alone, meaning);
    if let Some(scale) = &least.one_honest_scale {
        let meaning = "if each has to be enough by itself";
        answer.alternative("scale_one_honest", up(scale), meaning);
    }
    let claim = claim(options, epsilon, delta, &least.noise.scale, 2)?;
    let candidates = Candidates::of_several(&claim, difference);
    Ok(answer.because(least.certificate()).certified_by(candidates))
}

fn figures(answer: &mut Answer, scale: &Rational) -> Result<(), Failure> {
    let meaning = "safe, and so is every larger one; exactly";
    answer.figure("scale", fraction(scale), meaning);
    answer.figure("scale_decimal", up(scale), "the same, rounded up");
    if let Ok(noise) = TotalNoise::laplace(scale.clone()) {
        let std = about(noise.standard_deviation())?;
        let meaning = "standard deviation of one aggregator's noise; an estimate has that of all";
        answer.figure("std_of_one", std, meaning);
    }
    Ok(())
}
