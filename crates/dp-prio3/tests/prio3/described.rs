//! What a policy says of itself: its name, every parameter by its exact value, and what a ledger records of its
//! clients. The digest of a task is made of the first two, so that a parameter that went unsaid could differ between
//! parties that take each other's reports.

use dp_ledger::Randomizer;
use dp_prio3::mechanisms::DiscreteGaussian;
use dp_prio3::randomizers::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{
    AggregatorNoise, ClientNoise, ClientRandomization, CompensatedRappor, Hedged, MultihotRappor,
    PolicyDescription, Rho,
};

use crate::support::{epsilon, epsilon_delta, laplace, rational};

/// Its parameters, one after the other.
fn parameters(policy: &dyn PolicyDescription) -> String {
    let parameters = policy.parameters().into_iter();
    let said: Vec<String> = parameters
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    said.join(", ")
}

fn gaussian<V: MeasurementType>(of: V, rho: &str) -> AggregatorNoise<V, DiscreteGaussian> {
    let rho: Rho = rho.parse().expect("positive");
    AggregatorNoise::new(of, rho).expect("a valid budget")
}

fn flips() -> ClientNoise<Count, RandomizedResponse> {
    let response = RandomizedResponse::new(epsilon("0.75")).expect("in range");
    ClientNoise::new(Count::new(2).expect("valid"), response).expect("fits")
}

fn survey() -> ClientNoise<Count, CoinFlip> {
    ClientNoise::new(Count::new(3).expect("valid"), CoinFlip).expect("fits")
}

fn answers() -> ClientNoise<Histogram, KaryRandomizedResponse> {
    let response = KaryRandomizedResponse::new(epsilon("1.5"), 4).expect("in range");
    let histogram = Histogram::with_chunk_length(2, 4, 3).expect("valid");
    ClientNoise::new(histogram, response).expect("fits")
}

/// Nothing is dropped: the bound is the length.
fn vectors() -> MultihotRappor {
    MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("0")).expect("valid")
}

#[test]
fn every_type_says_its_parameters_exactly() -> Result<(), Box<dyn std::error::Error>> {
    let ends = "epsilon 1, scale";
    let bounds = "min_reports 1, max_reports";
    for (policy, expected) in [
        (
            parameters(&laplace(Count::new(3)?, "1")),
            format!("aggregators 3, {ends} 1, {bounds} 4294967296"),
        ),
        (
            parameters(&laplace(Sum::new(2, 80)?, "1")),
            format!("aggregators 2, max_measurement 80, {ends} 80, {bounds} 4294967296"),
        ),
        (
            parameters(&laplace(Average::new(4, 81)?, "1").with_max_reports(9)?),
            format!("aggregators 4, max_measurement 81, {ends} 81, {bounds} 9"),
        ),
        (
            parameters(&laplace(SumVec::with_chunk_length(2, 3, 7, 5)?, "1")),
            format!(
                "aggregators 2, length 3, max_measurement 7, chunk_length 5, {ends} 21, \
                 {bounds} 4294967296"
            ),
        ),
        (
            parameters(&laplace(L1BoundSum::with_chunk_length(2, 3, 9, 6)?, "1")),
            format!(
                "aggregators 2, length 3, max_measurement 9, chunk_length 6, {ends} 18, \
                 {bounds} 4294967296"
            ),
        ),
        (
            parameters(&laplace(
                MultihotCountVec::with_chunk_length(2, 5, 2, 4)?,
                "1",
            )),
            format!(
                "aggregators 2, length 5, max_weight 2, chunk_length 4, {ends} 4, \
                 {bounds} 4294967296"
            ),
        ),
    ] {
        assert_eq!(policy, expected);
    }
    Ok(())
}

