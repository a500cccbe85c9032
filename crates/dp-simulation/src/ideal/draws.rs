//! Binomial numbers, multinomial ones and subsets, exactly, from fair coins.

use super::coins::Halves;
use super::probability::Probability;

/// What totals are drawn with.
pub(super) trait Draws {
    /// How many of `count` independent events of this probability happen.
    fn successes(&mut self, count: u64, probability: &Probability) -> u64;

    /// How many of `wanted` things, drawn without replacement, are of each kind, of which there are `counts`,
    /// together at least as many: every subset is as likely as every other.
    fn subset(&mut self, counts: &[u64], wanted: u64) -> Vec<u64>;
}

impl<H: Halves> Draws for H {
    fn successes(&mut self, count: u64, probability: &Probability) -> u64 {
        successes(count, probability, self)
    }

    fn subset(&mut self, counts: &[u64], wanted: u64) -> Vec<u64> {
        subset(counts, wanted, self)
    }
}

/// Each event is U < p for a uniform U of its own, whose binary digits are thrown one after the other. All
/// events whose digits have been those of p so far are alike, so that only their number matters: where p has
/// the digit 1, those that throw 0 have happened, and the others go on; where it has 0, those that throw 1
/// have not. On average half of them go on each time.
fn successes(count: u64, probability: &Probability, coins: &mut impl Halves) -> u64 {
    if probability.is_one() {
        return count;
    }
    let (mut happened, mut open) = (0, count);
    if open == 0 {
        return 0;
    }
    for digit in probability.digits() {
        let zeros = coins.half(open);
        if digit {
            happened += zeros;
            open -= zeros;
        } else {
            open = zeros;
        }
        if open == 0 {
            break;
        }
    }
    happened
}

/// Each thing has a uniform number, and the things of the least numbers are drawn. Their digits are thrown one
/// after the other, for those alone of which it is open whether they are drawn.
fn subset(counts: &[u64], wanted: u64, coins: &mut impl Halves) -> Vec<u64> {
    let mut drawn = vec![0; counts.len()];
    let mut open = counts.to_vec();
    let mut wanted = wanted;
    while wanted > 0 {
        let all: u64 = open.iter().sum();
        if all <= wanted {
            drawn
                .iter_mut()
                .zip(&open)
                .for_each(|(drawn, open)| *drawn += open);
            break;
        }
        let zeros: Vec<u64> = open.iter().map(|&open| coins.half(open)).collect();
        let low: u64 = zeros.iter().sum();
        if low > wanted {
            open = zeros;
            continue;
        }
        wanted -= low;
        for ((drawn, open), zeros) in drawn.iter_mut().zip(&mut open).zip(zeros) {
            *drawn += zeros;
            *open -= zeros;
        }
    }
    drawn
}

/// How many of `count` things fall into each class, if the first one has the first of these probabilities, the
/// second one the second among those that are not in the first, and so on; the rest fall into a last class.
pub(super) fn classes(count: u64, conditional: &[Probability], draws: &mut impl Draws) -> Vec<u64> {
    let mut left = count;
    let mut classes = Vec::with_capacity(conditional.len() + 1);
    for probability in conditional {
        let class = draws.successes(left, probability);
        classes.push(class);
        left -= class;
    }
    classes.push(left);
    classes
}
