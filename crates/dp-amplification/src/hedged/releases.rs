//! Several releases over the same clients: the product of the pairs that dominate one count.

use dp_calibration::Error;
use dp_exact::{Delta, Rational};

use super::curves::Curves;
use super::{Hedged, target};
use crate::aggregated_rappor::composed::Composed;
use crate::aggregated_rappor::depth_for;
use crate::aggregated_rappor::search::solve;

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// Nodes of a product.
const NODES: u64 = 600;

/// The most counts that may change.
const MAX_COUNTS: u64 = 1 << 20;

impl Hedged {
    /// An ε at δ of bits and noise together where `counts` counts change, in one release or in several
    /// in which bits and noise are drawn anew: for every dataset of the others in every release, which
    /// may depend on earlier results. `None` where the joint law of one count takes too long.
    ///
    /// ```
    /// use dp_amplification::hedged::Hedged;
    /// use dp_calibration::NoiseLaw;
    ///
    /// let noise = NoiseLaw::DiscreteGaussian { variance: "100".parse()? };
    /// let policy = Hedged::new("5".parse()?, 100_000, noise, 1)?;
    /// let delta = "1e-6".parse()?;
    /// let one = policy.epsilon_of_counts(&delta, 2)?.expect("an epsilon").to_f64();
    /// let four = policy.epsilon_of_counts(&delta, 8)?.expect("an epsilon").to_f64();
    /// assert!((2.0..2.3).contains(&(four / one)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-240 and 0.9, or `counts` is 0 or above 2^20.
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Option<Rational>, Error> {
        if counts == 0 || counts > MAX_COUNTS {
            let accepted = "an integer from 1 to 1048576";
            return Err(Error::parameter("counts", counts, accepted));
        }

        let pure = self.pure(counts)?.1;
        if delta.value().is_zero() {
            return Ok(Some(pure));
        }
        let target = target(delta)?;
        let joint = self.joint();
        let curve = Curves::new(&joint, depth_for(target)).and_then(|curves| curves.curve());
        let product =
            curve.and_then(|curve| Composed::on_nodes(curve, counts, target * SHARE, NODES));
        product
            .map(|product| solve(target, &pure, |alpha| product.delta(alpha)))
            .transpose()
    }
}
