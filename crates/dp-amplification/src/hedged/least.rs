//! From curves to the least ε at a δ and the least δ at an ε, from above and from below.

use dp_exact::{Rational, Rounding, elementary};

use super::answer::Answer;
use super::curves::Curves;
use super::joint::{Joint, MAX_DEPTH};
use super::refined::Refinement;
use crate::aggregated_rappor::{BELOW_DELTA, DIGITS, OthersHold, search};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::Bounds;

impl Joint<'_> {
    /// The ε at δ = `target`, of which `most` is known to hold. There is at least one dataset.
    pub(crate) fn epsilon(
        &self,
        target: f64,
        adjacency: Adjacency,
        most: &Rational,
        datasets: &[OthersHold],
    ) -> Result<Answer, Error> {
        let depth = (BELOW_DELTA - elementary::ln(target)).min(MAX_DEPTH);
        let curves = Curves::new(self, depth);
        let upper = match curves.as_ref().and_then(Curves::pair) {
            Some(pair) => Some(search::solve(target, most, |alpha| {
                pair.at(adjacency, alpha)
            })?),
            None => None,
        };
        // What is cut off is weighed with e^ε here.
        let largest = upper.as_ref().unwrap_or(most).to_f64();
        let hiding = self.hiding((depth + largest).min(MAX_DEPTH));
        let lower = |others| {
            let hiding = hiding.as_ref();
            let attained = hiding.and_then(|hiding| self.attained(hiding, others, adjacency));
            attained.map(|attained| search::refuted(target, most, |alpha| attained.delta(alpha)))
        };
        let answer = Answer::new(upper, datasets, lower);
        let Some(curves) = curves.filter(|_| answer.upper.is_some()) else {
            return Ok(answer);
        };
        let refinement = Refinement {
            curves: &curves,
            joint: self,
            adjacency,
        };
        refinement.epsilon(answer, target, most, lower)
    }

    /// The δ at ε.
    pub(crate) fn delta(
        &self,
        epsilon: &Rational,
        adjacency: Adjacency,
        datasets: &[OthersHold],
    ) -> Result<Answer, Error> {
        let Some(alpha) = Bounds::exp(epsilon) else {
            return Ok(Answer::new(None, datasets, |_| None));
        };
        let mut depth = 36.0f64;
        let mut found = None;
        while let Some(curves) = Curves::new(self, depth) {
            let Some(pair) = curves.pair() else { break };
            let value = pair.at(adjacency, alpha.lower);
            if elementary::ln(value) < BELOW_DELTA - depth && depth < MAX_DEPTH {
                depth = (2.0 * depth).min(MAX_DEPTH);
                continue;
            }
            found = Some((curves, value));
            break;
        }
        let hiding = self.hiding((depth + epsilon.to_f64()).min(MAX_DEPTH));
        let lower = |others| {
            let hiding = hiding.as_ref();
            let attained = hiding.and_then(|hiding| self.attained(hiding, others, adjacency));
            attained.and_then(|attained| Rational::from_f64(attained.delta(alpha.upper)).ok())
        };
        let mut answer = Answer::new(None, datasets, lower);
        if let Some((curves, value)) = found {
            let refinement = Refinement {
                curves: &curves,
                joint: self,
                adjacency,
            };
            let value = refinement.delta(value, &mut answer, alpha.lower, lower);
            answer.upper = Some(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up));
        }
        answer.lower = answer.lower.round_to_digits(DIGITS, Rounding::Down);
        Ok(answer)
    }
}
