//! Faults of clients and of what a collector makes of totals, told from collections.

use dp_audit::{Fault, Held, Outcome};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse};
use dp_prio3::types::{Average, Count, Histogram};
use dp_prio3::{AggregatorNoise, ClientNoise};

use super::deployments::{buckets, epsilon, finds, finds_in_histogram, parties, result, sound};
use crate::support::planted::Planted;

#[test]
fn parties_without_faults_conform() {
    for result in [
        result(parties(sound(), [sound(), sound()], buckets()), 2000),
        result(
            parties(response("1"), [response("1"), response("1")], bits()),
            6000,
        ),
        result(parties(answers(), [answers(), answers()], buckets()), 6000),
        result(parties(average(), [average(), average()], integers()), 4000),
    ] {
        assert!(result.conforms(), "{result:?}");
        assert!(
            result
                .verdicts
                .iter()
                .any(|verdict| verdict.outcome == Outcome::Excluded)
        );
    }
}

#[test]
fn estimates_with_a_wrong_sign() {
    let with = |estimate: fn(i128, u64, f64) -> f64| sound().with_estimate(estimate);
    let noisy = || [sound(), sound()];
    finds_in_histogram(
        "wrongly signed",
        Fault::Negated,
        with(|_, _, estimate| -estimate),
        noisy(),
    );
    finds_in_histogram(
        "sign of estimates dropped",
        Fault::Absolute,
        with(|_, _, estimate| estimate.abs()),
        noisy(),
    );
    finds_in_histogram(
        "negative estimates clamped",
        Fault::Clamped,
        with(|_, _, estimate| estimate.max(0.0)),
        noisy(),
    );
    let unsigned = |_: i128, _: u64, estimate: f64| {
        if estimate < 0.0 {
            estimate + 3.4e38
        } else {
            estimate
        }
    };
    finds_in_histogram(
        "negative totals as field elements",
        Fault::Unsigned,
        with(unsigned),
        noisy(),
    );
}

fn response(text: &str) -> Planted<ClientNoise<Count, RandomizedResponse>> {
    let randomizer = RandomizedResponse::new(epsilon(text)).expect("a randomizer");
    let policy = ClientNoise::new(Count::new(2).expect("a type"), randomizer);
    Planted::sound(policy.expect("a policy"))
}

fn bits() -> Vec<Held> {
    (0..10).map(|client| Held::Bit(client < 7)).collect()
}

fn answers() -> Planted<ClientNoise<Histogram, KaryRandomizedResponse>> {
    let randomizer = KaryRandomizedResponse::new(epsilon("2"), 4).expect("a randomizer");
    let policy = ClientNoise::new(Histogram::new(2, 4).expect("a type"), randomizer);
    Planted::sound(policy.expect("a policy"))
}

fn average() -> Planted<AggregatorNoise<Average, DiscreteLaplace>> {
    let policy = AggregatorNoise::new(Average::new(2, 3).expect("a type"), epsilon("1"));
    Planted::sound(policy.expect("a policy"))
}

fn integers() -> Vec<Held> {
    [0, 1, 3, 3].map(Held::Integer).to_vec()
}

#[test]
fn clients_and_debiasing() {
    let of = |collector: Planted<_>| parties(collector, [response("1"), response("1")], bits());
    let policy = |text: &str| {
        ClientNoise::new(
            Count::new(2).expect("a type"),
            RandomizedResponse::new(epsilon(text)).expect("a randomizer"),
        )
        .expect("a policy")
    };
    let plain = response("1").with_clients(policy("15"));
    finds(
        "clients send what they measure",
        Fault::NotRandomized,
        of(plain),
    );
    // Flipped with probability 0.135 in place of 0.269.
    finds(
        "clients flip too rarely",
        Fault::FlipRate(1, 2),
        of(response("1").with_clients(policy("1.861"))),
    );
    // 2·0.119·(1 − 0.119) = 0.21
    let twice = response("2").with_clients(policy("1.325"));
    let deployment = parties(twice, [response("2"), response("2")], bits());
    finds("clients flip twice", Fault::FlippedTwice, deployment);
    let raw = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    finds(
        "not debiased",
        Fault::NotDebiased,
        of(response("1").with_estimate(raw)),
    );
    // (y − b·(n + 1))/(a − b)
    let flip = 1.0 / (1.0 + 1.0_f64.exp());
    let one_more = move |_: i128, _: u64, estimate: f64| estimate - flip / (1.0 - 2.0 * flip);
    finds(
        "debiased with the wrong count",
        Fault::WrongLaw,
        of(response("1").with_estimate(one_more)),
    );
    let as_sum = |total: i128, _: u64, _: f64| f64::from(i32::try_from(total).expect("small"));
    let averages = parties(
        average().with_estimate(as_sum),
        [average(), average()],
        integers(),
    );
    finds("a sum for a mean", Fault::NotDebiased, averages);
}
