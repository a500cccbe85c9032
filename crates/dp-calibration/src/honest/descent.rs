//! Downward from a variance that is safe, on the exact law of the sum.
//!
//! With s = 1/(2σ²) and g_s(y) = Σ e^(−|x|²s) over the draws x of all aggregators that add up to the
//! noise y (on all coordinates that move), and z(s) the sum of g_s over all y,
//!
//!   δ(s) = Σ_y [g_s(y) − γ·g_s(y+Δ)]₊/z(s).
//!
//! Take s₀ < s₁ < s₂ with the same distance h, and c with e^(ch) = z(s₁)/z(s₂). G_s = e^(c(s−s₁))·g_s/z(s₁)
//! is convex in s, as a sum of exponentials. So for s = s₁ − u·h, 0 ≤ u ≤ 1,
//!
//!   G_s ≤ (1−u)·G_(s₁) + u·G_(s₀)  and  G_s ≥ (1+u)·G_(s₁) − u·G_(s₂),
//!
//! and e^(c(s−s₁))·z(s)/z(s₁), convex and 1 at s₁ and s₂, is at least 1 at s. With the laws p₀, p₁, p₂ at
//! the three places and ρ = z(s₀)·z(s₂)/z(s₁)², since e^(−ch)·g_(s₀)/z(s₁) = ρ·p₀ and e^(ch)·g_(s₂)/z(s₁) = p₂,
//!
//!   δ(s) ≤ (1−u)·δ(s₁) + u·B,  B = Σ_y [ρ·p₀(y) − γ·(2p₁ − p₂)(y+Δ)]₊.
//!
//! If both δ(s₁) and B are at most the target, every variance between the two is safe. B exceeds δ(s₀)
//! in second order of h only, so that ranges whose length is a part of what is left end next to the last
//! variance that is not safe. B is summed in floating point with every rounding upward; what is left
//! out beyond ±L, where G_(y+Δ) ≥ 0 takes the place of the second line, is at most 2k·P₁(Y > L) and
//! 2k·ρ^k·P₀(Y > L) for k coordinates, which is added to δ(s₁) and to B.

use dp_exact::{Interval, Rational, Rounding, elementary};
use num_bigint::BigInt;

use super::laws::{Noise, Sum};
use crate::Corner;
use dp_exact::directed::{
    Bounds, above, add_up, below, floor_to_count, mul_down, mul_up, sub_down, sub_up,
};

/// Bits of the laws.
const PRECISION: u32 = 128;

/// Digits of a variance.
const DIGITS: usize = 13;

/// The longest table for two coordinates, all of whose pairs are summed.
const MOST_PAIRED: u64 = 1_000;

/// The longest table for one coordinate.
const MOST: u64 = 20_000;

/// The longest range.
const LONGEST: f64 = 0.3;

/// The law of the sum at one variance.
pub(super) struct Place {
    /// p(y) for y = 0, 1, …
    masses: Vec<Interval>,
    /// An upper bound on p(y).
    highest: Vec<f64>,
    /// e^(ε/k)·p(y). Its upper end may be infinite, and its lower end is at most the largest float.
    grown: Vec<Bounds>,
    /// z for one coordinate
    normalizer: Interval,
    /// An upper bound on P(Y > L).
    beyond: f64,
}

/// What all variances share, for one or two coordinates.
pub(super) struct Descent {
    honest: u32,
    pair: bool,
    step: u64,
    reach: u64,
    /// e^(ε/k)
    growth: Interval,
    /// A lower bound on the target.
    target: f64,
}

/// What proves that variances are safe.
pub(super) trait Certificate {
    /// What is known of one variance.
    type Place;

    /// The relative length of a range at which the descent ends.
    const SHORTEST: f64;

    /// The most ranges that are tried.
    const MOST_TRIED: u32;

    fn place(&self, variance: &Rational) -> Option<Self::Place>;

    /// Whether the variance is proved to be safe.
    fn holds_at(&self, place: &Self::Place) -> Option<bool>;

    /// Whether all variances between two that are safe are proved to be, with s₂, which lies as far
    /// beyond the lower one.
    fn holds_between(
        &self,
        low: &Self::Place,
        high: &Self::Place,
        beyond: &Self::Place,
    ) -> Option<bool>;
}

