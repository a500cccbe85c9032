//! `calibrate gaussian --honest-aggregators`: several aggregators add noise and are honest.

use dp_calibration::{Corner, KnownSensitivity, discrete_gaussian, noise_sum};
use dp_certificate::Candidates;
use dp_exact::{Delta, Epsilon, Rational};

use super::figures::{figures, title};
use super::{Options, claim, claimed};
use crate::calibrate::answer::Answer;
use crate::calibrate::typed::{end_down, end_up, up};
use crate::failure::Failure;

/// The least noise of each.
pub(super) fn least(
    options: &Options,
    (epsilon, delta): (&Epsilon, &Delta),
    (corner, count): (&Corner, u32),
    sensitivity: &KnownSensitivity,
) -> Result<Answer, Failure> {
    let least = noise_sum::least_gaussian(epsilon, delta, corner, count)?;
    let title = title(epsilon, delta, sensitivity);
    let mut answer = Answer::to(format!("{title}, from each of {count} honest aggregators"))
        .at_epsilon(epsilon)
        .at_delta(delta);
    figures(&mut answer, &least.sigma, &least.noise.variance, &least.rho);
    let meaning = "delta of all their noise together, rounded up";
    answer.figure("delta_upper", end_up(least.noise.delta.upper()), meaning);
    if let Ok(alone) = &least.one_honest_epsilon {
        let meaning = "what this noise promises if only one of them is honest, at the same delta";
        answer.figure("epsilon_one_honest", up(alone), meaning);
    }
    let meaning = "if each has to be enough by itself";
    answer.alternative("sigma_one_honest", up(&least.one_honest_sigma), meaning);
    let variance = &least.noise.variance;
    let claim = claim(options, epsilon, delta.value(), variance, count)?;
    let candidates = Candidates::of_several(&claim, corner);
    Ok(answer.because(least.certificate()).certified_by(candidates))
}

/// What noise of a given variance promises.
pub(super) fn delta_at(
    options: &Options,
    variance: &Rational,
    epsilon: &Epsilon,
    (corner, count): (&Corner, u32),
    sensitivity: &KnownSensitivity,
) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Discrete Gaussian noise of variance {variance} from each of {count} honest aggregators at \
         epsilon {epsilon}, {sensitivity}"
    ))
    .at_epsilon(epsilon);
    let together = noise_sum::gaussian_delta(variance, epsilon, corner, count)?;
    let one_honest = discrete_gaussian::delta(variance, epsilon, corner)?;
    let least = "the exact delta is at least this";
    answer.figure("delta_lower", end_down(together.lower()), least);
    let most = "and at most this";
    answer.figure("delta_upper", end_up(together.upper()), most);
    let meaning = "if only one of them is honest";
    let alone = end_up(one_honest.upper());
    answer.alternative("delta_one_honest", alone, meaning);
    let upper = claimed(together.upper())?;
    let claim = claim(options, epsilon, &upper, variance, count)?;
    let candidates = Candidates::of_several(&claim, corner);
    let certificate = "The law of the sum of their noises by comparison with one discrete Gaussian of the \
                       whole variance, in interval arithmetic; never above the delta of one of them.";
    Ok(answer.because(certificate).certified_by(candidates))
}
