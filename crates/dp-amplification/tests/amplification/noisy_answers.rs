//! Answers with the noise of one aggregator, against all datasets and all noisy histograms.

use std::iter;

use dp_calibration::NoiseDistribution;
use dp_exact::Rational;

use crate::common::{delta, divergence, gaussian, laplace, noise_pmf, number, response};
use crate::datasets::{histogram, values};

/// The distribution of the noisy histogram of clients that hold these values.
fn noisy(epsilon0: f64, answers: usize, held: &[usize], noise: &[f64]) -> Vec<f64> {
    let base = held.len() + noise.len();
    let strides = iter::successors(Some(1), |stride| Some(stride * base)).take(answers);
    let strides: Vec<usize> = strides.collect();
    let mut table = vec![0.0; base * strides[answers - 1]];
    for (cells, mass) in histogram(epsilon0, answers, held) {
        let places = cells.iter().zip(&strides).map(|(&cell, stride)| usize::from(cell) * stride);
        table[places.sum::<usize>()] += mass;
    }
    for stride in strides {
        let mut next = vec![0.0; table.len()];
        for (place, &mass) in table.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
            for (y, weight) in noise.iter().enumerate() {
                next[place + y * stride] += mass * weight;
            }
        }
        table = next;
    }
    table
}

#[test]
fn every_dataset_keeps_the_bound_of_answers_and_noise_and_one_client_alone_attains_it() {
    let mut caught = 0;
    let cases: [(&str, u64, u64, NoiseDistribution, i32); 9] = [
        ("1", 2, 1, gaussian("4"), 16),
        ("2", 2, 2, laplace("1.5"), 36),
        ("2", 3, 1, gaussian("2"), 11),
        ("1", 3, 1, laplace("1"), 24),
        ("3", 4, 1, gaussian("0.4"), 5),
        ("2", 4, 1, laplace("0.5"), 9),
        ("3", 3, 2, laplace("0.7"), 16),
        ("1", 3, 3, gaussian("0.7"), 7),
        ("2", 3, 2, gaussian("3"), 14),
    ];
    for (epsilon0, answers, clients, noise, reach) in cases {
        let (local, pmf) = (epsilon0.parse().unwrap(), noise_pmf(&noise, reach));
        let cells = usize::try_from(answers).unwrap();
        let law = |held: &[usize], own| noisy(local, cells, &[held, &[own]].concat(), &pmf);
        let data = values(cells, clients - 1).into_iter();
        let laws: Vec<[Vec<f64>; 2]> = data.map(|held| [0, 1].map(|own| law(&held, own))).collect();
        let worst = |epsilon: f64| {
            let deltas = laws.iter().map(|[before, after]| divergence(before, after, epsilon));
            deltas.fold(0.0, f64::max)
        };
        for slack in ["0.03", "1e-3"] {
            let bound = |answers| {
                let sum = response(epsilon0, answers, clients);
                let upper = sum.epsilon_with_noise(&delta(slack), &noise).unwrap();
                upper.expect("a bound").to_f64()
            };
            let (upper, target) = (bound(answers), number(slack).to_f64());
            let case = format!("{epsilon0} {answers} {clients} {noise:?} {slack} {upper}");
            assert!(worst(upper) <= target * (1.0 + 1e-6), "{case}");
            // Among others, Gaussian noise on the other counts is revealed; Laplace noise has the
            // bound of one client.
            let close = if clients == 1 { 0.985 } else { 0.7 };
            assert!(worst(upper * close - 1e-3) > target, "{case} is loose");
            // A planted fault: one more value is counted on.
            caught += u32::from(worst(bound(answers + 1)) > target * 1.001);
        }
    }
    assert!(caught > 8, "{caught}");
}

/// k-ary answers of one client with noise for ε = 1 under replacement, at δ = 1e-9.
#[test]
fn many_other_buckets_hide_the_answer_of_one_client() {
    let epsilon = |epsilon0, answers, noise: &NoiseDistribution, slack| {
        let one = response(epsilon0, answers, 1).epsilon_with_noise(&delta(slack), noise);
        one.unwrap().expect("a bound")
    };
    let is_near = |value: Rational, exact: &str| {
        let exact = number(exact);
        assert!(value >= exact && value <= &exact * &number("1.01"), "{value} {exact}");
    };
    let (scale, variance) = (laplace("2"), gaussian("60.4315"));
    for (epsilon0, pure, noisy) in
        [("1", "0.06576", "0.04001"), ("3", "0.43135", "0.32316"), ("5", "0.84979", "0.77640")]
    {
        is_near(epsilon(epsilon0, 40, &scale, "0"), pure);
        assert!(epsilon(epsilon0, 40, &scale, "1e-9") <= epsilon(epsilon0, 40, &scale, "0"));
        is_near(epsilon(epsilon0, 40, &variance, "1e-9"), noisy);
    }
    is_near(epsilon("1", 2, &variance, "1e-9"), "0.41961");
    // Among many clients both count: 0.7507 by the answers alone.
    let among = response("3", 5, 1000).epsilon_with_noise(&delta("1e-6"), &gaussian("50"));
    is_near(among.unwrap().expect("a bound"), "0.4702");
    // Sums of very many ratios.
    assert!(epsilon("5", 4_294_967_295, &variance, "1e-9") < number("1e-6"));
}
