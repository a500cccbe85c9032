//! The risk for one person: how sure a guess can become.

use dp_calibration::Adjacency;
use dp_exact::{Rational, Rounding};
use dp_planner::PairGuarantee;

use crate::figures::{capital, delta, epsilon, percent, small};
use crate::model::{Block, Column, Section, Table};
use crate::privacy_pair::PrivacyPair;

/// Rows of the table: certainty of a guess before the release, in percent.
const PRIORS: [u32; 3] = [1, 10, 50];

/// The name of some releases, such as `all 30 results together`, and their guarantee.
type OfReleases<'a> = (String, &'a PairGuarantee);

/// Section on how sure an adversary can become; without a guarantee it holds a warning.
pub(crate) fn section(releases: &[OfReleases<'_>], adjacency: Adjacency) -> Section {
    let guesses: Vec<Guess<'_>> =
        releases.iter().filter_map(|(name, bound)| Guess::new(name, bound)).collect();
    let mut blocks = Vec::new();
    if guesses.is_empty() {
        let words = "Nothing is guaranteed in the trust model of this report, so nothing bounds what can be learned \
                     about one person.";
        blocks.push(Block::Warning(words.to_owned()));
    } else {
        let guessed = match adjacency {
            Adjacency::Replacement => "what one person reported",
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
    }
    Section::new("risk", "What this means for one person", blocks)
}

struct Guess<'a> {
    name: &'a str,
    epsilon: &'a Rational,
    delta: &'a Rational,
    /// `None` if ε is too large to bound anything.
    pair: Option<PrivacyPair>,
}

impl<'a> Guess<'a> {
    /// `None` without a guarantee.
    fn new(name: &'a str, bound: &'a PairGuarantee) -> Option<Self> {
        let (epsilon, delta) = (bound.epsilon()?, bound.delta()?);
        Some(Self { name, epsilon, delta, pair: PrivacyPair::of(bound) })
    }
}

/// Upper bounds on the certainty after a release for each of [`PRIORS`], a column per guarantee.
fn table(guesses: &[Guess<'_>]) -> Table {
    let mut columns = vec![Column::words("sure before")];
    let after = |guess: &Guess<'_>| Column::numbers(format!("at most, after {}", guess.name));
    columns.extend(guesses.iter().map(after));
    let rows = PRIORS.iter().map(|percent| {
        let prior = share(*percent, 100);
        let sure = guesses.iter().map(|guess| {
            let sure = guess.pair.as_ref().map(|pair| pair.posterior(&prior));
            up(&sure.unwrap_or_else(Rational::one))
        });
        std::iter::once(format!("{percent} %")).chain(sure).collect()
    });
    let mut legend = String::from(
        "The odds of a guess grow by the factor e^epsilon at most: p becomes at most \
         e^epsilon·p/(1 + (e^epsilon − 1)·p) (Dwork, McSherry, Nissim, Smith 2006; Kasiviswanathan, Smith 2014).",
    );
    for guess in guesses {
        legend += &format!(
            " {} it is counted with epsilon {} and delta {}.",
            capital(&format!("after {}", guess.name)),
            epsilon(guess.epsilon),
            delta(guess.delta)
        );
    }
    for guess in guesses.iter().filter(|guess| !guess.delta.is_zero()) {
        if let Some(pair) = &guess.pair {
            legend += &format!(
                " As delta is above 0, a guess may become surer than that after {}, by at most {} on average over \
                 what may be released.",
                guess.name,
                small(&pair.excess(&share(50, 100)))
            );
        }
    }
    legend += " What the others' reports tell about people in general is learned in any case, and is not bounded by this.";
    Table {
        rows: rows.collect(),
        legend,
        ..Table::new("How sure a guess about one person can become", columns)
    }
}

/// Warning under deletion: upper bound on the certainty about which of two values a person
/// reported. By way of the report that counts nothing, (ε, δ) applied twice is (2ε, (1 + e^ε)·δ).
fn between_reports(guesses: &[Guess<'_>]) -> String {
    let mut words = String::from(
        "Which of several things a person reported can be guessed better than that: the guarantee is about one report \
         against none that counts, and between two reports it counts twice.",
    );
    let half = share(50, 100);
    for guess in guesses {
        let pair = guess.pair.as_ref().and_then(PrivacyPair::twice);
        let sure = pair.map_or_else(Rational::one, |pair| pair.mean_posterior(&half));
        words += &format!(
            " A guess that was 50 % sure becomes at most {} sure on average after {}.",
            up(&sure),
            guess.name
        );
    }
    words
}

fn up(share: &Rational) -> String {
    percent(share, Rounding::Up)
}

fn share(part: u32, of: u32) -> Rational {
    Rational::new(part, of).unwrap_or_else(|_| Rational::one())
}
