//! The ideal functionality: what Prio3 computes, without Prio3.
//!
//! Prio3 reveals the totals of the reports that are sent, with the noise of every aggregator, and nothing else. So a
//! simulation that is after the estimates alone need not make reports: it draws the totals from their
//! law, jointly with the number of reports, adds the noise that the aggregators would draw, and estimates as
//! the collector does. The cost depends on the coordinates, not on the clients.
//!
//! - **Clients without randomization**: the totals are those of the data.
//! - **Flipped bits**, all of which are sent: each total is the ones that are not flipped and the zeros that are,
//!   two binomial numbers.
//! - **k-ary answers**: of each answer a binomial number is replaced, and those are spread uniformly.
//! - **Flipped bits of which heavy reports are not sent**: reports and totals by classes of equal weight
//!   ([`dropping`]).
//!
//! Each client's randomness is independent of everything else, and Prio3 accepts every report of an honest
//! client, so the law is that of a run of Prio3; the tests compare both.

mod draws;
mod dropping;

#[cfg(test)]
mod tests;

use std::time::Instant;

use dp_calibration::Randomizer;
use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError};
use dp_prio3::{ClientRandomization, DpPolicy};

use crate::outcome::Record;
use crate::streams::{Purpose, stream};
use crate::trials::Trials;
use crate::{Error, Measurements, Population};
use draws::{Draws, Probability, Tables};
use dropping::{Sent, Vectors, WeightLaw, of_one_hot, of_vector};

/// The most steps of a sweep over places and classes.
const MAX_STEPS: u64 = 100_000_000;

/// Bits of the enclosures that probabilities are made of, twice as many as a [`Probability`] has.
const PRECISION: u32 = 256;

/// What all trials have in common.
#[derive(Debug)]
pub(crate) struct Ideal {
    tables: Tables,
    crowd: Crowd,
    randomized: Randomized,
}

impl Ideal {
    /// Of these clients.
    ///
    /// # Errors
    /// If the clients' randomization is not one that a ledger has a name for, there are more than 10^12 clients, or
    /// reports may be dropped and vectors are too many and too long.
    pub(crate) fn new<P: DpPolicy>(
        trials: &Trials<P>,
        population: &Population,
    ) -> Result<Self, Error> {
        let tables = Tables::new(population.clients())?;
        let mut coins = tables.thrown_by(stream(trials.seed(), Purpose::Population, 0, u64::MAX));
        let crowd = Crowd::of(population, trials.length(), &mut coins);
        let of_policy = trials.policy().client_randomization();
        let randomized = Randomized::new(of_policy, &crowd, population.measurements())?;
        Ok(Self { tables, crowd, randomized })
    }

    /// One trial, whose totals are drawn from their laws.
    ///
    /// # Errors
    /// Noise that cannot be drawn, or aggregate shares that the collector refuses.
    pub(crate) fn trial<P: DpPolicy>(
        &self,
        trials: &Trials<P>,
        population: &Population,
        number: u64,
    ) -> Result<Record, Error> {
        let start = Instant::now();
        let of_trial = stream(trials.seed(), Purpose::Client, number, u64::MAX);
        let mut coins = self.tables.thrown_by(of_trial);
        let rows = population.measurements();
        let drawn = self.randomized.totals(&self.crowd, rows, &mut coins)?;
        trials.released(number, &self.crowd.totals, drawn, start.elapsed())
    }
}

/// How many clients measure what.
#[derive(Debug)]
struct Crowd {
    clients: u64,
    /// A row for each measurement that some clients have, and their number.
    groups: Vec<(usize, u64)>,
    /// The totals over all clients.
    totals: Vec<i128>,
}

impl Crowd {
    /// The clients of a population. Where each draws a row at random, in proportion to what the rows stand for, how
    /// many draw each is drawn here.
    fn of(population: &Population, length: usize, draws: &mut impl Draws) -> Self {
        let rows = population.measurements();
        let mut groups = rows.distinct();
        if let Some(clients) = population.drawn_clients() {
            let mut left = clients;
            let mut weight: u64 = groups.iter().map(|(_, weight)| weight).sum();
            for (_, group) in &mut groups {
                let count = draws.successes(left, Probability::ratio(*group, weight));
                left -= count;
                weight -= *group;
                *group = count;
            }
        }
        let mut totals = vec![0; length];
        for (row, count) in &groups {
            rows.add_times(*row, *count, &mut totals);
        }
        Self { clients: population.clients(), groups, totals }
    }

