//! k-ary randomized response: one of k answers, true more often than any other.
//!
//! ```text
//! P(output = y | answer = a) = e^ε/(e^ε + k − 1) if y = a, else 1/(e^ε + k − 1)
//!                            = (1 − λ)·[y = a] + λ/k,     λ = k/(e^ε + k − 1)
//! ```
//!
//! Source: Kairouz, Oh, Viswanath, "Extremal Mechanisms for Local Differential Privacy" (JMLR
//! 2016), the randomized response mechanism. Any two answers are told apart with the ratio e^ε, attained by two outputs:
//! ε-local differential privacy under replacement. A report is one answer again, a one-hot vector
//! stays one-hot.
//!
//! It is drawn by the second line: with probability λ the report is a uniform answer, which may be
//! the true one, else it is the truth. Both are drawn every time and one of them is selected by a
//! mask.

use std::fmt::{self, Debug, Formatter};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::Arc;

use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError};
use dp_samplers::alias::{Alias, Law, LowerBounds};
use rand_core::CryptoRng;

use crate::Error;
use crate::flip_probability::FlipProbability;
use crate::kary_debias::Figures;
use crate::uniform::Below;

/// The most answers of [`KaryRandomizedResponse`].
pub const MAX_ANSWERS: u32 = 1 << 24;

/// Precision of the lower bounds before they are cut to 128 bits.
const PRECISION: u32 = 192;

/// k-ary randomized response with parameter ε: reports the true one of k answers with probability
/// exactly e^ε/(e^ε + k − 1), and each other one with exactly 1/(e^ε + k − 1).
///
/// ```
/// use dp_rappor::KaryRandomizedResponse;
/// use dp_samplers::os_rng;
///
/// let response = KaryRandomizedResponse::new("2".parse()?, 5)?;
/// let mut rng = os_rng()?;
/// let mut counts = [0_u64; 5];
/// for client in 0..10_000 {
///     let answer = if client < 6_000 { 0 } else { client % 5 };
///     counts[response.randomize(&mut rng, answer)? as usize] += 1;
/// }
/// let estimate = response.estimate(counts[0], 10_000); // 6 800 answered 0.
/// assert!((estimate.value - 6_800.0).abs() < 7.0 * estimate.standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KaryRandomizedResponse {
    epsilon: Epsilon,
    choice: Arc<Alias<Choice>>,
    uniform: Below,
    figures: Figures,
}

impl KaryRandomizedResponse {
    /// The mechanism with parameter ε, of any size that an [`Epsilon`] has, over k = `answers`
    /// answers.
    ///
    /// # Errors
    /// If there are less than 2 answers or more than [`MAX_ANSWERS`].
    pub fn new(epsilon: Epsilon, answers: u32) -> Result<Self, Error> {
        let accepted = 2..=MAX_ANSWERS;
        let bound = NonZeroU32::new(answers).filter(|bound| accepted.contains(&bound.get()));
        let bound = bound.ok_or_else(|| {
            ParameterError::new("answers", answers, format!("2 to {MAX_ANSWERS} answers"))
        })?;
        let odds = FlipProbability::new(&epsilon);
        let figures = Figures::new(&odds, answers);
        let choice = Alias::new(Choice { odds, answers }).ok_or(PrecisionError)?;
        Ok(Self {
            epsilon,
            choice: Arc::new(choice),
            uniform: Below::new(bound),
            figures,
        })
    }

    /// The parameter ε, and the exact privacy loss of one report: pure local differential privacy
    /// under replacement of the answer.
    #[must_use]
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// k, the number of answers: 0 to k − 1.
    #[must_use]
    pub fn answers(&self) -> u32 {
        self.choice.law().answers
    }

    /// The probability that `answer` is reported as `output`, enclosed with at least `precision`
    /// bits; 0 unless both are answers.
    #[must_use]
    pub fn probability(&self, answer: u32, output: u32, precision: u32) -> Interval {
        let law = self.choice.law();
        if answer.max(output) >= law.answers {
            return Interval::integer(0, precision);
        }
        let truth = law.truth(precision);
        if answer == output {
            truth
        } else {
            law.odds.odds(precision) * truth
        }
    }

    /// The answer that is reported.
    ///
    /// Two 64-bit words, one table access, one multiplication and a selection by a mask, whatever
    /// the answer and whether it is reported. More work comes with probability below
    /// k·2^−64, when the uniform answer is drawn again, which tells nothing; and with
    /// [`undecided`](Self::undecided)/2^64, when it may tell whether the truth was reported.
    ///
    /// # Errors
    /// If the answer is not below [`answers`](Self::answers). The message does not show it.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, answer: u32) -> Result<u32, Error> {
        if answer >= self.answers() {
            let accepted = format!("an answer below {}", self.answers());
            return Err(ParameterError::new("answer", "withheld", accepted).into());
        }
        let uniform = self.uniform.sample(rng);
        // All ones with probability λ, else all zeros.
        let mask = self.choice.sample(rng).wrapping_neg().cast_unsigned();
        let difference = u64::from(answer ^ uniform) & mask;
        Ok(answer ^ lower_half(difference))
    }

    /// How many of 2^64 words do not decide at once between the truth and a uniform answer.
    /// Divided by 2^64 it is the δ that the running time can add to a report.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.choice.undecided()
    }

    pub(crate) fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Holds x = e^(−ε).
    pub(crate) fn odds(&self) -> &FlipProbability {
        &self.choice.law().odds
    }
}

