//! The risk for one person: how sure a guess can become.
//! [docs/risk.md](crate::proofs::risk) has the statements and proofs.

use dp_calibration::Adjacency;
use dp_exact::{Interval, Rational, Rounding};
use dp_planner::PairGuarantee;

use crate::figures::{capital, delta, epsilon, percent, small};
use crate::guarantee::one_answer;
use crate::model::{Block, Column, Section, Table};

/// Bits of precision of the interval around e^ε.
const PRECISION: u32 = 128;

/// The largest ε for which e^ε is computed; a larger ε bounds nothing.
const MOST: u64 = 1000;

/// Rows of the table: certainty of a guess before the release, in percent.
const PRIORS: [u32; 3] = [1, 10, 50];

/// A pair (ε, δ) for which a release is differentially private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrivacyPair {
    epsilon: Rational,
    delta: Rational,
    /// Upper bound on e^ε; `None` if ε is above [`MOST`].
    growth: Option<Rational>,
}

impl PrivacyPair {
    /// The pair of a guarantee; `None` without one.
    pub(crate) fn of(bound: &PairGuarantee) -> Option<Self> {
        Some(Self::new(bound.epsilon()?.clone(), bound.delta()?.clone()))
    }

    /// The pair (ε, δ), with an upper bound on e^ε unless ε is above 1000.
    fn new(epsilon: Rational, delta: Rational) -> Self {
        let is_computed = epsilon <= Rational::from(MOST);
        let growth = is_computed.then(|| Interval::rational(&epsilon, PRECISION).exp());
        let growth = growth.flatten().and_then(|growth| growth.upper().to_rational());
        Self { epsilon, delta, growth }
    }

    /// The pair (2ε, (1 + e^ε)·δ), with e^ε rounded up: it holds for two reports that each have
    /// this pair with a third report. `None` if ε is above 1000.
    pub(crate) fn twice(&self) -> Option<Self> {
        let delta = &(&Rational::one() + self.growth.as_ref()?) * &self.delta;
        Some(Self::new(&self.epsilon + &self.epsilon, delta))
    }

    /// The guarantee for guesses between any two reports, or any two values of one answer: `bound`
    /// but under deletion, where it is [`Self::twice`] of it, with a δ of 1 if ε is above 1000.
    #[cfg(feature = "statement")]
    pub(crate) fn between(bound: &PairGuarantee, adjacency: Adjacency) -> PairGuarantee {
        let pair = Self::of(bound).filter(|_| adjacency == Adjacency::Deletion);
        let Some(pair) = pair else { return bound.clone() };
        let Self { epsilon, delta, .. } = pair.twice().unwrap_or_else(|| {
            let twice = &pair.epsilon + &pair.epsilon;
            Self::new(twice, Rational::one())
        });
        PairGuarantee::Kept { epsilon, delta, rho: None, slack_reason: None }
    }

    /// Upper bound on the probability of a guess after a release, if it was p = `prior` before:
    /// p·e^ε/(1 + (e^ε − 1)·p), with e^ε rounded up; 1 if ε is above 1000. With δ > 0 it may be
    /// exceeded: see [`Self::excess`].
    pub(crate) fn posterior(&self, prior: &Rational) -> Rational {
        let odds = self.growth.as_ref().and_then(|growth| {
            let grown = prior * growth;
            let all = &(&Rational::one() - prior) + &grown;
            grown.checked_div(&all)
        });
        odds.unwrap_or_else(Rational::one)
    }

    /// Upper bound on how far a guess exceeds [`Self::posterior`], averaged over the possible
    /// results: p·(1 − p)·δ for p = `prior`, a probability.
    pub(crate) fn excess(&self, prior: &Rational) -> Rational {
        &(prior * &(&Rational::one() - prior)) * &self.delta
    }

    /// Upper bound on the probability of a guess after a release, averaged over the possible
    /// results, if it was `prior` before: the sum of [`Self::posterior`] and [`Self::excess`], at
    /// most 1.
    pub(crate) fn mean_posterior(&self, prior: &Rational) -> Rational {
        (&self.posterior(prior) + &self.excess(prior)).min(Rational::one())
    }
}

