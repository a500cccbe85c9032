//! The part of δ for the verdict on the client's own report: δ ≤ F + P(V = m − D + 1)·(L − F)₊,
//! with V the weight outside the D coordinates that may change, F the guarantee without dropping,
//! and L a bound on δ at the critical weight (`docs/aggregated-rappor.md`, section 6).

use dp_calibration::Adjacency;
use dp_exact::directed::{
    Bounds, add_down, add_up, div_down, div_up, mul_down, mul_up, sub_down, sub_up,
};

/// The protected client's own report, whose verdict may depend on its value.
pub(super) struct OwnReport {
    pub(super) adjacency: Adjacency,
    /// Enclosure of E = e^ε₀.
    pub(super) e: Bounds,
    /// Upper bound on P(V = m − D + 1), the probability that the verdict depends on the value.
    pub(super) critical: f64,
}

impl OwnReport {
    /// Upper bound on δ with dropping at an `alpha` just below e^ε, from an upper bound `free`
    /// without dropping and `known`(κ, s), an upper bound on the mean of (w − κ·w′ − s)₊ over the
    /// likelihood ratios w and w′ of the two counts of a client whose bits are known. It falls with
    /// κ and s.
    pub(super) fn delta(&self, alpha: f64, free: f64, known: impl Fn(f64, f64) -> f64) -> f64 {
        if self.critical <= 0.0 {
            return free;
        }
        let own = match self.adjacency {
            // (E − α)/(E + 1) grows with E.
            Adjacency::Deletion | Adjacency::OneCoordinate => {
                let e = self.e.upper;
                div_up(sub_up(e, alpha).max(0.0), add_down(e, 1.0))
            }
            Adjacency::Replacement => self.delta_at_critical_weight(alpha, free, known),
        };
        let excess = sub_up(own, free).max(0.0);
        add_up(free, mul_up(self.critical, excess))
    }

    /// Upper bound on the δ at the critical weight under replacement: min(F + pq(α − 1), (q² −
    /// αp²)₊·G), with F = `free` and G = `known`(κ, s), κ = (αq² − p²)/(q² − αp²) and s = (α −
    /// 1)·pq/(q² − αp²). A bit is kept with probability q and flipped with p.
    fn delta_at_critical_weight(
        &self,
        alpha: f64,
        free: f64,
        known: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let e = self.e;
        // What grows with α needs the other side of e^ε. E/(E + 1)² falls with E.
        let growth = sub_up(alpha.next_up().next_up(), 1.0);
        let sum = add_down(e.lower, 1.0);
        let both = div_up(e.lower, mul_down(sum, sum));
        let shared = add_up(free, mul_up(both, growth));
        // (E² − α)/(E + 1)² grows with E; (αE² − 1)/(E² − α) and E/(E² − α) fall with it.
        let (e, sum) = (e.upper, add_down(e.upper, 1.0));
        let rest = sub_up(mul_up(e, e), alpha);
        if rest <= 0.0 {
            return 0.0;
        }
        let above = sub_down(mul_down(alpha, mul_down(e, e)), 1.0);
        let kappa = div_down(above, rest).max(alpha);
        let more = div_down(mul_down(sub_down(alpha, 1.0), e), rest).max(0.0);
        let revealed = div_up(rest, mul_down(sum, sum));
        shared.min(mul_up(revealed, known(kappa, more).min(1.0)))
    }
}