/// The least variance down to which all from `safe` on are proved to be safe, and one below it that
/// seems not to be.
pub(super) fn descend<C: Certificate>(
    safe: &Rational,
    certificate: &C,
) -> Option<(Rational, Option<Rational>)> {
    let mut variance = safe.clone();
    let mut high = certificate.place(safe)?;
    let mut unsafe_at: Option<Rational> = None;
    let mut step = LONGEST;
    for _ in 0..C::MOST_TRIED {
        let factor = Rational::from_f64(1.0 - step).ok()?;
        let lower = (&variance * &factor).round_to_digits(DIGITS, Rounding::Up);
        if step < C::SHORTEST || lower >= variance {
            break;
        }
        let low = certificate.place(&lower);
        let safe_at = low.as_ref().and_then(|low| certificate.holds_at(low));
        let between = |low| {
            let beyond = beyond(&lower, &variance).and_then(|place| certificate.place(&place));
            beyond.and_then(|beyond| certificate.holds_between(low, &high, &beyond)) == Some(true)
        };
        match low {
            Some(low) if safe_at == Some(true) && between(&low) => {
                (high, variance) = (low, lower);
                step *= 2.0;
            }
            _ if safe_at == Some(false) => unsafe_at = Some(lower),
            _ => step *= 0.4,
        }
        step = step.min(LONGEST);
        if let Some(unsafe_at) = &unsafe_at {
            let room = (&variance - unsafe_at).checked_div(&variance)?;
            step = step.min(0.8 * room.to_f64());
        }
    }
    Some((variance, unsafe_at))
}

/// The variance of s₂ = 2s₁ − s₀.
fn beyond(low: &Rational, high: &Rational) -> Option<Rational> {
    let inverse = low.reciprocal()?;
    let farther = &inverse + &inverse - high.reciprocal()?;
    farther.reciprocal()
}

impl Descent {
    /// `None` where the tables would be too long.
    pub(super) fn new(
        safe: &Rational,
        corner: &Corner,
        honest: u32,
        epsilon: &Rational,
        target: &Rational,
    ) -> Option<Self> {
        let pair = match corner.coordinates() {
            1 => false,
            2 => true,
            _ => return None,
        };
        // Each draw is subgaussian with variance proxy σ², so that P(Y > L) ≤ e^(−L²/(2hσ²)).
        let target = Bounds::of(&Interval::rational(target, PRECISION))?.lower;
        let spread = 2.0 * f64::from(honest) * safe.to_f64() * (30.0 - elementary::ln(target));
        let reach = floor_to_count(spread.sqrt(), MOST) + 2;
        let step = u64::try_from(corner.step()).ok()?;
        let most = if pair { MOST_PAIRED } else { MOST };
        if reach.checked_add(step)? > most {
            return None;
        }
        let count = Rational::from(corner.coordinates());
        let part = epsilon.checked_div(&count)?;
        Some(Self {
            honest,
            pair,
            step,
            reach,
            growth: Interval::rational(&part, PRECISION).exp()?,
            target,
        })
    }

    /// An upper bound on B; on δ where all three are the same.
    fn bound(&self, first: &Place, second: &Place, third: &Place) -> Option<f64> {
        let square = second.normalizer.square();
        let ratio = (&first.normalizer * &third.normalizer).checked_div(&square)?;
        let ratio = Bounds::of(&ratio)?.upper;
        let places = (0..=self.reach)
            .map(|y| (y, y + self.step))
            .chain(self.negative());
        let terms = places.map(|(here, there)| {
            let (here, there) = (usize::try_from(here).ok()?, usize::try_from(there).ok()?);
            let quotient = third
                .masses
                .get(there)?
                .checked_div(second.masses.get(there)?)?;
            let grown = second.grown.get(there)?;
            Some(Term {
                first: mul_up(ratio, *first.highest.get(here)?),
                least: grown.lower,
                most: grown.upper,
                quotient: above(quotient.upper()),
            })
        });
        let terms: Vec<Term> = terms.collect::<Option<_>>()?;
        let coordinates = if self.pair { 2.0 } else { 1.0 };
        // ρ^k·p₀ over all values of the other coordinate adds up to ρ^k.
        let whole = if self.pair {
            mul_up(ratio, ratio)
        } else {
            ratio
        };
        let left_out = mul_up(mul_up(2.0 * coordinates, whole), first.beyond);
        let sum = if self.pair {
            pairs(&terms)
        } else {
            single(&terms)
        };
        Some(add_up(sum, left_out))
    }

