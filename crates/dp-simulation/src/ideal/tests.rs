//! Distributions of small cases: every outcome of every draw with its probability, compared with
//! every coin of every client.

use std::collections::{BTreeMap, BTreeSet};

use dp_exact::directed::to_index;

use super::dropped_reports::{SentReports, WeightDistribution, of_one_hot, of_vector};
use super::random_counts::{DrawCounts, Law, Probability, width};
use super::{of_answers, of_bits};
use crate::streams::{Purpose, stream};

/// The probability of each outcome.
type Distribution<T> = BTreeMap<T, f64>;

/// ε₀ so small that drops are frequent.
const EPSILON0: &str = "0.7";

/// One sequence of outcomes of draws.
#[derive(Debug, Default)]
struct Path {
    /// At each draw, the index of the outcome among the possible ones, and their number.
    taken: Vec<(usize, usize)>,
    /// Index of the next draw.
    next: usize,
    /// Probability of the outcomes so far.
    mass: f64,
}

impl Path {
    /// The next draw: an index into `masses`, the probabilities of outcomes; none of probability 0.
    fn draw(&mut self, masses: &[f64]) -> u64 {
        let possible = (0..).zip(masses).filter(|(_, mass)| **mass > 0.0);
        let possible: Vec<(u64, &f64)> = possible.collect();
        if self.next == self.taken.len() {
            self.taken.push((0, possible.len()));
        }
        let (outcome, mass) = possible[self.taken[self.next].0];
        self.next += 1;
        self.mass *= mass;
        outcome
    }

    /// Changes to the next sequence; `false` if all have been taken.
    fn advance(&mut self) -> bool {
        while let Some((place, open)) = self.taken.pop() {
            if place + 1 < open {
                self.taken.push((place + 1, open));
                return true;
            }
        }
        false
    }
}

/// The exact distribution of the result of `run`, over every sequence of outcomes of its draws.
fn distribution<T: Ord>(mut run: impl FnMut(&mut Path) -> T) -> Distribution<T> {
    let mut all = Distribution::new();
    let mut path = Path::default();
    loop {
        (path.next, path.mass) = (0, 1.0);
        let outcome = run(&mut path);
        *all.entry(outcome).or_insert(0.0) += path.mass;
        if !path.advance() {
            return all;
        }
    }
}

/// Exact distributions of counts, without coins.
impl DrawCounts for Path {
    fn successes(&mut self, count: u64, probability: Probability) -> u64 {
        let p = value(probability);
        let mass = |k: u64| choose(count, k) * p.powi(int(k)) * (1.0 - p).powi(int(count - k));
        self.draw(&(0..=count).map(mass).collect::<Vec<_>>())
    }

    fn marked(&mut self, marked: u64, others: u64, size: u64) -> u64 {
        assert!(marked + others >= size, "a subset of {size} of {marked} and {others}");
        let mass = |k: u64| {
            choose(marked, k) * choose(others, size.wrapping_sub(k)) / choose(marked + others, size)
        };
        self.draw(&(0..=marked).map(mass).collect::<Vec<_>>())
    }
}

/// The probability as the nearest float.
fn value(probability: Probability) -> f64 {
    #[expect(clippy::cast_precision_loss)]
    let digits = probability.0 as f64;
    digits / 2_f64.powi(128)
}

/// The binomial coefficient; 0 if k > n.
fn choose(n: u64, k: u64) -> f64 {
    let float = |number: u64| f64::from(u32::try_from(number).expect("small"));
    match k > n {
        true => 0.0,
        false => (0..k).fold(1.0, |product, i| product * float(n - i) / float(i + 1)),
    }
}

fn int(number: u64) -> i32 {
    i32::try_from(number).expect("small")
}

/// Total variation distance of two distributions.
fn distance<T: Ord>(one: &Distribution<T>, other: &Distribution<T>) -> f64 {
    let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(key)));
    let of = |distribution: &Distribution<T>, key| distribution.get(key).copied().unwrap_or(0.0);
    keys.map(|key| (of(one, key) - of(other, key)).abs()).sum::<f64>() / 2.0
}

