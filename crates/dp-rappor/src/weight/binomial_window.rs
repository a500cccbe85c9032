//! The binomial distribution around its mode, with certified remainders.
//!
//! Let r_k be the probability of k successes in n trials divided by the probability of a fixed number of
//! successes near the mode. With odds x of a success,
//!
//! ```text
//! r_{k+1}/r_k = (n − k)/(k + 1)·x     P(K = k) = r_k / Σ r_j
//! ```
//!
//! Everything is positive, so nothing cancels, and no power of p and no binomial coefficient is
//! needed. The ratio falls as k grows, so what lies beyond a window is less than a geometric
//! series: with ρ = r_{k+1}/r_k < 1 the sum of all r_j, j > k, is at most r_{k+1}/(1 − ρ). Below
//! the window a geometric series with inverted ratios bounds the sum likewise.
//!
//! A window reaches over a multiple of the standard deviation √(n·p·(1 − p)), not over all n.

use alloc::vec::Vec;

use dp_exact::{Dyadic, Interval};

/// The most bits of memory that the terms r_k of a window may take together.
const MAX_WINDOW_BITS: usize = 1 << 27;

/// Bits that a term is charged for beyond its mantissa.
const TERM_OVERHEAD_BITS: usize = 1 << 10;

/// The relative probabilities r_k of k successes, for k in a window around the mode. All have the
/// same unknown factor.
pub(crate) struct BinomialWindow {
    /// n, the number of trials.
    trials: usize,
    /// The number k of successes of the first weight.
    first: usize,
    /// r_k for k = first, first + 1, ….
    weights: Vec<Interval>,
    /// The sum of r_k over all k below the window, enclosed.
    below: Interval,
    /// The sum of r_k over all k above the window, enclosed.
    above: Interval,
}

impl BinomialWindow {
    /// The window around `start` successes for trials of probability p, `odds` = p/(1 − p). On each
    /// side less than 2^−`cut` times the probability of `start` successes is left out.
    ///
    /// Any `start` is sound; one near the mode keeps the window small. `None` if the window would
    /// take too much memory, or the odds may be 0 and `start` is not.
    pub(crate) fn new(trials: usize, odds: &Interval, start: usize, cut: u64) -> Option<Self> {
        let precision = odds.precision();
        let number = |value: usize| Interval::integer(value, precision);
        let start = start.min(trials);
        let mut room = MAX_WINDOW_BITS / (precision as usize + TERM_OVERHEAD_BITS);

        let successes_to_failures = |k: usize| -> Option<Interval> {
            let odds_of_one_more = number(trials - k + 1) * odds;
            number(k).checked_div(&odds_of_one_more)
        };
        let (mut weights, below) =
            walk(start, cut, precision, &mut room, |lost| successes_to_failures(start - lost))?;
        weights.reverse();

        let failures_to_successes = |k: usize| -> Option<Interval> {
            (number(trials - k) * odds).checked_div(&number(k + 1))
        };
        weights.push(number(1));
        let first = start + 1 - weights.len();
        let (upper, above) = walk(trials - start, cut, precision, &mut room, |gained| {
            failures_to_successes(start + gained)
        })?;
        weights.extend(upper);
        Some(Self { trials, first, weights, below, above })
    }

    /// The pairs of k and its relative probability r_k in the window.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (usize, &Interval)> {
        (self.first..).zip(&self.weights)
    }

    /// The sum of r_k over all k outside the window, enclosed.
    pub(crate) fn outside(&self) -> Interval {
        &self.below + &self.above
    }

    /// The sums of r_j over all j ≥ k, for every k, r_j the relative probability of j successes.
    pub(crate) fn into_tails(mut self) -> BinomialTails {
        let mut tail = self.above.clone();
        for weight in self.weights.iter_mut().rev() {
            tail = &tail + &*weight;
            *weight = tail.clone();
        }
        let all = &tail + &self.below;
        BinomialTails {
            trials: self.trials,
            first: self.first,
            tails: self.weights,
            beyond: self.above,
            all,
        }
    }
}

/// The sums of relative probabilities r_j over j ≥ k, for every k.
pub(crate) struct BinomialTails {
    trials: usize,
    /// The k of the first tail.
    first: usize,
    /// The tails for k = first, first + 1, ….
    tails: Vec<Interval>,
    /// The tail for every k above the window.
    beyond: Interval,
    /// The sum of r_j over all j. Its part below the window is enclosed from 0 to an upper bound.
    all: Interval,
}

impl BinomialTails {
    /// The sum of r_j over all j. A tail divided by it is a probability.
    pub(crate) fn all(&self) -> &Interval {
        &self.all
    }

    /// The sum of r_j over all j ≥ k, enclosed; `None` if k exceeds the number of trials.
    pub(crate) fn at_least(&self, k: usize) -> Option<&Interval> {
        if k > self.trials {
            None
        } else if k < self.first {
            // Between the first tail and the sum of all: the enclosure of that has both.
            Some(&self.all)
        } else {
            Some(self.tails.get(k - self.first).unwrap_or(&self.beyond))
        }
    }
}