    /// |y| and |y + Δ| for y = −1, −2, …, −L.
    fn negative(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (1..=self.reach).map(|y| (y, y.abs_diff(self.step)))
    }
}

impl Certificate for Descent {
    type Place = Place;

    const SHORTEST: f64 = 1e-10;

    const MOST_TRIED: u32 = 300;

    fn place(&self, variance: &Rational) -> Option<Self::Place> {
        let sum = Sum::new(variance, self.honest, PRECISION)?;
        let last = u32::try_from(self.reach + self.step).ok()?;
        let masses = sum.masses(last)?;
        let grown = masses.iter().map(|mass| {
            let grown = mass * &self.growth;
            let (lower, upper) = (below(grown.lower()), above(grown.upper()));
            Bounds { lower, upper }
        });
        let beyond = sum.upper_tail(&BigInt::from(self.reach + 1))?;
        Some(Place {
            grown: grown.collect(),
            highest: masses.iter().map(|mass| above(mass.upper())).collect(),
            masses,
            normalizer: sum.normalizer().clone(),
            beyond: Bounds::of(&beyond)?.upper,
        })
    }

    fn holds_at(&self, place: &Self::Place) -> Option<bool> {
        Some(self.bound(place, place, place)? <= self.target)
    }

    fn holds_between(&self, low: &Place, high: &Place, beyond: &Place) -> Option<bool> {
        Some(self.bound(high, low, beyond)? <= self.target)
    }
}

/// One value y of one coordinate.
#[derive(Clone, Copy)]
struct Term {
    /// ρ·p₀(y), rounded up
    first: f64,
    /// e^(ε/k)·p₁(y+Δ), rounded down and rounded up
    least: f64,
    most: f64,
    /// p₂(y+Δ)/p₁(y+Δ), rounded up
    quotient: f64,
}

impl Term {
    /// [ρ·p₀ − γ·p₁·(2 − p₂/p₁)]₊, rounded up. Of factors beyond all floats the least is the largest
    /// float, and the most is infinite.
    fn positive(self) -> f64 {
        let rest = sub_down(2.0, self.quotient);
        let less = if rest >= 0.0 {
            mul_down(self.least, rest)
        } else {
            -mul_up(self.most, -rest)
        };
        sub_up(self.first, less).max(0.0)
    }

    /// Of two coordinates together.
    fn and(self, other: Self) -> Self {
        Self {
            first: mul_up(self.first, other.first),
            least: mul_down(self.least, other.least),
            most: mul_up(self.most, other.most),
            quotient: mul_up(self.quotient, other.quotient),
        }
    }
}

/// The sum of all positive parts, rounded up.
fn single(terms: &[Term]) -> f64 {
    let positive = terms.iter().map(|term| term.positive());
    positive.fold(0.0, add_up)
}

/// The same over all pairs of values.
fn pairs(terms: &[Term]) -> f64 {
    let mut sum = 0.0;
    for (index, &term) in terms.iter().enumerate() {
        let rest = terms[index + 1..].iter();
        let rest = rest.map(|&other| term.and(other).positive());
        let rest = rest.fold(0.0, add_up);
        sum = add_up(sum, add_up(2.0 * rest, term.and(term).positive()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::Term;

    #[test]
    fn a_chord_of_a_law_that_falls_fast_adds_instead_of_taking() {
        // 2 − p₂/p₁ = −1: what γ·p₁ is multiplied with has the other sign.
        let term = |quotient| Term {
            first: 1.0,
            least: 0.5,
            most: 0.75,
            quotient,
        };
        for (quotient, exact) in [(3.0, 1.75), (1.0, 0.5)] {
            let found = term(quotient).positive();
            assert!((exact..exact + 1e-12).contains(&found), "{found}");
        }
    }
}
