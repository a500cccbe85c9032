//! The hockey-stick divergence of one count, with one bit known to be 1 against known to be 0.
//!
//! With f the log-concave distribution of the others' bits the likelihood ratio grows with the
//! count, so that
//!
//!   H(α) = sup_S P(S) − α·Q(S) = max_t {(q − αp)·f(t−1) + (1 − α)·P(N ≥ t)},
//!
//! and the best t is the first with f(t)/f(t−1) ≤ κ(α) = (E − α)/(αE − 1), E = e^ε₀ = q/p. Every t
//! gives a line below H. For an upper bound all t are tried among which the best one certainly is.

use crate::bit_odds::BitOdds;
use crate::count_distribution::CountDistribution;
use dp_exact::directed::{
    UNIT, add_down, add_up, div_down, div_up, mul_down, mul_up, sub_down, sub_up,
};
use dp_exact::elementary;
use dp_exact::search::{bisect, integer_midpoint};

/// The hockey-stick curve H of one visible count, the own bit plus a log-concave number N.
#[derive(Clone, Debug)]
pub(crate) struct HockeyStick<'a> {
    /// The odds of the client's own bit.
    pub(crate) own: &'a BitOdds,
    /// The distribution f of N, the count without the client's own bit.
    pub(crate) pmf: CountDistribution,
    /// Upper bound on the probability of an event, independent of the bit, outside which N has f.
    pub(crate) missing: f64,
    /// Upper bound on all likelihood ratios, from which on H is 0.
    pub(crate) end: f64,
}

impl<'a> HockeyStick<'a> {
    /// The curve of a bit of odds `own` among `zeros` zeros and `ones` ones of odds `flip`, with
    /// tails followed to e^−`depth`; `None` if floats do not hold them.
    pub(crate) fn new(
        flip: &BitOdds,
        own: &'a BitOdds,
        zeros: u64,
        ones: u64,
        depth: f64,
    ) -> Option<Self> {
        let pmf = CountDistribution::new(flip, zeros, ones, depth)?;
        Some(Self { own, pmf, missing: 0.0, end: own.e.upper })
    }

    /// Upper bounds on the hockey-stick divergence at ascending `nodes` α, each at least 1: H of
    /// the window, and the client's own bit where f does not hold. Where the best t is beyond the
    /// window, H at the node before is a bound, as H falls.
    pub(crate) fn upper_at(&self, nodes: &[f64]) -> Vec<f64> {
        let (mut bound, mut start) = (1.0f64, 0);
        let at = |&alpha: &f64| {
            if alpha >= self.end {
                return 0.0;
            }
            bound = bound.min(self.upper(alpha, &mut start).unwrap_or(1.0));
            let own = self.own.weight_upper(alpha).max(0.0);
            add_up(bound, mul_up(self.missing, own)).min(1.0)
        };
        nodes.iter().map(at).collect()
    }

    /// Upper bound on H(`alpha`), without the `missing` event: the highest line (q − αp)·f(t−1) +
    /// (1 − α)·P(N ≥ t) over t. `None` unless the t of that line is certainly in the window. Moves
    /// `start`, an index in the window before that t, for the next larger α.
    fn upper(&self, alpha: f64, start: &mut usize) -> Option<f64> {
        let length = self.pmf.lower.len();
        if length < 2 {
            // One value: N is certain, and H = q − αp.
            return (length == 1).then(|| self.own.weight_upper(alpha).max(0.0));
        }
        let kappa = self.kappa(alpha)?;
        let below = |t: usize| self.pmf.lower[t] > mul_up(kappa.1, self.pmf.upper[t - 1]);
        let above = |t: usize| self.pmf.upper[t] <= mul_down(kappa.0, self.pmf.lower[t - 1]);
        // What is certainly below stays so as α grows and κ falls.
        let mut step = 1;
        while *start + step < length && below(*start + step) {
            *start += step;
            step *= 2;
        }
        let end = length.min(*start + step);
        // The one before `low` is certainly below, and by monotonicity every t before it.
        let (before, low) = bisect(*start, end, integer_midpoint, |&t| !below(t));
        *start = before;
        if low == 1 && self.pmf.first > 0 {
            return None;
        }
        let mut best = 0.0f64;
        for t in if low == 1 { 0 } else { low }..=length {
            if t == length && self.is_cut_above() {
                return None;
            }
            best = best.max(self.line_upper(alpha, t));
            if t > 0 && t < length && above(t) {
                break;
            }
        }
        Some(best)
    }

    /// Whether the probability of N above the window may be positive.
    fn is_cut_above(&self) -> bool {
        self.pmf.tail_upper.last().is_some_and(|&rest| rest > 0.0)
    }