/// Steps away from a term 1 by successive factors `ratio`(0), `ratio`(1), …. Returns the terms and
/// an enclosure of the sum of all later ones. Stops after `steps` terms, or where that sum is below
/// 2^−`cut`. `None` if `room`, the number of terms that memory has room for, is used up, or a ratio
/// is unknown.
///
/// The ratios must not grow.
fn walk(
    steps: usize,
    cut: u64,
    precision: u32,
    room: &mut usize,
    ratio: impl Fn(usize) -> Option<Interval>,
) -> Option<(Vec<Interval>, Interval)> {
    let one = Interval::integer(1, precision);
    let zero = Interval::integer(0, precision);
    let negligible = Dyadic::new(1, -i64::try_from(cut).ok()?);
    let mut terms: Vec<Interval> = Vec::new();
    for step in 0..steps {
        let ratio = ratio(step)?;
        let term = terms.last().unwrap_or(&one) * &ratio;
        if *term.upper() < negligible {
            let complement = &one - &ratio;
            let rest = term.checked_div(&complement);
            if let Some(rest) = rest
                && complement.is_positive()
                && *rest.upper() < negligible
            {
                return Some((terms, rest.hull(&zero)));
            }
        }
        terms.push(term);
        *room = room.checked_sub(1)?;
    }
    Some((terms, zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_exact::Rational;

    /// P(k) of Binomial(n, 1/3) in units of 3^−n: C(n, k)·2^(n−k).
    fn exact(trials: u32, k: u32) -> Rational {
        let ways = (0..k).fold(Rational::one(), |ways, i| {
            let step = Rational::new(trials - i, i + 1).expect("i + 1 is not 0");
            ways * step
        });
        ways * Rational::integer(2).pow(trials - k)
    }

    /// The window of Binomial(`trials`, 1/3) around `start`.
    fn one_third(trials: usize, start: usize, cut: u64) -> BinomialWindow {
        let half = Rational::new(1, 2).expect("2 is not 0");
        let odds = Interval::rational(&half, 64);
        BinomialWindow::new(trials, &odds, start, cut).expect("the odds are not 0")
    }

    #[test]
    fn every_tail_encloses_the_exact_tail_wherever_the_window_starts() {
        for start in [0, 3, 10, 17, 30] {
            for cut in [4, 30, 1000] {
                let tails = one_third(30, start, cut).into_tails();
                let mut tail = Rational::zero();
                for k in (0..=30_u32).rev() {
                    tail = tail + exact(30, k);
                    let share = tail.checked_div(&Rational::integer(3).pow(30)).expect("not 0");
                    let k = usize::try_from(k).unwrap();
                    let enclosed = tails.at_least(k).unwrap().checked_div(tails.all()).unwrap();
                    assert!(enclosed.contains(&share), "start {start}, cut {cut}, k {k}");
                }
                assert!(tails.at_least(31).is_none());
            }
        }
    }

    #[test]
    fn the_window_and_what_is_outside_are_all() {
        let all = Rational::integer(3).pow(30);
        for start in [0, 3, 10, 17, 30] {
            for cut in [1, 4, 30, 1000] {
                let window = one_third(30, start, cut);
                let weights = window.weights().map(|(_, weight)| weight);
                let sum = weights.fold(window.outside(), |sum, weight| sum + weight);
                let unit = exact(30, u32::try_from(start).unwrap());
                let relative = all.checked_div(&unit).expect("not 0");
                assert!(sum.contains(&relative), "start {start}, cut {cut}: {sum}");
            }
        }
    }

    /// Where nothing is left out above a window, its tails are known as well as its terms, and the
    /// tail from 0 is the sum of all.
    #[test]
    fn tails_are_no_wider_than_what_is_left_out() {
        // Binomial(30, 2/3) at 20 successes is 2^15 times as likely as at 30, and 2^33 times as at 0.
        let window = BinomialWindow::new(30, &Interval::integer(2, 64), 20, 20);
        let tails = window.unwrap().into_tails();
        assert!(tails.first > 1 && !tails.all.contains_zero());
        for k in tails.first..=30 {
            let tail = tails.at_least(k).unwrap();
            let width = tail.upper().to_f64() - tail.lower().to_f64();
            assert!(width < 1e-15 * tail.lower().to_f64(), "{k}: {tail}");
        }
        let (all, least) = (tails.all(), tails.at_least(0).unwrap());
        assert_eq!((all.lower(), all.upper()), (least.lower(), least.upper()));
    }

    #[test]
    fn a_window_covers_a_few_standard_deviations_only() {
        // Standard deviation 471; the terms fall below 2^−64 within 9.5 of them.
        let window = one_third(1_000_000, 333_333, 64);
        assert!(window.weights().count() < 2 * 10 * 471);
    }
}