/// Section on how sure an adversary can become after `releases`, each with its name, such as `all
/// 30 results together`; under deletion with a warning about guesses between two reports, and for
/// one coordinate with the warning [`one_answer`]. Without a guarantee it holds only a warning.
pub(crate) fn section(releases: &[(String, &PairGuarantee)], adjacency: Adjacency) -> Section {
    let guesses =
        releases.iter().filter_map(|(name, bound)| Some((&**name, PrivacyPair::of(bound)?)));
    let guesses: Vec<(&str, PrivacyPair)> = guesses.collect();
    let mut blocks = Vec::new();
    if guesses.is_empty() {
        let words = "Nothing is guaranteed in the trust model of this report, so nothing bounds what can be learned \
                     about one person.";
        blocks.push(Block::Warning(words.to_owned()));
    } else {
        let guessed = match adjacency {
            Adjacency::Replacement => "what one person reported",
            Adjacency::OneCoordinate => {
                "one answer of one person, may know the person's other answers"
            }
            Adjacency::Deletion => {
                "whether one person gave a certain report, or one that counts nothing"
            }
        };
        blocks.push(Block::Paragraph(format!(
            "Suppose somebody guesses {guessed}, may know the reports of everybody else, and then sees the result. \
             However the guess is made, this is how sure it can become at most."
        )));
        blocks.push(Block::Table(table(&guesses)));
        if adjacency == Adjacency::Deletion {
            blocks.push(Block::Warning(between_reports(&guesses)));
        }
        blocks.extend(one_answer(adjacency).map(|words| Block::Warning(words.to_owned())));
    }
    Section::new("risk", "What this means for one person", blocks)
}

/// Table of upper bounds on the certainty after a release, if it was 1, 10 or 50 % before, with a
/// column for each named guarantee. How far δ lets it be exceeded on average is only in the legend.
fn table(guesses: &[(&str, PrivacyPair)]) -> Table {
    let mut columns = vec![Column::words("sure before")];
    columns
        .extend(guesses.iter().map(|(name, _)| Column::numbers(format!("at most, after {name}"))));
    let rows = PRIORS.iter().map(|percent| {
        let sure = guesses.iter().map(|(_, pair)| up(&pair.posterior(&share(*percent))));
        std::iter::once(format!("{percent} %")).chain(sure).collect()
    });
    let mut legend = String::from(
        "The odds of a guess grow by the factor e^epsilon at most: p becomes at most \
         e^epsilon·p/(1 + (e^epsilon − 1)·p) (Dwork, McSherry, Nissim, Smith 2006; Kasiviswanathan, Smith 2014).",
    );
    for (name, pair) in guesses {
        legend += &format!(
            " {} it is counted with epsilon {} and delta {}.",
            capital(&format!("after {name}")),
            epsilon(&pair.epsilon),
            delta(&pair.delta)
        );
    }
    let is_exceeded = |pair: &PrivacyPair| !pair.delta.is_zero() && pair.growth.is_some();
    for (name, pair) in guesses.iter().filter(|(_, pair)| is_exceeded(pair)) {
        legend += &format!(
            " As delta is above 0, a guess may become surer than that after {name}, by at most {} on average over \
             what may be released.",
            small(&pair.excess(&share(50)))
        );
    }
    legend += " What the others' reports tell about people in general is learned in any case, and is not bounded by this.";
    Table {
        rows: rows.collect(),
        legend,
        ..Table::new("How sure a guess about one person can become", columns)
    }
}

/// Warning under deletion, in words: upper bounds, for each named guarantee, on the mean certainty
/// about which of two values a person reported, from a guess of 50 %. By way of the report that
/// counts nothing, (ε, δ) applied twice is (2ε, (1 + e^ε)·δ).
fn between_reports(guesses: &[(&str, PrivacyPair)]) -> String {
    let mut words = String::from(
        "Which of several things a person reported can be guessed better than that: the guarantee is about one report \
         against none that counts, and between two reports it counts twice.",
    );
    for (name, pair) in guesses {
        let sure = pair.twice().map(|pair| pair.mean_posterior(&share(50)));
        words += &format!(
            " A guess that was 50 % sure becomes at most {} sure on average after {name}.",
            up(&sure.unwrap_or_else(Rational::one))
        );
    }
    words
}

/// A probability in percent, rounded up.
fn up(share: &Rational) -> String {
    percent(share, Rounding::Up)
}

/// The probability of this many percent.
pub(crate) fn share(percent: u32) -> Rational {
    Rational::new(percent, 100).expect("a denominator of 100")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// Randomized response has two outcomes; its exact posterior equals the bound, so no bound is
    /// smaller.
    #[test]
    fn no_set_of_outcomes_of_randomized_response_beats_the_bound() {
        let epsilon = 1.25_f64;
        let pair = PrivacyPair::new(number("1.25"), number("0"));
        let right = epsilon.exp() / (1.0 + epsilon.exp());
        for prior in ["0.01", "0.1", "0.5"] {
            let p = number(prior).to_f64();
            let after = p * right / (p * right + (1.0 - p) * (1.0 - right));
            let sure = pair.posterior(&number(prior)).to_f64();
            assert!((sure - after).abs() < 1e-12, "attained");
        }
        let useless = PrivacyPair::new(number("0"), number("0.01"));
        assert_eq!(useless.posterior(&number("0.5")), number("0.5"));
        assert_eq!(useless.excess(&number("0.5")), number("0.0025"));
        assert_eq!(PrivacyPair::new(number("1001"), number("0")).posterior(&number("0.01")), 1);
    }
}
