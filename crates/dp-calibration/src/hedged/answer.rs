//! From curves to the ε at a δ and the δ at an ε, from above and from below.

use dp_exact::{Rational, Rounding};

use super::joint::{Joint, MAX_DEPTH};
use super::pair::Pair;
use crate::aggregated_rappor::{BELOW_DELTA, DIGITS, OthersHold, search};
use crate::directed::Bounds;
use crate::{Adjacency, Error};

/// What is known of an ε, or of a δ.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// It holds for every dataset; `None` where that takes too long to compute.
    pub(crate) upper: Option<Rational>,
    /// Below it, the guarantee fails for `attained_by`; 0 where nothing is known.
    pub(crate) lower: Rational,
    pub(crate) attained_by: OthersHold,
}

impl Answer {
    /// The best of the datasets' lower bounds.
    fn new(
        upper: Option<Rational>,
        datasets: &[OthersHold],
        lower: impl Fn(OthersHold) -> Result<Rational, Error>,
    ) -> Result<Self, Error> {
        let mut answer = Self {
            upper,
            lower: Rational::zero(),
            attained_by: datasets[0],
        };
        for &others in datasets {
            let lower = lower(others)?;
            if lower > answer.lower {
                answer.lower = lower;
                answer.attained_by = others;
            }
        }
        Ok(answer)
    }
}

impl Joint<'_> {
    /// The ε at δ = `target`, of which `most` is known to hold. There is at least one dataset.
    pub(crate) fn epsilon(
        &self,
        target: f64,
        adjacency: Adjacency,
        most: &Rational,
        datasets: &[OthersHold],
    ) -> Result<Answer, Error> {
        let depth = (BELOW_DELTA - target.ln()).min(MAX_DEPTH);
        let upper = match self.pair(depth) {
            Some(pair) => Some(search::solve(target, most, |alpha| {
                at(&pair, adjacency, alpha)
            })?),
            None => None,
        };
        // What is cut off is weighed with e^ε here.
        let largest = upper.as_ref().unwrap_or(most);
        let depth = (depth + largest.to_f64()).min(MAX_DEPTH);
        Answer::new(upper, datasets, |others| {
            let attained = self.attained(others, adjacency, depth);
            Ok(attained.map_or_else(Rational::zero, |attained| {
                search::refuted(target, most, |alpha| attained.delta(alpha))
            }))
        })
    }

    /// The δ at ε.
    pub(crate) fn delta(
        &self,
        epsilon: &Rational,
        adjacency: Adjacency,
        datasets: &[OthersHold],
    ) -> Result<Answer, Error> {
        let Some(alpha) = Bounds::exp(epsilon) else {
            return Answer::new(None, datasets, |_| Ok(Rational::zero()));
        };
        let mut depth = 36.0f64;
        let mut upper = None;
        while let Some(pair) = self.pair(depth) {
            let value = at(&pair, adjacency, alpha.lower);
            if value.ln() < BELOW_DELTA - depth && depth < MAX_DEPTH {
                depth = (2.0 * depth).min(MAX_DEPTH);
                continue;
            }
            upper = Some(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up));
            break;
        }
        let depth = (depth + epsilon.to_f64()).min(MAX_DEPTH);
        Answer::new(upper, datasets, |others| {
            let attained = self.attained(others, adjacency, depth);
            let lower = attained.map_or(0.0, |attained| attained.delta(alpha.upper));
            Ok(Rational::from_f64(lower)?.round_to_digits(DIGITS, Rounding::Down))
        })
    }
}

/// δ at α for one coordinate or for two.
pub(super) fn at(pair: &Pair, adjacency: Adjacency, alpha: f64) -> f64 {
    match adjacency {
        Adjacency::Replacement => pair.two(alpha),
        Adjacency::Deletion => pair.one(alpha),
    }
}
