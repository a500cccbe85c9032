//! The risk for one person: how sure a guess can become, and how often a test must miss.

use dp_calibration::{Adjacency, NoiseDistribution, WorstCaseDifference};
use dp_exact::{Rational, Rounding};
use dp_planner::PairGuarantee;

use crate::figures::{capital, delta, epsilon, percent, small};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};
use crate::privacy_pairs::{PrivacyPair, PrivacyPairs};

/// Rows of the table: certainty of a guess before the release, in percent.
const PRIORS: [u32; 3] = [1, 10, 50];

/// Rows of the chart's table: false-alarm probabilities, in thousandths.
const ALARMS: [u32; 7] = [1, 10, 50, 100, 200, 500, 800];

/// Steps of a drawn trade-off curve between false-alarm probabilities 0 and 1.
const POINTS: u32 = 60;

/// The guarantee of one release or of all releases, and further pairs (ε, δ) that hold.
pub(crate) struct Guess {
    /// The releases as words, such as `all 30 results together`.
    name: String,
    epsilon: Rational,
    delta: Rational,
    /// All proved pairs, for the trade-off curve; (`epsilon`, `delta`) is one of them.
    pairs: PrivacyPairs,
}

impl Guess {
    /// `None` without a guarantee. `noise` is an aggregator's noise that keeps it alone, with its
    /// worst-case difference.
    pub(crate) fn new(
        name: &str,
        bound: &PairGuarantee,
        noise: Option<&(NoiseDistribution, WorstCaseDifference)>,
    ) -> Option<Self> {
        let PairGuarantee::Kept { epsilon, delta, rho, .. } = bound else {
            return None;
        };
        Some(Self {
            name: name.to_owned(),
            pairs: PrivacyPairs::new((epsilon, delta), rho.as_ref(), noise),
            epsilon: epsilon.clone(),
            delta: delta.clone(),
        })
    }

    /// The guaranteed (ε, δ); `None` if ε is too large to bound anything.
    fn pair(&self) -> Option<PrivacyPair> {
        PrivacyPair::new(&self.epsilon, &self.delta)
    }
}

/// Section on how sure an adversary can become: one or two guarantees, for one and for all
/// releases. Without any it holds a warning.
pub(crate) fn section(guesses: &[Guess], adjacency: Adjacency) -> Section {
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
        blocks.push(Block::Table(table(guesses)));
        if adjacency == Adjacency::Deletion {
            blocks.push(Block::Warning(between_reports(guesses)));
        }
        blocks.push(Block::Chart(Box::new(curve(guesses, adjacency))));
    }
    Section::new("risk", "What this means for one person", blocks)
}

/// Upper bounds, rounded up, on the certainty after a release for each of [`PRIORS`]: one column
/// per guarantee.
fn table(guesses: &[Guess]) -> Table {
    let mut columns = vec![Column::words("sure before")];
    let after = |guess: &Guess| Column::numbers(format!("at most, after {}", guess.name));
    columns.extend(guesses.iter().map(after));
    let rows = PRIORS.iter().map(|percent| {
        let prior = share(*percent, 100);
        let sure = guesses.iter().map(|guess| {
            let sure = guess.pair().map(|pair| pair.posterior(&prior));
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
            epsilon(&guess.epsilon),
            delta(&guess.delta)
        );
    }
    for guess in guesses.iter().filter(|guess| !guess.delta.is_zero()) {
        if let Some(pair) = guess.pair() {
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
fn between_reports(guesses: &[Guess]) -> String {
    let mut words = String::from(
        "Which of several things a person reported can be guessed better than that: the guarantee is about one report \
         against none that counts, and between two reports it counts twice.",
    );
    let half = share(50, 100);
    for guess in guesses {
        let pair = guess.pair().and_then(|pair| pair.twice());
        let sure = pair.map_or_else(Rational::one, |pair| {
            (&pair.posterior(&half) + &pair.excess(&half)).min(Rational::one())
        });
        words += &format!(
            " A guess that was 50 % sure becomes at most {} sure on average after {}.",
            up(&sure),
            guess.name
        );
    }
    words
}

/// Chart of lower bounds on the probability of a miss against the probability of a false alarm, in
/// percent. A dotted line shows perfect privacy.
fn curve(guesses: &[Guess], adjacency: Adjacency) -> Chart {
    let diagonal = vec![(0.0, 100.0), (100.0, 0.0)];
    let mut series = vec![Series::new("perfect privacy", Mark::Dotted, diagonal)];
    let marked = guesses.iter().zip([Mark::Line, Mark::Dashed]);
    series.extend(marked.map(|(guess, mark)| {
        let points = (0..=POINTS).map(|number| {
            // Close together where the curve bends.
            let part = f64::from(number) / f64::from(POINTS);
            let alarm = part * part;
            let missed = Rational::from_f64(alarm).map(|at| guess.pairs.misses(&at).to_f64());
            (100.0 * alarm, 100.0 * missed.unwrap_or(0.0))
        });
        Series::new(&*guess.name, mark, points.collect())
    }));
    let mut columns = ["false alarms", "perfect privacy"].map(Column::numbers).to_vec();
    columns.extend(guesses.iter().map(|guess| Column::numbers(&*guess.name)));
    let rows = ALARMS.iter().map(|thousandths| {
        let alarm = share(*thousandths, 1000);
        let down = |missed: &Rational| percent(missed, Rounding::Down);
        let first = [up(&alarm), down(&(&Rational::one() - &alarm))];
        let missed = guesses.iter().map(|guess| down(&guess.pairs.misses(&alarm)));
        first.into_iter().chain(missed).collect()
    });
    let (title, tested) = match adjacency {
        Adjacency::Replacement => {
            ("Telling two reports of one person apart", "which of two things a person reported")
        }
        Adjacency::Deletion => (
            "Telling a report from one that counts nothing",
            "whether a person gave a certain report, or one that counts nothing,",
        ),
    };
    let lines = match guesses {
        [one, all, ..] => {
            format!("the solid line after {}, the dashed one after {}", one.name, all.name)
        }
        _ => "the solid line".to_owned(),
    };
    let axis = |label: &str| Axis { range: Some((0.0, 100.0)), ..Axis::linear(label) };
    Chart {
        id: "tradeoff",
        title: title.to_owned(),
        description: format!(
            "Whoever tests {tested} either raises false alarms or misses. Every test lies on or above {lines}; the nearer it is to \
             the dotted one, the less a test can do. Where a line bends is a step of the noise, which is made of whole \
             numbers."
        ),
        x: axis("false alarms, in percent"),
        y: axis("misses at least, in percent"),
        series,
        table: Table {
            rows: rows.collect(),
            legend:
                "A lower bound on the misses of the best test with this rate of false alarms, rounded down."
                    .to_owned(),
            ..Table::new("Misses for false alarms", columns)
        },
    }
}

/// A probability in percent, rounded up.
fn up(share: &Rational) -> String {
    percent(share, Rounding::Up)
}

/// The fraction `part`/`of`.
fn share(part: u32, of: u32) -> Rational {
    Rational::new(part, of).unwrap_or_else(|_| Rational::one())
}
