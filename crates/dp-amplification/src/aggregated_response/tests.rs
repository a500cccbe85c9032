//! The mixtures against slow sums over all outcomes, where the enumeration would answer instead.

mod crowds;
mod releases;
mod rounding;

use super::alike::Alike;
use super::crowd::Crowd;
use super::enumeration::Enumeration;
use super::noisy::NoisyCrowd;
use super::survey::Survey;
use super::walk::{Excess, Side};
use dp_exact::binomial::Binomial;
use dp_exact::directed::Bounds;

const DEPTH: f64 = 60.0;

fn survey(epsilon0: f64, answers: u64, clients: u64) -> Survey {
    Survey {
        e: epsilon0.exp(),
        answers,
        clients,
    }
}

/// Binomial probabilities in plain floats.
fn slow_binomial(trials: u64, probability: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for _ in 0..trials {
        let mut next = vec![0.0; law.len() + 1];
        for (successes, mass) in law.iter().enumerate() {
            next[successes] += mass * (1.0 - probability);
            next[successes + 1] += mass * probability;
        }
        law = next;
    }
    law
}

/// The divergence in which the truthful answers of the others are told, from its definition: given
/// that m of the others answer uniformly, the histogram of their answers and the client's.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn slow_blanket(epsilon0: f64, answers: u64, clients: u64, alpha: f64) -> f64 {
    let k = answers as f64;
    let all = epsilon0.exp() + k - 1.0;
    let (own, other) = (epsilon0.exp() / all, 1.0 / all);
    let uniform = slow_binomial(clients - 1, k / all);
    let mut delta = 0.0;
    for (m, weight) in uniform.iter().enumerate() {
        // The law of the numbers of the two values among m uniform answers.
        let mut law = vec![vec![0.0; m + 2]; m + 2];
        for (one, mass) in slow_binomial(m as u64, 1.0 / k).iter().enumerate() {
            let rest = slow_binomial((m - one) as u64, 1.0 / (k - 1.0));
            for (two, share) in rest.iter().enumerate() {
                law[one][two] = mass * share;
            }
        }
        let at = |a: usize, b: usize| law[a][b];
        for a in 0..=m + 1 {
            for b in 0..=m + 1 - a {
                let first = if a > 0 { at(a - 1, b) } else { 0.0 };
                let second = if b > 0 { at(a, b - 1) } else { 0.0 };
                let third = (k - 2.0) * other * at(a, b);
                let p = own * first + other * second + third;
                let q = other * first + own * second + third;
                delta += weight * (p - alpha * q).max(0.0);
            }
        }
    }
    delta
}

