//! Noise at both ends: the errors add up as predicted, and together the noises guarantee more than
//! each alone.

use dp_calibration::Budget;
use dp_prio3::Measurement::{Bit, Bits, Bucket};
use dp_prio3::randomizers::Rappor;
use dp_prio3::{Parts, Remark};

use crate::support::{
    OAMC, OAOC, OC, alone, among, assert_errs_as_predicted, coin_flip, epsilon, epsilon_delta,
    epsilon_of, gaussian, kary_response, laplace, one_hot_rappor, policy_of, pure,
    randomized_response, rappor, rational, with_noise,
};

/// Answers among 5 buckets at ε = 3.
fn answers() -> Parts {
    kary_response(5, "3")
}

#[test]
fn hedged_policies_err_as_predicted() {
    let gaussian = || gaussian(epsilon_delta("1", "1e-6"));
    let third_bit = Bits(&[false, false, true, false]);
    for (clients, noise, measurement, truth) in [
        (randomized_response("2"), laplace(pure("1")), Bit(true), &[20.0][..]),
        (coin_flip(), gaussian(), Bit(false), &[0.0]),
        (one_hot_rappor(4, "2", "1e-12"), gaussian(), third_bit, &[0.0, 0.0, 20.0, 0.0]),
        (answers(), laplace(pure("0.5")), Bucket(0), &[20.0, 0.0, 0.0, 0.0, 0.0]),
    ] {
        assert_errs_as_predicted(with_noise(&clients, noise), measurement, truth, [150, 20]);
    }
}

/// The Internet-Draft's setting: 0.297 by the clients and 0.317 by an aggregator, 0.211 together.
#[test]
fn flips_and_noise_together_guarantee_more_than_each_alone() {
    let clients = one_hot_rappor(100, "5", "1e-15");
    let many_clients = among(100_000, "1e-9");
    let flips = policy_of(clients.clone()).guarantee(OAMC, &many_clients).bound;
    assert!((0.2974..0.2980).contains(&epsilon_of(&flips)), "{flips}");

    let policy = policy_of(with_noise(&clients, gaussian(epsilon_delta("0.317", "1e-9"))));
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
    let many_clients = among(1_000, "1e-6");
    let alone = epsilon_of(&policy_of(answers()).guarantee(OAMC, &many_clients).bound);
    assert!((0.7503..0.7510).contains(&alone), "{alone}");

    let hedged = policy_of(with_noise(&answers(), gaussian(epsilon_delta("1", "1e-6"))));
    let noise = epsilon_of(&hedged.guarantee(OAOC, &many_clients).bound);
    assert!(noise <= 1.0 && noise > alone, "{noise}");
    let together = hedged.guarantee(OAMC, &many_clients);
    assert!((0.51..0.52).contains(&epsilon_of(&together.bound)), "{together}");

    // With discrete Laplace noise the better of the two is guaranteed.
    let hedged = policy_of(with_noise(&answers(), laplace(pure("1"))));
    let better = epsilon_of(&hedged.guarantee(OAMC, &many_clients).bound);
    assert!((better - alone).abs() < 1e-9, "{better}");
}

/// Of two measurements one may be dropped for its weight: that leaves less of δ for the noise.
#[test]
fn unequal_weights_at_the_bound_take_from_delta() {
    let randomizer = Rappor::new(30, 2, epsilon("5"), &rational("1e-11")).unwrap();
    let achieved = &randomizer.weight_bound().rate;
    let policy = policy_of(with_noise(&rappor(30, 2, "5", "1e-11"), laplace(pure("1"))));
    let guarantee = policy.guarantee(OAOC, &among(1, "1e-6"));
    // Flips and noise together are better at the δ asked for; the noise by itself stands beside.
    assert!(epsilon_of(&guarantee.bound) < 1.0, "{guarantee}");
    let [of_flips, Budget::Approximate { epsilon, delta }] = &guarantee.also[..] else {
        panic!("{guarantee}");
    };
    assert_eq!(epsilon.to_string(), "1");
    // Twice what the bound achieves, which is less than what was asked for.
    let twice = achieved.upper().to_rational().unwrap() * rational("2");
    assert!(*delta.value() >= twice && *delta.value() < &twice * &rational("1.0001"));
    assert!(*delta.value() < rational("2e-11"));
    assert_eq!(*of_flips, pure("20"));
    // At a smaller δ a dropped report alone exceeds it, and the clients' own flips answer.
    let guarantee = policy.guarantee(OAOC, &among(1, "1e-13"));
    assert_eq!(guarantee.budget(), Some(of_flips));
}

/// Beyond the range of the joint bound the single bounds still hold.
#[test]
fn a_failed_computation_is_a_remark() {
    let policy = policy_of(with_noise(&one_hot_rappor(4, "120", "0"), laplace(pure("1"))));
    let guarantee = policy.guarantee(OAOC, &alone());
    assert!((epsilon_of(&guarantee.bound) - 1.0).abs() < 1e-12);
    let is_said = |remark: &Remark| matches!(remark, Remark::NotComputed { .. });
    assert!(guarantee.remarks.iter().any(is_said), "{guarantee}");
    assert!(guarantee.to_string().contains("could not be computed"), "{guarantee}");
}
