//! The mixtures against slow sums over all outcomes and against exact rationals.

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use super::expected_excess::BoundSide;
use super::gaussian_noise::NoisyAnswerMixture;
use super::mixture::AnswerMixture;
use super::{AggregatedResponse, ResponseParameters};
use crate::tests::{exact, slow_pmf};

const DEPTH: f64 = 60.0;

fn survey(epsilon0: f64, answers: u64, clients: u64) -> ResponseParameters {
    ResponseParameters { e: epsilon0.exp(), answers, clients }
}

/// The divergence with discrete Gaussian noise on the two counts, where the truthful answers of the others and
/// the number of all other uniform answers are known, from the definition: over both noisy counts.
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
    for (m, weight) in slow_pmf(k / all, clients - 1, 0).iter().enumerate() {
        let other_answers = slow_pmf((k - 2.0) / k, m as u64, 0);
        for r in 0..=m + 1 {
            let s = m + 1 - r;
            // The two distributions of a, with s − a of the other value, in mass.
            let mut pmfs = vec![(0.0, 0.0); s + 1];
            let among = |of: usize, third: usize, a: usize| match of {
                of if third > of || a > of - third => 0.0,
                of => other_answers[third] * slow_pmf(0.5, (of - third) as u64, 0)[a],
            };
            for (a, (p, q)) in pmfs.iter_mut().enumerate() {
                let first = if a > 0 { among(m, r, a - 1) } else { 0.0 };
                let second = if a < s { among(m, r, a) } else { 0.0 };
                let third = if r > 0 { (k - 2.0) * other * among(m, r - 1, a) } else { 0.0 };
                (*p, *q) =
                    (own * first + other * second + third, other * first + own * second + third);
            }
            let (length, offset) = (s + 2 * weights.len(), weights.len() / 2);
            let mut seen = vec![(0.0, 0.0); length * length];
            for (a, (p, q)) in pmfs.iter().enumerate() {
                for (y, first) in weights.iter().enumerate() {
                    for (z, second) in weights.iter().enumerate() {
                        let place = (a + y) * length + (s - a) + z + offset;
                        let mass = first * second / (sum * sum);
                        seen[place].0 += p * mass;
                        seen[place].1 += q * mass;
                    }
                }
            }
            delta += weight * seen.iter().map(|(p, q)| (p - alpha * q).max(0.0)).sum::<f64>();
        }
    }
    delta
}

#[test]
fn answers_and_gaussian_noise_are_bounded_as_the_pair_of_noisy_counts_is() {
    for (epsilon0, answers, clients, variance) in
        [(1.0, 3, 5, 0.5), (3.0, 4, 6, 1.0), (2.0, 5, 1, 0.7), (0.3, 3, 4, 1.5)]
    {
        let survey = survey(epsilon0, answers, clients);
        let exact = dp_exact::Rational::from_f64(variance).unwrap();
        let mixture = NoisyAnswerMixture::new(survey, &exact, DEPTH).unwrap();
        for share in [0.05, 0.3, 0.7] {
            let alpha = (share * epsilon0).exp();
            let slow = slow_noisy(epsilon0, answers, clients, variance, alpha);
            let bound = mixture.delta(alpha);
            // The slow sum cuts the noise off at 9.
            assert!(bound >= slow * (1.0 - 1e-9) - 1e-11, "{bound} {slow}");
            assert!(bound <= slow * (1.0 + 1e-9) + 1e-11, "{bound} {slow}");
        }
    }
}

/// A client's answers: the probability of its own value and of each other one, and how many others there are.
struct Answers {
    own: Rational,
    other: Rational,
    answers: u64,
}

impl Answers {
    fn of(survey: &ResponseParameters) -> Self {
        let e = exact(survey.e);
        let all = &e + &Rational::from(survey.answers - 1);
        let other = all.reciprocal().expect("positive");
        let (own, answers) = (&e * &other, survey.answers);
        Self { own, other, answers }
    }

    /// δ at `alpha` of one client beside `others`, the distribution of the counts of its two values among them.
    fn divergence(&self, others: &[Vec<Rational>], alpha: &Rational) -> Rational {
        let zero = Rational::zero();
        let third = &self.other * &Rational::from(self.answers - 2);
        let at = |a: Option<usize>, b: Option<usize>| {
            let row = a.and_then(|a| others.get(a));
            let value = row.zip(b).and_then(|(row, b)| row.get(b));
            value.unwrap_or(&zero).clone()
        };
        let mut delta = Rational::zero();
        for a in 0..=others.len() {
            for b in 0..=others.len() {
                let first = at(a.checked_sub(1), Some(b));
                let second = at(Some(a), b.checked_sub(1));
                let neither = &third * &at(Some(a), Some(b));
                let p = &(&(&self.own * &first) + &(&self.other * &second)) + &neither;
                let q = &(&(&self.other * &first) + &(&self.own * &second)) + &neither;
                let excess = &p - &(alpha * &q);
                if excess.is_positive() {
                    delta = &delta + &excess;
                }
            }
        }
        delta
    }
}

