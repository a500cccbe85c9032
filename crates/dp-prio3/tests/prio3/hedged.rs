//! Noise at both ends: the errors add up as predicted, and together the noises guarantee more than
//! each alone.

use crate::support::{
    OAMC, OAOC, OC, alone, epsilon, epsilon_delta, epsilon_of, errs_as_predicted, rational,
};
use dp_calibration::Budget;
use dp_prio3::mechanisms::NoiseKind::{DiscreteGaussian, DiscreteLaplace};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse,
};
use dp_prio3::types::{Count, Histogram};
use dp_prio3::{Circumstances, ClientNoise, MultihotRappor, PolicyDescription, Remark};

fn count<R: LocalRandomizer<Count>>(randomizer: R) -> ClientNoise<Count, R> {
    ClientNoise::new(Count::new(2).expect("valid"), randomizer).expect("fits")
}

/// Answers among 5 buckets at ε = 3.
fn answers() -> ClientNoise<Histogram, KaryRandomizedResponse> {
    let response = KaryRandomizedResponse::new(epsilon("3"), 5).expect("valid");
    ClientNoise::new(Histogram::new(2, 5).expect("valid"), response).expect("fits")
}

#[test]
fn hedged_policies_err_as_predicted() {
    let response = count(RandomizedResponse::new(epsilon("2")).unwrap());
    let policy = response.with_noise(DiscreteLaplace, epsilon("1")).unwrap();
    errs_as_predicted(policy, &true, &[20.0], [150, 20]);

    let gaussian = || epsilon_delta("1", "1e-6");
    let policy = count(CoinFlip).with_noise(DiscreteGaussian, gaussian()).unwrap();
    errs_as_predicted(policy, &false, &[0.0], [150, 20]);

    let clients = MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("1e-12")).unwrap();
    let policy = clients.with_noise(DiscreteGaussian, gaussian()).unwrap();
    let truth = [0.0, 0.0, 20.0, 0.0];
    errs_as_predicted(policy, &[false, false, true, false][..], &truth, [150, 20]);

    let policy = answers().with_noise(DiscreteLaplace, epsilon("0.5")).unwrap();
    errs_as_predicted(policy, &0, &[20.0, 0.0, 0.0, 0.0, 0.0], [150, 20]);
}

/// The Internet-Draft's setting: 0.297 by the clients and 0.317 by an aggregator, 0.211 together.
#[test]
fn flips_and_noise_together_guarantee_more_than_each_alone() {
    let clients = MultihotRappor::one_hot(2, 100, epsilon("5"), &rational("1e-15")).unwrap();
    let many_clients = Circumstances::new(100_000, "1e-9".parse().unwrap());
    let flips = epsilon_of(&clients.guarantee(OAMC, &many_clients).bound);
    assert!((0.2974..0.2980).contains(&flips), "{flips}");

    let policy = clients.with_noise(DiscreteGaussian, epsilon_delta("0.317", "1e-9")).unwrap();
    assert!((epsilon_of(&policy.guarantee(OC, &many_clients).bound) - 10.0).abs() < 1e-12);
    let noise = epsilon_of(&policy.guarantee(OAOC, &many_clients).bound);
    assert!((0.30..=0.317).contains(&noise), "{noise}");
    let together = policy.guarantee(OAMC, &many_clients);
    assert!((0.2105..0.2120).contains(&epsilon_of(&together.bound)), "{together}");
    assert_eq!(together.carried_over_from, None);
}

/// The k-ary answers of 1000 clients guarantee 0.7507 and the noise less than 1; together 0.5164.
#[test]
fn aggregated_answers_and_noise_together_guarantee_more_than_each_alone() {
    let many_clients = Circumstances::new(1_000, "1e-6".parse().unwrap());
    let clients = answers();
    let alone = epsilon_of(&clients.guarantee(OAMC, &many_clients).bound);
    assert!((0.7503..0.7510).contains(&alone), "{alone}");

    let gaussian =
        clients.clone().with_noise(DiscreteGaussian, epsilon_delta("1", "1e-6")).unwrap();
    let noise = epsilon_of(&gaussian.guarantee(OAOC, &many_clients).bound);
    assert!(noise <= 1.0 && noise > alone, "{noise}");
    let together = gaussian.guarantee(OAMC, &many_clients);
    assert!((0.51..0.52).contains(&epsilon_of(&together.bound)), "{together}");

    // With discrete Laplace noise the better of the two is guaranteed.
    let laplace = clients.with_noise(DiscreteLaplace, epsilon("1")).unwrap();
    let better = epsilon_of(&laplace.guarantee(OAMC, &many_clients).bound);
    assert!((better - alone).abs() < 1e-9, "{better}");
}

/// Of two measurements one may be dropped for its weight: that leaves less of δ for the noise.
#[test]
fn unequal_weights_at_the_bound_take_from_delta() {
    let rate = rational("1e-11");
    let clients = MultihotRappor::vectors(2, 30, 2, epsilon("5"), &rate).unwrap();
    let achieved = clients.randomizer().weight_bound().rate.clone();
    let policy = clients.with_noise(DiscreteLaplace, epsilon("1")).unwrap();
    let circumstances = |delta: &str| Circumstances::new(1, delta.parse().unwrap());
    let guarantee = policy.guarantee(OAOC, &circumstances("1e-6"));
    // Flips and noise together are better at the δ asked for; the noise by itself stands beside.
    assert!(epsilon_of(&guarantee.bound) < 1.0, "{guarantee}");
    let [pure, Budget::Approximate { epsilon, delta }] = &guarantee.also[..] else {
        panic!("{guarantee}");
    };
    assert_eq!(epsilon.to_string(), "1");
    // Twice what the bound achieves, which is less than what was asked for.
    let twice = achieved.upper().to_rational().unwrap() * rational("2");
    assert!(*delta.value() >= twice && *delta.value() < &twice * &rational("1.0001"));
    assert!(*delta.value() < rational("2e-11"));
    assert_eq!(*pure, Budget::Pure { epsilon: self::epsilon("20") });
    // At a smaller δ a dropped report alone exceeds it, and the clients' own flips answer.
    let guarantee = policy.guarantee(OAOC, &circumstances("1e-13"));
    assert_eq!(guarantee.budget(), Some(pure));
}

/// Beyond the range of the joint bound the single bounds still hold.
#[test]
fn a_failed_computation_is_a_remark() {
    let clients = MultihotRappor::one_hot(2, 4, epsilon("120"), &rational("0")).unwrap();
    let policy = clients.with_noise(DiscreteLaplace, epsilon("1")).unwrap();
    let guarantee = policy.guarantee(OAOC, &alone());
    assert!((epsilon_of(&guarantee.bound) - 1.0).abs() < 1e-12);
    let is_said = |remark: &Remark| matches!(remark, Remark::NotComputed { .. });
    assert!(guarantee.remarks.iter().any(is_said), "{guarantee}");
    assert!(guarantee.to_string().contains("could not be computed"), "{guarantee}");
}
