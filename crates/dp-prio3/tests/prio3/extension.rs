//! A further mechanism and a further Prio3 type, each in one block, without a line of the crate
//! changed: they combine with all the others.

use std::sync::Arc;

use crate::support::{Task, alone, epsilon, epsilon_delta, rng};
use dp_calibration::{Adjacency, Budget, Query, laplace};
use dp_exact::{ParameterError, Rational, Rho};
use dp_ledger::{Ledger, Rule, Terms};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::spending::{IndividualClient, SpendingError};
use dp_prio3::types::{Count, Histogram, MeasurementType};
use dp_prio3::{
    AggregatorNoise, Client, ClientPolicy, Error, PolicyDescription, TrustModel, Vdaf, VdafKind,
};
use dp_samplers::{FromDraw, Geometric};
use num_bigint::{BigInt, BigUint};
use prio::field::Field128;
use prio::flp::types::Sum;
use prio::vdaf::prio3::Prio3;
use rand_core::CryptoRng;

// ---------------------------------------------------------------------------------------------
// A mechanism: the geometric mechanism of Ghosh, Roughgarden and Sundararajan (2012), the
// difference of two draws of P(g) ∝ e^(−g·ε/Δ₁), g ≥ 0. Its law is the discrete Laplace law.

#[derive(Clone, Debug)]
struct DifferenceOfGeometrics {
    budget: Budget,
    one: Geometric,
}

impl NoiseMechanism for DifferenceOfGeometrics {
    const NAME: &'static str = "two-sided geometric";

    fn calibrate(query: &Query, budget: &Budget) -> Result<Self, Error> {
        let Budget::Pure { epsilon } = budget else {
            return Err(Error::budget_kind(Self::NAME, budget, "a pure budget"));
        };
        let sensitivity = query.sensitivity(Adjacency::Replacement)?;
        let one = Geometric::new(&laplace::scale(epsilon, &sensitivity.l1)?)?;
        let budget = budget.clone();
        Ok(Self { budget, one })
    }

    fn check_kind(budget: &Budget) -> Result<(), Error> {
        match budget {
            Budget::Pure { .. } => Ok(()),
            _ => Err(Error::budget_kind(Self::NAME, budget, "a pure budget")),
        }
    }

    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        for (index, noise) in noise.iter_mut().enumerate() {
            let [plus, minus] = [(); 2].map(|()| BigInt::from(self.one.sample(rng)));
            let target = "the field";
            *noise =
                T::from_big(plus - minus).ok_or(dp_samplers::Error::Overflow { index, target })?;
        }
        Ok(())
    }

    /// Twice q/(1 − q)².
    fn variance(&self) -> f64 {
        let q = (-1.0 / self.one.scale().to_f64()).exp();
        2.0 * q / (1.0 - q).powi(2)
    }

    /// P(|X| > b) ≤ 2·e^(−b/t), and ln 2 < 1.
    fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = Rational::integer(bits + 1);
        (self.one.scale() * &exponent).ceil().magnitude() + 1_u32
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("scale", self.one.scale().to_string())]
    }
}

// ---------------------------------------------------------------------------------------------
// A type: sums of integers up to 2^100, as Prio3Sum over the larger field.

#[derive(Clone, Debug)]
struct LongSum {
    vdaf: Vdaf<Sum<Field128>>,
    max_measurement: u128,
}

impl LongSum {
    fn new(aggregators: u8, max_measurement: u128) -> Result<Self, ParameterError> {
        let accepted = "2 to 254 aggregators and a maximum from 1 to 2^100";
        let refused = || ParameterError::new("max_measurement", max_measurement, accepted);
        if !(1..=1 << 100).contains(&max_measurement) || aggregators < 2 {
            return Err(refused());
        }
        let circuit = Sum::new(max_measurement).map_err(|_| refused())?;
        let vdaf = Prio3::new(aggregators, 1, 0xFFFF_0001, circuit).map_err(|_| refused())?;
        Ok(Self {
            vdaf,
            max_measurement,
        })
    }
}

impl MeasurementType for LongSum {
    type Flp = Sum<Field128>;
    type Measurement = u128;

    const KIND: VdafKind = VdafKind::Other("Prio3LongSum");

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::Sum {
            max_measurement: self.max_measurement,
        }
    }

    fn max_entry(&self) -> u128 {
        self.max_measurement
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("max_measurement", self.max_measurement.to_string())]
    }

    fn check(&self, measurement: &u128) -> Result<u128, ParameterError> {
        if *measurement > self.max_measurement {
            let accepted = format!("at most {}", self.max_measurement);
            return Err(ParameterError::new("measurement", measurement, accepted));
        }
        Ok(*measurement)
    }
}

// ---------------------------------------------------------------------------------------------