    /// The totals where they are counts of clients.
    fn counts(&self) -> Result<Vec<u64>, ParameterError> {
        let counts: Option<Vec<u64>> = self
            .totals
            .iter()
            .map(|total| u64::try_from(*total).ok().filter(|count| *count <= self.clients))
            .collect();
        counts.ok_or_else(|| {
            let accepted = "counts of clients, where measurements are bits";
            ParameterError::new("totals", "beyond the number of clients", accepted)
        })
    }
}

/// The randomization of many clients at once.
#[derive(Debug)]
enum Randomized {
    /// None.
    Nothing,
    /// Bits are flipped, and every report is sent.
    Bits(Probability),
    /// An answer is replaced by a uniform one.
    Answers(Probability),
    /// Vectors are flipped, and those with too many ones are not sent: a law for each number of own ones.
    Vectors(Vec<WeightLaw>),
}

impl Randomized {
    /// The randomization of a policy's clients.
    ///
    /// # Errors
    /// If it is not known, or a sweep over the vectors that may be dropped takes too long.
    fn new(
        of_policy: ClientRandomization,
        crowd: &Crowd,
        rows: &Measurements,
    ) -> Result<Self, Error> {
        let unknown = || {
            let accepted = "one whose totals have a known law";
            ParameterError::new("randomizer", "another one", accepted)
        };
        let randomizer = match of_policy {
            ClientRandomization::Nothing => return Ok(Self::Nothing),
            ClientRandomization::Randomizer(randomizer) => randomizer,
            _ => return Err(unknown().into()),
        };
        Ok(match randomizer {
            Randomizer::CoinFlip {} => Self::Bits(Probability::ratio(1, 4)),
            Randomizer::RandomizedResponse { epsilon } => Self::Bits(replaced(&epsilon, 1)?),
            Randomizer::KaryRandomizedResponse { answers, epsilon } => {
                Self::Answers(replaced(&epsilon, answers)?)
            }
            Randomizer::SymmetricRappor { epsilon0, length, sent_weight, .. }
                if sent_weight >= length =>
            {
                Self::Bits(replaced(&epsilon0, 1)?)
            }
            Randomizer::SymmetricRappor { epsilon0, length, input_weight, sent_weight, .. } => {
                let own = small("input_weight", input_weight)?;
                let vectors = Vectors {
                    epsilon0: epsilon0.value().clone(),
                    length: small("length", length)?,
                    sent_weight: small("sent_weight", sent_weight)?,
                };
                let groups = crowd.groups.iter();
                let heavier = groups.filter(|(row, _)| rows.only_one(*row).is_none());
                check_steps(&vectors, own, heavier.count())?;
                let law = |own| WeightLaw::new(&vectors, own).ok_or_else(imprecise);
                Self::Vectors((0..=own).map(law).collect::<Result<_, _>>()?)
            }
            _ => return Err(unknown().into()),
        })
    }

    /// The totals of the reports that are sent, and their number.
    ///
    /// # Errors
    /// If measurements are none that are randomized so.
    fn totals(
        &self,
        crowd: &Crowd,
        rows: &Measurements,
        draws: &mut impl Draws,
    ) -> Result<(Vec<i128>, u64), Error> {
        let sent = match self {
            Self::Nothing => return Ok((crowd.totals.clone(), crowd.clients)),
            Self::Bits(flip) => Sent {
                totals: of_bits(crowd.clients, &crowd.counts()?, *flip, draws),
                reports: crowd.clients,
            },
            Self::Answers(replaced) => Sent {
                totals: of_answers(&crowd.counts()?, *replaced, draws),
                reports: crowd.clients,
            },
            Self::Vectors(laws) => of_vectors(laws, crowd, rows, draws)?,
        };
        let totals = sent.totals.into_iter().map(i128::from);
        Ok((totals.collect(), sent.reports))
    }
}

