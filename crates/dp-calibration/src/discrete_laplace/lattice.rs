//! The loss of one coordinate, on its own lattice or on a coarser one.
//!
//! One coordinate that moves by Δ has the loss (Δ − 2j)/t with probability
//!
//!   P(0) = 1/(1+q), P(j) = (1−q)·q^j/(1+q) for 0 < j < Δ, P(Δ) = q^Δ/(1+q).
//!
//! Let x_i = i·s for i = 0, …, n with s = Δ/n ≥ 1, a fraction. The losses at these places form a
//! lattice that has both ends, and all j where s = 1. Two laws on it bound δ, for any number of
//! coordinates, as δ is an expectation under P of a convex and falling function of each ratio
//! Q/P = e^−ℓ:
//!
//! **Upward**, each j between x_i and x_(i+1) is split between the two such that its P and its Q are
//! kept, which spreads the ratio and keeps its mean. With c/2 the mean distance of the m values
//! j = a, …, b − 1 from x_i, c = 2(a − x_i) + m − 1, and by the geometric sums of q^j and of q^(Δ−j),
//! the share (e^(c/t) − 1)/(e^(2s/t) − 1) of their total q^a·(1 − q^m)/(1+q) goes to x_(i+1).
//!
//! **Downward**, the j near x_i are merged into one outcome, which is a function of what is released:
//! the loss of a, …, b − 1 together is (Δ − a − b + 1)/t, again by the geometric sums. These groups
//! follow each other and have their middle (a+b−1)/2 at most at x_i, so that placing them there
//! lowers the loss, and ℓ with it δ.
//!
//! Weights are tilted, P·e^(λℓ), as [`crate::privacy_loss`] composes them.

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use crate::privacy_loss::{BoundSide, PRECISION, TiltedLoss};

/// What is below e^−45 of the largest is negligible.
const NEGLIGIBLE: f64 = 45.0;

/// Where the law of one coordinate is placed.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// n
    pub(super) cells: BigInt,
    /// Cells from the largest loss on that are kept; what lies beyond is negligible under the tilt.
    pub(super) kept: usize,
    /// λ
    pub(super) tilt: Rational,
}

/// The place that is being filled, with the factors that its outcomes share.
struct Places<'a> {
    /// Δ
    step: &'a Rational,
    /// 1/t
    rate: &'a Rational,
    /// s
    spacing: Rational,
    /// e^(2s/t) − 1
    whole: Interval,
    /// The last outcomes, as their distance from the place and their number, and their factors.
    last: Option<(Rational, BigInt, Factors)>,
}

/// q^(a−x)·(1 − q^m), and the share that goes to the next place.
#[derive(Clone)]
struct Factors {
    mass: Interval,
    share: Interval,
}

fn real(value: &Rational) -> Interval {
    Interval::rational(value, PRECISION)
}

/// How far from the largest loss on, in steps of one, the tilted law is not negligible, for a move by
/// `step`: j is a geometric variable of the rate `steep`, cut off at the move.
pub(super) fn reach(step: f64, steep: f64) -> f64 {
    step.min(NEGLIGIBLE / steep + 2.0)
}

impl Lattice {
    /// That of a move by `step` with cells of about `spacing`; its own if that is at most 1.
    pub(super) fn new(step: &BigUint, spacing: f64, steep: f64, tilt: Rational) -> Option<Self> {
        let whole = BigInt::from(step.clone());
        let about = step.to_f64()?;
        let (cells, spacing) = if spacing <= 1.0 {
            (whole, 1.0)
        } else {
            let cells = Rational::from_f64((about / spacing).max(1.0)).ok()?.floor();
            let spacing = about / cells.to_f64()?;
            (cells, spacing)
        };
        let kept = (reach(about, steep) / spacing).ceil() + 1.0;
        let kept = BigInt::from(dp_exact::directed::floor_to_count(kept, 1 << 20));
        let kept = usize::try_from(&kept.min(cells.clone())).ok()?;
        Some(Self { cells, kept, tilt })
    }
}