/// Narrow and wide distributions, with their mode at an end or inside.
fn laws() -> Vec<Law> {
    let binomials = [(1, 1, 2), (7, 1, 1000), (40, 999, 1000), (3000, 1, 3), (1_000_000, 2, 5)];
    let binomials = binomials.map(|(trials, numerator, denominator)| Law::Binomial {
        trials,
        probability: Probability::ratio(numerator, denominator),
    });
    let subsets =
        [(1, 1, 1), (3, 50, 20), (50, 2, 30), (400, 5000, 900), (300_000, 200_000, 400_000)];
    let subsets =
        subsets.map(|(marked, others, size)| Law::Hypergeometric { marked, others, size });
    binomials.into_iter().chain(subsets).collect()
}

/// Every outcome on both sides of the mode, as far as the probability is above e^(−75).
fn outcomes(law: Law) -> impl Iterator<Item = u64> {
    let is_near = move |outcome: &u64| law.has(*outcome) && law.ln_mass(*outcome) > -75.0;
    let below = (0..law.mode()).rev().take_while(is_near);
    (law.mode()..).take_while(is_near).chain(below)
}

#[test]
fn no_outcome_is_above_its_bound_and_masses_add_up_to_one() {
    assert_eq!(Probability::ratio(1, 4).0, 1 << 126);
    assert_eq!(Probability::ratio(2, 3).0 >> 1, u128::MAX / 3);
    assert_eq!(Probability::ratio(7, 7).0, u128::MAX);
    for law in laws() {
        let (mode, ln_of_mode) = (law.mode(), law.ln_mass(law.mode()));
        let width = width(ln_of_mode);
        for outcome in outcomes(law) {
            let ln_ratio = law.ln_mass(outcome) - ln_of_mode;
            let distance = if outcome < mode { mode - outcome - 1 } else { outcome - mode };
            let block = i32::try_from((distance / width).max(1)).expect("few");
            let height = f64::from(1 - block) * std::f64::consts::LN_2;
            assert!(ln_ratio <= height + 1e-9, "{law:?}: {outcome}");
        }
        let all: f64 = outcomes(law).map(|outcome| law.ln_mass(outcome).exp()).sum();
        assert!((all - 1.0).abs() < 1e-9, "{law:?}: {all}");
    }
}

/// The statistic is the largest difference, in standard deviations, between the number of draws in
/// one of 16 quantiles and its expected value. Each is above 7 with a probability of 3·10^−12 by
/// the normal distribution, and of less than 10^−11 with the skewness of a binomial number.
#[test]
fn draws_have_the_distribution() {
    let draws = 20_000_u32;
    let largest = |law: Law, assumed: Law| {
        let mut rng = stream(7, Purpose::Client, 0, 0);
        let (mut classes, mut below) = (BTreeMap::new(), 0.0);
        for outcome in BTreeSet::from_iter(outcomes(assumed)) {
            let mass = assumed.ln_mass(outcome).exp();
            classes.insert(outcome, ((below + mass / 2.0) * 16.0).floor());
            below += mass;
        }
        let mut differences: BTreeMap<u64, f64> = BTreeMap::new();
        for (outcome, class) in &classes {
            let expected = f64::from(draws) * assumed.ln_mass(*outcome).exp();
            *differences.entry(class.to_bits()).or_default() -= expected;
        }
        let expected = differences.clone();
        for _ in 0..draws {
            let class = classes[&law.draw(&mut rng)];
            *differences.entry(class.to_bits()).or_default() += 1.0;
        }
        let all = differences.into_iter().zip(expected.into_values());
        all.map(|((_, difference), expected)| difference.abs() / (1.0 - expected).sqrt())
            .fold(0.0, f64::max)
    };
    for law in laws() {
        let off = largest(law, law);
        assert!(off < 7.0, "{law:?}: {off}");
    }
    let law =
        |numerator| Law::Binomial { trials: 3000, probability: Probability::ratio(numerator, 300) };
    assert!(largest(law(100), law(101)) > 7.0);
}

