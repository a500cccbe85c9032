//! k-ary randomized response: the ratio e^ε by enumeration, and the distribution of draws.

use crate::support::{exponential, kary as response, largest_ratio, same};
use dp_exact::{Interval, Rational};
use dp_rappor::{KaryRandomizedResponse, MAX_ANSWERS};
use dp_samplers::scripted_rng::ScriptedRng;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

const PRECISION: u32 = 192;

#[test]
fn no_output_tells_two_answers_apart_by_more_than_epsilon_and_one_attains_it() {
    for epsilon in ["1e-6", "1/3", "1", "5", "100", "1000"] {
        for answers in [2, 3, 6] {
            let response = response(epsilon, answers);
            let allowed = exponential(response.epsilon().value(), PRECISION);
            let probability = |answer, output| response.probability(answer, output, PRECISION);
            for one in 0..answers {
                for other in (0..answers).filter(|other| *other != one) {
                    let largest = largest_ratio([one, other], 0..answers, probability);
                    assert!(same(&largest, &allowed), "{epsilon}, {answers}");
                }
            }
        }
    }
}

#[test]
fn the_truth_is_told_with_e_to_the_epsilon_in_e_to_the_epsilon_plus_k_minus_one() {
    for (epsilon, answers) in [("1", 2), ("2", 10), ("1e-6", 1000), ("1000", MAX_ANSWERS)] {
        let response = response(epsilon, answers);
        let power = exponential(response.epsilon().value(), PRECISION);
        let denominator = &power + Interval::integer(answers - 1, PRECISION);
        let truth = power.checked_div(&denominator).unwrap();
        let other = Interval::integer(1, PRECISION).checked_div(&denominator);
        assert!(same(&response.probability(1, 1, PRECISION), &truth));
        assert!(same(&response.probability(0, answers - 1, PRECISION), &other.unwrap()));
        let outside = response.probability(answers, 0, PRECISION);
        assert!(outside.contains(&Rational::zero()) && !outside.is_positive());
    }
}

/// Together with the shares of words that unit tests count in the coin and in the uniform answer,
/// this proves the distribution of draws.
#[test]
fn one_word_gives_a_uniform_answer_and_the_other_chooses_between_it_and_the_truth() {
    let response = response("1", 5);
    let mut kinds = [0, 0];
    for choice in (0..255).map(|step| step * ((1 << 56) + 1)) {
        let mut all = [true, true];
        for answer in 0..5 {
            for uniform in 0..5_u32 {
                // The words of a uniform answer are one fifth of all, in order.
                let word = u64::MAX / 5 * u64::from(uniform) + (1 << 60);
                let mut script = ScriptedRng::new(vec![word, choice]);
                let report = response.randomize(&mut script, answer).unwrap();
                all = [all[0] && report == answer, all[1] && report == uniform];
            }
        }
        assert_ne!(all[0], all[1], "always the truth or always the uniform answer");
        kinds[usize::from(all[1])] += 1;
    }
    // λ = 5/(e + 4) = 0.744 of 255 words.
    assert!(i32::abs_diff(kinds[1], 190) <= 2, "{kinds:?}");
}

#[test]
fn two_words_decide_a_report() {
    let response = response("1", 3);
    let mut script = ScriptedRng::new(vec![1 << 63, 1 << 40, 7]);
    assert!(response.randomize(&mut script, 1).unwrap() < 3);
    assert_eq!(script.left(), 1);
    // 2^64 mod 3 is 1, so the word 0 is tried again; the word of λ = 3·P(another answer) leaves the
    // choice open.
    let uniform = Interval::integer(3, 128) * response.probability(0, 1, 128);
    let tie = u64::try_from(uniform.shifted(64).lower().floor_shifted(0)).unwrap();
    let mut script = ScriptedRng::new(vec![0, 1 << 63, tie, 5, 5, 5]);
    assert!(response.randomize(&mut script, 1).unwrap() < 3);
    assert!(script.left() < 3);
}

#[test]
fn extreme_parameters_are_answered_or_refused_by_name() {
    let mut rng = ChaCha20Rng::seed_from_u64(45);
    let astronomic = format!("1{}", "0".repeat(1200));
    for epsilon in ["1e-6", "100", "1000", "1e-300", astronomic.as_str()] {
        for answers in [2, MAX_ANSWERS] {
            let response = response(epsilon, answers);
            assert!(response.randomize(&mut rng, answers - 1).unwrap() < answers);
            for (count, reports) in [(0, 0), (3, 10), (u64::MAX, u64::MAX)] {
                let estimate = response.estimate(count, reports);
                assert!(!estimate.value.is_nan());
                assert!(estimate.standard_error >= 0.0);
            }
        }
    }
    for answers in [0, 1, MAX_ANSWERS + 1, u32::MAX] {
        let error = KaryRandomizedResponse::new("1".parse().unwrap(), answers).unwrap_err();
        let expected = format!("answers is {answers}: expected 2 to 16777216 answers");
        assert_eq!(error.to_string(), expected);
    }
    let error = response("1", 5).randomize(&mut rng, 5).unwrap_err();
    assert_eq!(error.to_string(), "answer is withheld: expected an answer below 5");
}
