//! A task with all its parties in one process, for the tests.

use dp_exact::{Delta, Epsilon};
use dp_prio3::verification::verify_into;
use dp_prio3::{BatchName, Circumstances};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

// What helpers take and give, and what tests match on.
pub(crate) use dp_calibration::{Adjacency, Budget, NoiseDistribution, VectorNoise};
pub(crate) use dp_exact::Rational;
pub(crate) use dp_prio3::Measurement::{Bit, Bits, Bucket, Integer, Integers};
pub(crate) use dp_prio3::message::{EncodedAggregateShare, Report, ReportShare};
pub(crate) use dp_prio3::{
    Aggregator, AggregatorNoise, Batch, BatchError, BatchLimits, Client, ClientNoise, CollectError,
    Collection, Collector, Measurement, MeasurementRange, Parts, Policy, PrivacyBound, Rejection,
    Stage, Stores, TimeWindow, TrustModel, Vdaf, VerifyKey,
};

pub(crate) mod catalogue;
pub(crate) mod toy;
pub(crate) mod view;

pub(crate) const CONTEXT: &[u8] = b"a task for tests";

pub(crate) const OC: TrustModel = TrustModel::OneClient;
pub(crate) const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;
pub(crate) const OAMC: TrustModel = TrustModel::OneAggregatorMostClients;

pub(crate) type Alteration<T> = dyn Fn(&mut T);

/// The bytes with one bit flipped, for each bit.
pub(crate) fn flipped_bits(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..8 * bytes.len()).map(|bit| {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

/// The first of the bytes, for each shorter length.
pub(crate) fn truncations(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).map(|length| bytes[..length].to_vec())
}

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

pub(crate) fn delta(text: &str) -> Delta {
    text.parse().expect("a valid delta")
}

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a valid rational")
}

/// One honest aggregator and this number of honest clients, one of them the protected one.
pub(crate) fn among(honest_clients: u64, delta: &str) -> Circumstances {
    Circumstances::new(honest_clients, self::delta(delta))
}

/// One honest aggregator and no honest client but the protected one.
pub(crate) fn alone() -> Circumstances {
    among(1, "1e-9")
}

pub(crate) fn pure(epsilon: &str) -> Budget {
    Budget::Pure { epsilon: self::epsilon(epsilon) }
}

pub(crate) fn epsilon_delta(epsilon: &str, delta: &str) -> Budget {
    Budget::approximate(self::epsilon(epsilon), self::delta(delta))
}

pub(crate) fn concentrated(rho: &str) -> Budget {
    Budget::ZeroConcentrated { rho: rho.parse().expect("a valid rho") }
}

pub(crate) fn laplace(budget: Budget) -> AggregatorNoise {
    AggregatorNoise::DiscreteLaplace { budget }
}

pub(crate) fn gaussian(budget: Budget) -> AggregatorNoise {
    AggregatorNoise::DiscreteGaussian { budget }
}

pub(crate) fn k_norm(budget: Budget) -> AggregatorNoise {
    AggregatorNoise::DiscreteKNorm { budget }
}

/// Batches are filled up to `target` honest clients while `malicious` may be malicious.
pub(crate) const fn compensation(target: u64, malicious: u64) -> AggregatorNoise {
    AggregatorNoise::Compensation {
        target_honest_clients: target,
        assumed_malicious_clients: malicious,
    }
}

pub(crate) const COUNT: Vdaf = Vdaf::Count { aggregators: 2 };

pub(crate) const fn sum(aggregators: usize, max: u128) -> Vdaf {
    Vdaf::Sum { aggregators, range: MeasurementRange::MaxMeasurement(max) }
}

pub(crate) const fn average(aggregators: usize, max: u128) -> Vdaf {
    Vdaf::Average { aggregators, range: MeasurementRange::MaxMeasurement(max) }
}

pub(crate) const fn sum_vec(aggregators: usize, length: usize, max: u128) -> Vdaf {
    let range = MeasurementRange::MaxMeasurement(max);
    Vdaf::SumVec { aggregators, length, range, chunk_length: None }
}

pub(crate) const fn histogram(aggregators: usize, length: usize) -> Vdaf {
    Vdaf::Histogram { aggregators, length, chunk_length: None }
}

