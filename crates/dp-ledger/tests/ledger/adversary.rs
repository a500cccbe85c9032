//! An adversary who chooses each release, and whether to stop, after seeing the ones before:
//! enumerated.
//!
//! Two neighbouring data sets give the laws p and q of each outcome. What a strategy comes to is
//! δ(ε) = Σ (P − e^ε·Q)₊ over its leaves. As the choices after different outcomes are independent,
//! the best strategy is found from the leaves up:
//!
//! ```text
//! best(counts, p, q) = max( (p − e^ε·q)₊, max over releases that the filter takes of
//!                           Σ over outcomes of best(counts + 1, p·P(outcome), q·Q(outcome)) ).
//! ```
//!
//! What the filter takes depends on how often each release was made, and is asked of a ledger. All
//! sums are in floating point, with an error far below the margins of the tests.

use std::cell::RefCell;
use std::collections::HashMap;

use dp_ledger::{Ledger, Release, Terms};

/// A release as the ledger records it, and the probabilities (P, Q) of its outcomes.
pub(crate) struct Choice {
    pub(crate) release: Release,
    pub(crate) outcomes: Vec<(f64, f64)>,
}

impl Choice {
    pub(crate) fn new(release: Release, outcomes: Vec<(f64, f64)>) -> Self {
        for total in [
            outcomes.iter().map(|(p, _)| p).sum::<f64>(),
            outcomes.iter().map(|(_, q)| q).sum::<f64>(),
        ] {
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
        Self { release, outcomes }
    }
}

/// For each kind of release, whether it is taken after the given counts of each kind.
type Taking<'a> = Box<dyn Fn(&[usize]) -> Vec<bool> + 'a>;

/// The releases that an adversary can choose, and the rule that takes or refuses them.
pub(crate) struct Game<'a> {
    choices: &'a [Choice],
    rule: Taking<'a>,
    known: RefCell<HashMap<Vec<usize>, Vec<bool>>>,
}

impl<'a> Game<'a> {
    /// Against a ledger with these terms.
    pub(crate) fn against(choices: &'a [Choice], terms: &'a Terms) -> Self {
        Self::with_rule(choices, move |counts| {
            let ledger = spent(choices, terms, counts);
            let room = |one: &Choice| ledger.room_for(&one.release).is_ok_and(|room| room > 0);
            choices.iter().map(room).collect()
        })
    }

    /// A game against any rule that says, for counts of each kind, which releases it takes.
    pub(crate) fn with_rule(
        choices: &'a [Choice],
        takes: impl Fn(&[usize]) -> Vec<bool> + 'a,
    ) -> Self {
        Self { choices, rule: Box::new(takes), known: RefCell::default() }
    }

    /// The δ at ε of the best strategy.
    pub(crate) fn delta(&self, epsilon: f64) -> f64 {
        let leaf = |p: f64, q: f64| (p - epsilon.exp() * q).max(0.0);
        self.best(&vec![0; self.choices.len()], 1.0, 1.0, &leaf)
    }

    /// The most of Σ P^α·Q^(1−α) that a strategy comes to.
    pub(crate) fn moment(&self, alpha: f64) -> f64 {
        let leaf = |p: f64, q: f64| p.powf(alpha) * q.powf(1.0 - alpha);
        self.best(&vec![0; self.choices.len()], 1.0, 1.0, &leaf)
    }

    /// How many releases the longest strategy makes.
    pub(crate) fn depth(&self) -> usize {
        self.deepest(&vec![0; self.choices.len()])
    }

    fn deepest(&self, counts: &[usize]) -> usize {
        let taken = self.takes(counts);
        let next = (0..self.choices.len()).filter(|index| taken[*index]);
        next.map(|index| 1 + self.deepest(&one_more(counts, index))).max().unwrap_or(0)
    }

    fn best(&self, counts: &[usize], p: f64, q: f64, leaf: &dyn Fn(f64, f64) -> f64) -> f64 {
        let mut best = leaf(p, q);
        for (index, is_taken) in self.takes(counts).into_iter().enumerate() {
            if is_taken {
                let next = one_more(counts, index);
                let outcomes = self.choices[index].outcomes.iter();
                let sum = outcomes.map(|(one, other)| self.best(&next, p * one, q * other, leaf));
                best = best.max(sum.sum());
            }
        }
        best
    }

    /// For each kind of release, whether it is taken after the given counts of each kind.
    pub(crate) fn takes(&self, counts: &[usize]) -> Vec<bool> {
        if let Some(known) = self.known.borrow().get(counts) {
            return known.clone();
        }
        let taken = (self.rule)(counts);
        self.known.borrow_mut().insert(counts.to_vec(), taken.clone());
        taken
    }
}

fn one_more(counts: &[usize], index: usize) -> Vec<usize> {
    let mut next = counts.to_vec();
    next[index] += 1;
    next
}

/// A ledger with `counts` releases of each kind, the last kind first: the order must not matter.
pub(crate) fn spent(choices: &[Choice], terms: &Terms, counts: &[usize]) -> Ledger {
    let mut ledger = Ledger::new(terms.clone()).expect("a limit in range");
    for (index, count) in counts.iter().enumerate().rev() {
        for number in 0..*count {
            let name = format!("{index} {number}");
            let spending = ledger.spend(&name, &choices[index].release, None);
            spending.expect("it was taken in another order");
        }
    }
    ledger
}

/// The δ at ε of a list with `counts` releases of each kind that is fixed beforehand.
pub(crate) fn of_list(choices: &[Choice], counts: &[usize], epsilon: f64) -> f64 {
    let mut paths = vec![(1.0, 1.0)];
    for (one, count) in choices.iter().zip(counts) {
        for _ in 0..*count {
            let after = |(p, q): &(f64, f64)| {
                let outcomes = one.outcomes.iter();
                let (p, q) = (*p, *q);
                outcomes.map(move |(a, b)| (p * a, q * b)).collect::<Vec<_>>()
            };
            paths = paths.iter().flat_map(after).collect();
        }
    }
    let over = |(p, q): (f64, f64)| (p - epsilon.exp() * q).max(0.0);
    paths.into_iter().map(over).sum()
}

/// Randomized response: with probability δ the loss is infinite, else ±ε.
pub(crate) fn response(epsilon: f64, delta: f64) -> Vec<(f64, f64)> {
    let high = (1.0 - delta) * epsilon.exp() / (1.0 + epsilon.exp());
    let low = (1.0 - delta) / (1.0 + epsilon.exp());
    let mut outcomes = vec![(high, low), (low, high)];
    if delta > 0.0 {
        outcomes.extend([(delta, 0.0), (0.0, delta)]);
    }
    outcomes
}

/// Discrete Gaussian noise on one integer moved by `step`, with everything beyond some place of
/// each side put together, which is a function of what is released.
pub(crate) fn gaussian(variance: f64, step: i32, shown: i32) -> Vec<(f64, f64)> {
    let weight = |x: i32| (-f64::from(x * x) / (2.0 * variance)).exp();
    let total: f64 = (-200..=200).map(weight).sum();
    let (low, high) = ((step - shown) / 2, (step + shown) / 2);
    let place = |x: i32| usize::try_from(x.clamp(low, high) - low).expect("not below 0");
    let mut outcomes = vec![(0.0, 0.0); place(high) + 1];
    for x in -200..=200 {
        outcomes[place(x + step)].0 += weight(x) / total;
        outcomes[place(x)].1 += weight(x) / total;
    }
    outcomes
}
