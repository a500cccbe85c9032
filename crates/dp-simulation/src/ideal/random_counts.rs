//! Binomial and hypergeometric numbers of up to 10^12 things, and random subsets.
//!
//! Both distributions f are log-concave. With the mode m and W ≥ 1/f(m)
//!
//! ```text
//! f(m ± j) ≤ f(m)·min(1, e^(1 − j/W))
//! ```
//!
//! ([proof](../../docs/ideal-draws.md)). Block b on each side of the mode has the W next numbers.
//! Its bound is h = 1 for b = 0 and e^(1 − b) ≤ 2^(1 − b) = h from b = 1 on. A block is proposed in
//! proportion to h, then a number in it, which is accepted with probability f(k)/(f(m)·h), after
//! six proposals on average.
//!
//! # Precision
//! Proposals are exact. Floats decide whether one is accepted: ln f(k) is off by less than
//! 2^−42·(|k − m| + 64), which is 2·10^−7 at a distance of 10^6 from the mode m. No number of
//! trials that a run can make tells that from the exact distribution.

use std::f64::consts::LN_2;

use dp_exact::binomial::ln_probability;
use dp_exact::{Interval, ParameterError, directed, elementary};
use num_traits::ToPrimitive as _;
use rand_core::CryptoRng;

use crate::Error;

/// The most things.
const MAX_THINGS: u64 = 1_000_000_000_000;

/// A probability in units of 2^−128, rounded down; the largest value stands for 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probability(pub(super) u128);

impl Probability {
    /// numerator/denominator, rounded down; 1 if the numerator is not below the denominator.
    pub(super) const fn ratio(numerator: u64, denominator: u64) -> Self {
        if numerator >= denominator {
            return Self(u128::MAX);
        }
        let (numerator, denominator) = ((numerator as u128) << 64, denominator as u128);
        let rest = (numerator % denominator) << 64;
        Self(((numerator / denominator) << 64) | (rest / denominator))
    }

    /// The lower end of an interval, rounded down; 0 if the end is negative.
    pub(super) fn enclosed(enclosure: &Interval) -> Self {
        Self(enclosure.lower().floor_shifted(128).to_u128().unwrap_or(0))
    }

    /// The nearest floats of the probability and of its complement.
    fn floats(self) -> [f64; 2] {
        // 2^128 − p = !p + 1.
        let complement = (!self.0).saturating_add(1);
        [self.0, complement].map(|one| one.to_f64().unwrap_or(0.0) * elementary::powi(0.5, 128))
    }
}

/// Draws of counts: by a generator in [`RandomCounts`], by enumerating all outcomes in the tests.
pub(super) trait DrawCounts {
    /// How many of `count` independent events of this probability happen.
    fn successes(&mut self, count: u64, probability: Probability) -> u64;

    /// How many of `marked` things are in a uniformly random subset of `size` of these and `others`
    /// other things, which are at least `size` together.
    fn marked(&mut self, marked: u64, others: u64, size: u64) -> u64;

    /// The number of things of each kind in a uniformly random subset of `size` things. There are
    /// `counts[i]` things of kind i, at least `size` together.
    fn subset(&mut self, counts: &[u64], mut size: u64) -> Vec<u64> {
        let mut left: u64 = counts.iter().sum();
        let of_kind = |&count: &u64| {
            left -= count;
            let drawn = self.marked(count, left, size);
            size -= drawn;
            drawn
        };
        counts.iter().map(of_kind).collect()
    }

    /// How many of `count` things fall into each class. `conditional[i]` is the probability of
    /// class i given that the thing is in no class before it; a last class takes the rest.
    fn classes(&mut self, count: u64, conditional: &[Probability]) -> Vec<u64> {
        let mut left = count;
        let class = |probability: &Probability| {
            let class = self.successes(left, *probability);
            left -= class;
            class
        };
        let mut classes: Vec<u64> = conditional.iter().map(class).collect();
        classes.push(left);
        classes
    }
}

/// Refuses more clients than counts are drawn of.
pub(super) fn check(clients: u64) -> Result<(), Error> {
    if clients <= MAX_THINGS {
        return Ok(());
    }
    let accepted = format!("at most {MAX_THINGS} without Prio3 (--ideal)");
    Err(ParameterError::new("clients", clients, accepted).into())
}

/// Counts from a random generator.
#[derive(Debug)]
pub(super) struct RandomCounts<R>(pub(super) R);

impl<R: CryptoRng> DrawCounts for RandomCounts<R> {
    fn successes(&mut self, count: u64, probability: Probability) -> u64 {
        match (count, probability.0) {
            (0, _) | (_, 0) => 0,
            (_, u128::MAX) => count,
            _ => Law::Binomial { trials: count, probability }.draw(&mut self.0),
        }
    }

