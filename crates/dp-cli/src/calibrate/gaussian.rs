//! `calibrate gaussian`: the least discrete Gaussian noise for (epsilon, delta), or what noise of a
//! given variance guarantees; of one honest aggregator or of several.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::{
    NoiseDistribution, SensitivityBound, WorstCaseDifference, discrete_gaussian, noise_sum,
};
use dp_exact::{Delta, Dyadic, Epsilon, Rational, Refusal, Rho, Rounding};

use super::answer::Answer;
use super::certificate::{Candidates, Claim, of_noise};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, Moves, Norm, end_down, end_up, fraction, refuse, up};

/// Digits of a delta that is claimed.
const CLAIMED: usize = 15;

/// The least discrete Gaussian noise for epsilon and delta, or its delta at a variance
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Privacy loss
    #[arg(long, alias = "eps")]
    epsilon: Option<String>,
    /// Slack
    #[arg(long)]
    delta: Option<String>,
    #[command(flatten)]
    moves: Moves,
    /// A task that says the query, and its budget where --epsilon is not given
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "sensitivity"])]
    pub(super) task: Option<PathBuf>,
    /// Tell the delta of --variance or --sigma at --epsilon instead, as either of them does alone
    #[arg(long)]
    delta_at: bool,
    /// The variance of known noise: sigma squared
    #[arg(long)]
    variance: Option<String>,
    /// The standard deviation of known noise, in place of --variance
    #[arg(long, conflicts_with = "variance")]
    sigma: Option<String>,
    /// Aggregators that each add such noise and are honest, for one and pair
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
            if self.epsilon.is_none() && self.delta.is_none() && !self.delta_at {
                (filled.epsilon, filled.delta) = (job.epsilon, job.delta);
            }
        }
        Ok(filled)
    }

    /// The variance of known noise, from --variance or from --sigma.
    fn known(&self) -> Result<Option<Rational>, Failure> {
        if let Some(sigma) = &self.sigma {
            let sigma = typed::positive("sigma", sigma)?;
            return Ok(Some(&sigma * &sigma));
        }
        let variance = self.variance.as_ref();
        let variance = variance.map(|typed| typed::positive("variance", typed));
        Ok(variance.transpose()?)
    }
}

/// What is asked, beside a delta or a variance.
struct Asked {
    epsilon: Epsilon,
    sensitivity: SensitivityBound,
    moves: Moves,
    honest: u32,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let options = &options.filled()?;
    let sensitivity = options.moves.known(Norm::L2Squared)?;
    let asked = Asked {
        epsilon: typed::epsilon(options.epsilon.as_ref())?,
        honest: parse_integer("honest-aggregators", &options.honest_aggregators, 1..=64)?,
        moves: options.moves.clone(),
        sensitivity,
    };
    let several = typed::several(asked.honest, &asked.sensitivity)?;
    let known = options.known()?;
    if options.delta_at || known.is_some() && options.delta.is_none() {
        refuse("delta", options.delta.as_ref(), "with --delta-at")?;
        let accepted = "a number greater than 0, such as 2188669/4000, or --sigma";
        let variance = known.ok_or_else(|| Refusal::missing("variance", accepted))?;
        return match several {
            Some(difference) => asked.delta_of_several(&variance, difference),
            None => asked.delta_at(&variance),
        };
    }
    refuse("variance", options.variance.as_ref(), "without --delta-at")?;
    let place = "with --delta, which is found from it";
    refuse("sigma", options.sigma.as_ref(), place)?;
    let delta = typed::delta(options.delta.as_ref())?;
    match several {
        Some(difference) => asked.least_of_several(&delta, difference),
        None => asked.least(&delta),
    }
}

impl Asked {
    fn title(&self, delta: &Delta) -> String {
        let (epsilon, sensitivity) = (&self.epsilon, &self.sensitivity);
        format!("Discrete Gaussian noise for epsilon {epsilon} and delta {delta}, {sensitivity}")
    }

    fn claim(&self, delta: &Rational, variance: &Rational) -> Result<Claim, Failure> {
        let variance = variance.clone();
        let law = NoiseDistribution::DiscreteGaussian { variance };
        let budget = (self.epsilon.value(), delta);
        of_noise(budget, &self.moves, Norm::L2Squared, law, self.honest)
    }

    fn least(&self, delta: &Delta) -> Result<Answer, Failure> {
        let least = discrete_gaussian::compare(&self.epsilon, delta, &self.sensitivity)?;
        let mut answer = Answer::to(self.title(delta)).at_epsilon(&self.epsilon).at_delta(delta);
        figures(&mut answer, &least.sigma, &least.noise.variance, &least.rho);
        let bound = match least.is_delta_met {
            true => end_up(least.noise.delta.upper()),
            false => up(delta.value()),
        };
        let meaning = match least.noise.is_exact() {
            true => "exact delta of this noise, rounded up",
            false => "upper bound on delta",
        };
        answer.figure("delta_upper", bound, meaning);
        let continuous = least.continuous_sigma.to_decimal(25, Rounding::Up);
        let meaning = "for continuous noise, which nobody draws; no guarantee for discrete noise";
        answer.alternative("sigma_continuous", continuous, meaning);
        if let Some(deployed) = &least.delta_at_continuous {
            let verdict = match least.is_continuous_broken() {
                Some(true) => {
                    "delta of discrete noise at that sigma: above the guarantee, it is broken"
                }
                _ => "delta of discrete noise at that sigma: it happens to be kept here",
            };
            answer.alternative("delta_at_continuous", end_down(deployed.lower()), verdict);
        }
        if let Some(sigma) = &least.concentrated_sigma {
            let meaning =
                "by zero-concentrated privacy alone (Canonne, Kamath, Steinke 2020, Corollary 13)";
            answer.alternative("sigma_zcdp", up(sigma), meaning);
        }
        let claim = self.claim(delta.value(), &least.noise.variance)?;
        let candidates =
            Candidates::of_larger_variances(&claim, &least.noise.cover, &self.sensitivity);
        Ok(answer.because(least.certificate()).certified_by(candidates))
    }