/// The totals of randomized bits over so many clients, if `ones` of them are set in each place: the ones that are not
/// flipped and the zeros that are.
fn of_bits(clients: u64, ones: &[u64], flip: Probability, draws: &mut impl Draws) -> Vec<u64> {
    let total = |&ones: &u64| {
        let lost = draws.successes(ones, flip);
        ones - lost + draws.successes(clients - ones, flip)
    };
    ones.iter().map(total).collect()
}

/// How many clients report each answer, if so many have it, and each reports a uniform answer in place of its
/// own with probability `replaced`.
///
/// How many answers are replaced is binomial for each; which answers they become is uniform and independent of
/// their own, so that they are spread together.
fn of_answers(counts: &[u64], replaced: Probability, draws: &mut impl Draws) -> Vec<u64> {
    let moved: Vec<u64> = counts.iter().map(|count| draws.successes(*count, replaced)).collect();
    let mut spread: u64 = moved.iter().sum();
    let places = (1..=dropping::as_u64(counts.len())).rev();
    let total = |((count, moved), places)| {
        let here = draws.successes(spread, Probability::ratio(1, places));
        spread -= here;
        count - moved + here
    };
    counts.iter().zip(moved).zip(places).map(total).collect()
}

/// The totals and reports of vectors of bits, of which heavy ones are not sent.
fn of_vectors(
    laws: &[WeightLaw],
    crowd: &Crowd,
    rows: &Measurements,
    draws: &mut impl Draws,
) -> Result<Sent, ParameterError> {
    // Vectors of one bit are worked off together, however many there are of them.
    let mut of_one = vec![0; crowd.totals.len()];
    let mut sent = Sent { totals: of_one.clone(), reports: 0 };
    for (row, count) in &crowd.groups {
        let place = rows.only_one(*row).filter(|_| laws.len() > 1);
        if let Some(counted) = place.and_then(|place| of_one.get_mut(place)) {
            *counted += count;
            continue;
        }
        let vector = rows.bits(*row);
        let own = vector.iter().filter(|bit| **bit).count();
        let law = laws.get(own).ok_or_else(|| {
            let accepted = format!("at most {}", laws.len().saturating_sub(1));
            ParameterError::new("measurement weight", own, accepted)
        })?;
        sent.add(&of_vector(&vector, *count, law, draws));
    }
    if let Some(law) = laws.get(1) {
        sent.add(&of_one_hot(&of_one, law, draws));
    }
    Ok(sent)
}

/// Refuses sweeps that take minutes.
fn check_steps(vectors: &Vectors, own: u32, groups: usize) -> Result<(), ParameterError> {
    let gained = u64::from(vectors.sent_weight) + 1;
    let classes = gained.saturating_mul(u64::from(own) + 1);
    // All vectors of one bit take three sweeps without classes of their own, any other two that grow.
    let steps = classes
        .saturating_mul(dropping::as_u64(groups))
        .saturating_add(3 * gained)
        .saturating_mul(u64::from(vectors.length));
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let accepted = format!(
        "so few that length, weights and different vectors multiply to at most {MAX_STEPS}, where \
         totals are drawn from their laws and reports may be dropped"
    );
    Err(ParameterError::new("length", vectors.length, accepted))
}

fn small(name: &'static str, value: u64) -> Result<u32, ParameterError> {
    u32::try_from(value).map_err(|_| ParameterError::new(name, value, "an integer of 32 bits"))
}

/// k/(e^ε + k − 1) for k answers, and for a bit, k = 1, the probability 1/(e^ε + 1) that it is flipped.
fn replaced(epsilon: &Epsilon, answers: u64) -> Result<Probability, Error> {
    let integer = |integer: u64| Interval::integer(integer, PRECISION);
    let odds = Interval::rational(epsilon.value(), PRECISION).exp();
    let others = integer(answers.saturating_sub(1).max(1));
    let probability = odds.and_then(|odds| integer(answers).checked_div(&(odds + &others)));
    Ok(Probability::enclosed(&probability.ok_or_else(imprecise)?))
}

fn imprecise() -> Error {
    Error::from(dp_prio3::Error::Sampler(PrecisionError.into()))
}
