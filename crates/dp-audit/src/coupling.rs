//! Runs of a policy on two neighbouring inputs with the same randomness. Everything but the
//! replaced measurement has to be equal, so one pair of runs shows a dependence on data, without
//! statistics.

use std::collections::BTreeMap;
use std::fmt;

use dp_calibration::Randomizer;
use dp_prio3::prio::field::FieldElement as _;
use dp_prio3::{DpPolicy, FieldOf, SignedField, multiply_share};
use dp_task::{FromMeasurement, PolicyVisitor};
use serde::Serialize;

use crate::Error;
use crate::neighbours::{Neighbours, OwnedMeasurement};
use crate::policy_views::{add, report};
use crate::views::generator;

/// Number of clients that report.
const CLIENTS: usize = 5;

/// Index, from 0, of the client whose measurement is replaced.
const CHANGED: usize = 2;

/// What holds exactly between two runs with the same randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CoupledProperty {
    /// The number of random words that a client draws does not depend on its measurement.
    ClientDraws,
    /// The reports of all other clients are equal bit by bit.
    OtherReports,
    /// The changed reports follow from the same coins: the same bits are flipped, or both are the
    /// measurements, or both are the same answer. Without randomization both are the measurements.
    ChangedReport,
    /// The number of random words that an aggregator draws does not depend on the totals.
    AggregatorDraws,
    /// The noise does not depend on the totals. So released totals differ as the reports do.
    AggregatorNoise,
}

impl fmt::Display for CoupledProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClientDraws => "the number of a client's draws depends on its measurement",
            Self::OtherReports => "a report depends on another client's measurement",
            Self::ChangedReport => "the changed report does not follow from the same coins",
            Self::AggregatorDraws => "the number of an aggregator's draws depends on the totals",
            Self::AggregatorNoise => "the noise depends on the totals",
        })
    }
}

/// Pairs of runs on neighbouring inputs, each pair with its own randomness.
#[derive(Clone, Copy, Debug)]
pub struct CoupledRuns {
    /// Number of pairs.
    pub pairs: u64,
    /// The seed from which all randomness follows.
    pub seed: u64,
}

/// What the parties of one run drew and made.
struct CoupledRun<F> {
    /// Of each client the number of random words drawn, and the report unless it was too heavy.
    clients: Vec<(u128, Option<Vec<F>>)>,
    /// The number of random words that an aggregator drew, and its noise on each total.
    aggregator: (u128, Vec<F>),
    /// The entries of the replaced client's measurement.
    measurement: Vec<F>,
}

impl CoupledRuns {
    /// Runs the code of clients and aggregators, without proofs, on inputs that differ in the
    /// farthest measurements of the query. Returns the properties that the policy lacks, each with
    /// the number of the first pair of runs without it.
    ///
    /// # Errors
    /// If the policy does not run, or has no two different measurements.
    pub fn broken<P>(&self, policy: &P) -> Result<BTreeMap<CoupledProperty, u64>, Error>
    where
        P: DpPolicy<Measurement: FromMeasurement>,
    {
        let Neighbours { first, second } = Neighbours::farthest(&policy.query())?;
        let randomization = policy.client_randomization();
        let mut broken = BTreeMap::new();
        for pair in 0..self.pairs {
            let run = |changed| self.run(policy, pair, [&first, &second, changed, &second, &first]);
            let runs = [run(&first)?, run(&second)?];
            for (property, holds) in properties(randomization.as_ref(), &runs) {
                if !holds {
                    broken.entry(property).or_insert(pair);
                }
            }
        }
        Ok(broken)
    }

    fn run<P>(
        &self,
        policy: &P,
        pair: u64,
        measurements: [&OwnedMeasurement; CLIENTS],
    ) -> Result<CoupledRun<FieldOf<P>>, Error>
    where
        P: DpPolicy<Measurement: FromMeasurement>,
    {
        let mut totals = vec![FieldOf::<P>::zero(); policy.vdaf().output_len()];
        let mut clients = Vec::new();
        for (client, measurement) in (0..).zip(measurements) {
            let mut rng = generator([self.seed, pair, 0, client]);
            let report = report(policy, measurement, &mut rng)?;
            report.iter().for_each(|entries| add(entries, &mut totals));
            clients.push((rng.get_word_pos(), report));
        }
        // The share is the totals themselves, on which the noise must not depend. It may depend on
        // the number of reports, which is public.
        let mut rng = generator([self.seed, pair, 1, 0]);
        let mut noise = totals.clone();
        policy.add_noise(&mut noise, policy.min_reports().max(CLIENTS as u64), &mut rng)?;
        if let Some(matrix) = policy.query().strategy_matrix() {
            multiply_share(&matrix, &mut totals)?;
        }
        noise.iter_mut().zip(&totals).for_each(|(noisy, total)| *noisy -= *total);
        let mut entries = vec![0; policy.query().totals()];
        measurements[CHANGED].add_to(&mut entries)?;
        let elements =
            entries.into_iter().filter_map(|entry| SignedField::from_signed(entry.into()));
        let measurement = elements.collect();
        Ok(CoupledRun { clients, aggregator: (rng.get_word_pos(), noise), measurement })
    }
}

impl PolicyVisitor for CoupledRuns {
    type Output = Result<BTreeMap<CoupledProperty, u64>, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        self.broken(&policy)
    }
}

/// Each property, with whether the two runs have the property.
fn properties<F: SignedField>(
    randomization: Option<&Randomizer>,
    runs: &[CoupledRun<F>; 2],
) -> [(CoupledProperty, bool); 5] {
    let [one, other] = runs;
    let clients = || one.clients.iter().zip(&other.clients);
    let mut others = clients().enumerate().filter(|(client, _)| *client != CHANGED);
    let is_coupled = match runs.each_ref().map(|run| run.clients[CHANGED].1.as_ref()) {
        [Some(first), Some(second)] => {
            is_coupled(randomization, [&one.measurement, &other.measurement], [first, second])
        }
        // Of a report that is not sent nothing is known.
        _ => true,
    };
    [
        (CoupledProperty::ClientDraws, clients().all(|(one, other)| one.0 == other.0)),
        (CoupledProperty::OtherReports, others.all(|(_, (one, other))| one.1 == other.1)),
        (CoupledProperty::ChangedReport, is_coupled),
        (CoupledProperty::AggregatorDraws, one.aggregator.0 == other.aggregator.0),
        (CoupledProperty::AggregatorNoise, one.aggregator.1 == other.aggregator.1),
    ]
}

/// Whether two reports follow from their measurements by the same coins.
fn is_coupled<F: SignedField>(
    randomization: Option<&Randomizer>,
    measured: [&Vec<F>; 2],
    reported: [&Vec<F>; 2],
) -> bool {
    use Randomizer::{RandomizedResponse, SymmetricRappor};
    match randomization {
        None => reported == measured,
        // Bits differ where the measurements do.
        Some(RandomizedResponse { .. } | SymmetricRappor { .. }) => {
            let [measured, reported] = [measured, reported]
                .map(|[one, other]| one.iter().zip(other).map(|(one, other)| one != other));
            measured.eq(reported)
        }
        Some(_) => reported == measured || reported[0] == reported[1],
    }
}
