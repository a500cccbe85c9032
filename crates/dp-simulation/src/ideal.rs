//! The ideal functionality: what Prio3 computes, without Prio3.
//!
//! Prio3 reveals the totals of the reports that are sent, with the noise of every aggregator, and
//! nothing else. An ideal run draws these totals from their exact distribution, jointly with the
//! number of reports. Clients are independent, and Prio3 accepts every report of an honest client,
//! so the distribution equals the distribution with Prio3.

mod dropped_reports;
mod random_counts;

#[cfg(test)]
mod tests;

use dp_calibration::Query;
use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError};
use dp_prio3::{ClientNoise, Measurement, Policy};
use dp_rappor::SymmetricRappor;

use crate::measurements::Scratch;
use crate::outcome::as_u64;
use crate::streams::{Purpose, stream};
use crate::{Error, Measurements, Population};
use dropped_reports::{SentReports, WeightDistribution, of_one_hot, of_vector};
use random_counts::{DrawCounts, Probability, RandomCounts};

/// The most steps, over coordinates and classes, of drawing totals; more take minutes.
const MAX_STEPS: u64 = 100_000_000;

/// Bits of precision of intervals around probabilities: twice the bits of a [`Probability`].
const PRECISION: u32 = 256;

/// The data, randomization and distributions that all trials of an ideal run share.
#[derive(Debug)]
pub(crate) struct Ideal {
    query: Query,
    /// Number of clients of each trial.
    clients: u64,
    /// Each measurement that some clients have: its row, and the number of clients.
    groups: Vec<(usize, u64)>,
    /// The totals over all clients, without randomization and without noise.
    truth: Vec<i128>,
    randomization: Randomization,
}

/// How clients randomize, in a form that is drawn for many of them at once.
#[derive(Debug)]
enum Randomization {
    None,
    /// Each bit is flipped with this probability, and every report is sent.
    Bits(Probability),
    /// An answer is replaced by a uniform one, possibly itself, with this probability.
    Answers(Probability),
    /// Bits are flipped, and vectors with too many ones are not sent. The index is the number of
    /// ones before flipping.
    Vectors(Vec<WeightDistribution>),
}

impl Ideal {
    /// The data and distributions of these clients under a policy. If each client draws a row at
    /// random, the number of clients with each measurement is drawn here, from `seed`, for all
    /// trials. Errors as of [`Simulation::ideal`](crate::Simulation::ideal).
    pub(crate) fn new(population: &Population, policy: &Policy, seed: u64) -> Result<Self, Error> {
        random_counts::check(population.clients())?;
        let mut draws = RandomCounts(stream(seed, Purpose::Population, 0, u64::MAX));
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
        let mut truth = vec![0; policy.query().totals()];
        for (row, count) in &groups {
            rows.add(*row, *count, &mut truth);
        }
        let heavier = groups.iter().filter(|(row, _)| rows.only_one(*row).is_none()).count();
        let randomization = Randomization::new(policy, heavier)?;
        let query = policy.query().clone();
        Ok(Self { query, clients: population.clients(), groups, truth, randomization })
    }

    /// The reports that are sent in a trial, without aggregator noise, of measurements that the
    /// policy admits.
    pub(crate) fn draw(&self, rows: &Measurements, seed: u64, trial: u64) -> SentReports {
        let draws = &mut RandomCounts(stream(seed, Purpose::Client, trial, u64::MAX));
        let reports = self.clients;
        let whole = |counts: Vec<u64>| counts.into_iter().map(i128::from).collect();
        let totals = match &self.randomization {
            Randomization::None => self.truth.clone(),
            Randomization::Bits(flip) => whole(of_bits(reports, &self.counts(), *flip, draws)),
            Randomization::Answers(replaced) => whole(of_answers(&self.counts(), *replaced, draws)),
            Randomization::Vectors(distributions) => {
                return self.of_vectors(distributions, rows, draws);
            }
        };
        SentReports { totals, truth: self.truth.clone(), reports }
    }

    /// `truth` as counts of clients, where measurements are bits or buckets.
    fn counts(&self) -> Vec<u64> {
        let count = |total: &i128| u64::try_from(*total).expect("at most the number of clients");
        self.truth.iter().map(count).collect()
    }

    /// Draws totals and number of sent reports, where vectors with too many ones after the flips
    /// are not sent. `distributions[i]` is for vectors with i ones before.
    fn of_vectors(
        &self,
        distributions: &[WeightDistribution],
        rows: &Measurements,
        draws: &mut impl DrawCounts,
    ) -> SentReports {
        let mut scratch = Scratch::default();
        // All vectors with a single one are drawn together.
        let mut one_hot: Vec<u64> = vec![0; self.truth.len()];
        let nothing = vec![0; self.truth.len()];
        let mut sent = SentReports { totals: nothing.clone(), truth: nothing, reports: 0 };
        for (row, count) in &self.groups {
            let place = rows.only_one(*row).filter(|_| distributions.len() > 1);
            if let Some(counted) = place.and_then(|place| one_hot.get_mut(place)) {
                *counted += count;
                continue;
            }
            let Some(Measurement::Bits(vector)) = rows.get(*row, &self.query, &mut scratch) else {
                unreachable!("a policy with RAPPOR admits vectors of bits alone");
            };
            let own = vector.iter().filter(|bit| **bit).count();
            sent.add(&of_vector(vector, *count, &distributions[own], draws));
        }
        if let Some(distribution) = distributions.get(1) {
            sent.add(&of_one_hot(&one_hot, distribution, draws));
        }
        sent
    }
}