    fn marked(&mut self, marked: u64, others: u64, size: u64) -> u64 {
        match (marked, others, size) {
            (0, ..) | (.., 0) => 0,
            (_, 0, _) => size,
            _ if size == marked + others => marked,
            _ => Law::Hypergeometric { marked, others, size }.draw(&mut self.0),
        }
    }
}

/// A log-concave distribution with more than one outcome.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law {
    /// The successes in independent trials.
    Binomial { trials: u64, probability: Probability },
    /// The marked things in a random subset of `size` of all things.
    Hypergeometric { marked: u64, others: u64, size: u64 },
}

impl Law {
    /// A random outcome, by proposals from the blocks around the mode.
    pub(super) fn draw(self, rng: &mut impl CryptoRng) -> u64 {
        let mode = self.mode();
        let ln_of_mode = self.ln_mass(mode);
        let width = width(ln_of_mode);
        loop {
            let word = rng.next_u64();
            // Two bits are uniform among three: block 0, or twice a block from 1 on.
            let block = match word & 3 {
                0 => 0,
                3 => continue,
                _ => 1 + zeros(rng),
            };
            let distance = u128::from(block) * u128::from(width) + u128::from(below(width, rng));
            let Ok(distance) = u64::try_from(distance) else { continue };
            let outcome = match word & 4 {
                0 => mode.checked_add(distance),
                // The mode itself is above.
                _ => mode.checked_sub(distance).and_then(|outcome| outcome.checked_sub(1)),
            };
            let Some(outcome) = outcome.filter(|outcome| self.has(*outcome)) else { continue };
            // Accepted if a uniform number U of 53 bits has U·h < f(`outcome`)/f(mode).
            let ln_uniform = elementary::ln(directed::count(rng.next_u64() >> 11));
            let ln_height = (1.0 - directed::count(block.max(1)) - 53.0) * LN_2;
            if ln_uniform + ln_height < self.ln_mass(outcome) - ln_of_mode {
                return outcome;
            }
        }
    }

    /// The mode, the largest if there are two: the number of all k ≥ 1 with f(k) ≥ f(k − 1).
    pub(super) fn mode(self) -> u64 {
        let mode = match self {
            Self::Binomial { trials, probability: Probability(p) } => {
                // ⌊(n + 1)·p⌋, in two halves of p.
                let times = u128::from(trials) + 1;
                (times * (p >> 64) + ((times * (p & u128::from(u64::MAX))) >> 64)) >> 64
            }
            Self::Hypergeometric { marked, others, size } => {
                let [marked, others, size] = [marked, others, size].map(u128::from);
                (size + 1) * (marked + 1) / (marked + others + 2)
            }
        };
        u64::try_from(mode).expect("a mode is an outcome")
    }

    /// Whether the outcome has a probability above 0.
    pub(super) const fn has(self, outcome: u64) -> bool {
        match self {
            Self::Binomial { trials, .. } => outcome <= trials,
            Self::Hypergeometric { marked, others, size } => {
                outcome <= marked && outcome <= size && size - outcome <= others
            }
        }
    }

    /// ln f(`outcome`), off by less than 2^−42·(64 + its distance from the mode): fewer than 2^5
    /// numbers of at most 2^5·(64 + distance), each with a relative error of 2^−52, add up to it.
    pub(super) fn ln_mass(self, outcome: u64) -> f64 {
        match self {
            Self::Binomial { trials, probability } => {
                ln_probability(outcome, trials, probability.floats())
            }
            Self::Hypergeometric { marked, others, size } => {
                // A quotient of binomial probabilities, for any probability of success.
                let all = marked + others;
                let share = |part: u64| directed::count(part) / directed::count(all);
                let shares = [share(size), share(all - size)];
                ln_probability(outcome, marked, shares)
                    + ln_probability(size - outcome, others, shares)
                    - ln_probability(size, all, shares)
            }
        }
    }
}

/// The number W ≥ 1/f(m) of outcomes of a block for the logarithm of f at the mode m. It is about a
/// thousandth above 1/f(m), more than the float's error.
pub(super) fn width(ln_of_mode: f64) -> u64 {
    directed::floor_to_count(elementary::exp(-ln_of_mode) * 1.001, MAX_THINGS) + 1
}

/// The number of zeros before the first one in random bits.
fn zeros(rng: &mut impl CryptoRng) -> u64 {
    let mut zeros = 0;
    loop {
        match rng.next_u64() {
            0 => zeros += 64,
            word => return zeros + u64::from(word.trailing_zeros()),
        }
    }
}

/// A uniform number below `most` ≥ 1.
fn below(most: u64, rng: &mut impl CryptoRng) -> u64 {
    // All ones up to the highest bit of the largest number.
    let mask = u64::MAX.checked_shr((most - 1).leading_zeros()).unwrap_or(0);
    loop {
        let number = rng.next_u64() & mask;
        if number < most {
            return number;
        }
    }
}