impl Debug for KaryRandomizedResponse {
    /// The parameters, not the tables.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KaryRandomizedResponse")
            .field("epsilon", &format_args!("{}", self.epsilon))
            .field("answers", &self.answers())
            .finish_non_exhaustive()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a masked 32-bit number")]
const fn lower_half(number: u64) -> u32 {
    number as u32
}

/// The choice between the truth, 0, and a uniform answer, 1, in x = e^(−ε):
/// 1 − λ = (1 − x)/(1 + (k − 1)·x) and λ = k·x/(1 + (k − 1)·x).
#[derive(Clone, Debug)]
struct Choice {
    odds: FlipProbability,
    answers: u32,
}

impl Choice {
    /// The probability 1/(1 + (k − 1)·x) of the true answer.
    fn truth(&self, precision: u32) -> Interval {
        let odds = self.odds.odds(precision);
        let one = Interval::integer(1, odds.precision());
        let others = Interval::integer(self.answers - 1, odds.precision()) * odds;
        let truth = one.checked_div(&(&one + &others));
        // Never needed: x is not negative.
        truth.unwrap_or_else(|| one.hull(&Interval::integer(0, precision)))
    }
}

impl Law for Choice {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let truth = self.truth(precision);
        let uniform = Interval::integer(self.answers, precision) * self.odds.odds(precision);
        let by_choice = [
            self.odds.one_minus_odds(precision) * &truth,
            uniform * &truth,
        ];
        let outside = Interval::integer(0, precision);
        Box::new(move |choice| {
            let place = usize::try_from(choice).ok();
            let probability = place.and_then(|place| by_choice.get(place));
            probability.unwrap_or(&outside).clone()
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=1
    }

    fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
        let all: Vec<Interval> = self.support().map(self.at(PRECISION)).collect();
        LowerBounds::from_enclosures(0, &all)
    }
}

#[cfg(test)]
mod tests {
    use dp_exact::Rational;

    use super::*;

    fn response(epsilon: &str, answers: u32) -> KaryRandomizedResponse {
        KaryRandomizedResponse::new(epsilon.parse().unwrap(), answers).unwrap()
    }

    /// Whether the words that the table of `response` gives to the truth and to a uniform answer
    /// are as many as the law of `stated` allows, up to the words that are left undecided. No
    /// choice may have more words than its probability; the others are shared out by enclosures.
    fn is_certified(response: &KaryRandomizedResponse, stated: &KaryRandomizedResponse) -> bool {
        let table = &response.choice;
        let masses: Vec<(i64, u64)> = (table.first()..).zip(table.masses()).collect();
        [0, 1].into_iter().all(|choice| {
            let found = masses.iter().find(|(outcome, _)| *outcome == choice);
            let words = found.map_or(0, |(_, words)| *words);
            let exact = stated.choice.law().at(2048)(choice).shifted(64);
            let order = |words: u128| exact.compare_rational(&Rational::integer(words)).unwrap();
            let most = u128::from(words) + u128::from(table.undecided());
            order(u128::from(words)).is_ge() && order(most).is_le()
        })
    }

    #[test]
    fn the_table_shares_out_words_as_stated_up_to_a_few_undecided_ones() {
        for epsilon in ["1e-6", "1/10", "1", "5", "20", "100", "1000"] {
            for answers in [2, 3, 10, 1000, MAX_ANSWERS] {
                let response = response(epsilon, answers);
                assert!(is_certified(&response, &response), "{epsilon}, {answers}");
                let masses = response.choice.masses();
                let decided: u128 = masses.into_iter().map(u128::from).sum();
                assert_eq!(decided + u128::from(response.undecided()), 1 << 64);
                assert!(response.undecided() <= 2);
            }
        }
    }

    #[test]
    fn the_table_of_other_parameters_is_caught() {
        let stated = response("1", 10);
        for (epsilon, answers) in [("1", 11), ("1", 9), ("1.00000000000000001", 10)] {
            assert!(!is_certified(&response(epsilon, answers), &stated));
        }
    }

    #[test]
    fn truth_and_uniform_answer_mix_to_the_stated_law() {
        for (epsilon, answers) in [("1", 2), ("1", 7), ("1e-6", 3), ("20", MAX_ANSWERS)] {
            let response = response(epsilon, answers);
            let choice = response.choice.law().at(128);
            let share = choice(1).checked_div(&Interval::integer(answers, 128));
            let share = share.unwrap();
            for (mixed, output) in [(choice(0) + &share, 0), (share.clone(), 1)] {
                let difference = mixed - response.probability(0, output, 128);
                assert!(difference.contains(&Rational::zero()));
                assert!(difference.upper().to_f64() < 1e-30);
            }
        }
    }
}
