//! ε as risk: how sure a guess about one person can become, and what a test can do.

use dp_calibration::Adjacency;
use dp_exact::{Rational, Rounding};

use crate::figures::{capital, delta, epsilon, percent_down, percent_up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};
use crate::risk::{Pair, Pairs, small};

/// How sure somebody is of a guess before the release, in percent.
const PRIORS: [u64; 3] = [1, 10, 50];

/// How often a test may raise a false alarm, in thousandths.
const ALARMS: [u64; 7] = [1, 10, 50, 100, 200, 500, 800];

/// Points of a curve.
const POINTS: u32 = 60;

/// What is promised of one release or of all.
pub(crate) struct Promise {
    /// Of what.
    pub(crate) name: String,
    pub(crate) epsilon: Rational,
    pub(crate) delta: Rational,
    pub(crate) pairs: Pairs,
}

impl Promise {
    fn pair(&self) -> Option<Pair> {
        Pair::new(&self.epsilon, &self.delta)
    }
}

/// The section, of one promise or of two, whose batches are neighbours in this way.
pub(crate) fn section(promises: &[Promise], adjacency: Adjacency) -> Section {
    let mut blocks = Vec::new();
    if promises.is_empty() {
        let words = "Nothing is promised in the trust model of this report, so nothing bounds what can be learned \
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
        blocks.push(Block::Table(guesses(promises)));
        if adjacency == Adjacency::Deletion {
            blocks.push(Block::Warning(between_reports(promises)));
        }
        blocks.push(Block::Chart(Box::new(curve(promises, adjacency))));
    }
    Section {
        id: "risk",
        title: "What this means for one person".to_owned(),
        blocks,
    }
}

fn guesses(promises: &[Promise]) -> Table {
    let mut columns = vec![Column::words("sure before")];
    let after = |promise: &Promise| Column::numbers(format!("at most, after {}", promise.name));
    columns.extend(promises.iter().map(after));
    let rows = PRIORS.iter().map(|percent| {
        let prior = share(*percent, 100);
        let mut row = vec![format!("{percent} %")];
        row.extend(promises.iter().map(|promise| {
            let pair = promise.pair();
            percent_up(&pair.map_or_else(Rational::one, |pair| pair.posterior(&prior)))
        }));
        row
    });
    Table {
        rows: rows.collect(),
        legend: legend(promises),
        ..Table::new("How sure a guess about one person can become", columns)
    }
}

fn legend(promises: &[Promise]) -> String {
    let mut words = String::from(
        "The odds of a guess grow by the factor e^epsilon at most: p becomes at most \
         e^epsilon·p/(1 + (e^epsilon − 1)·p) (Dwork, McSherry, Nissim, Smith 2006; Kasiviswanathan, Smith 2014).",
    );
    let half = share(50, 100);
    for promise in promises {
        words += &format!(
            " {} it is counted with epsilon {} and delta {}.",
            capital(&format!("after {}", promise.name)),
            epsilon(&promise.epsilon),
            delta(&promise.delta)
        );
    }
    for promise in promises.iter().filter(|promise| !promise.delta.is_zero()) {
        let Some(pair) = promise.pair() else {
            continue;
        };
        let excess = small(&pair.excess(&half));
        words += &format!(
            " As delta is above 0, a guess may become surer than that after {}, by at most {excess} on average over \
             what may be released.",
            promise.name
        );
    }
    words
        + " What the others' reports tell about people in general is learned in any case, and is not bounded by this."
}

/// What promises under deletion leave to whoever guesses which of two things a person reported: by way of the report
/// that counts nothing, (ε, δ) twice is (2ε, (1 + e^ε)·δ).
fn between_reports(promises: &[Promise]) -> String {
    let mut words = String::from(
        "Which of several things a person reported can be guessed better than that: the promise is about one report \
         against none that counts, and between two reports it counts twice.",
    );
    let half = share(50, 100);
    for promise in promises {
        let pair = promise.pair().and_then(|pair| pair.twice());
        let sure = pair.map_or_else(Rational::one, |pair| {
            (&pair.posterior(&half) + &pair.excess(&half)).min(Rational::one())
        });
        let percent = percent_up(&sure);
        words += &format!(
            " Who is 50 % sure before becomes at most {percent} sure on average after {}.",
            promise.name
        );
    }
    words
}

/// The trade-off curves, beside perfect privacy.
fn curve(promises: &[Promise], adjacency: Adjacency) -> Chart {
    let perfect = Series::new(
        "perfect privacy",
        Mark::Dotted,
        vec![(0.0, 100.0), (100.0, 0.0)],
    );
    let marks = [Mark::Line, Mark::Dashed];
    let curves = promises.iter().zip(marks).map(|(promise, mark)| {
        let points = (0..=POINTS).map(|number| {
            // Close together where the curve bends.
            let part = f64::from(number) / f64::from(POINTS);
            let alarm = part * part;
            let missed = Rational::from_f64(alarm).map(|at| promise.pairs.misses(&at));
            (
                100.0 * alarm,
                100.0 * missed.map_or(0.0, |missed| missed.to_f64()),
            )
        });
        Series::new(&*promise.name, mark, points.collect())
    });
    let series: Vec<Series> = std::iter::once(perfect).chain(curves).collect();
    let mut columns = vec![
        Column::numbers("false alarms"),
        Column::numbers("perfect privacy"),
    ];
    columns.extend(
        promises
            .iter()
            .map(|promise| Column::numbers(&*promise.name)),
    );
    let rows = ALARMS.iter().map(|thousandths| {
        let alarm = share(*thousandths, 1000);
        let mut row = vec![
            percent_up(&alarm),
            percent_down(&(&Rational::one() - &alarm)),
        ];
        let missed = |promise: &Promise| percent_down(&promise.pairs.misses(&alarm));
        row.extend(promises.iter().map(missed));
        row
    });
    Chart {
        id: "tradeoff",
        title: match adjacency {
            Adjacency::Replacement => "Telling two reports of one person apart",
            Adjacency::Deletion => "Telling a report from one that counts nothing",
        }
        .to_owned(),
        description: format!(
            "Whoever tests {} either raises false alarms or misses. Every test lies on or above {}; the nearer it is to \
             the dotted one, the less a test can do. Where a line bends is a step of the noise, which is made of whole \
             numbers.",
            match adjacency {
                Adjacency::Replacement => "which of two things a person reported",
                Adjacency::Deletion =>
                    "whether a person gave a certain report, or one that counts nothing,",
            },
            lines(promises)
        ),
        x: Axis::linear("false alarms, in percent").within(0.0, 100.0),
        y: Axis::linear("misses at least, in percent").within(0.0, 100.0),
        series,
        table: Table {
            rows: rows.collect(),
            legend:
                "Misses of the best test with so many false alarms: at least so many, rounded down."
                    .to_owned(),
            ..Table::new("Misses for false alarms", columns)
        },
    }
}

/// Which line is about what.
fn lines(promises: &[Promise]) -> String {
    match promises {
        [one, all, ..] => format!(
            "the solid line after {}, the dashed one after {}",
            one.name, all.name
        ),
        _ => "the solid line".to_owned(),
    }
}

fn share(part: u64, of: u64) -> Rational {
    let share = Rational::from(part).checked_div(&Rational::from(of));
    share.map_or_else(Rational::zero, |share| {
        share.round_to_digits(6, Rounding::Up)
    })
}
