//! What a policy, a mechanism, a randomizer or a type of one's own is taken for where it says nothing: never for
//! more than is known of it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use dp_calibration::{Adjacency, NoiseLaw, Query, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::randomizers::{LocalRandomizer, RandomizedResponse};
use dp_prio3::types::{Average, Count};
use dp_prio3::{
    AggregatorNoise, AggregatorPolicy, BatchError, Budget, Circumstances, ClientNoise,
    ClientPolicy, ClientRandomization, CollectorPolicy, CryptoRng, Error, Estimate, FieldOf,
    FromDraw, Guarantee, Hedged, Loss, OwnNoise, PolicyDescription, Prio3Policy, TrustModel, Vdaf,
    VdafKind,
};
use num_bigint::BigUint;

use crate::support::{
    aggregator, alone, batch_name, epsilon, epsilon_delta, laplace, multihot_rappor, rational,
};

type Inner = AggregatorNoise<Count, DiscreteLaplace>;

/// A policy that says no more than it must.
#[derive(Debug)]
struct Plain(Inner);

impl PolicyDescription for Plain {
    fn name(&self) -> String {
        "plain".to_owned()
    }

    fn vdaf_kind(&self) -> VdafKind {
        self.0.vdaf_kind()
    }

    fn aggregators(&self) -> usize {
        self.0.aggregators()
    }

    fn query(&self) -> Query {
        self.0.query()
    }

    fn max_reports(&self) -> u64 {
        self.0.max_reports()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("of", "a test".to_owned())]
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        self.0.guarantee(trust_model, circumstances)
    }
}

impl Prio3Policy for Plain {
    type Flp = <Inner as Prio3Policy>::Flp;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.0.vdaf()
    }
}

impl ClientPolicy for Plain {
    type Measurement = bool;

    fn randomize<R: CryptoRng + ?Sized>(&self, bit: &bool, rng: &mut R) -> Result<bool, Error> {
        self.0.randomize(bit, rng)
    }
}

impl AggregatorPolicy for Plain {
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut R,
    ) -> Result<(), Error> {
        self.0.add_noise(share, reports, rng)
    }
}

impl CollectorPolicy for Plain {
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        self.0.estimate(totals, reports)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        self.0.total_range(reports)
    }
}

#[test]
fn a_policy_that_says_no_more_releases_no_batch_without_reports() {
    let plain = Plain(laplace(Count::new(2).expect("valid"), "1"));
    assert_eq!((plain.min_reports(), plain.assumed_malicious()), (1, 0));
    assert_eq!((plain.divisor(0), plain.divisor(70)), (1, 1));
    assert_eq!(plain.covariance(&[3, 4], 10, 0, 1), 0.0);
    assert_eq!(plain.client_randomization(), ClientRandomization::Unknown);
    let other = dp_ledger::Mechanism::Other("plain".to_owned());
    assert_eq!(plain.recorded_mechanism(), other);

    let key = dp_prio3::VerifyKey::from_bytes([1; 32]);
    let batch = aggregator(&Arc::new(plain), 0, &key).new_batch(&batch_name("empty"));
    assert!(matches!(
        batch.finish(),
        Err(BatchError::TooFewReports {
            reports: 0,
            min_reports: 1,
            ..
        })
    ));
}

/// Noise of which nothing is known but a budget that one release keeps.
#[derive(Clone, Debug)]
struct Unnamed {
    draws: DiscreteGaussian,
    budget: Budget,
}

impl Unnamed {
    fn keeping(budget: Budget) -> Self {
        let rho: Rho = "1/50".parse().expect("positive");
        let draws = DiscreteGaussian::calibrate(&Query::Count, &rho.into()).expect("a variance");
        Self { draws, budget }
    }

    fn at(&self, aggregators: usize, delta: &str) -> Option<Loss> {
        let circumstances = Circumstances::new(1, self::delta(delta));
        let loss = self.loss_at(&Query::Count, aggregators, &circumstances);
        loss.expect("within reach")
    }
}

impl NoiseMechanism for Unnamed {
    const NAME: &'static str = "unnamed";

    fn calibrate(_: &Query, budget: &Budget) -> Result<Self, Error> {
        Ok(Self::keeping(budget.clone()))
    }

    fn check_kind(_: &Budget) -> Result<(), Error> {
        Ok(())
    }

    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        self.draws.fill(rng, noise)
    }

    fn variance(&self) -> f64 {
        self.draws.variance()
    }

    fn tail_bound(&self, bits: u32) -> BigUint {
        self.draws.tail_bound(bits)
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.draws.parameters()
    }
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

fn pair(epsilon: Rational, delta: &str) -> Option<Loss> {
    Some(Loss::new(epsilon, self::delta(delta)).expect("a pair"))
}

