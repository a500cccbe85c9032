//! The pairs (ε, δ) that are proved of one release, and the one that answers a question.
//!
//! Several arguments may prove something of the same release: the client's own randomness, that of
//! all honest clients, the noise of an honest aggregator, or all of them together. Each gives a
//! pair. No pair with a larger δ is better than one with a smaller δ because its ε is smaller: (0.3,
//! 0.5) says less than (1, 0). So the question names a δ, the answer is the **least ε among the
//! pairs of no larger δ**, and the other pairs of the frontier are kept beside it.

use dp_calibration::Budget;
use dp_exact::Delta;

use super::loss::EpsilonDelta;
use crate::Error;
/// Whose randomness a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The client's own.
    Client,
    /// What honest aggregators add.
    Aggregators,
    /// The client's and what honest aggregators add.
    Both,
    /// The randomness of all honest clients.
    Clients,
    /// The randomness of all honest clients and what honest aggregators add.
    Everything,
}

impl Part {
    /// Whether it counts on other clients.
    pub(crate) const fn needs_other_clients(self) -> bool {
        matches!(self, Self::Clients | Self::Everything)
    }

    /// Whether it counts on honest aggregators' noise.
    pub(crate) const fn needs_noise(self) -> bool {
        matches!(self, Self::Aggregators | Self::Both | Self::Everything)
    }

    /// In words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "the client's own randomness",
            Self::Aggregators => "what honest aggregators add",
            Self::Both => "the client's randomness and what honest aggregators add, together",
            Self::Clients => "all honest clients' randomness together",
            Self::Everything => {
                "all honest clients' randomness and what honest aggregators add, together"
            }
        }
    }
}

/// All that is proved of one release, of which the client's own randomness is always a part.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    client: EpsilonDelta,
    others: Vec<(Part, EpsilonDelta)>,
    /// What could not be computed.
    failures: Vec<String>,
}

/// The pair that answers, what else is on the frontier, and why not more.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) loss: EpsilonDelta,
    pub(crate) part: Part,
    pub(crate) also: Vec<Budget>,
    /// Whether one of [`Self::also`] counts on honest aggregators' noise.
    pub(crate) also_needs_noise: bool,
    pub(crate) remarks: Vec<String>,
}

impl Frontier {
    /// The client's own randomness alone, at δ = 0.
    pub(crate) const fn of_client(client: EpsilonDelta) -> Self {
        Self { client, others: Vec::new(), failures: Vec::new() }
    }

    /// A further part, if it proves something; why not, if that could not be computed.
    pub(crate) fn add(&mut self, part: Part, loss: Result<Option<EpsilonDelta>, Error>) {
        match loss {
            Ok(Some(loss)) => self.others.push((part, loss)),
            Ok(None) => {}
            Err(error) => self.failures.push(format!(
                "what {} gives could not be computed ({error}): what is stated holds without it",
                part.name()
            )),
        }
    }

    /// The least ε among the pairs whose δ is at most `delta`; of equal ones the smaller δ.
    pub(crate) fn answer(&self, delta: &Delta) -> Answer {
        let mut best = (Part::Client, &self.client);
        for (part, loss) in &self.others {
            let better = (loss.epsilon(), loss.delta()) < (best.1.epsilon(), best.1.delta());
            if loss.delta() <= delta && better {
                best = (*part, loss);
            }
        }
        let (part, loss) = best;
        let mut remarks = self.failures.clone();
        for (other, pair) in &self.others {
            if other.needs_other_clients() && !part.needs_other_clients() {
                remarks.push(format!(
                    "{} gives ({}, {}), no smaller epsilon than {}, which is stated",
                    other.name(),
                    pair.epsilon(),
                    pair.delta(),
                    part.name(),
                ));
            }
        }
        let beside = self.beside(loss);
        Answer {
            loss: loss.clone(),
            part,
            also: beside.iter().map(|(_, pair)| pair.budget().clone()).collect(),
            also_needs_noise: beside.iter().any(|(part, _)| part.needs_noise()),
            remarks,
        }
    }

    /// The other pairs that no pair covers, each once.
    fn beside(&self, stated: &EpsilonDelta) -> Vec<(Part, &EpsilonDelta)> {
        let all = || {
            let others = self.others.iter().map(|(part, loss)| (*part, loss));
            std::iter::once((Part::Client, &self.client)).chain(others)
        };
        let mut kept: Vec<(Part, &EpsilonDelta)> = Vec::new();
        for (part, loss) in all() {
            let covered = all().any(|(_, other)| other != loss && other.covers(loss));
            let known = loss == stated || kept.iter().any(|(_, pair)| *pair == loss);
            if !covered && !known {
                kept.push((part, loss));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use dp_exact::ParameterError;

    use super::*;

    fn loss(epsilon: &str, delta: &str) -> EpsilonDelta {
        let epsilon = epsilon.parse().expect("a rational");
        EpsilonDelta::new(epsilon, delta.parse().expect("a delta")).expect("a pair")
    }

    fn delta(text: &str) -> Delta {
        text.parse().expect("a delta")
    }

    #[test]
    fn a_smaller_epsilon_at_a_larger_delta_than_asked_for_does_not_answer() {
        let mut frontier = Frontier::of_client(loss("1", "0"));
        frontier.add(Part::Aggregators, Ok(Some(loss("0.3", "1/2"))));
        let answer = frontier.answer(&delta("1e-9"));
        assert_eq!(answer.loss, loss("1", "0"));
        assert_eq!(answer.also, [loss("0.3", "1/2").budget().clone()]);
        let answer = frontier.answer(&delta("1/2"));
        assert_eq!(answer.loss, loss("0.3", "1/2"));
        assert_eq!(answer.part, Part::Aggregators);
        assert_eq!(answer.also, [loss("1", "0").budget().clone()]);
    }

    #[test]
    fn what_is_covered_is_not_kept_and_of_equal_epsilons_the_smaller_delta_answers() {
        let mut frontier = Frontier::of_client(loss("2", "0"));
        frontier.add(Part::Aggregators, Ok(Some(loss("1", "1e-6"))));
        frontier.add(Part::Both, Ok(Some(loss("1", "1e-9"))));
        let answer = frontier.answer(&delta("1e-6"));
        assert_eq!(answer.loss, loss("1", "1e-9"));
        assert_eq!(answer.also, [loss("2", "0").budget().clone()]);
    }

    #[test]
    fn an_error_is_said_and_not_taken_for_no_gain() {
        let mut frontier = Frontier::of_client(loss("2", "0"));
        let error = ParameterError::new("clients", 0, "more");
        frontier.add(Part::Clients, Err(error.into()));
        let answer = frontier.answer(&delta("1e-6"));
        assert_eq!(answer.loss, loss("2", "0"));
        assert_eq!(answer.remarks.len(), 1);
        assert!(answer.remarks[0].contains("clients is 0: expected more"));
    }
}