/// Vectors of bits; RAPPOR determines `max_weight`.
pub(crate) const fn multihot(length: usize, max_weight: Option<usize>) -> Vdaf {
    Vdaf::MultihotCountVec { aggregators: 2, length, max_weight, chunk_length: None }
}

pub(crate) const fn l1_bound_sum(length: usize, max_measurement: u128) -> Vdaf {
    Vdaf::L1BoundSum { aggregators: 2, length, max_measurement, chunk_length: None }
}

/// Batches of any size that has room in the field.
pub(crate) const ANY_SIZE: BatchLimits = BatchLimits { min_reports: 1, max_reports: None };

/// Noise of each aggregator alone.
pub(crate) const fn noise_parts(vdaf: Vdaf, noise: AggregatorNoise) -> Parts {
    Parts { vdaf, client_noise: None, aggregator_noise: Some(noise), batch: ANY_SIZE }
}

/// Noise of each client alone.
pub(crate) const fn client_parts(vdaf: Vdaf, noise: ClientNoise) -> Parts {
    Parts { vdaf, client_noise: Some(noise), aggregator_noise: None, batch: ANY_SIZE }
}

/// The parts with this noise at each aggregator, in the place of any other.
pub(crate) fn with_noise(parts: &Parts, noise: AggregatorNoise) -> Parts {
    Parts { aggregator_noise: Some(noise), ..parts.clone() }
}

/// The parts with batches of `min_reports` to `max_reports` reports.
pub(crate) fn limited_parts(parts: &Parts, min_reports: u64, max_reports: u64) -> Parts {
    let batch = BatchLimits { min_reports, max_reports: Some(max_reports) };
    Parts { batch, ..parts.clone() }
}

pub(crate) fn policy_of(parts: Parts) -> Policy {
    Policy::new(parts).expect("valid parts")
}

pub(crate) fn randomized_response(epsilon: &str) -> Parts {
    client_parts(COUNT, ClientNoise::RandomizedResponse { epsilon: self::epsilon(epsilon) })
}

pub(crate) fn coin_flip() -> Parts {
    client_parts(COUNT, ClientNoise::CoinFlip {})
}

/// Answers among `length` buckets.
pub(crate) fn kary_response(length: usize, epsilon: &str) -> Parts {
    let noise = ClientNoise::KaryRandomizedResponse { epsilon: self::epsilon(epsilon) };
    client_parts(histogram(2, length), noise)
}

/// RAPPOR of vectors with at most `input_weight` ones.
pub(crate) fn rappor(length: usize, input_weight: usize, epsilon0: &str, rate: &str) -> Parts {
    let (epsilon0, false_positive_rate) = (epsilon(epsilon0), rational(rate));
    let noise = ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate };
    client_parts(multihot(length, None), noise)
}

/// RAPPOR of vectors with exactly one bit set.
pub(crate) fn one_hot_rappor(length: usize, epsilon0: &str, rate: &str) -> Parts {
    let (epsilon0, false_positive_rate) = (epsilon(epsilon0), rational(rate));
    let noise = ClientNoise::OneHotRappor { epsilon0, false_positive_rate };
    client_parts(multihot(length, None), noise)
}

pub(crate) fn basic_rappor(length: usize, epsilon: &str, rate: &str) -> Parts {
    let (epsilon, false_positive_rate) = (self::epsilon(epsilon), rational(rate));
    client_parts(multihot(length, None), ClientNoise::BasicRappor { epsilon, false_positive_rate })
}

pub(crate) fn histogram_gaussian(aggregators: usize, length: usize) -> Parts {
    noise_parts(histogram(aggregators, length), gaussian(epsilon_delta("0.906", "1e-9")))
}

pub(crate) fn histogram_laplace(aggregators: usize, length: usize) -> Parts {
    noise_parts(histogram(aggregators, length), laplace(pure("0.5")))
}

pub(crate) fn sum_vec_laplace(aggregators: usize, length: usize, max: u128) -> Parts {
    noise_parts(sum_vec(aggregators, length, max), laplace(pure("1")))
}