/// Classes of a vector with `own` ones at [`EPSILON0`].
fn weights(length: u32, sent_weight: u32, own: u32) -> WeightDistribution {
    let epsilon0 = EPSILON0.parse().expect("a number");
    WeightDistribution::new(&epsilon0, length, sent_weight, own).expect("a distribution")
}

/// The exact distribution of totals and number of sent reports, over every flip of every client.
fn by_clients(clients: &[Vec<bool>], sent_weight: u32) -> Distribution<(Vec<i128>, u64)> {
    let flip = 1.0 / (0.7_f64.exp() + 1.0);
    distribution(|path| {
        let (mut totals, mut reports) = (vec![0; clients[0].len()], 0);
        for client in clients {
            let mut flipped = || path.draw(&[1.0 - flip, flip]) == 1;
            let output: Vec<bool> = client.iter().map(|bit| bit ^ flipped()).collect();
            let weight = output.iter().map(|bit| u32::from(*bit)).sum::<u32>();
            if weight <= sent_weight {
                reports += 1;
                let totals = totals.iter_mut().zip(output);
                totals.for_each(|(total, bit)| *total += i128::from(bit));
            }
        }
        (totals, reports)
    })
}

/// Vectors with a single one, `counts[i]` of them at index i.
fn one_hot(counts: &[u64]) -> Vec<Vec<bool>> {
    let vector = |place| (0..counts.len()).map(|other| other == place).collect();
    let clients = counts.iter().enumerate();
    clients
        .flat_map(|(place, count)| vec![vector(place); usize::try_from(*count).expect("few")])
        .collect()
}

/// The exact distribution of totals and number of reports that `run` draws.
fn drawn(run: impl Fn(&mut Path) -> SentReports) -> Distribution<(Vec<i128>, u64)> {
    distribution(|path| {
        let sent = run(path);
        (sent.totals, sent.reports)
    })
}

#[test]
fn vectors_of_which_heavy_ones_are_not_sent() {
    for (counts, sent_weight) in
        [(vec![1, 1, 0], 1), (vec![0, 2, 1], 2), (vec![2, 0, 0, 1], 1), (vec![0, 1], 1)]
    {
        let weights = weights(u32::try_from(counts.len()).expect("short"), sent_weight, 1);
        let ideal = drawn(|path| of_one_hot(&counts, &weights, path));
        assert!(distance(&ideal, &by_clients(&one_hot(&counts), sent_weight)) < 1e-12);
    }
    let vector = vec![true, false, true, false];
    for (count, sent_weight) in [(1, 2), (2, 2), (2, 3), (1, 0)] {
        let weights = weights(4, sent_weight, 2);
        let ideal = drawn(|path| of_vector(&vector, count, &weights, path));
        let clients = vec![vector.clone(); usize::try_from(count).expect("few")];
        assert!(distance(&ideal, &by_clients(&clients, sent_weight)) < 1e-12);
    }
}

#[test]
fn drops_that_do_not_depend_on_the_ones_are_another_distribution() {
    let real = by_clients(&one_hot(&[1, 1, 0]), 1);
    let of_one = weights(3, 1, 1);
    let flip = super::replaced(&EPSILON0.parse().expect("a number"), 1).expect("a flip");
    let faulty = distribution(|path| {
        let sent = 2 - path.successes(2, of_one.dropped);
        let totals = of_bits(sent, &[sent.min(1), sent / 2, 0], flip, path);
        (totals.into_iter().map(i128::from).collect(), sent)
    });
    assert!(distance(&faulty, &real) > 0.05);
}

#[test]
fn k_ary_answers() {
    let ideal = distribution(|path| of_answers(&[2, 0, 1], Probability::ratio(3, 8), path));
    let real = distribution(|path| {
        let mut totals = vec![0; 3];
        for own in [0, 0, 2] {
            // A kept answer has 5/8, and each of three new ones an eighth.
            let answer = [own, 0, 1, 2][to_index(path.draw(&[0.625, 0.125, 0.125, 0.125]))];
            totals[answer] += 1;
        }
        totals
    });
    assert!(distance(&ideal, &real) < 1e-12);
}
