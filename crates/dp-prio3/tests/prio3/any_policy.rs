//! A policy behind a pointer answers as the policy itself, and not as the default of a trait.

use std::ops::RangeInclusive;

use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace};
use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Average, Count, Histogram, MultihotCountVec};
use dp_prio3::{
    AggregatorNoise, AggregatorPolicy, AnyPolicy, Circuit, Circumstances, ClientNoise,
    ClientPolicy, CollectorPolicy, CompensatedRappor, DpPolicy, Error, Estimate, FieldOf,
    Guarantee, Hedged, PolicyDescription, Prio3Policy, Query, TrustModel, Vdaf, VdafKind,
};
use prio::field::{Field64, FieldElement};
use rand_core::CryptoRng;

use crate::support::rng;

type Inner = AggregatorNoise<Count, DiscreteLaplace>;

/// A policy of which no answer is the default, nor that of another method.
#[derive(Debug)]
struct Peculiar(Inner);

fn peculiar() -> Peculiar {
    let epsilon: dp_exact::Epsilon = "1".parse().expect("a number");
    let count = Count::new(2).expect("two aggregators");
    Peculiar(Inner::new(count, epsilon).expect("a policy"))
}

fn no_estimate(value: f64) -> Estimate {
    Estimate {
        value,
        ..peculiar().0.estimate(&[1], 10)[0]
    }
}

impl PolicyDescription for Peculiar {
    fn name(&self) -> String {
        "peculiar".to_owned()
    }

    fn vdaf_kind(&self) -> VdafKind {
        VdafKind::Other("Prio3Peculiar")
    }

    fn aggregators(&self) -> usize {
        3
    }

    fn query(&self) -> Query {
        Query::Histogram { length: 4 }
    }

    fn min_reports(&self) -> u64 {
        5
    }

    fn max_reports(&self) -> u64 {
        6
    }

    fn assumed_malicious(&self) -> u64 {
        7
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("eight", "8".to_owned())]
    }

    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        dp_ledger::Mechanism::Other("nine".to_owned())
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        Guarantee {
            otherwise: format!("ten of {}", circumstances.honest_clients()).into(),
            ..self.0.guarantee(trust_model, circumstances)
        }
    }
}

impl Prio3Policy for Peculiar {
    type Flp = <Inner as Prio3Policy>::Flp;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.0.vdaf()
    }
}

impl ClientPolicy for Peculiar {
    type Measurement = u8;

    fn randomize<R: CryptoRng + ?Sized>(&self, bit: &u8, rng: &mut R) -> Result<bool, Error> {
        self.0
            .randomize(&(rng.next_u32() % 256 < u32::from(*bit)), rng)
    }
}

impl AggregatorPolicy for Peculiar {
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut R,
    ) -> Result<(), Error> {
        share[0] += Field64::from(reports + u64::from(rng.next_u32()));
        Ok(())
    }
}

impl CollectorPolicy for Peculiar {
    fn estimate(&self, totals: &[i128], _: u64) -> Vec<Estimate> {
        totals.iter().map(|_| no_estimate(11.0)).collect()
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        12..=i128::from(reports)
    }

    fn divisor(&self, reports: u64) -> u64 {
        13 * reports
    }

    fn covariance(&self, totals: &[i128], _: u64, one: usize, other: usize) -> f64 {
        if totals == [14] && (one, other) == (1, 2) {
            15.0
        } else {
            16.0
        }
    }
}

/// What a description and a collector say.
fn says(policy: &dyn CollectorPolicy) -> String {
    let (reports, totals) = (policy.max_reports().min(1000), [14, 3, 40]);
    let circumstances = Circumstances::new(100, "1e-6".parse().expect("a number"));
    let models = TrustModel::with_honest_aggregators(2).expect("models");
    let guarantees: Vec<Guarantee> = models
        .into_iter()
        .map(|model| policy.guarantee(model, &circumstances))
        .collect();
    format!(
        "{:?}",
        (
            (policy.name(), policy.vdaf_kind(), policy.aggregators()),
            (policy.query(), policy.min_reports(), policy.max_reports()),
            (policy.assumed_malicious(), policy.parameters()),
            (policy.recorded_mechanism(), guarantees),
            (
                policy.estimate(&totals, reports),
                policy.total_range(reports)
            ),
            policy.divisor(reports),
            policy.covariance(&totals[..1], reports, 1, 2),
            policy.covariance(&totals, reports, 0, 1),
        )
    )
}

#[test]
fn no_method_is_left_to_its_default() {
    let said = says(&peculiar());
    let any = AnyPolicy::new(peculiar());
    assert_eq!(says(&any), said);
    for part in [
        "Prio3Peculiar",
        "nine",
        "ten of",
        "11.0",
        "12..=6",
        "78",
        "15.0",
        "16.0",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    for seed in 0..100 {
        let one = peculiar().randomize(&128, &mut rng(seed)).expect("a bit");
        assert_eq!(any.randomize(&128, &mut rng(seed)).expect("a bit"), one);
        let (mut share, mut other) = ([Field64::zero()], [Field64::zero()]);
        peculiar()
            .add_noise(&mut share, seed, &mut rng(seed))
            .expect("noise");
        any.add_noise(&mut other, seed, &mut rng(seed))
            .expect("noise");
        assert_eq!(share, other);
    }
}

fn same<P: DpPolicy<Flp: Circuit> + Clone + 'static>(policy: P) {
    let any = AnyPolicy::new(policy.clone());
    assert_eq!(says(&any), says(&policy));
}

#[test]
fn each_kind_of_policy_says_the_same_behind_a_pointer() -> Result<(), Box<dyn std::error::Error>> {
    let epsilon: dp_exact::Epsilon = "1".parse()?;
    let average: AggregatorNoise<_, DiscreteLaplace> =
        AggregatorNoise::new(Average::new(2, 10)?, epsilon.clone())?;
    same(average.with_min_reports(3)?);
    let response = KaryRandomizedResponse::new(epsilon.clone(), 3)?;
    same(ClientNoise::new(Histogram::new(2, 3)?, response)?);
    let response = RandomizedResponse::new(epsilon.clone())?;
    let clients = ClientNoise::new(Count::new(2)?, response)?.with_min_reports(4)?;
    let budget = dp_prio3::Budget::approximate(epsilon.clone(), "1e-6".parse()?);
    same(Hedged::<_, _, DiscreteGaussian>::new(clients, budget)?);
    let rappor = Rappor::one_hot(3, epsilon, &"1e-9".parse()?)?;
    let vectors = MultihotCountVec::new(2, 3, rappor.max_weight())?;
    let clients = ClientNoise::new(vectors, rappor)?
        .with_max_reports(500)?
        .with_min_reports(20)?;
    same(CompensatedRappor::new(clients, 400, 10)?);
    Ok(())
}
