//! What all parties of a survey agree on: yes-or-no questions, answered by symmetric RAPPOR.

use dp_calibration::Budget;
use dp_exact::{Epsilon, ParameterError};
use dp_rappor::SymmetricRappor;
use prio_of_janus::vdaf::VdafError;
use prio_of_janus::vdaf::prio3::{Prio3, Prio3SumVec, optimal_chunk_length};

/// `questions` yes-or-no questions; each client flips each of its answers with probability
/// 1/(e^ε₀ + 1).
///
/// The VDAF is Prio3SumVec with one bit an entry, which Janus servers run today. It accepts every
/// vector of bits, so no randomized answer is ever too heavy to be sent.
#[derive(Clone, Debug)]
pub struct Survey {
    rappor: SymmetricRappor,
    questions: usize,
}

impl Survey {
    /// A survey of 1 to 65 536 questions.
    ///
    /// # Errors
    /// If the number of questions is out of range.
    pub fn new(questions: usize, epsilon0: Epsilon) -> Result<Self, dp_rappor::Error> {
        if !(1..=1 << 16).contains(&questions) {
            let accepted = "an integer from 1 to 65536";
            return Err(ParameterError::new("questions", questions, accepted).into());
        }
        Ok(Self { rappor: SymmetricRappor::new(epsilon0)?, questions })
    }

    /// The local randomizer.
    #[must_use]
    pub const fn rappor(&self) -> &SymmetricRappor {
        &self.rappor
    }

    /// The number of questions.
    #[must_use]
    pub const fn questions(&self) -> usize {
        self.questions
    }

    /// The VDAF of the task: in Janus's configuration `Prio3SumVec` with `bits` 1, `length` the
    /// number of questions, and this chunk length.
    ///
    /// # Errors
    /// None for a survey that exists.
    pub fn vdaf(&self) -> Result<Prio3SumVec, VdafError> {
        let chunk_length = optimal_chunk_length(self.questions);
        Prio3::new_sum_vec(2, 1, self.questions, chunk_length)
    }

    /// What one answer costs its client if nobody else is honest: `questions`·ε₀, since all answers
    /// may change at once.
    ///
    /// # Errors
    /// If that number is out of the range of budgets.
    pub fn budget(&self) -> Result<Budget, ParameterError> {
        let questions = u64::try_from(self.questions).unwrap_or(u64::MAX);
        let epsilon = Epsilon::new(self.rappor.local_epsilon(questions))?;
        Ok(Budget::Pure { epsilon })
    }
}
