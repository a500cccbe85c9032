//! All outcomes of a function of random draws, each with its probability.

use std::collections::BTreeMap;

use crate::ideal::coins::Halves;
use crate::ideal::draws::Draws;
use crate::ideal::probability::Probability;

/// One path through the draws: at each the place of the outcome that is taken.
#[derive(Debug, Default)]
pub(super) struct Path {
    taken: Vec<usize>,
    /// How many outcomes each draw has.
    open: Vec<usize>,
    next: usize,
    mass: f64,
}

impl Path {
    /// The outcome of the next draw, of which these are the masses; none of mass 0.
    fn draw(&mut self, masses: &[f64]) -> usize {
        let possible = masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0);
        let possible: Vec<(usize, f64)> = possible.map(|(place, mass)| (place, *mass)).collect();
        if self.next == self.taken.len() {
            self.taken.push(0);
            self.open.push(possible.len());
        }
        let (place, mass) = possible[self.taken[self.next]];
        self.next += 1;
        self.mass *= mass;
        place
    }

    /// The next path, if there is one.
    fn advance(&mut self) -> bool {
        while let Some(place) = self.taken.pop() {
            let open = self.open.pop().unwrap_or(0);
            if place + 1 < open {
                self.taken.push(place + 1);
                self.open.push(open);
                return true;
            }
        }
        false
    }
}

/// The law of what `run` gives. Paths of less mass than `least` are left out.
pub(super) fn law<T: Ord>(least: f64, mut run: impl FnMut(&mut Path) -> T) -> BTreeMap<T, f64> {
    let mut law = BTreeMap::new();
    let mut path = Path::default();
    loop {
        (path.next, path.mass) = (0, 1.0);
        let outcome = run(&mut path);
        if path.mass >= least {
            *law.entry(outcome).or_insert(0.0) += path.mass;
        }
        if !path.advance() {
            return law;
        }
    }
}

/// Draws of whole numbers of successes and of subsets.
pub(super) struct Numbers<'a>(pub(super) &'a mut Path);

impl Draws for Numbers<'_> {
    fn successes(&mut self, count: u64, probability: &Probability) -> u64 {
        let p = value(probability);
        let mass = |k: u64| {
            let (k, n) = (int(k), int(count));
            choose(count, u64::from(k.unsigned_abs())) * p.powi(k) * (1.0 - p).powi(n - k)
        };
        let masses: Vec<f64> = (0..=count).map(mass).collect();
        as_u64(self.0.draw(&masses))
    }

    fn subset(&mut self, counts: &[u64], wanted: u64) -> Vec<u64> {
        let all: u64 = counts.iter().sum();
        assert!(all >= wanted, "a subset of {wanted} of {all}");
        let (mut left, mut wanted) = (all, wanted);
        let of_kind = |&count: &u64| {
            let others = left - count;
            let mass = |k: u64| {
                choose(count, k) * choose(others, wanted.wrapping_sub(k)) / choose(left, wanted)
            };
            let masses: Vec<f64> = (0..=count).map(mass).collect();
            let drawn = as_u64(self.0.draw(&masses));
            left = others;
            wanted = wanted.saturating_sub(drawn);
            drawn
        };
        counts.iter().map(of_kind).collect()
    }
}

/// Throws of coins, up to so many times; paths with more are given up.
pub(super) struct Throws<'a> {
    path: &'a mut Path,
    left: usize,
    given_up: u64,
}

impl<'a> Throws<'a> {
    pub(super) fn new(path: &'a mut Path, left: usize) -> Self {
        Self {
            path,
            left,
            given_up: 1,
        }
    }
}

impl Halves for Throws<'_> {
    fn half(&mut self, count: u64) -> u64 {
        if count == 0 {
            return 0;
        }
        if self.left == 0 {
            // Some way to the end.
            self.path.mass = 0.0;
            self.given_up = self
                .given_up
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            return (self.given_up >> 33) % (count + 1);
        }
        self.left -= 1;
        let total = 2_f64.powi(int(count));
        let masses: Vec<f64> = (0..=count).map(|k| choose(count, k) / total).collect();
        as_u64(self.path.draw(&masses))
    }
}

/// A probability as a float.
pub(super) fn value(probability: &Probability) -> f64 {
    if probability.is_one() {
        return 1.0;
    }
    let digits = (1..).zip(probability.digits().take(60));
    digits
        .map(|(place, digit)| if digit { 2_f64.powi(-place) } else { 0.0 })
        .sum()
}

pub(super) fn choose(n: u64, k: u64) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |product, i| product * float(n - i) / float(i + 1))
}

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).expect("small"))
}

fn int(number: u64) -> i32 {
    i32::try_from(number).expect("small")
}

fn as_u64(number: usize) -> u64 {
    u64::try_from(number).expect("small")
}

/// Asserts that both laws agree to `tolerance` in total variation.
pub(super) fn assert_close<T: Ord + std::fmt::Debug>(
    one: &BTreeMap<T, f64>,
    other: &BTreeMap<T, f64>,
    tolerance: f64,
) {
    let distance = distance(one, other);
    assert!(distance <= tolerance, "{distance}: {one:?} {other:?}");
}

/// Half the sum of the differences, and what one law lacks.
pub(super) fn distance<T: Ord>(one: &BTreeMap<T, f64>, other: &BTreeMap<T, f64>) -> f64 {
    let of = |law: &BTreeMap<T, f64>, key| law.get(key).copied().unwrap_or(0.0);
    let in_one: f64 = one
        .iter()
        .map(|(key, mass)| (mass - of(other, key)).abs())
        .sum();
    let missing = other.iter().filter(|(key, _)| !one.contains_key(key));
    (in_one + missing.map(|(_, mass)| mass).sum::<f64>()) / 2.0
}
