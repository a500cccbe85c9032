//! What is counted: one report from the client through two aggregators into their batches.

use std::fmt;
use std::sync::Arc;

use dp_exact::{Epsilon, Rational};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::message::Report;
use dp_prio3::types::{Count, Histogram, MeasurementType, SumVec};
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, AggregatorNoise, BatchName, Client, DpPolicy, MultihotRappor, VerifyKey,
};

use super::bare::{Bare, Bound};
use super::row::{Bounds, Columns, Row};
use crate::Error;
use crate::callgrind::counted_by_callgrind;

/// Reports of which a count is the median: now and then a table grows, or a number is drawn again.
const REPORTS: usize = 5;

const CONTEXT: &[u8] = b"instructions";
const KEY: [u8; 32] = [7; 32];

/// A policy and a measurement.
pub(super) struct Case {
    name: &'static str,
    max: Bounds,
    work: Box<dyn Fn() -> Result<(), Error>>,
}

/// The cases, and their bounds: 4 to 6 % above what was counted (2.64, 1.31, 1.21, 1.21 and 1.31), since
/// compilers differ; of the plumbing, 1.10 for the count and 1.00 to 1.02 for all others. What the parties do
/// besides prio's work is hardly more for a long vector than for a bit.
pub(super) fn all() -> Result<Vec<Case>, Error> {
    let epsilon: Epsilon = "0.8".parse()?;
    let diagnoses = MultihotRappor::vectors(2, 40, 5, epsilon, &"0".parse::<Rational>()?)?;
    let yes: Box<[bool]> = (0..40).map(|diagnosis| diagnosis % 8 == 0).collect();
    let entries: Box<[u128]> = (0..100).collect();
    let (count, forty) = (Count::new(2)?, Histogram::new(2, 40)?);
    let (thousand, sums) = (Histogram::new(2, 1000)?, SumVec::new(2, 100, 255)?);
    Ok(vec![
        Case::new(
            "count",
            Bounds {
                plumbing: 1.15,
                all: 2.8,
            },
            noise(count)?,
            Box::new(true),
        ),
        Case::new("histogram:40", vector(1.38), noise(forty)?, Box::new(17)),
        Case::new(
            "histogram:1000",
            vector(1.28),
            noise(thousand)?,
            Box::new(17),
        ),
        Case::new("sumvec:100, of 8 bits", vector(1.28), noise(sums)?, entries),
        Case::new("multihot:40, by RAPPOR", vector(1.38), diagnoses, yes),
    ])
}

/// Of 5 % plumbing at most.
const fn vector(all: f64) -> Bounds {
    let plumbing = 1.05;
    Bounds { plumbing, all }
}

fn noise<V: MeasurementType>(of: V) -> Result<AggregatorNoise<V, DiscreteLaplace>, Error> {
    Ok(AggregatorNoise::new(of, "1".parse::<Epsilon>()?)?)
}

impl Case {
    fn new<P: DpPolicy + 'static>(
        name: &'static str,
        max: Bounds,
        policy: P,
        measurement: Box<P::Measurement>,
    ) -> Self {
        let policy = Arc::new(policy);
        Self {
            name,
            max,
            work: Box::new(move || count(&policy, &*measurement)),
        }
    }

    /// Does everything that is counted.
    pub(super) fn work(&self) -> Result<(), Error> {
        (self.work)()
    }

    /// The medians of the next counts, in the order of [`count`].
    pub(super) fn row(&self, counts: &mut impl Iterator<Item = u64>) -> Option<Row> {
        let mut next = || {
            let mut reports: Vec<u64> = counts.by_ref().take(REPORTS).collect();
            reports.sort_unstable();
            (reports.len() == REPORTS).then(|| reports[REPORTS / 2])
        };
        let mut columns = [None; 2];
        for part in &mut columns {
            *part = Some(Columns {
                parties: next()?,
                bound: next()?,
                prio: next()?,
            });
        }
        let [client, aggregators] = columns;
        Some(Row {
            name: self.name,
            client: client?,
            aggregators: aggregators?,
            max: self.max,
        })
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The clients, then the aggregators: of ours, bound, bare.
fn count<P: DpPolicy>(policy: &Arc<P>, measurement: &P::Measurement) -> Result<(), Error> {
    let client = Client::new(Arc::clone(policy), CONTEXT)?;
    let key = VerifyKey::from_bytes(KEY);
    let aggregator = |id| Aggregator::new(Arc::clone(policy), id, key.clone(), CONTEXT);
    let aggregators = [aggregator(0)?, aggregator(1)?];
    let name = BatchName::new("all")?;
    let mut batches = aggregators.each_ref().map(|one| one.new_batch(&name));
    let bare = Bare::new(policy.vdaf(), CONTEXT, KEY);
    let bound = Bound::new(&bare, *client.task());
    let randomized = policy.randomize(measurement, &mut dp_samplers::os_rng()?)?;

    let reports = each([(); REPORTS + 1], |()| {
        Ok(client.report(measurement).map(Report::into_shares)?)
    })?;
    let bound_reports = each([(); REPORTS + 1], |()| bound.client(&randomized))?;
    let uploads = each([(); REPORTS + 1], |()| bare.client(&randomized))?;

    each(reports, |report| {
        verify_into(&aggregators, &mut batches, &report).map_err(|error| Error::peer("ours", error))
    })?;
    let mut shares = bare.empty();
    each(bound_reports, |report| {
        bound.aggregators(&report, &mut shares)
    })?;
    each(uploads, |upload| bare.aggregators(&upload, &mut shares))?;
    Ok(())
}

/// Does the work for each, and counts all but the first: by then tables are filled and memory is found.
fn each<I, T>(
    items: impl IntoIterator<Item = I>,
    mut work: impl FnMut(I) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut results = Vec::with_capacity(REPORTS + 1);
    for item in items {
        let mut item = Some(item);
        let mut result = None;
        let mut once = || result = item.take().map(&mut work);
        if results.is_empty() {
            once();
        } else {
            counted_by_callgrind(&mut once);
        }
        results.extend(result.transpose()?);
    }
    Ok(results)
}