#[test]
fn every_mechanism_says_its_parameters_exactly() -> Result<(), Box<dyn std::error::Error>> {
    // σ² = 1/(2ρ).
    assert_eq!(
        parameters(&gaussian(Count::new(2)?, "1/50")),
        "aggregators 2, rho 1/50, variance 25, min_reports 1, max_reports 4294967296"
    );
    let both = epsilon_delta("1", "1e-6");
    let calibrated: AggregatorNoise<_, DiscreteGaussian> =
        AggregatorNoise::new(Count::new(2)?, both)?;
    let variance = calibrated.mechanism().variance_parameter();
    assert_eq!(
        parameters(&calibrated),
        format!(
            "aggregators 2, epsilon 1, delta 1e-6, variance {variance}, min_reports 1, \
             max_reports 4294967296"
        )
    );
    Ok(())
}

#[test]
fn every_randomizer_says_its_parameters_exactly() {
    let bounds = "min_reports 1, max_reports 4294967296";
    let vector = "aggregators 2, length 4, max_weight 4, chunk_length 3, input_weight 1, \
                  one_hot true, epsilon0 2, false_positive_rate 0";
    assert_eq!(
        parameters(&flips()),
        format!("aggregators 2, epsilon 0.75, {bounds}")
    );
    assert_eq!(
        parameters(&survey()),
        format!("aggregators 3, ratio 3, {bounds}")
    );
    assert_eq!(
        parameters(&answers()),
        format!("aggregators 2, length 4, chunk_length 3, epsilon 1.5, {bounds}")
    );
    assert_eq!(parameters(&vectors()), format!("{vector}, {bounds}"));
    let made_up = CompensatedRappor::new(vectors(), 100, 7).expect("valid");
    assert_eq!(
        parameters(&made_up),
        format!("{vector}, {bounds}, wanted_honest_clients 100, assumed_malicious_clients 7")
    );
    assert_eq!(
        made_up.name(),
        "Prio3MultihotCountVec with symmetric RAPPOR at each client, made up for by each aggregator"
    );
}

/// The ε of the noise is called epsilon, and that of the clients not.
#[test]
fn a_hedged_policy_says_both_epsilons_by_different_names() {
    let policy: Hedged<_, _, DiscreteGaussian> =
        Hedged::new(flips(), epsilon_delta("2", "1e-6")).expect("a valid budget");
    let variance = policy.mechanism().variance_parameter();
    assert_eq!(
        parameters(&policy),
        format!(
            "aggregators 2, local_epsilon 0.75, min_reports 1, max_reports 4294967296, \
             epsilon 2, delta 1e-6, variance {variance}"
        )
    );
    assert_eq!(
        policy.name(),
        "Prio3Count with randomized response at each client and discrete Gaussian noise at each \
         aggregator"
    );
}

/// Who draws the totals of many clients at once, or adds up what they spent, knows them from this.
#[test]
fn what_randomizes_at_the_clients_is_recorded_exactly() {
    let response = Randomizer::RandomizedResponse {
        epsilon: epsilon("0.75"),
    };
    let kary = Randomizer::KaryRandomizedResponse {
        answers: 4,
        epsilon: epsilon("1.5"),
    };
    let rappor = Randomizer::SymmetricRappor {
        epsilon0: epsilon("2"),
        length: 4,
        input_weight: 1,
        is_one_hot: true,
        sent_weight: 4,
    };
    let hedged: Hedged<_, _, DiscreteGaussian> =
        Hedged::new(flips(), epsilon_delta("2", "1e-6")).expect("a valid budget");
    let made_up = CompensatedRappor::new(vectors(), 100, 7).expect("valid");
    let policies: [(&dyn PolicyDescription, Randomizer); 6] = [
        (&flips(), response.clone()),
        (&survey(), Randomizer::CoinFlip {}),
        (&answers(), kary),
        (&vectors(), rappor.clone()),
        (&hedged, response),
        (&made_up, rappor),
    ];
    for (policy, expected) in policies {
        let recorded = policy.client_randomization();
        assert_eq!(recorded, ClientRandomization::By(expected));
    }
    let nobody = laplace(Count::new(2).expect("valid"), "1").client_randomization();
    assert_eq!(nobody, ClientRandomization::Nothing);
}
