//! `calibrate gaussian --honest-aggregators`: several aggregators add noise and are honest.

use dp_calibration::honest::{self, Route};
use dp_calibration::{Corner, discrete_gaussian};
use dp_exact::{Delta, Epsilon, Rational};

use super::{figures, title};
use crate::calibrate::answer::Answer;
use crate::calibrate::typed::{Moves, end_down, end_up, root_up, up};
use crate::failure::Failure;

/// The least noise of each.
pub(super) fn least(
    epsilon: &Epsilon,
    delta: &Delta,
    corner: &Corner,
    count: u32,
    moves: &Moves,
) -> Result<Answer, Failure> {
    let noise = honest::calibrate_gaussian_corner(corner, count, epsilon, delta)?;
    let title = title(epsilon, delta, moves);
    let mut answer = Answer::to(format!("{title}, from each of {count} honest aggregators"));
    figures(
        &mut answer,
        &root_up(&noise.variance)?,
        &noise.variance,
        moves,
    )?;
    let meaning = "delta of all their noise together, rounded up";
    answer.figure("delta_upper", end_up(noise.delta.upper()), meaning);
    // With many aggregators one of them may promise less than can be computed.
    let alone = discrete_gaussian::epsilon(&noise.variance, delta, corner);
    if let Ok(alone) = &alone {
        let meaning = "what this noise promises if only one of them is honest, at the same delta";
        answer.figure("epsilon_one_honest", up(alone), meaning);
    }
    let one = discrete_gaussian::calibrate(epsilon, delta, corner)?;
    let meaning = "if each has to be enough by itself";
    answer.alternative("sigma_one_honest", up(&one.sigma()?), meaning);
    let mut text = match noise.route {
        Route::Sum => {
            "The law of the sum of their noises: from some variance on by comparison with one \
             discrete Gaussian of the whole variance, by a ratio that falls as the variance grows, \
             and below it by ranges of variances with a certified bound on delta each. This \
             variance and every larger one is safe."
        }
        Route::OneAlone => {
            "What is enough for one honest aggregator is enough for several; what the others add \
             is not counted on. This variance and every larger one is safe."
        }
    }
    .to_owned();
    if let Some(refuted) = &noise.refuted {
        text += &format!(" The variance {refuted} is certainly not enough.");
    }
    if let Err(reason) = alone {
        text += &format!(
            " What this noise promises if only one of them is honest is not stated: {reason}."
        );
    }
    Ok(answer.because(text))
}

/// What noise of a given variance promises.
pub(super) fn delta_at(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    count: u32,
    words: &str,
) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!(
        "Discrete Gaussian noise of variance {variance} from each of {count} honest aggregators at \
         epsilon {epsilon}, {words}"
    ));
    let delta = honest::gaussian_delta(variance, epsilon, corner, count)?;
    let least = "the exact delta is at least this";
    answer.figure("delta_lower", end_down(delta.lower()), least);
    answer.figure("delta_upper", end_up(delta.upper()), "and at most this");
    let alone = discrete_gaussian::delta(variance, epsilon, corner)?;
    let meaning = "if only one of them is honest";
    answer.alternative("delta_one_honest", end_up(alone.upper()), meaning);
    Ok(answer.because(
        "The law of the sum of their noises at the worst difference, in interval arithmetic; never \
         above the delta of one of them.",
    ))
}