impl Places<'_> {
    /// Of `count` values j from `distance` above the place on.
    fn factors(&mut self, distance: Rational, count: BigInt) -> Option<Factors> {
        if let Some((at, number, factors)) = &self.last
            && (at, number) == (&distance, &count)
        {
            return Some(factors.clone());
        }
        let number = Rational::integer(count.clone());
        let some = -real(&-(&number * self.rate)).exp_m1()?;
        let apart = &distance + &distance + &number - Rational::one();
        let factors = Factors {
            mass: some * real(&-(&distance * self.rate)).exp()?,
            share: real(&(apart * self.rate)).exp_m1()?.checked_div(&self.whole)?,
        };
        self.last = Some((distance, count, factors.clone()));
        Some(factors)
    }

    /// x_i
    fn place(&self, index: usize) -> Rational {
        &self.spacing * &Rational::from(index as u64)
    }

    /// The first j of a group after that of `place`, if the group starts at `first`.
    fn group_end(&self, place: &Rational, first: &BigInt) -> BigInt {
        let two = Rational::integer(2);
        let nearest = (place + place + &self.spacing).checked_div(&two);
        let nearest = nearest.map_or_else(|| first.clone(), |near| near.floor() + 1);
        let centred = (place + place).floor() - first + 1;
        nearest.min(centred).max(first.clone()).min(self.step.floor())
    }
}

/// The tilted law of the loss of one coordinate, moved upward or downward to the lattice.
pub(super) fn law(
    step: &Rational,
    rate: &Rational,
    lattice: &Lattice,
    side: BoundSide,
) -> Option<TiltedLoss> {
    let spacing = step.checked_div(&Rational::integer(lattice.cells.clone()))?;
    let loss_step = &spacing * rate + &spacing * rate;
    let mut places = Places { whole: real(&loss_step).exp_m1()?, step, rate, spacing, last: None };
    let tilt = &lattice.tilt;
    let odds = Interval::integer(1, PRECISION) + real(&-rate).exp()?;
    // From one place to the next, e^(λℓ) and q^x·e^(λℓ).
    let tilt_fall = real(&-(tilt * &loss_step)).exp()?;
    let fall = &tilt_fall * real(&-(&places.spacing * rate)).exp()?;
    let largest = step * rate;
    let mut base = real(&(tilt * &largest)).exp()?.checked_div(&odds)?;

    let complete = BigInt::from(lattice.kept) >= lattice.cells;
    let mut weights = vec![Interval::integer(0, PRECISION); lattice.kept + 1];
    weights[0] = base.clone();
    let mut first = BigInt::from(1);
    for index in 0..lattice.kept {
        let (here, next) = (places.place(index), places.place(index + 1));
        let last = complete && index + 1 == lattice.kept;
        match side {
            BoundSide::Upper => {
                let end = next.ceil().min(step.floor());
                if end > first {
                    let distance = Rational::integer(first.clone()) - &here;
                    let factors = places.factors(distance, &end - &first)?;
                    let mass = &base * &factors.mass;
                    let moved = &mass * &factors.share;
                    weights[index] = &weights[index] + (mass - &moved);
                    weights[index + 1] = &weights[index + 1] + moved * &tilt_fall;
                    first = end;
                }
                base = base * &fall;
            }
            BoundSide::Lower => {
                base = base * &fall;
                let end = if last { step.floor() } else { places.group_end(&next, &first) };
                if end > first {
                    let distance = Rational::integer(first.clone()) - &next;
                    let factors = places.factors(distance, &end - &first)?;
                    weights[index + 1] = &base * &factors.mass;
                    first = end;
                }
            }
        }
        if last {
            weights[index + 1] = &weights[index + 1] + &base;
        }
    }
    // All that lies beyond is less than q^x·e^(λℓ) at the last place, and moves up by a step.
    let rest =
        if complete { Interval::integer(0, PRECISION) } else { base.checked_div(&tilt_fall)? };
    weights.reverse();
    let reach = &loss_step * &Rational::from(lattice.kept as u64);
    TiltedLoss::new(loss_step, largest - reach, &weights, &rest)
}
