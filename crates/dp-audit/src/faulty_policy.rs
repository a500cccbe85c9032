//! Policies with a fault, to test whether an audit finds it.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dp_calibration::TrustModel;
use dp_calibration::utility::NoisyTotal;
use dp_exact::ParameterError;
use dp_prio3::prio::field::FieldElement as _;
use dp_prio3::{
    Circumstances, DpPolicy, Error, Estimate, FieldOf, Guarantee, PolicyDescription, PrivacyBound,
    ShardedMeasurement, SignedField, TaskParameters, Vdaf, multiply_share,
};
use rand_core::CryptoRng;

/// Alters the noise of each total in place, after a number of earlier draws.
type AlterNoise = dyn Fn(u64, &mut [i128]) + Send + Sync;

/// The altered estimate, from a total, the number of reports and the sound estimate.
type AlterEstimate = dyn Fn(i128, u64, f64) -> f64 + Send + Sync;

/// Another step of a client, in place of [`DpPolicy::randomize`].
type Randomize<P> = dyn Fn(&<P as DpPolicy>::Measurement, &mut dyn CryptoRng) -> Result<ShardedMeasurement<P>, Error>
    + Send
    + Sync;

/// A policy with the description and the guarantees of a sound one, whose parties do something
/// else. It is for tests of audits and of deployments: none of its guarantees holds.
///
/// ```
/// use dp_audit::FaultyPolicy;
/// use dp_prio3::AggregatorNoise;
/// use dp_prio3::types::Histogram;
///
/// let epsilon: dp_exact::Epsilon = "1".parse()?;
/// let policy = AggregatorNoise::laplace(Histogram::new(2, 4)?, epsilon)?;
/// // An aggregator with this policy adds no noise.
/// let silent = FaultyPolicy::sound(policy).with_noise(|_, noise| noise.fill(0));
/// # drop(silent);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FaultyPolicy<P: DpPolicy> {
    sound: P,
    aggregators: P,
    collector: P,
    randomize: Arc<Randomize<P>>,
    noise: Arc<AlterNoise>,
    estimate: Arc<AlterEstimate>,
    /// Number of times at which noise was drawn so far.
    draws: Arc<AtomicU64>,
}

impl<P: DpPolicy + Clone + 'static> FaultyPolicy<P> {
    /// The policy without a fault. A policy that cannot be cloned may come in an [`Arc`].
    #[must_use]
    pub fn sound(policy: P) -> Self {
        let clients = policy.clone();
        Self {
            aggregators: policy.clone(),
            collector: policy.clone(),
            sound: policy,
            randomize: Arc::new(move |measurement, rng| clients.randomize(measurement, rng)),
            noise: Arc::new(|_, _| {}),
            estimate: Arc::new(|_, _, estimate| estimate),
            draws: Arc::default(),
        }
    }

    /// This policy with clients that randomize their measurements by this function.
    #[must_use]
    pub fn with_randomizer(
        self,
        randomize: impl Fn(&P::Measurement, &mut dyn CryptoRng) -> Result<ShardedMeasurement<P>, Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { randomize: Arc::new(randomize), ..self }
    }

    /// This policy with clients that follow another one.
    #[must_use]
    pub fn with_clients(self, clients: P) -> Self {
        self.with_randomizer(move |measurement, rng| clients.randomize(measurement, rng))
    }

    /// This policy with aggregators that follow another one.
    #[must_use]
    pub fn with_aggregators(self, aggregators: P) -> Self {
        Self { aggregators, ..self }
    }

    /// This policy with a collector that estimates by another one.
    #[must_use]
    pub fn with_collector(self, collector: P) -> Self {
        Self { collector, ..self }
    }

    /// This policy with altered noise. The function gets the number of earlier draws and the noise
    /// of each total.
    #[must_use]
    pub fn with_noise(self, noise: impl Fn(u64, &mut [i128]) + Send + Sync + 'static) -> Self {
        Self { noise: Arc::new(noise), draws: Arc::default(), ..self }
    }

    /// This policy with altered estimates, from the total, the number of reports and the estimate.
    #[must_use]
    pub fn with_estimate(
        self,
        estimate: impl Fn(i128, u64, f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self { estimate: Arc::new(estimate), ..self }
    }
}

impl<P: DpPolicy> fmt::Debug for FaultyPolicy<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FaultyPolicy").field(&self.sound).finish()
    }
}

impl<P: DpPolicy> PolicyDescription for FaultyPolicy<P> {
    fn name(&self) -> String {
        self.sound.name()
    }

    fn task_parameters(&self) -> &TaskParameters {
        self.sound.task_parameters()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.sound.parameters()
    }

    fn recorded_mechanism(&self) -> dp_calibration::Mechanism {
        self.sound.recorded_mechanism()
    }

    fn client_randomization(&self) -> Option<dp_calibration::Randomizer> {
        self.sound.client_randomization()
    }

    fn guarantee(&self, model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        self.sound.guarantee(model, circumstances)
    }

    fn pair(&self, model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        self.sound.pair(model, circumstances)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let mut estimates = self.collector.estimate(totals, reports);
        for (estimate, total) in estimates.iter_mut().zip(totals) {
            estimate.value = (self.estimate)(*total, reports, estimate.value);
        }
        estimates
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        self.sound.noisy_total(reports)
    }

    fn total_range(&self, _: u64) -> RangeInclusive<i128> {
        i128::MIN..=i128::MAX
    }
}

impl<P: DpPolicy> DpPolicy for FaultyPolicy<P> {
    type Flp = P::Flp;
    type Measurement = P::Measurement;

    fn vdaf(&self) -> &Vdaf<P::Flp> {
        self.sound.vdaf()
    }

    fn randomize(
        &self,
        measurement: &P::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        (self.randomize)(measurement, rng)
    }

    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let mut noise = vec![FieldOf::<Self>::zero(); share.len()];
        self.aggregators.add_noise(&mut noise, reports, rng)?;
        let mut noise: Vec<i128> = noise.into_iter().map(SignedField::to_signed).collect();
        (self.noise)(self.draws.fetch_add(1, Ordering::Relaxed), &mut noise);
        if let Some(matrix) = self.aggregators.query().strategy_matrix() {
            multiply_share(&matrix, share)?;
        }
        for (entry, noise) in share.iter_mut().zip(noise) {
            let accepted = "an integer of the field";
            let element = SignedField::from_signed(noise);
            *entry += element.ok_or_else(|| ParameterError::new("noise", noise, accepted))?;
        }
        Ok(())
    }
}