/// Runs 20 batches of two reports. 30 standard errors: e^(−42) for Laplace noise.
fn runs<V: MeasurementType, N: NoiseMechanism>(
    policy: AggregatorNoise<V, N>,
    measurement: &V::Measurement,
    truth: f64,
) {
    let name = policy.name();
    let guarantee = policy.guarantee(TrustModel::OneAggregatorOneClient, &alone());
    assert!(guarantee.budget().is_some(), "{name}");
    let mut task = Task::new(policy, 1);
    for _ in 0..20 {
        task.send(measurement);
        task.send(measurement);
        let collection = task.collect().expect("honest shares");
        let interval = collection.estimates[0].interval(30.0);
        assert!(interval.contains(&(2.0 * truth)), "{name}: {interval:?}");
        let report = task.report(measurement);
        task.verify(report.clone()).expect("an honest report");
        assert!(task.verify(report).is_err());
        task.finish();
    }
}

#[test]
fn a_further_mechanism_runs_with_the_types_that_are_there() {
    type Geometric<V> = AggregatorNoise<V, DifferenceOfGeometrics>;
    let count = Geometric::new(Count::new(2).unwrap(), epsilon("0.5")).unwrap();
    assert_eq!(
        count.name(),
        "Prio3Count with two-sided geometric noise at each aggregator"
    );
    runs(count, &true, 1.0);
    let histogram = Geometric::new(Histogram::new(3, 4).unwrap(), epsilon("0.5")).unwrap();
    runs(histogram, &0, 1.0);
}

#[test]
fn a_further_type_runs_with_the_mechanisms_that_are_there() {
    let new = || LongSum::new(2, 1 << 90).unwrap();
    let half = 1_u128 << 89;
    let truth = 2.0_f64.powi(89);
    let policy: AggregatorNoise<_, DiscreteLaplace> =
        AggregatorNoise::new(new(), epsilon("1")).unwrap();
    runs(policy, &half, truth);
    let policy: AggregatorNoise<_, DiscreteGaussian> =
        AggregatorNoise::new(new(), epsilon_delta("1", "1e-6")).unwrap();
    runs(policy, &half, truth);
}

#[test]
fn a_further_type_and_a_further_mechanism_find_each_other() {
    let policy: AggregatorNoise<_, DifferenceOfGeometrics> =
        AggregatorNoise::new(LongSum::new(2, 1 << 90).unwrap(), epsilon("1")).unwrap();
    runs(policy, &12, 12.0);
}

#[test]
fn what_the_crate_checks_is_checked_of_extensions_too() {
    let policy: Result<AggregatorNoise<_, DifferenceOfGeometrics>, _> =
        AggregatorNoise::new(LongSum::new(2, 1 << 100).unwrap(), epsilon("1e-9"));
    let error = policy.unwrap_err().to_string();
    assert!(error.contains("wrap around the field"), "{error}");

    let policy: AggregatorNoise<_, DifferenceOfGeometrics> =
        AggregatorNoise::new(LongSum::new(2, 7).unwrap(), epsilon("1")).unwrap();
    assert!(policy.randomize(&8, &mut rng(1)).is_err());
    assert!(LongSum::new(2, 0).is_err());
    assert!(LongSum::new(1, 7).is_err());
}

/// Discrete Laplace noise by name, drawn in another way: the variances are the same.
#[test]
fn the_difference_of_two_geometric_draws_is_the_laplace_law() {
    let new = || Histogram::new(2, 4).unwrap();
    let geometric: AggregatorNoise<_, DifferenceOfGeometrics> =
        AggregatorNoise::new(new(), epsilon("0.5")).unwrap();
    let laplace = crate::support::laplace(new(), "0.5");
    let (one, other) = (
        geometric.mechanism().variance(),
        laplace.mechanism().variance(),
    );
    assert!((one / other - 1.0).abs() < 1e-12);

    // 8.5 standard deviations of the mean square of Laplace noise: below 1e-9.
    let mut draws = vec![0_i64; 20_000];
    geometric.mechanism().fill(&mut rng(3), &mut draws).unwrap();
    let squares = draws
        .iter()
        .map(|draw| f64::from(i32::try_from(*draw).unwrap()).powi(2));
    let mean = squares.sum::<f64>() / 20_000.0;
    assert!(
        (mean / other - 1.0).abs() < 8.5 * (5.0 / 20_000.0_f64).sqrt(),
        "{mean}"
    );
}

/// What one measurement costs follows from its norm. Of a type that does not say it, no client keeps an account of its
/// own: what is not known is not 0.
#[test]
fn a_type_that_does_not_say_its_norm_has_no_account_of_one_client() {
    let of = LongSum::new(2, 7).unwrap();
    assert_eq!(of.squared_norm(&0), None);
    let rho = |text: &str| text.parse::<Rho>().unwrap();
    let policy: AggregatorNoise<_, DiscreteGaussian> =
        AggregatorNoise::new(of, rho("0.01")).unwrap();
    let limit = Budget::ZeroConcentrated { rho: rho("1") };
    let rule = Rule::zero_concentrated(&limit).unwrap();
    let terms = Terms::new(limit).with_rule(rule);
    let ledger = Ledger::new(terms.with_adjacency(Adjacency::Deletion)).unwrap();
    let client = Client::new(Arc::new(policy), b"a long sum").unwrap();
    let model = TrustModel::OneAggregatorOneClient;
    let refused = IndividualClient::new(client, ledger, model, &alone(), 0_u128);
    assert!(matches!(refused, Err(SpendingError::NotIndividual { .. })));
}
