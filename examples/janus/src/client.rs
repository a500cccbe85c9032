//! The client: spend, randomize, upload.

use dp_calibration::TrustModel;
use dp_exact::ParameterError;
use dp_ledger::{Journal, Release};
use prio_of_janus::vdaf::prio3::Prio3SumVec;
use rand_core::CryptoRng;

use crate::{Error, Survey};

/// A client of a survey that is repeated in rounds, and its budget for all of them.
///
/// The journal is a file on the client's device. It belongs to the person, not to the task: every
/// survey that the person answers is spent from it.
#[derive(Debug)]
pub struct SurveyClient {
    survey: Survey,
    janus: janus_client::Client<Prio3SumVec>,
    journal: Journal,
}

impl SurveyClient {
    /// A client that uploads through `janus` and spends from `journal`.
    #[must_use]
    pub const fn new(
        survey: Survey,
        janus: janus_client::Client<Prio3SumVec>,
        journal: Journal,
    ) -> Self {
        Self { survey, janus, journal }
    }

    /// Answers the survey in `round`: spends its cost, randomizes the answer, uploads it. Only the
    /// randomized answer reaches Janus.
    ///
    /// # Errors
    /// [`Error`]. After one, do not try again in the same round: it is refused anyway.
    pub async fn answer<R: CryptoRng + ?Sized>(
        &mut self,
        round: &str,
        answer: &[bool],
        rng: &mut R,
    ) -> Result<(), Error> {
        let questions = self.survey.questions();
        if answer.len() != questions {
            let accepted = format!("{questions}, one for each question");
            return Err(ParameterError::new("answers", answer.len(), accepted).into());
        }
        // First on the disk, then on the wire: a crash in between loses an answer, not privacy.
        if self.journal.ledger().entry(round).is_some() {
            return Err(Error::Answered(round.to_owned()));
        }
        // The answer is randomized before it is shared: nobody else has to be honest.
        let release =
            Release { trust_model: TrustModel::OneClient, ..Release::new(self.survey.budget()?) };
        self.journal.spend(round, &release, None)?;

        // Each answer is flipped with probability 1/(e^ε₀ + 1), and sent as 0 or 1.
        let mut bits = answer.to_vec();
        self.survey.rappor().randomize(rng, &mut bits);
        let measurement: Vec<u128> = bits.into_iter().map(u128::from).collect();
        self.janus.upload(&measurement).await?;
        Ok(())
    }
}