    /// Lower and upper bound on κ(α) = (E − α)/(αE − 1) at 1 ≤ `alpha` < E; `None` unless αE is
    /// certainly above 1.
    fn kappa(&self, alpha: f64) -> Option<(f64, f64)> {
        let (low, high) = (self.own.e.lower, self.own.e.upper);
        let below = sub_down(mul_down(alpha, high), 1.0);
        let kappa_high = div_up(sub_up(high, alpha), below);
        let above = sub_up(mul_up(alpha, low), 1.0);
        let kappa_low = div_down(sub_down(low, alpha), above).max(0.0);
        (below > 0.0 && above > 0.0).then_some((kappa_low, kappa_high))
    }

    /// Upper bound on the line (q − αp)·f(t−1) + (1 − α)·P(N ≥ t) of `t` at `alpha` ≥ 1. `t` counts
    /// from the window's start; f before the window is taken for 0.
    fn line_upper(&self, alpha: f64, t: usize) -> f64 {
        let pmf = &self.pmf;
        let own = mul_up(self.own.weight_upper(alpha), pmf.normalized_up(self.before(t)[1]));
        let excess = (alpha - 1.0) * (1.0 - 2.0 * UNIT);
        sub_up(own, mul_down(excess, pmf.normalized_down(pmf.tail_lower[t])).max(0.0))
    }

    /// Lower bound on the line (q − αp)·f(t−1) + (1 − α)·P(N ≥ t) of `t` for α up to `alpha`. `t`
    /// counts from the window's start; f before the window is taken for 0.
    pub(crate) fn line_lower(&self, alpha: f64, t: usize) -> f64 {
        let pmf = &self.pmf;
        let e = self.own.e.lower;
        let weight = sub_down(e, alpha);
        let weight = div_down(weight, add_up(1.0, e)).min(div_down(weight, add_down(1.0, e)));
        let times = |factor: f64, [lower, upper]: [f64; 2]| match factor >= 0.0 {
            true => mul_down(factor, pmf.normalized_down(lower)),
            false => mul_down(factor, pmf.normalized_up(upper)),
        };
        let own = times(weight, self.before(t));
        add_down(own, times(sub_down(1.0, alpha), [pmf.tail_lower[t], pmf.tail_upper[t]]))
    }

    /// The t, from the window's start, whose line (q − αp)·f(t−1) + (1 − α)·P(N ≥ t) is about the
    /// highest at `alpha`. Rounded: every t gives a lower bound.
    pub(crate) fn best(&self, alpha: f64) -> usize {
        let (pmf, e) = (&self.pmf, self.own.e.lower);
        let is_past =
            |&t: &usize| (alpha * e - 1.0) * pmf.upper[t] <= (e - alpha) * pmf.upper[t - 1];
        bisect(0, pmf.lower.len(), integer_midpoint, is_past).1
    }

    /// Lower and upper bound on c·f(t − 1) with the factor c of `pmf`; both 0 for t = 0. `t` counts
    /// from the window's start.
    fn before(&self, t: usize) -> [f64; 2] {
        t.checked_sub(1).map_or([0.0; 2], |before| [self.pmf.lower[before], self.pmf.upper[before]])
    }

    /// A lower bound on P(s) and an upper bound on Q(s), the chances of the sum s for a client's
    /// value 1 and 0. `s` counts from the window's start; s = 0 is no bound if f is cut below.
    pub(crate) fn outcome(&self, s: usize) -> (f64, f64) {
        let pmf = &self.pmf;
        let (low, high) = (self.own.e.lower, self.own.e.upper);
        let before = self.before(s);
        let here = if s < pmf.lower.len() { self.before(s + 1) } else { [0.0; 2] };
        // (E·f(s−1) + f(s))/(E + 1) and (f(s−1) + E·f(s))/(E + 1)
        let p = pmf.normalized_down(add_down(mul_down(low, before[0]), here[0]));
        let q = pmf.normalized_up(add_up(before[1], mul_up(high, here[1])));
        (div_down(p, add_up(1.0, high)).max(0.0), div_up(q, add_down(1.0, low)))
    }

    /// The largest privacy loss of an outcome in the window, rounded: no bound. The own bit's ε₀ if
    /// the window has one value, or nothing above it is cut off and the bit is randomized.
    pub(crate) fn largest_loss(&self) -> f64 {
        let last = self.pmf.lower.len() - 1;
        if last == 0 || !self.is_cut_above() && !self.own.is_known() {
            return self.own.epsilon0;
        }
        self.loss(last)
    }

    /// The privacy loss of the outcome at index `place` ≥ 1 of the window, rounded: no bound.
    pub(crate) fn loss(&self, place: usize) -> f64 {
        let ratio = self.pmf.upper[place] / self.pmf.upper[place - 1];
        let e = self.own.e.lower;
        elementary::ln((e + ratio) / (1.0 + e * ratio))
    }

    /// The number of outcomes s, from the window's start, whose P(s) and Q(s) are known. It is one
    /// more than the values of f if f is 0 after the window.
    pub(crate) fn outcomes(&self) -> usize {
        self.pmf.lower.len() + usize::from(!self.is_cut_above())
    }
}
