//! What dropping gives away at least.
//!
//! Let T be an event in the sums of the changed coordinates, over all clients. Whatever the D
//! changed bits of a client are, its report is kept if V ≤ m − D. Let r₀ be an upper bound on
//! P(V > m − D) for a client whose one, if any, is among the D coordinates, and r₁ for another.
//! Then T happens and nothing is dropped with a probability of at least κ·P(T),
//! κ = (1 − r₀)^(…)·(1 − r₁)^(…), and of at most Q(T). Where nothing is dropped, that is seen from
//! the number of reports, and the sums that are seen are those of all. So for that dataset
//!
//!   δ_dropping(ε) ≥ κ·[P(T) − e^(ε + ln(1/κ))·Q(T)]:
//!
//! what is refuted at δ/κ without dropping is refuted at δ with it, with ε less by ln(1/κ). That
//! says nothing once a drop is to be expected, (n·r > −ln δ).

use dp_exact::{Delta, Interval, Rational, Rounding};

use super::AggregatedRappor;
use super::enumeration::Enumeration;
use super::limit::{Verdicts, WeightLimit, changed};
use crate::aggregated_rappor::attained::Attained;
use crate::aggregated_rappor::{DIGITS, OthersHold, depth_for, refuted, target};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::Bounds;

/// Bits of the enclosures.
const PRECISION: u32 = 128;

impl AggregatedRappor {
    /// A lower bound on the ε at δ where reports of more than `limit.max_weight` ones are dropped,
    /// and a dataset of the others that attains it. Where there is more than one value that is
    /// neither removed nor added, those that hold one of them hold the same. 0 where nothing is
    /// refuted.
    ///
    /// # Errors
    /// As [`Self::epsilon_with_drops`].
    pub fn attained_epsilon_with_verdicts(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
        verdicts: Verdicts,
    ) -> Result<(Rational, OthersHold), Error> {
        let exact_target = target(delta)?;
        let changed = changed(adjacency, limit)?;
        let mut best = (Rational::zero(), self.candidates()[0]);
        if let Some(all) = Enumeration::new(&self.flip, self.clients, adjacency, limit, verdicts) {
            let local = self.local_epsilon(adjacency);
            let lower = refuted(exact_target, &local, |alpha| all.lower(alpha).0);
            let others = Bounds::exp(&lower).and_then(|alpha| all.lower(alpha.upper).1);
            return Ok((lower, others.unwrap_or(best.1)));
        }
        let rest = limit.length - changed;
        let heavy = limit.max_weight.saturating_add(1).saturating_sub(changed);
        let inside = self.tail(rest, 0, heavy, exact_target)?;
        let outside = self.tail(rest.saturating_sub(1), rest.min(1), heavy, exact_target)?;
        for others in self.candidates() {
            let (near, far) = match adjacency {
                Adjacency::Replacement => (others.removed + others.added, others.neither),
                Adjacency::Deletion => (others.removed, others.added + others.neither),
            };
            let Some((larger, lost)) = shifted(delta, &[(near + 1, inside), (far, outside)]) else {
                continue;
            };
            let raised = target(&larger)?;
            let attained = Attained::new(&self.flip, others, adjacency, depth_for(raised))
                .ok_or_else(|| Self::unresolved(delta))?;
            let local = self.local_epsilon(adjacency);
            let lower = refuted(raised, &local, |alpha| attained.delta(alpha)) - lost;
            let lower = lower.round_to_digits(DIGITS, Rounding::Down);
            if lower > best.0 {
                best = (lower, others);
            }
        }
        Ok(best)
    }
}

/// δ/κ and ln(1/κ), both rounded up, for numbers of reports and the probability that one of them
/// is dropped; `None` if δ/κ exceeds 9/10.
fn shifted(delta: &Delta, reports: &[(u64, f64)]) -> Option<(Delta, Rational)> {
    let one = Rational::one();
    let mut lost = Interval::integer(0, PRECISION);
    for &(number, dropped) in reports {
        if number > 0 {
            let kept = &one - &Rational::from_f64(dropped).ok()?;
            let kept = Interval::rational(&kept, PRECISION);
            if !kept.is_positive() {
                return None;
            }
            lost = lost - Interval::integer(number, PRECISION) * kept.ln()?;
        }
    }
    let larger = Interval::rational(delta.value(), PRECISION) * lost.exp()?;
    let larger = larger
        .upper()
        .to_rational()?
        .round_to_digits(DIGITS, Rounding::Up);
    let lost = lost
        .upper()
        .to_rational()?
        .round_to_digits(DIGITS, Rounding::Up);
    let within = &larger * &Rational::integer(10) < 9;
    within
        .then(|| Delta::new(larger).ok())
        .flatten()
        .map(|larger| (larger, lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_attained_with_drops_is_that_without_at_a_larger_delta() {
        let sum = AggregatedRappor::new("1".parse().expect("a number"), 30).expect("in range");
        let p = (1f64.exp() + 1.0).recip();
        // P(Bin(18, p) > 12) of a client whose one is in the coordinates that change.
        let (mut law, rest) = (vec![1.0], 18);
        for _ in 0..rest {
            let mut next = vec![0.0; law.len() + 1];
            for (k, mass) in law.iter().enumerate() {
                next[k] += mass * (1.0 - p);
                next[k + 1] += mass * p;
            }
            law = next;
        }
        let dropped: f64 = law[13..].iter().sum();
        let limit = WeightLimit {
            length: 20,
            max_weight: 14,
        };
        let lost = -30.0 * (-dropped).ln_1p();
        let delta: Delta = "1e-3".parse().expect("a number");
        let (lower, others) = sum
            .attained_epsilon_with_verdicts(&delta, Adjacency::Replacement, limit, Verdicts::Each)
            .expect("in range");
        let larger = Delta::new(Rational::from_f64(1e-3 * lost.exp()).expect("finite"));
        let (plain, _) = sum
            .attained_epsilon(&larger.expect("in range"), Adjacency::Replacement)
            .expect("in range");
        assert_eq!((others.removed, others.added, others.neither), (29, 0, 0));
        let wanted = plain.to_f64() - lost;
        assert!(
            lost > 1e-4 && (lower.to_f64() - wanted).abs() < 1e-8,
            "{lower} {wanted}"
        );
        // Reports of one dataset that are kept with different probabilities.
        let (larger, lost) = shifted(&delta, &[(10, 0.01), (5, 0.02), (0, 0.5)]).expect("some");
        let kept = 0.99f64.powi(10) * 0.98f64.powi(5);
        assert!(larger.value().to_f64() >= 1e-3 / kept && lost.to_f64() >= -kept.ln());
        assert!(larger.value().to_f64() <= 1e-3 / kept * (1.0 + 1e-11));
        assert!(lost.to_f64() <= -kept.ln() * (1.0 + 1e-11));
        assert!(shifted(&delta, &[(1000, 0.5)]).is_none());
    }
}
