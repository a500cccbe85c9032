//! `calibrate laplace`: the least discrete Laplace noise for epsilon, or for epsilon and delta.

use clap::Args;
use dp_calibration::honest::{self, Route};
use dp_calibration::utility::Noise;
use dp_calibration::{Corner, conversion, discrete_laplace, laplace};
use dp_exact::{Delta, Epsilon, Rational};

use super::answer::Answer;
use super::typed::{self, Moves, about, end_up, fraction, up};
use crate::failure::Failure;
use crate::options::integer;

/// The least discrete Laplace noise for epsilon, or for epsilon and delta
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Privacy loss
    #[arg(long, allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Slack
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    delta: String,
    /// What one client moves: one, pair (a histogram, replaced) or l1:NUMBER
    #[arg(long, default_value = "pair", allow_hyphen_values = true)]
    query: String,
    /// Aggregators that each add such noise and are honest, 1 or 2, for one and pair
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    honest_aggregators: String,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let moves = Moves::parse(&options.query, "l1")?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let delta: Delta = typed::number("delta", &options.delta)?;
    let honest = integer("honest-aggregators", &options.honest_aggregators, 1..=2)?;
    if let Some(corner) = typed::several(honest, moves.corner.as_ref())? {
        return two(&epsilon, &delta, corner, &moves.words);
    }
    let words = &moves.words;
    let title = format!("Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {words}");
    let mut answer = Answer::to(title);
    let pure = laplace::scale(&epsilon, &moves.norm.into())?;
    if delta.value().is_zero() {
        figures(&mut answer, &pure)?;
        answer.figure("delta_upper", "0", "pure differential privacy");
        let rho = conversion::pure_to_rho(&epsilon)?;
        let meaning = "zero-concentrated privacy, epsilon·tanh(epsilon/2), rounded up";
        answer.figure("rho", up(rho.value()), meaning);
        let classical = conversion::pure_to_rho_classical(&epsilon)?;
        let meaning = "the classical epsilon^2/2 (Bun, Steinke 2016)";
        answer.alternative("rho_classical", up(classical.value()), meaning);
        return Ok(answer.because(
            "Moving the aggregate by the L1 sensitivity changes the probability of every outcome \
             by at most e^epsilon, and of some by exactly that, so that no smaller scale will do. \
             The scale is the L1 sensitivity divided by epsilon, exactly.",
        ));
    }
    let any_pure = discrete_laplace::scale_of_any_pure(&epsilon, &delta, &moves.norm.into())?;
    let noise = match &moves.corner {
        Some(corner) => discrete_laplace::calibrate(&epsilon, &delta, corner)?,
        None => discrete_laplace::calibrate_norm(&epsilon, &delta, &moves.norm.into())?,
    };
    figures(&mut answer, &noise.scale)?;
    let meaning = if noise.is_exact() {
        "exact delta of this noise, rounded up"
    } else {
        "upper bound on delta; attained if one number can move all the way"
    };
    answer.figure("delta_upper", end_up(noise.delta.upper()), meaning);
    beaten(&mut answer, &pure);
    answer.alternative(
        "scale_any_pure",
        up(&any_pure),
        "by what is true of every mechanism with pure differential privacy",
    );
    let refuted = noise.refuted.map_or_else(String::new, |refuted| {
        format!(" The scale {refuted} is certainly not enough.")
    });
    let worst = if moves.corner.is_some() {
        "the worst difference"
    } else {
        "one number that moves by all of the L1 sensitivity, than which nothing is worse"
    };
    Ok(answer.because(format!(
        "The exact law of the noise at {worst}, summed in interval arithmetic. Its delta falls as \
         the scale grows, so that every larger scale is safe as well.{refuted}"
    )))
}

/// The least scale of each of two honest aggregators.
fn two(epsilon: &Epsilon, delta: &Delta, corner: &Corner, words: &str) -> Result<Answer, Failure> {
    let noise = honest::calibrate_laplace(corner, epsilon, delta)?;
    let mut answer = Answer::to(format!(
        "Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {words}, from each of 2 \
         honest aggregators"
    ));
    figures(&mut answer, &noise.scale)?;
    let meaning = "delta of their noise together, rounded up";
    answer.figure("delta_upper", end_up(noise.delta.upper()), meaning);
    let alone = discrete_laplace::epsilon(&noise.scale, delta, corner)?;
    let meaning = "what this noise promises if only one of them is honest, at the same delta";
    answer.figure("epsilon_one_honest", up(&alone), meaning);
    if delta.value().is_zero() {
        return Ok(answer.because(
            "Without a slack two draws promise no more than one: far out, the sum changes its \
             probability by as near to e^epsilon as one likes.",
        ));
    }
    let one = discrete_laplace::calibrate(epsilon, delta, corner)?;
    let meaning = "if each has to be enough by itself";
    answer.alternative("scale_one_honest", up(&one.scale), meaning);
    let refuted = noise.refuted.map_or_else(String::new, |refuted| {
        format!(" The scale {refuted} is certainly not enough.")
    });
    Ok(answer.because(match noise.route {
        Route::Sum => format!(
            "The exact law of the sum of two draws at the worst difference. Its delta falls as the \
             scale grows, so that every larger scale is safe as well.{refuted}"
        ),
        Route::OneAlone => "What is enough for one honest aggregator is enough for two; what the \
                            other adds is not counted on, since the sum is too long to add up."
            .to_owned(),
    }))
}

fn figures(answer: &mut Answer, scale: &Rational) -> Result<(), Failure> {
    answer.figure(
        "scale",
        fraction(scale),
        "safe, and so is every larger one; exactly",
    );
    answer.figure("scale_decimal", up(scale), "the same, rounded up");
    if let Ok(noise) = Noise::laplace(scale.clone()) {
        let std = about(noise.standard_deviation())?;
        answer.figure(
            "std",
            std,
            "standard deviation of the noise on one coordinate",
        );
    }
    Ok(())
}

fn beaten(answer: &mut Answer, pure: &Rational) {
    answer.alternative("scale_pure", up(pure), "with the same epsilon and delta 0");
}
