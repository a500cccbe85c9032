//! A task with all its parties in one process, for the tests.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::sync::Arc;

use dp_calibration::Budget;
use dp_exact::{Epsilon, Rational};
use dp_prio3::message::{EncodedAggregateShare, Report};
use dp_prio3::releases::MemoryReleases;
use dp_prio3::replay::MemoryReports;
use dp_prio3::types::{Histogram, MeasurementType, SumVec};
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, AggregatorNoise, Batch, BatchName, Circumstances, Client, CollectError, Collection,
    Collector, DpPolicy, FieldOf, MultihotRappor, PrivacyBound, Rejection, SignedField, TimeWindow,
    TrustModel, VerifyKey,
};
use prio::field::FieldElement as _;
use prio::vdaf::Vdaf as _;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

pub(crate) mod toy;
pub(crate) mod view;

pub(crate) const CONTEXT: &[u8] = b"a task for tests";

/// The window of a task without time windows.
pub(crate) const WINDOW: TimeWindow = TimeWindow(0);

pub(crate) const OC: TrustModel = TrustModel::OneClient;
pub(crate) const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;
pub(crate) const OAMC: TrustModel = TrustModel::OneAggregatorMostClients;

/// The ε of a pure or an approximate bound.
pub(crate) fn epsilon_of(bound: &PrivacyBound) -> f64 {
    match bound {
        PrivacyBound::Proved(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
            epsilon.value().to_f64()
        }
        other => panic!("{other}"),
    }
}

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub(crate) fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("a valid epsilon")
}

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a valid rational")
}

/// One honest aggregator and no honest client but the protected one.
pub(crate) fn alone() -> Circumstances {
    Circumstances::new(1, "1e-9".parse().expect("a valid delta"))
}

pub(crate) fn epsilon_delta(epsilon: &str, delta: &str) -> Budget {
    let delta = delta.parse().expect("a valid delta");
    Budget::approximate(self::epsilon(epsilon), delta)
}

pub(crate) fn histogram_gaussian(aggregators: usize, length: usize) -> AggregatorNoise<Histogram> {
    let histogram = Histogram::new(aggregators, length).expect("valid parameters");
    let budget = epsilon_delta("0.906", "1e-9");
    AggregatorNoise::gaussian(histogram, budget).expect("a valid budget")
}

pub(crate) fn histogram_laplace(aggregators: usize, length: usize) -> AggregatorNoise<Histogram> {
    laplace(Histogram::new(aggregators, length).expect("valid parameters"), "0.5")
}

pub(crate) fn sum_vec_laplace(
    aggregators: usize,
    length: usize,
    max: u128,
) -> AggregatorNoise<SumVec> {
    laplace(SumVec::new(aggregators, length, max).expect("valid parameters"), "1")
}

/// The type with discrete Laplace noise by a pure budget.
pub(crate) fn laplace<V: MeasurementType>(
    measurement_type: V,
    epsilon: &str,
) -> AggregatorNoise<V> {
    AggregatorNoise::laplace(measurement_type, self::epsilon(epsilon)).expect("a valid budget")
}

pub(crate) fn multihot_rappor(aggregators: usize, length: usize, weight: usize) -> MultihotRappor {
    MultihotRappor::vectors(aggregators, length, weight, epsilon("2"), &rational("1e-9"))
        .expect("valid parameters")
}

/// Checks the errors over `batches` batches of `reports` equal measurements: the mean of their squares in
/// units of the predicted variance is 1. One Laplace draw has the kurtosis 6, and a sum with flips less, so
/// that the mean over N draws has the standard deviation √(5/N) at most; 8.5 of them leave a false alarm
/// below 1e-9. Returns the lowest estimate.
pub(crate) fn errs_as_predicted<P: DpPolicy>(
    policy: P,
    measurement: &P::Measurement,
    truth: &[f64],
    [batches, reports]: [u32; 2],
) -> f64 {
    let name = policy.name();
    let mut task = Task::new(policy, 77);
    let (mut squares, mut lowest) = (Vec::new(), f64::INFINITY);
    for _ in 0..batches {
        for _ in 0..reports {
            task.send(measurement);
        }
        let collection = task.collect().expect("honest shares");
        assert_eq!(collection.estimates.len(), truth.len(), "{name}");
        for (estimate, truth) in collection.estimates.iter().zip(truth) {
            squares.push(((estimate.value - truth) / estimate.standard_error).powi(2));
            lowest = lowest.min(estimate.value);
        }
    }
    let draws = f64::from(u32::try_from(squares.len()).expect("few draws"));
    let mean = squares.iter().sum::<f64>() / draws;
    assert!((mean - 1.0).abs() <= 8.5 * (5.0 / draws).sqrt(), "{name}: {mean}");
    lowest
}

/// An aggregator with stores of its own.
pub(crate) fn aggregator<P: DpPolicy>(
    policy: &Arc<P>,
    id: usize,
    key: &VerifyKey,
) -> Aggregator<P> {
    Aggregator::new(Arc::clone(policy), id, key.clone(), CONTEXT)
        .expect("a valid aggregator")
        .with_seen_reports(Arc::new(MemoryReports::default()))
        .with_releases(Arc::new(MemoryReleases::default()))
}

