//! Several releases over the same clients: as many counts that change as in all of them together.
//!
//! Whatever was released before, the next release is counts of bits that are randomized anew, and each
//! of them is dominated by the same pair for every dataset of the others. So k releases that change D
//! counts each are dominated as one release that changes k·D (`docs/aggregated-rappor.md`, section 7).

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use super::AggregatedRappor;
use super::composed::Composed;
use super::limits::{depth_for, target};
use super::search::solve;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Nodes of a product: looser by about 0.01 %, at a fourth of the work.
const NODES: u64 = 600;

/// The most counts that may change.
const MAX_COUNTS: u64 = 1 << 20;

impl AggregatedRappor {
    /// An ε at δ where so many counts change, in one release or in several of which each is the sum of
    /// these clients' bits, randomized anew: for every dataset of the others in every release, which
    /// may depend on what was released before.
    ///
    /// ```
    /// use dp_amplification::aggregated_rappor::AggregatedRappor;
    ///
    /// // Thirty histograms of 250 000 people. One person's answer is replaced in every histogram.
    /// let sum = AggregatedRappor::new("0.5".parse()?, 250_000)?;
    /// let epsilon = sum.epsilon_of_counts(&"1e-8".parse()?, 2 * 30)?;
    /// assert!(epsilon.to_f64() < 0.03429);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9, or the number of counts is 0 or above 2^20.
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Rational, Error> {
        if counts == 0 || counts > MAX_COUNTS {
            let accepted = "an integer from 1 to 1048576";
            return Err(Error::parameter("counts", counts, accepted));
        }

        let local = self.epsilon0().value() * &Rational::from(counts);
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = target(delta)?;
        let curve = self.curve(depth_for(target))?;
        let negligible = target * SHARE;
        match Composed::on_nodes(curve, counts, negligible, NODES) {
            Some(composed) => solve(target, &local, |alpha| composed.delta(alpha)),
            None => Ok(local),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client alone is randomized response in each count: δ(ε) = Σ_i C(k, i)·(q^(k−i)·p^i −
    /// e^ε·p^(k−i)·q^i)₊.
    fn delta_alone(epsilon0: f64, counts: i32, epsilon: f64) -> f64 {
        let p = (epsilon0.exp() + 1.0).recip();
        let q = 1.0 - p;
        let (mut ways, mut sum) = (1.0, 0.0);
        for flipped in 0..=counts {
            let kept = counts - flipped;
            let (here, there) = (
                q.powi(kept) * p.powi(flipped),
                p.powi(kept) * q.powi(flipped),
            );
            sum += ways * (here - epsilon.exp() * there).max(0.0);
            ways *= f64::from(kept) / f64::from(flipped + 1);
        }
        sum
    }

    #[test]
    fn a_client_alone_is_randomized_response_in_each_count() -> Result<(), Error> {
        for (epsilon0, counts) in [("0.5", 1i32), ("0.5", 12), ("0.1", 200), ("2", 7)] {
            let sum = AggregatedRappor::new(epsilon0.parse()?, 1)?;
            let delta: Delta = "1e-4".parse()?;
            let epsilon = sum.epsilon_of_counts(&delta, u64::from(counts.unsigned_abs()))?;
            let epsilon = epsilon.to_f64();
            let e0: f64 = epsilon0.parse().expect("a number");
            let here = delta_alone(e0, counts, epsilon);
            assert!(here <= 1e-4 * (1.0 + 1e-9), "{epsilon0} {counts}: {here}");
            let less = delta_alone(e0, counts, epsilon * 0.999);
            assert!(
                less > 1e-4,
                "{epsilon0} {counts}: {epsilon} is not the least"
            );
        }
        Ok(())
    }

    #[test]
    fn several_releases_are_one_of_as_many_counts() -> Result<(), Error> {
        let sum = AggregatedRappor::new("1".parse()?, 1000)?;
        let delta = "1e-6".parse()?;
        let one = sum.epsilon_of_counts(&delta, 1)?;
        let deleted = sum.epsilon(&delta, dp_calibration::Adjacency::Deletion)?;
        assert_eq!(one, deleted.upper);
        // Four times as many counts, about twice the ε: no less than where one dataset attains it.
        let (few, many) = (
            sum.epsilon_of_counts(&delta, 5)?,
            sum.epsilon_of_counts(&delta, 20)?,
        );
        let ratio = many.to_f64() / few.to_f64();
        assert!((2.0..2.2).contains(&ratio), "{ratio}");
        assert!(sum.epsilon_of_counts(&delta, 0).is_err());
        assert!(sum.epsilon_of_counts(&delta, (1 << 20) + 1).is_err());
        let pure = sum.epsilon_of_counts(&"0".parse()?, 20)?;
        assert_eq!(pure, Rational::from(20u64));
        Ok(())
    }
}