#[test]
fn the_window_of_a_binomial_law_encloses_it() {
    for (trials, odds) in [
        (0, 0.3),
        (1, 1.0),
        (40, 0.01),
        (40, 1.0),
        (300, 7.0),
        (300, 0.0),
    ] {
        let exact = Bounds {
            lower: odds,
            upper: odds,
        };
        let law = Binomial::new(trials, exact, 40.0).unwrap();
        let slow = slow_binomial(trials, odds / (1.0 + odds));
        for (place, (&low, &high)) in law.lower.iter().zip(&law.upper).enumerate() {
            let true_value = slow[place + usize::try_from(law.first).unwrap()];
            assert!(law.normalized_down(low) <= true_value * (1.0 + 1e-11));
            assert!(law.normalized_up(high) >= true_value * (1.0 - 1e-11));
            assert!(law.normalized_up(high) <= true_value * (1.0 + 1e-9));
        }
        let below: f64 = slow[..usize::try_from(law.first).unwrap()].iter().sum();
        assert!(law.normalized_up(law.below) >= below * (1.0 - 1e-9));
        assert!(below < 1e-14);
    }
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn the_excess_of_a_walk_is_bounded_between_its_values_and_at_them() {
    for steps in [1u64, 2, 7, 50] {
        let upper = Excess::new(steps, DEPTH, Side::Upper).unwrap();
        let lower = Excess::new(steps, DEPTH, Side::Lower).unwrap();
        let law = slow_binomial(steps, 0.5);
        for place in 0..10 * steps + 20 {
            let threshold = place as f64 * 0.13;
            let terms = law.iter().enumerate();
            let exact: f64 = terms
                .map(|(a, mass)| mass * (2.0 * a as f64 - steps as f64 - threshold).max(0.0))
                .sum();
            let slack = 1e-11 * exact + 1e-17;
            assert!(upper.at(threshold) >= exact - slack, "{steps} {threshold}");
            assert!(upper.at(threshold) <= exact + slack + 1e-16);
            assert!(lower.at(threshold) <= exact + slack && lower.at(threshold) >= exact - slack);
        }
    }
}

#[test]
fn the_upper_bound_is_the_divergence_in_which_truthful_answers_are_told() {
    for (epsilon0, answers, clients) in [(1.0, 3, 12), (3.0, 5, 40), (0.3, 4, 25), (5.0, 12, 30)] {
        let crowd = Crowd::new(survey(epsilon0, answers, clients), Side::Upper, DEPTH).unwrap();
        for share in [0.05, 0.2, 0.5, 0.9] {
            let alpha = (share * epsilon0).exp();
            let exact = slow_blanket(epsilon0, answers, clients, alpha);
            let bound = crowd.delta(alpha);
            assert!(bound >= exact * (1.0 - 1e-11), "{bound} {exact}");
            assert!(bound <= exact * (1.0 + 1e-9) + 1e-17, "{bound} {exact}");
        }
    }
}

#[test]
fn the_mixtures_enclose_what_all_datasets_show() {
    for (epsilon0, answers, clients) in [(1.0, 3, 20), (3.0, 3, 12), (2.0, 4, 9), (3.0, 5, 7)] {
        let survey = survey(epsilon0, answers, clients);
        let listed = Enumeration::new(&survey).unwrap();
        let upper = Crowd::new(survey, Side::Upper, DEPTH).unwrap();
        let lower = Crowd::new(survey, Side::Lower, DEPTH).unwrap();
        for share in [0.02, 0.2, 0.5, 0.8] {
            let alpha = (share * epsilon0).exp();
            let worst = listed.upper(alpha);
            assert!(upper.delta(alpha) >= worst * (1.0 - 1e-9));
            assert!(lower.delta(alpha) <= worst * (1.0 + 1e-9));
            assert!(lower.delta(alpha) > 0.0 || share > 0.7);
        }
    }
}

/// With nodes for every value the lower bound is δ of the dataset itself; with k = 3 there is one
/// third value, and the histogram is that of three values.
#[test]
fn the_lower_bound_is_what_the_dataset_of_a_third_value_shows() {
    for (epsilon0, clients) in [(1.0, 20), (3.0, 12), (0.2, 15)] {
        let survey = survey(epsilon0, 3, clients);
        let lower = Crowd::new(survey, Side::Lower, DEPTH).unwrap();
        let listed = Enumeration::new(&survey).unwrap();
        for share in [0.01, 0.1, 0.2] {
            let alpha = (share * epsilon0).exp();
            let (worst, named) = listed.lower(alpha);
            assert_eq!(named.unwrap().neither, clients - 1);
            assert!((lower.delta(alpha) / worst - 1.0).abs() < 1e-9);
        }
    }
}

/// The histogram if all others hold the client's value x, or it holds x′, over the numbers of
/// answers x′ and of other ones.
#[test]
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn the_dataset_of_the_clients_own_value_shows_what_its_definition_says() {
    for (epsilon0, answers, clients) in [(3.0f64, 5u64, 30u64), (1.0, 3, 12), (6.0, 12, 9)] {
        let alike = Alike::new(survey(epsilon0, answers, clients), DEPTH).unwrap();
        let (e, k) = (epsilon0.exp(), answers as f64);
        let all = e + k - 1.0;
        let law = |own: f64, added: f64, third: f64, before: &[Vec<f64>]| {
            let at = |b: usize, r: usize| before.get(b).map_or(0.0, |row| row[r]);
            let rows = 0..before.len();
            let value = |b: usize, r: usize| {
                let fewer = if b > 0 { at(b - 1, r) } else { 0.0 };
                let less = if r > 0 { at(b, r - 1) } else { 0.0 };
                own * at(b, r) + added * fewer + third * less
            };
            rows.clone()
                .map(|b| rows.clone().map(|r| value(b, r)).collect())
                .collect::<Vec<Vec<f64>>>()
        };
        let side = usize::try_from(clients + 1).unwrap();
        let mut others = vec![vec![0.0; side]; side];
        others[0][0] = 1.0;
        let thirds = (k - 2.0) / all;
        for _ in 1..clients {
            others = law(e / all, 1.0 / all, thirds, &others);
        }
        let before = law(e / all, 1.0 / all, thirds, &others).concat();
        let after = law(1.0 / all, e / all, thirds, &others).concat();
        for share in [0.0, 0.1, 0.5, 0.8, 0.95] {
            let alpha = (share * epsilon0).exp();
            let pairs = before.iter().zip(&after);
            let exact: f64 = pairs.map(|(p, q)| (p - alpha * q).max(0.0)).sum();
            let bound = alike.delta(alpha);
            assert!(bound <= exact * (1.0 + 1e-12), "{bound} {exact}");
            assert!(bound >= exact * (1.0 - 1e-9) - 1e-20, "{bound} {exact}");
        }
    }
}

/// Blocks and nodes cost little: the answer hardly depends on how far tails are followed, and the
/// two sides of a large crowd meet.
#[test]
fn the_sides_meet_in_a_large_crowd() {
    for (epsilon0, answers, clients, reach) in
        [(3.0, 5, 100_000, 0.07), (1.0, 3, 3_000_000, 0.0025)]
    {
        let survey = survey(epsilon0, answers, clients);
        let upper = Crowd::new(survey, Side::Upper, DEPTH).unwrap();
        let lower = Crowd::new(survey, Side::Lower, DEPTH).unwrap();
        for share in [0.0, 0.2, 0.5, 0.8, 1.0] {
            let alpha = 1.0 + share * reach;
            let (low, high) = (lower.delta(alpha), upper.delta(alpha));
            assert!(low <= high && high <= low * 1.03, "{low} {high}");
        }
        assert!(lower.delta(1.0 + reach) < 1e-5);
    }
}

/// The same with discrete Gaussian noise on the two counts, where the number of all other uniform
/// answers is told too, from the definition: over both noisy counts.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn slow_noisy(epsilon0: f64, answers: u64, clients: u64, variance: f64, alpha: f64) -> f64 {
    let k = answers as f64;
    let all = epsilon0.exp() + k - 1.0;
    let (own, other) = (epsilon0.exp() / all, 1.0 / all);
    let reach = 9i32;
    let weights = (-reach..=reach).map(|y| (-f64::from(y * y) / (2.0 * variance)).exp());
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    let mut delta = 0.0;
    for (m, weight) in slow_binomial(clients - 1, k / all).iter().enumerate() {
        let thirds = slow_binomial(m as u64, (k - 2.0) / k);
        for r in 0..=m + 1 {
            let s = m + 1 - r;
            // The two laws of a, with s − a of the other value, in mass.
            let mut laws = vec![(0.0, 0.0); s + 1];
            let among = |of: usize, third: usize, a: usize| match of {
                of if third > of || a > of - third => 0.0,
                of => thirds[third] * slow_binomial((of - third) as u64, 0.5)[a],
            };
            for (a, (p, q)) in laws.iter_mut().enumerate() {
                let first = if a > 0 { among(m, r, a - 1) } else { 0.0 };
                let second = if a < s { among(m, r, a) } else { 0.0 };
                let third = if r > 0 {
                    (k - 2.0) * other * among(m, r - 1, a)
                } else {
                    0.0
                };
                (*p, *q) = (
                    own * first + other * second + third,
                    other * first + own * second + third,
                );
            }
            let (length, offset) = (s + 2 * weights.len(), weights.len() / 2);
            let mut seen = vec![(0.0, 0.0); length * length];
            for (a, (p, q)) in laws.iter().enumerate() {
                for (y, first) in weights.iter().enumerate() {
                    for (z, second) in weights.iter().enumerate() {
                        let place = (a + y) * length + (s - a) + z + offset;
                        let mass = first * second / (sum * sum);
                        seen[place].0 += p * mass;
                        seen[place].1 += q * mass;
                    }
                }
            }
            delta += weight
                * seen
                    .iter()
                    .map(|(p, q)| (p - alpha * q).max(0.0))
                    .sum::<f64>();
        }
    }
    delta
}

