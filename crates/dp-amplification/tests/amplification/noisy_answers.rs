//! Answers with the noise of one aggregator, against all datasets and all noisy histograms.

use dp_calibration::NoiseDistribution;
use dp_exact::Rational;

use crate::common::{delta, divergence, gaussian, laplace, noise_pmf, number, response};

/// The distribution of the noisy histogram of clients that hold these values.
fn noisy(epsilon0: f64, answers: usize, held: &[usize], noise: &[f64]) -> Vec<f64> {
    let base = held.len() + noise.len();
    let strides: Vec<usize> = (0..answers).map(|at| base.pow(u32::try_from(at).unwrap())).collect();
    let all = epsilon0.exp() + f64::from(u32::try_from(answers).unwrap()) - 1.0;
    let mut table = vec![0.0; base * strides[answers - 1]];
    table[0] = 1.0;
    let step = |table: &[f64], steps: &[(usize, f64)]| {
        let mut next = vec![0.0; table.len()];
        for (place, &mass) in table.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
            for (step, weight) in steps {
                next[place + step] += mass * weight;
            }
        }
        next
    };
    for &value in held {
        let answer = |at: usize| if at == value { epsilon0.exp() / all } else { 1.0 / all };
        let steps: Vec<(usize, f64)> =
            strides.iter().enumerate().map(|(at, &stride)| (stride, answer(at))).collect();
        table = step(&table, &steps);
    }
    for stride in strides {
        let steps: Vec<(usize, f64)> =
            noise.iter().enumerate().map(|(y, &weight)| (y * stride, weight)).collect();
        table = step(&table, &steps);
    }
    table
}

/// All datasets of `others` clients with one of `answers` values each, up to their order.
fn datasets(answers: usize, others: u64) -> Vec<Vec<usize>> {
    (0..others).fold(vec![Vec::new()], |data, _| {
        let longer = |held: Vec<usize>| {
            let least = held.last().copied().unwrap_or(0);
            (least..answers).map(move |value| [held.clone(), vec![value]].concat())
        };
        data.into_iter().flat_map(longer).collect()
    })
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
        let values = usize::try_from(answers).unwrap();
        let laws: Vec<[Vec<f64>; 2]> = datasets(values, clients - 1)
            .into_iter()
            .map(|held| [0, 1].map(|own| noisy(local, values, &[&held[..], &[own]].concat(), &pmf)))
            .collect();
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