/// A batch of each aggregator, under the name of this number.
pub(crate) fn batches<P: DpPolicy>(aggregators: &[Aggregator<P>], number: u64) -> Vec<Batch<P>> {
    let name = batch_name(&number.to_string());
    aggregators.iter().map(|aggregator| aggregator.new_batch(&name)).collect()
}

/// The sum of a batch's shares, without noise, and what its `Debug` shows.
pub(crate) fn state<P: DpPolicy>(batch: &Batch<P>) -> (Vec<i128>, String) {
    (Batch::totals(std::slice::from_ref(batch)), format!("{batch:?}"))
}

pub(crate) fn batch_name(text: &str) -> BatchName {
    text.parse().expect("a valid name")
}

/// All parties of a task, whose aggregators have stores of their own: tests that run at the same
/// time have tasks that do not differ.
pub(crate) struct Task<P: DpPolicy> {
    pub(crate) policy: Arc<P>,
    pub(crate) client: Client<P>,
    pub(crate) aggregators: Vec<Aggregator<P>>,
    pub(crate) batches: Vec<Batch<P>>,
    pub(crate) collector: Collector<P>,
    pub(crate) rng: ChaCha20Rng,
    finished: u64,
}

impl<P: DpPolicy> Task<P> {
    pub(crate) fn new(policy: P, seed: u64) -> Self {
        let policy = Arc::new(policy);
        let mut rng = rng(seed);
        let key = VerifyKey::seeded(&mut rng);
        let aggregators: Vec<_> =
            (0..policy.vdaf().num_aggregators()).map(|id| aggregator(&policy, id, &key)).collect();
        Self {
            client: Client::new(Arc::clone(&policy), CONTEXT).expect("a short context"),
            batches: batches(&aggregators, 0),
            collector: Collector::new(Arc::clone(&policy), CONTEXT).expect("a short context"),
            aggregators,
            policy,
            rng,
            finished: 0,
        }
    }

    /// This task with the aggregators that `change` makes of its own, and empty batches.
    pub(crate) fn with_aggregators(
        mut self,
        change: impl FnMut(Aggregator<P>) -> Aggregator<P>,
    ) -> Self {
        self.aggregators = self.aggregators.into_iter().map(change).collect();
        self.batches = batches(&self.aggregators, self.finished);
        self
    }

    /// This task with aggregators that do not remember reports.
    pub(crate) fn without_replay_defence(self) -> Self {
        self.with_aggregators(Aggregator::without_replay_defence)
    }

    /// The batches so far; new ones of another name begin.
    pub(crate) fn next_batches(&mut self) -> Vec<Batch<P>> {
        self.finished += 1;
        let fresh = batches(&self.aggregators, self.finished);
        std::mem::replace(&mut self.batches, fresh)
    }

    pub(crate) fn report(&mut self, measurement: &P::Measurement) -> Report {
        self.client.report_seeded(measurement, &mut self.rng).expect("a valid measurement")
    }

    /// The given shares in a report of this task, as a client that alters them would bind them.
    pub(crate) fn bound(&self, report: &Report) -> Report {
        let public = &report.public;
        let shares = report.private.iter().map(|part| part.input_share.clone());
        Report::bind(
            self.client.task(),
            public.nonce,
            public.window,
            public.public_share.clone(),
            shares.collect(),
        )
        .expect("as many shares as there are aggregators")
    }

    pub(crate) fn verify(&mut self, report: Report) -> Result<(), Rejection> {
        verify_into(&self.aggregators, &mut self.batches, &report.into_shares())
    }

    pub(crate) fn send(&mut self, measurement: &P::Measurement) {
        let report = self.report(measurement);
        self.verify(report).expect("an honest report verifies");
    }

    /// The noisy aggregate shares of the batch so far; a new batch begins.
    pub(crate) fn finish(&mut self) -> Vec<EncodedAggregateShare> {
        self.next_batches()
            .into_iter()
            .map(|batch| batch.finish_seeded(&mut self.rng))
            .collect::<Result<_, _>>()
            .expect("the noise fits")
    }

    /// The reports of the batch so far and their totals, the noise of known generators taken off
    /// again: what was verified, exactly. A new batch begins.
    pub(crate) fn exact_totals(&mut self) -> (u64, Vec<i128>) {
        let batches = self.next_batches();
        let mut noise = vec![FieldOf::<P>::zero(); self.policy.vdaf().output_len()];
        let mut shares = Vec::new();
        for (seed, batch) in (1000..).zip(batches) {
            self.policy
                .add_noise(&mut noise, batch.reports(), &mut rng(seed))
                .expect("the noise fits");
            shares.push(batch.finish_seeded(&mut rng(seed)).expect("the noise fits"));
        }
        let collection = self.collector.collect(&shares).expect("honest shares");
        let totals = collection.totals.iter().zip(noise);
        let exact = totals.map(|(total, noise)| total - noise.to_signed());
        (collection.reports, exact.collect())
    }

    pub(crate) fn collect(&mut self) -> Result<Collection, CollectError> {
        let shares = self.finish();
        self.collector.collect(&shares)
    }
}
