//! Several releases over the same clients: the product of the pairs that dominate one release.
//!
//! Whatever was released before, the histogram of the next release is dominated by one pair for every
//! dataset of the others: at α ≥ 1 the bound of this module holds for both directions of a replacement,
//! and the supremum over datasets is convex in α. The product of k such pairs dominates k releases
//! (Zhu, Dong, Wang 2022, Theorem 10), also where the data depend on earlier results.

use dp_exact::directed::{add_up, count, mul_up};
use dp_exact::{Delta, Rational, elementary, search::halved};

use super::{AggregatedResponse, Method, Side};
use crate::aggregated_rappor::composed::Composed;
use crate::aggregated_rappor::curve::Curve;
use crate::aggregated_rappor::search::solve;
use crate::aggregated_rappor::{depth_for, target};
use dp_calibration::Error;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Number of nodes on the curve of one release. Every node takes a sum over all blocks.
const CURVE: u64 = 160;

/// Nodes of products.
const NODES: u64 = 600;

/// The most releases.
const MAX_RELEASES: u32 = 1 << 20;

impl AggregatedResponse {
    /// An ε at δ of `releases` histograms of these clients, who randomize their answers anew for each:
    /// for every dataset of the others in every release.
    ///
    /// ```
    /// use dp_amplification::aggregated_response::AggregatedResponse;
    ///
    /// // Thirty histograms of 250 000 people. One person's answer is replaced in every histogram.
    /// let survey = AggregatedResponse::new("1".parse()?, 40, 250_000)?;
    /// let epsilon = survey.epsilon_of_releases(&"1e-8".parse()?, 30)?;
    /// assert!(epsilon.to_f64() < 0.0182);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9, or `releases` is 0 or above 2^20.
    pub fn epsilon_of_releases(&self, delta: &Delta, releases: u32) -> Result<Rational, Error> {
        if releases == 0 || releases > MAX_RELEASES {
            let accepted = "an integer from 1 to 1048576";
            return Err(Error::parameter("releases", releases, accepted));
        }

        let local = self.local_epsilon() * &Rational::from(u64::from(releases));
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = target(delta)?;
        let one = |curve: &dyn Fn(f64) -> f64| self.composed(curve, target, releases, &local);
        match self.method()? {
            Method::Binary(bit) => bit.epsilon_of_counts(delta, releases.into()),
            Method::Listed(listed) => one(&|alpha| listed.upper(alpha)),
            Method::Bounded => {
                // Tails lie far below what is negligible, which ends the curve.
                let depth = depth_for(negligible(target, releases));
                let crowd = self.crowd(Side::Upper, depth)?;
                one(&|alpha| crowd.delta(alpha))
            }
        }
    }

    /// The ε at `target` of a product of pairs, each with a curve of at most `bound` from 1 on.
    fn composed(
        &self,
        bound: &dyn Fn(f64) -> f64,
        target: f64,
        releases: u32,
        local: &Rational,
    ) -> Result<Rational, Error> {
        let times = count(releases.into());
        let negligible = negligible(target, releases);
        let most = elementary::ln(self.e.upper);
        let is_small = |loss: f64| bound(elementary::exp(loss)) <= negligible;
        let (_, high) = halved((0.0, most), 14, is_small);
        let nodes = (0..=CURVE).map(|i| elementary::exp(high * count(i) / count(CURVE)));
        let nodes: Vec<f64> = nodes.collect();
        let values: Vec<f64> = nodes.iter().map(|&alpha| bound(alpha)).collect();
        let Some((curve, cut)) = Curve::cut(nodes, &values) else {
            return Ok(local.clone());
        };
        match Composed::on_nodes(curve, releases.into(), target * SHARE, NODES) {
            Some(product) => solve(target, local, |alpha| {
                add_up(product.delta(alpha), mul_up(times, cut))
            }),
            None => Ok(local.clone()),
        }
    }
}

/// What may be cut off of the curve of one release.
fn negligible(target: f64, releases: u32) -> f64 {
    target * SHARE / f64::from(releases)
}