#[test]
fn answers_and_gaussian_noise_are_bounded_as_the_pair_of_noisy_counts_is() {
    for (epsilon0, answers, clients, variance) in [
        (1.0, 3, 5, 0.5),
        (3.0, 4, 6, 1.0),
        (2.0, 5, 1, 0.7),
        (0.3, 3, 4, 1.5),
    ] {
        let survey = survey(epsilon0, answers, clients);
        let exact = dp_exact::Rational::from_f64(variance).unwrap();
        let crowd = NoisyCrowd::new(survey, &exact, DEPTH).unwrap();
        for share in [0.05, 0.3, 0.7] {
            let alpha = (share * epsilon0).exp();
            let slow = slow_noisy(epsilon0, answers, clients, variance, alpha);
            let bound = crowd.delta(alpha);
            // The slow sum cuts the noise off at 9.
            assert!(bound >= slow * (1.0 - 1e-9) - 1e-11, "{bound} {slow}");
            assert!(bound <= slow * (1.0 + 1e-9) + 1e-11, "{bound} {slow}");
        }
    }
}

/// Noise that does not matter leaves the crowd, and a crowd that does not matter leaves the noise.
#[test]
fn noise_never_hurts_a_crowd() {
    let survey = survey(3.0, 5, 300);
    let crowd = Crowd::new(survey, Side::Upper, DEPTH).unwrap();
    let deltas = ["1e-3", "1", "10", "100"].map(|variance| {
        let noisy = NoisyCrowd::new(survey, &variance.parse().unwrap(), DEPTH).unwrap();
        noisy.delta(1.5)
    });
    assert!(deltas.is_sorted_by(|less, more| less >= more), "{deltas:?}");
    let without = crowd.delta(1.5);
    assert!(
        (deltas[0] / without - 1.0).abs() < 1e-6,
        "{deltas:?} {without}"
    );
    assert!(deltas[3] < without / 100.0);
}

/// Where the answer is exact.
#[test]
fn few_clients_and_few_answers_are_listed() {
    let most = [3, 4, 5, 12].map(|answers| {
        let listed = |&clients: &u64| Enumeration::new(&survey(1.0, answers, clients)).is_some();
        (1..60).take_while(listed).last().unwrap_or(0)
    });
    assert_eq!(most, [38, 15, 10, 5]);
}