/// However many aggregators are honest: what several of them give together is not known.
#[test]
fn noise_without_a_law_promises_what_its_budget_does_at_each_delta() {
    for aggregators in [1, 5] {
        let pure = Unnamed::keeping(epsilon("2").into());
        assert_eq!(pure.at(aggregators, "0"), pair(rational("2"), "0"));
        assert_eq!(pure.at(aggregators, "1e-6"), pair(rational("2"), "0"));

        let both = Unnamed::keeping(epsilon_delta("2", "1e-6"));
        assert_eq!(both.at(aggregators, "1e-6"), pair(rational("2"), "1e-6"));
        assert_eq!(both.at(aggregators, "1e-5"), pair(rational("2"), "1e-6"));
        assert_eq!(both.at(aggregators, "9e-7"), None);
    }

    // These keep no ε at δ = 0, and one at each δ above: hardly more than the classical conversions say.
    let slack = delta("1e-6");
    let rho: Rho = "1/50".parse().expect("positive");
    let concentrated = Unnamed::keeping(rho.clone().into());
    assert_eq!(concentrated.at(1, "0"), None);
    let loss = concentrated.at(5, "1e-6").expect("a pair");
    let classical = zcdp::epsilon(&rho, &slack).expect("in range");
    assert!(*loss.epsilon() <= classical && *loss.delta() == slack);
    assert!(*loss.epsilon() > classical * rational("1/2"));

    let (alpha, tau) = (rational("8"), rational("1/10"));
    let renyi = Unnamed::keeping(Budget::renyi(alpha, tau).expect("in range"));
    assert_eq!(renyi.at(1, "0"), None);
    let loss = renyi.at(5, "1e-6").expect("a pair");
    // τ + ln(1/δ)/(α − 1)
    let classical = 0.1 + 1e6_f64.ln() / 7.0;
    assert!(loss.epsilon().to_f64() <= classical && *loss.delta() == slack);
    assert!(loss.epsilon().to_f64() > 0.5 * classical);
}

/// The crate's own Gaussian noise has no ε at δ = 0 either, by whichever budget it was calibrated.
#[test]
fn gaussian_noise_promises_nothing_at_a_delta_of_0() {
    let rho: Rho = "1/50".parse().expect("positive");
    for budget in [rho.into(), epsilon_delta("1", "1e-6")] {
        let noise = DiscreteGaussian::calibrate(&Query::Count, &budget).expect("a variance");
        for aggregators in [1, 2] {
            let circumstances = Circumstances::new(1, delta("0"));
            let loss = noise.loss_at(&Query::Count, aggregators, &circumstances);
            assert_eq!(loss.expect("no error"), None, "{budget}");
        }
    }
}

/// A bit, flipped, of which the mean is asked.
#[derive(Clone, Debug)]
struct MeanOf(RandomizedResponse);

impl LocalRandomizer<Average> for MeanOf {
    const NAME: &'static str = "randomized response";

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        _: &Average,
        measurement: &u128,
        rng: &mut R,
    ) -> Result<u128, Error> {
        Ok(self.0.randomize(rng, *measurement == 1).into())
    }

    fn estimate(&self, total: i128, reports: u64) -> Estimate {
        self.0.estimate(total, reports)
    }

    fn slope(&self) -> f64 {
        LocalRandomizer::<Count>::slope(&self.0)
    }

    fn local_epsilon(&self, _: &Average) -> Result<Epsilon, Error> {
        Ok(self.0.epsilon().clone())
    }

    fn own_noise(&self, _: &Average, adjacency: Adjacency) -> Result<OwnNoise, Error> {
        LocalRandomizer::<Count>::own_noise(&self.0, &Count::new(2)?, adjacency)
    }

    fn in_a_crowd(&self, _: &Average, _: &Circumstances) -> Result<Option<Loss>, Error> {
        Ok(None)
    }

    fn with_noise(
        &self,
        _: &Average,
        _: &NoiseLaw,
        _: u32,
        _: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        Ok(None)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("epsilon", self.0.epsilon().to_string())]
    }
}

/// Estimate and errors of either end of a mean over n reports follow from those of the sum.
#[test]
fn a_hedged_mean_is_the_hedged_count_over_the_reports() {
    let response = RandomizedResponse::new(epsilon("2")).expect("in range");
    let count = ClientNoise::new(Count::new(2).expect("valid"), response.clone());
    let count: Hedged<_, _, DiscreteLaplace> =
        Hedged::new(count.expect("fits"), epsilon("1")).expect("a valid budget");
    let mean = ClientNoise::new(Average::new(2, 1).expect("valid"), MeanOf(response));
    let mean: Hedged<_, _, DiscreteLaplace> =
        Hedged::new(mean.expect("fits"), epsilon("1")).expect("a valid budget");
    let close = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-12;
    for (reports, by) in [(1, 1.0), (80, 80.0), (1_000_000, 1e6)] {
        assert_eq!(
            (count.divisor(reports), mean.divisor(reports)),
            (1, reports)
        );
        let sum = count.estimate(&[30], reports)[0];
        let estimate = mean.estimate(&[30], reports)[0];
        assert!(close(estimate.value * by, sum.value));
        assert!(close(estimate.standard_error * by, sum.standard_error));
        let [of_sum, of_mean] = [
            count.standard_errors(&[30], reports)[0],
            mean.standard_errors(&[30], reports)[0],
        ];
        assert!(close(of_mean.0 * by, of_sum.0) && close(of_mean.1 * by, of_sum.1));
        assert!(close(of_mean.0.hypot(of_mean.1), estimate.standard_error));
    }
    // Nothing is known of such answers but what each promises by itself.
    let guarantee = mean.guarantee(TrustModel::OneAggregatorMostClients, &alone());
    let origin = Some(TrustModel::OneAggregatorOneClient);
    assert_eq!(guarantee.carried_over_from, origin);
}

/// Each place of a vector is flipped by itself.
#[test]
fn flips_join_no_two_counts() {
    let vectors = multihot_rappor(2, 4, 2);
    assert_eq!(vectors.covariance(&[3, 4, 5, 6], 10, 0, 1), 0.0);
    assert_eq!(vectors.covariance(&[3, 4, 5, 6], 10, 3, 1), 0.0);
}