/// The distribution of two of three counts, of `number` draws with these probabilities of the two.
fn counts(number: usize, one: &Rational, two: &Rational) -> Vec<Vec<Rational>> {
    let rest = &(&Rational::one() - one) - two;
    let mut pmf = vec![vec![Rational::one()]];
    for _ in 0..number {
        let size = pmf.len() + 1;
        let mut next = vec![vec![Rational::zero(); size]; size];
        for (a, row) in pmf.iter().enumerate() {
            for (b, mass) in row.iter().enumerate() {
                next[a][b] = &next[a][b] + &(mass * &rest);
                next[a + 1][b] = &next[a + 1][b] + &(mass * one);
                next[a][b + 1] = &next[a][b + 1] + &(mass * two);
            }
        }
        pmf = next;
    }
    pmf
}

const SURVEYS: [(f64, u64, u64); 5] =
    [(1.3, 3, 1), (148.5, 7, 1), (2.75, 4, 3), (7.3, 5, 6), (30.1, 3, 8)];

/// Checks the bounds of [`SURVEYS`] at several α; those from below are of three answers.
fn bounds(side: BoundSide, check: impl Fn(&ResponseParameters, f64, &Rational, f64)) {
    for (e, answers, clients) in SURVEYS {
        let survey = |answers| ResponseParameters { e, answers, clients };
        let survey = survey(if side == BoundSide::Lower { 3 } else { answers });
        let mixture = AnswerMixture::new(survey, side, 60.0).expect("a mixture");
        for share in [0.0, 0.01, 0.1, 0.37, 0.8, 0.99, 0.9999, 0.999_999] {
            let alpha = 1.0 + share * (e - 1.0);
            check(&survey, alpha, &exact(alpha), mixture.delta(alpha));
        }
    }
}

#[test]
fn a_mixture_from_above_is_rounded_up() {
    bounds(BoundSide::Upper, |survey, alpha, exactly, bound| {
        let pmf = Answers::of(survey);
        let k = Rational::from(survey.answers);
        let each = k.reciprocal().expect("positive");
        let others = usize::try_from(survey.clients - 1).expect("few");
        let uniform = counts(others, &(&k * &pmf.other), &Rational::zero());
        let terms = uniform.iter().enumerate().map(|(number, row)| {
            let told = counts(number, &each, &each);
            &row[0] * &pmf.divergence(&told, exactly)
        });
        let delta = terms.fold(Rational::zero(), |sum, term| &sum + &term);
        assert!(exact(bound) >= delta, "{survey:?} at {alpha}: {bound}");
        let most = &(&delta * &exact(1.0 + 1e-6)) + &exact(1e-15);
        assert!(exact(bound) <= most, "{survey:?} at {alpha}: {bound}");
    });
}

#[test]
fn a_mixture_from_below_is_rounded_down() {
    bounds(BoundSide::Lower, |survey, alpha, exactly, bound| {
        let pmf = Answers::of(survey);
        let others = usize::try_from(survey.clients - 1).expect("few");
        let third = counts(others, &pmf.other, &pmf.other);
        let delta = pmf.divergence(&third, exactly);
        assert!(exact(bound) <= delta, "{survey:?} at {alpha}: {bound}");
        let most = &exact(bound) * &exact(1.0 + 1e-6);
        assert!(delta <= most, "{survey:?} at {alpha}: {bound}");
    });
}

/// One client alone: k answers are as many randomized responses with three losses.
#[test]
fn answers_of_one_client_compose_as_their_losses_do() -> Result<(), Error> {
    let (epsilon0, answers, releases) = (0.7_f64, 4.0, 6);
    let survey = AggregatedResponse::new("0.7".parse()?, 4, 1)?;
    let delta: Delta = "1e-3".parse()?;
    let found = survey.epsilon_of_releases(&delta, releases)?.to_f64();
    let odds = epsilon0.exp();
    let total = odds + answers - 1.0;
    // The distribution of the number of answers in favour, less those against.
    let mut pmf = vec![1.0];
    for _ in 0..releases {
        let mut next = vec![0.0; pmf.len() + 2];
        for (place, mass) in pmf.iter().enumerate() {
            next[place] += mass / total;
            next[place + 1] += mass * (answers - 2.0) / total;
            next[place + 2] += mass * odds / total;
        }
        pmf = next;
    }
    let at = |epsilon: f64| -> f64 {
        let terms = pmf.iter().enumerate().map(|(place, mass)| {
            let favour = i32::try_from(place).expect("few") - i32::try_from(releases).expect("few");
            mass * (1.0 - (epsilon - epsilon0 * f64::from(favour)).exp()).max(0.0)
        });
        terms.sum()
    };
    assert!(at(found) <= 1e-3 * (1.0 + 1e-9), "{found}: {}", at(found));
    assert!(at(found * 0.999) > 1e-3, "{found} is not the least");
    Ok(())
}
