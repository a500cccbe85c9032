//! k-ary randomized response: one of k answers, true more often than any other.
//!
//! ```text
//! P(output = y | answer = a) = e^ε/(e^ε + k − 1) if y = a, else 1/(e^ε + k − 1)
//!                            = (1 − λ)·[y = a] + λ/k,     λ = k/(e^ε + k − 1)
//! ```
//!
//! Source: Kairouz, Oh, Viswanath, "Extremal Mechanisms for Local Differential Privacy" (JMLR
//! 2016). Two outputs attain the ratio e^ε: ε-local differential privacy under replacement.
//!
//! By the second line, the report is a uniform answer with probability λ, else the truth. Both are
//! drawn every time and one of them is selected by a mask.

use alloc::format;
use alloc::sync::Arc;
use core::hint::black_box;
use core::num::NonZeroU32;

use dp_exact::{Epsilon, Interval, ParameterError, Real};
use dp_samplers::{BernoulliReal, declassify};
use rand_core::CryptoRng;

use super::uniform::Below;
use crate::Error;
use crate::debias::deviation;
use crate::flip::FlipProbability;

/// The most answers of [`KaryRandomizedResponse`].
pub const MAX_ANSWERS: u32 = 1 << 24;

/// k-ary randomized response with parameter ε: reports the true one of k answers with probability
/// exactly e^ε/(e^ε + k − 1), and each other one with exactly 1/(e^ε + k − 1).
///
/// ```
/// use dp_rappor::{KaryRandomizedResponse, os_rng};
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
#[derive(Clone, Debug)]
pub struct KaryRandomizedResponse {
    epsilon: Epsilon,
    /// The coin that chooses a uniform answer in place of the truth.
    choice: Arc<BernoulliReal<Choice>>,
    /// Draws the uniform answer.
    uniform: Below,
    /// The unit √x/(1 − x), x = e^(−ε), in reports: standard deviations of estimates are multiples
    /// of it.
    pub(super) unit: f64,
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
        let unit = deviation(&odds, 1);
        let choice = BernoulliReal::new(Choice { odds, answers })?;
        Ok(Self { epsilon, choice: Arc::new(choice), uniform: Below::new(bound), unit })
    }

    /// The parameter ε, and the exact privacy loss of one report: pure local differential privacy
    /// under replacement of the answer.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// k, the number of answers: 0 to k − 1.
    #[must_use]
    pub fn answers(&self) -> u32 {
        self.choice.probability().answers
    }

    /// The probability that `answer` is reported as `output`, enclosed with at least `precision`
    /// bits; 0 unless both are answers.
    #[must_use]
    pub fn probability(&self, answer: u32, output: u32, precision: u32) -> Interval {
        let choice = self.choice.probability();
        if answer.max(output) >= choice.answers {
            return Interval::integer(0, precision);
        }
        let truth = choice.truth(precision);
        if answer == output { truth } else { choice.odds.odds(precision) * truth }
    }

    /// The answer that is reported.
    ///
    /// Two 64-bit words and a selection by a mask. More work comes with probability below k·2^−64,
    /// when the uniform answer is drawn again, which tells nothing; and with at most 3·2^−64, when
    /// it may tell whether the truth was reported: what the running time can add to δ.
    ///
    /// # Errors
    /// If the answer is not below [`answers`](Self::answers). The message does not show it.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, answer: u32) -> Result<u32, Error> {
        // That it is no answer is said by the error; which one it is, by nothing.
        if declassify(u64::from(answer >= self.answers())) {
            let accepted = format!("an answer below {}", self.answers());
            return Err(ParameterError::new("answer", "withheld", accepted).into());
        }
        let uniform = self.uniform.sample(rng);
        // All ones with probability λ, else all zeros.
        let mask = black_box(u32::from(self.choice.sample(rng))).wrapping_neg();
        Ok(answer ^ ((answer ^ uniform) & mask))
    }

    /// x = e^(−ε), the probability of another answer divided by the probability of the true one, as
    /// a source of enclosures.
    pub(super) fn odds(&self) -> &FlipProbability {
        &self.choice.probability().odds
    }
}

/// The probability λ = k·x/(1 + (k − 1)·x), x = e^(−ε), of reporting a uniform answer, which may be
/// the true one, in place of the truth.
#[derive(Clone, Debug)]
struct Choice {
    /// Encloses x = e^(−ε).
    odds: FlipProbability,
    /// k, the number of answers.
    answers: u32,
}

impl Choice {
    /// The probability 1/(1 + (k − 1)·x) that the true one of k answers is reported, enclosed, x =
    /// e^(−ε).
    fn truth(&self, precision: u32) -> Interval {
        let odds = self.odds.odds(precision);
        let one = Interval::integer(1, odds.precision());
        let others = Interval::integer(self.answers - 1, odds.precision()) * odds;
        one.checked_div(&(&one + &others)).expect("x is not negative")
    }
}

/// The probability λ = k·x/(1 + (k − 1)·x) of reporting a uniform answer, x = e^(−ε) and k answers.
impl Real for Choice {
    fn enclose(&self, precision: u32) -> Interval {
        let precision = precision.saturating_add(32);
        let uniform = Interval::integer(self.answers, precision) * self.odds.odds(precision);
        uniform * self.truth(precision)
    }
}