impl Randomization {
    /// The randomization of a policy's clients; `heavier` of their different vectors do not have
    /// exactly one one. `Err` if drawing takes minutes, or the precision does not suffice.
    fn new(policy: &Policy, heavier: usize) -> Result<Self, Error> {
        let (epsilon0, input_weight) = match &policy.parts().client_noise {
            None => return Ok(Self::None),
            Some(ClientNoise::CoinFlip {}) => return Ok(Self::Bits(Probability::ratio(1, 4))),
            Some(ClientNoise::RandomizedResponse { epsilon }) => {
                return Ok(Self::Bits(replaced(epsilon, 1)?));
            }
            Some(ClientNoise::KaryRandomizedResponse { epsilon }) => {
                let answers = as_u64(policy.query().totals());
                return Ok(Self::Answers(replaced(epsilon, answers)?));
            }
            Some(ClientNoise::SymmetricRappor { epsilon0, input_weight, .. }) => {
                (epsilon0.clone(), *input_weight)
            }
            Some(ClientNoise::OneHotRappor { epsilon0, .. }) => (epsilon0.clone(), 1),
            Some(ClientNoise::BasicRappor { epsilon, .. }) => {
                let rappor = SymmetricRappor::basic(epsilon).map_err(dp_prio3::Error::from)?;
                (rappor.epsilon0().clone(), 1)
            }
        };
        let (length, sent_weight) = (policy.query().totals(), policy.max_weight());
        if sent_weight >= length {
            return Ok(Self::Bits(replaced(&epsilon0, 1)?));
        }
        let [own, length, sent] = [input_weight, length, sent_weight]
            .map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        check_steps(length, sent, own, heavier)?;
        let distribution = |own| {
            WeightDistribution::new(epsilon0.value(), length, sent, own).ok_or_else(imprecise)
        };
        Ok(Self::Vectors((0..=own).map(distribution).collect::<Result<_, _>>()?))
    }
}

/// Draws the totals of randomized bits over `clients` clients: at index i, the ones that are not
/// flipped plus the zeros that are. `ones[i]` clients have a one there before the flips.
fn of_bits(clients: u64, ones: &[u64], flip: Probability, draws: &mut impl DrawCounts) -> Vec<u64> {
    let total = |&ones: &u64| {
        let lost = draws.successes(ones, flip);
        ones - lost + draws.successes(clients - ones, flip)
    };
    ones.iter().map(total).collect()
}

/// Draws the number of clients who report each answer: `counts[i]` have answer i, and each reports
/// a uniform answer instead, possibly its own, with probability `replaced`.
///
/// The number of replaced answers is binomial for each answer. The new answers are uniform and
/// independent of the clients' own, so all replaced ones are spread together.
fn of_answers(counts: &[u64], replaced: Probability, draws: &mut impl DrawCounts) -> Vec<u64> {
    let lost: Vec<u64> = counts.iter().map(|count| draws.successes(*count, replaced)).collect();
    let mut spread: u64 = lost.iter().sum();
    let places = (1..=as_u64(counts.len())).rev();
    let total = |((count, lost), places)| {
        let here = draws.successes(spread, Probability::ratio(1, places));
        spread -= here;
        count - lost + here
    };
    counts.iter().zip(lost).zip(places).map(total).collect()
}

/// Refuses vectors for which drawing takes minutes. `own` is the most ones of a vector before the
/// flips, `sent` the most ones of a sent one, `heavier` the number of different vectors that are
/// drawn one by one.
fn check_steps(length: u32, sent: u32, own: u32, heavier: usize) -> Result<(), ParameterError> {
    let gained = u64::from(sent) + 1;
    let classes = gained.saturating_mul(u64::from(own) + 1);
    // All one-hot vectors together take three passes over the gained ones.
    let steps = classes
        .saturating_mul(as_u64(heavier))
        .saturating_add(3 * gained)
        .saturating_mul(u64::from(length));
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let accepted = format!(
        "length, weights and the number of different vectors that multiply to at most {MAX_STEPS}, without Prio3 (--ideal) \
         and where reports may be dropped"
    );
    Err(ParameterError::new("length", length, accepted))
}

/// k/(e^ε + k − 1) for k = `answers`, rounded down: the probability that one of k answers is
/// replaced. With k = 1 it is 1/(e^ε + 1), the probability that a bit is flipped.
fn replaced(epsilon: &Epsilon, answers: u64) -> Result<Probability, Error> {
    let integer = |integer: u64| Interval::integer(integer, PRECISION);
    let odds = Interval::rational(epsilon.value(), PRECISION).exp();
    let others = integer(answers.saturating_sub(1).max(1));
    let probability = odds.and_then(|odds| integer(answers).checked_div(&(odds + &others)));
    Ok(Probability::enclosed(&probability.ok_or_else(imprecise)?))
}

/// The error if no interval of [`PRECISION`] bits holds the number.
fn imprecise() -> Error {
    Error::from(dp_prio3::Error::Sampler(PrecisionError.into()))
}
