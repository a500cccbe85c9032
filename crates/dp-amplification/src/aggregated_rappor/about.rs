//! A fast estimate of ε, to steer searches: for one dataset, on few nodes.

use dp_exact::directed::count;
use dp_exact::{Delta, elementary, search::halved};

use super::AggregatedRappor;
use super::composed::Composed;
use super::curve::Curve;
use super::hockey_stick::HockeyStick;
use super::{depth_for, target};

/// Nodes of a curve.
const NODES: u64 = 160;

/// The share of δ that is lost to far tails.
const SHARE: f64 = 1e-3;

impl AggregatedRappor {
    /// About the ε at δ where `counts` counts change, in one release or in several, if all others hold
    /// the value that is removed: no bound, and within some percent of
    /// [`epsilon_of_counts`](Self::epsilon_of_counts) at a fiftieth of its work. `None` where floating
    /// point numbers do not hold it.
    ///
    /// ```
    /// use dp_amplification::aggregated_rappor::AggregatedRappor;
    ///
    /// let (sum, delta) = (AggregatedRappor::new("6.5".parse()?, 10_000)?, "1e-6".parse()?);
    /// let about = sum.about_epsilon_of_counts(&delta, 2).expect("a number");
    /// let bound = sum.epsilon_of_counts(&delta, 2)?.to_f64();
    /// assert!((0.98..1.02).contains(&(about / bound)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn about_epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Option<f64> {
        let target = target(delta).ok()?;
        let held = HockeyStick::new(&self.flip, 0, self.clients - 1, depth_for(target))?;
        let negligible = target * SHARE / count(counts);
        let at = |loss: f64| held.upper_at(&[elementary::exp(loss)]);
        let is_small = |loss: f64| at(loss).first().is_none_or(|value| *value <= negligible);
        let most = self.epsilon0.value().to_f64();
        let (_, high) = halved((0.0, most), 16, is_small);
        let nodes = (0..=NODES).map(|i| elementary::exp(high * count(i) / count(NODES)));
        let nodes: Vec<f64> = nodes.collect();
        let values = held.upper_at(&nodes);
        let (curve, cut) = Curve::cut(nodes, &values)?;
        let product = Composed::on_nodes(curve, counts, target * SHARE, NODES)?;
        let lost = cut * count(counts);
        let is_enough = |epsilon: f64| product.delta(elementary::exp(epsilon)) + lost <= target;
        Some(halved((0.0, most * count(counts)), 40, is_enough).1)
    }
}
