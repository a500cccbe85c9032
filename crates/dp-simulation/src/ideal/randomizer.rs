//! What clients do, as the laws of their totals.

use dp_calibration::Randomizer;
use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError, Rational};
use dp_prio3::ClientRandomization;

use super::crowd::Crowd;
use super::draws::Draws;
use super::dropping::{Sent, of_one_hot, of_vector};
use super::probability::Probability;
use super::weights::{Vectors, WeightLaw};
use super::{answers, bits};
use crate::{Error, Measurements};

/// The most steps of a sweep over places and classes.
const MAX_STEPS: u64 = 100_000_000;

/// The randomization of many clients at once.
#[derive(Debug)]
pub(super) enum Randomized {
    /// None.
    Nothing,
    /// Bits are flipped, and every report is sent.
    Bits(Probability),
    /// An answer is replaced by a uniform one.
    Answers(Probability),
    /// One-hot vectors are flipped, and those with too many ones are not sent.
    OneHot(WeightLaw),
    /// The same of other vectors: a law for each number of ones.
    Vectors(Vec<WeightLaw>),
}

impl Randomized {
    /// That of a policy's clients.
    ///
    /// # Errors
    /// If it is not known, or a sweep over the vectors that may be dropped takes too long.
    pub(super) fn new(
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
            ClientRandomization::By(randomizer) => randomizer,
            _ => return Err(unknown().into()),
        };
        Ok(match randomizer {
            Randomizer::CoinFlip {} => Self::Bits(Probability::ratio(1, 4)),
            Randomizer::RandomizedResponse { epsilon } => Self::Bits(flip(&epsilon)?),
            Randomizer::KaryRandomizedResponse { answers, epsilon } => {
                Self::Answers(replaced(&epsilon, answers)?)
            }
            Randomizer::SymmetricRappor {
                epsilon0,
                length,
                sent_weight,
                ..
            } if sent_weight >= length => Self::Bits(flip(&epsilon0)?),
            Randomizer::SymmetricRappor {
                epsilon0,
                length,
                input_weight,
                is_one_hot,
                sent_weight,
            } => {
                let vectors = Vectors {
                    epsilon0: epsilon0.value().clone(),
                    length: small("length", length)?,
                    sent_weight: small("sent_weight", sent_weight)?,
                };
                let own = small("input_weight", input_weight)?;
                check_steps(&vectors, own, crowd.heavier_groups(rows))?;
                let law = |own| WeightLaw::new(&vectors, own).map_err(imprecise);
                match is_one_hot {
                    true => Self::OneHot(law(1)?),
                    false => Self::Vectors((0..=own).map(law).collect::<Result<_, _>>()?),
                }
            }
            _ => return Err(unknown().into()),
        })
    }

    /// The totals of the reports that are sent, and their number.
    ///
    /// # Errors
    /// If measurements are none that are randomized so.
    pub(super) fn totals(
        &self,
        crowd: &Crowd,
        rows: &Measurements,
        draws: &mut impl Draws,
    ) -> Result<(Vec<i128>, u64), Error> {
        let totals = match self {
            Self::Nothing => return Ok((crowd.totals.clone(), crowd.clients)),
            Self::Bits(flip) => bits::totals(crowd.clients, &crowd.counts()?, flip, draws),
            Self::Answers(replaced) => answers::totals(&crowd.counts()?, replaced, draws),
            Self::OneHot(law) => return Ok(signed(of_one_hot(&crowd.counts()?, law, draws))),
            Self::Vectors(laws) => {
                let mut sent = Sent {
                    totals: vec![0; crowd.totals.len()],
                    reports: 0,
                };
                // Vectors of one bit are worked off together, however many there are of them.
                let mut of_one = vec![0; crowd.totals.len()];
                for (row, count) in &crowd.groups {
                    let place = rows.only_one(*row).filter(|_| laws.len() > 1);
                    if let Some(counted) = place.and_then(|place| of_one.get_mut(place)) {
                        *counted += count;
                        continue;
                    }
                    let vector = rows.bits(*row);
                    let own = vector.iter().filter(|bit| **bit).count();
                    let most = laws.len().saturating_sub(1);
                    let accepted = || format!("at most {most}");
                    let too_heavy = || ParameterError::new("measurement weight", own, accepted());
                    let law = laws.get(own).ok_or_else(too_heavy)?;
                    sent.add(&of_vector(&vector, *count, law, draws));
                }
                if let Some(law) = laws.get(1) {
                    sent.add(&of_one_hot(&of_one, law, draws));
                }
                return Ok(signed(sent));
            }
        };
        let sent = Sent {
            totals,
            reports: crowd.clients,
        };
        Ok(signed(sent))
    }
}

impl Sent {
    fn add(&mut self, other: &Self) {
        self.reports += other.reports;
        for (total, more) in self.totals.iter_mut().zip(&other.totals) {
            *total += more;
        }
    }
}

fn signed(sent: Sent) -> (Vec<i128>, u64) {
    let totals = sent.totals.into_iter().map(i128::from);
    (totals.collect(), sent.reports)
}

/// Refuses sweeps that take minutes.
fn check_steps(vectors: &Vectors, own: u32, groups: u64) -> Result<(), ParameterError> {
    let gained = u64::from(vectors.sent_weight) + 1;
    let classes = gained.saturating_mul(u64::from(own) + 1);
    // All vectors of one bit take three sweeps without classes of their own, any other two that grow.
    let steps = classes
        .saturating_mul(groups)
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

/// 1/(e^ε + 1)
fn flip(epsilon: &Epsilon) -> Result<Probability, Error> {
    of_odds(epsilon, |odds, one| one.checked_div(&(odds + one)))
}

/// k/(e^ε + k − 1)
fn replaced(epsilon: &Epsilon, answers: u64) -> Result<Probability, Error> {
    of_odds(epsilon, move |odds, one| {
        let precision = one.precision();
        let all = Interval::integer(answers, precision);
        all.checked_div(&(odds + &(&all - one)))
    })
}

/// A function of e^ε and 1.
fn of_odds(
    epsilon: &Epsilon,
    function: impl Fn(&Interval, &Interval) -> Option<Interval> + Send + Sync + 'static,
) -> Result<Probability, Error> {
    let epsilon: Rational = epsilon.value().clone();
    let probability = Probability::real(move |precision| {
        let odds = Interval::rational(&epsilon, precision).exp()?;
        function(&odds, &Interval::integer(1, precision))
    });
    probability.map_err(imprecise)
}

fn imprecise(error: PrecisionError) -> Error {
    Error::from(dp_prio3::Error::Sampler(error.into()))
}