    /// The least noise of each of several honest aggregators.
    fn least_of_several(
        &self,
        delta: &Delta,
        difference: &WorstCaseDifference,
    ) -> Result<Answer, Failure> {
        let count = self.honest;
        let least = noise_sum::compare_gaussian(&self.epsilon, delta, difference, count)?;
        let title = self.title(delta);
        let mut answer = Answer::to(format!("{title}, from each of {count} honest aggregators"))
            .at_epsilon(&self.epsilon)
            .at_delta(delta);
        figures(&mut answer, &least.sigma, &least.noise.variance, &least.rho);
        let meaning = "delta of all their noise together, rounded up";
        answer.figure("delta_upper", end_up(least.noise.delta.upper()), meaning);
        if let Ok(alone) = &least.one_honest_epsilon {
            let meaning =
                "what this noise guarantees if only one of them is honest, at the same delta";
            answer.figure("epsilon_one_honest", up(alone), meaning);
        }
        let meaning = "if each has to be enough by itself";
        answer.alternative("sigma_one_honest", up(&least.one_honest_sigma), meaning);
        let claim = self.claim(delta.value(), &least.noise.variance)?;
        let candidates = Candidates::of_several(&claim, difference);
        Ok(answer.because(least.certificate()).certified_by(candidates))
    }

    /// What noise of a given variance guarantees.
    fn delta_at(&self, variance: &Rational) -> Result<Answer, Failure> {
        let (epsilon, sensitivity) = (&self.epsilon, &self.sensitivity);
        let delta = discrete_gaussian::certified_delta(variance, epsilon, sensitivity)?;
        let mut answer = Answer::to(format!(
            "Discrete Gaussian noise of variance {variance} at epsilon {epsilon}, {sensitivity}"
        ))
        .at_epsilon(epsilon);
        let [least, most] = match delta.is_exact() {
            true => ["the exact delta is at least this", "and at most this"],
            false => [
                "attained where that many coordinates move by 1 each, if it is not 0",
                "holds for every difference",
            ],
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
        let candidates = Candidates::of(&self.claim(&claimed(&delta.upper)?, variance)?);
        Ok(answer.because(delta.certificate()).certified_by(candidates))
    }

    /// What the noise of several honest aggregators, each of a given variance, guarantees.
    fn delta_of_several(
        &self,
        variance: &Rational,
        difference: &WorstCaseDifference,
    ) -> Result<Answer, Failure> {
        let (epsilon, count) = (&self.epsilon, self.honest);
        let mut answer = Answer::to(format!(
            "Discrete Gaussian noise of variance {variance} from each of {count} honest aggregators at \
             epsilon {epsilon}, {}",
            self.sensitivity
        ))
        .at_epsilon(epsilon);
        let together = noise_sum::gaussian_delta(variance, epsilon, difference, count)?;
        let one_honest = discrete_gaussian::delta(variance, epsilon, difference)?;
        let least = "the exact delta is at least this";
        answer.figure("delta_lower", end_down(together.lower()), least);
        let most = "and at most this";
        answer.figure("delta_upper", end_up(together.upper()), most);
        let meaning = "if only one of them is honest";
        let alone = end_up(one_honest.upper());
        answer.alternative("delta_one_honest", alone, meaning);
        let upper = claimed(together.upper())?;
        let claim = self.claim(&upper, variance)?;
        let candidates = Candidates::of_several(&claim, difference);
        let certificate = "The law of the sum of their noises by comparison with one discrete Gaussian of the \
                           whole variance, in interval arithmetic; never above the delta of one of them.";
        Ok(answer.because(certificate).certified_by(candidates))
    }
}

/// A delta as it is claimed, rounded up as the checker rounds.
fn claimed(upper: &Dyadic) -> Result<Rational, Failure> {
    Ok(upper.to_decimal(CLAIMED, Rounding::Up).parse()?)
}

fn figures(answer: &mut Answer, sigma: &Rational, variance: &Rational, rho: &Rho) {
    let sigma = sigma.to_decimal(25, Rounding::Up);
    let meaning = "of one aggregator's noise: safe, and so is every larger one";
    answer.figure("sigma", sigma, meaning);
    let meaning = "the variance parameter, exactly";
    answer.figure("variance", fraction(variance), meaning);
    let meaning = "zero-concentrated privacy of the same noise, rounded up";
    answer.figure("rho", up(rho.value()), meaning);
}