/// RAPPOR at ε₀ = 2 of vectors with at most `weight` ones, of which next to none is dropped.
pub(crate) fn multihot_rappor(aggregators: usize, length: usize, weight: usize) -> Parts {
    let (max_weight, chunk_length) = (None, None);
    let vdaf = Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length };
    Parts { vdaf, ..rappor(length, weight, "2", "1e-9") }
}

/// Checks the errors over `batches` batches of `reports` equal measurements: the mean of their
/// squares in units of the predicted variance is 1. One Laplace draw has the kurtosis 6, and a sum
/// with flips less, so that the mean over N draws has the standard deviation √(5/N) at most; 8.5 of
/// them leave a false alarm below 1e-9. Returns the lowest estimate.
pub(crate) fn assert_errs_as_predicted(
    parts: Parts,
    measurement: Measurement<'_>,
    truth: &[f64],
    [batches, reports]: [u32; 2],
) -> f64 {
    let mut task = Task::new(parts, 77);
    let name = task.policy.name();
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

/// A batch of each aggregator, under the name of this number.
pub(crate) fn batches(aggregators: &[Aggregator], number: u64) -> Vec<Batch> {
    let name = batch_name(&number.to_string());
    aggregators.iter().map(|aggregator| aggregator.new_batch(&name)).collect()
}

pub(crate) fn batch_name(text: &str) -> BatchName {
    text.parse().expect("a valid name")
}

/// All parties of a task.
pub(crate) struct Task {
    pub(crate) policy: Policy,
    pub(crate) key: VerifyKey,
    pub(crate) client: Client,
    pub(crate) aggregators: Vec<Aggregator>,
    pub(crate) batches: Vec<Batch>,
    pub(crate) collector: Collector,
    pub(crate) rng: ChaCha20Rng,
    finished: u64,
}

impl Task {
    pub(crate) fn new(parts: Parts, seed: u64) -> Self {
        Self::with_stores(parts, seed, Stores::forgotten_at_restart)
    }

    /// A task each of whose aggregators has the stores that `stores` makes.
    pub(crate) fn with_stores(parts: Parts, seed: u64, stores: impl Fn() -> Stores) -> Self {
        let policy = policy_of(parts);
        let mut rng = rng(seed);
        let mut task = Self {
            key: VerifyKey::seeded(&mut rng),
            client: Client::new(policy.clone(), CONTEXT).expect("a short context"),
            aggregators: Vec::new(),
            batches: Vec::new(),
            collector: Collector::new(policy.clone(), CONTEXT).expect("a short context"),
            policy,
            rng,
            finished: 0,
        };
        task.aggregators = task.aggregators_with(stores);
        task.batches = batches(&task.aggregators, 0);
        task
    }

    /// Further aggregators of this task, each with the stores that `stores` makes.
    pub(crate) fn aggregators_with(&self, stores: impl Fn() -> Stores) -> Vec<Aggregator> {
        let aggregator = |id| {
            Aggregator::new(self.policy.clone(), id, self.key.clone(), CONTEXT, stores())
                .expect("a valid aggregator")
        };
        (0..self.policy.aggregators()).map(aggregator).collect()
    }

    /// The batches so far; new ones of another name begin.
    pub(crate) fn next_batches(&mut self) -> Vec<Batch> {
        self.finished += 1;
        let fresh = batches(&self.aggregators, self.finished);
        std::mem::replace(&mut self.batches, fresh)
    }

    pub(crate) fn report(&mut self, measurement: Measurement<'_>) -> Report {
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

    pub(crate) fn send(&mut self, measurement: Measurement<'_>) {
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
        let (mut noise, mut shares) = (vec![0; self.policy.query().totals()], Vec::new());
        for (seed, batch) in (1000..).zip(batches) {
            let drawn = self.policy.noise(batch.reports(), &mut rng(seed)).expect("the noise fits");
            noise.iter_mut().zip(drawn).for_each(|(sum, draw)| *sum += draw);
            shares.push(batch.finish_seeded(&mut rng(seed)).expect("the noise fits"));
        }
        let collection = self.collector.collect(&shares).expect("honest shares");
        let totals = collection.totals.iter().zip(noise);
        (collection.reports, totals.map(|(total, noise)| total - noise).collect())
    }

    pub(crate) fn collect(&mut self) -> Result<Collection, CollectError> {
        let shares = self.finish();
        self.collector.collect(&shares)
    }
}
