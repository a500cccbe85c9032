//! Bits and noise together where inputs have several ones.
//!
//! Let a client hold a vector of length d with at most w ones. Two inputs differ in at most D
//! coordinates, min(d, 2w) under replacement and min(d, w) under deletion. Given the data of the
//! others, the counts of these are independent under both inputs, each the client's bit plus the
//! others' bits and the aggregators' noise for that coordinate, and each is dominated by the pair
//! that dominates one count for every dataset: so the guarantee is that of the product of D of
//! these. For D ≤ 2 it is the guarantee of one-hot vectors: one count or two, for any b of each.
//!
//! **Dropped reports.** Let m be the largest weight that is accepted, C be D coordinates that
//! contain all ones of both inputs, V the weight of the client's report outside C and B that
//! inside. V has one law under both inputs. Say everything about the client's bits outside C, and
//! let F bound δ if its report were counted in any case. With V ≤ m − D it is; with V > m it is
//! dropped under both inputs, and nothing is learnt. Else it is dropped with probabilities r and r′
//! under the two inputs. A set of outcomes either contains that the report is dropped, next to
//! which the rest of the outcome has one law under both inputs, or it does not:
//!
//!   δ ≤ F + α·r′ + (r − α·r′)₊ = F + max(r, α·r′) ≤ F + α·P(Bin(w, q) + Bin(D − w, p) > m − V),
//!
//! and never more than what the report tells by itself. Its bits in C are D·ε₀ private: with A = E^D,
//! P(S) ≤ A·Q(S) and 1 − Q(S) ≤ A·(1 − P(S)), so that P(S) − αQ(S) ≤ (A − α)₊/(A + 1). On average
//! over V this adds at most
//!
//!   min(P(V > m − D)·(E^D − α)₊/(E^D + 1), α·π₀), π₀ = P(Bin(w, q) + Bin(d − w, p) > m),
//!
//! to F. The **others** are treated in two ways. Either their reports with V > m − D are revealed
//! (aggregated RAPPOR, `revealed`), and F is the mean over how many are left; noise is drawn apart
//! from everything and stays. Or, where drops are rare, let Z be the event that one of them is
//! dropped, which is seen, and does not depend on the client: counting them in any case changes
//! P and Q by at most P(Z) on each set, so that δ ≤ F + (1 + α)·(n − 1)·π₀.
//!
//! **The noise alone.** Fix the client's flips: between the two inputs the sum moves by 1 in at most
//! D coordinates, except where the report is dropped under one of them. So what the noise promises
//! at δ less min(2π₀, P(V > m − D)) holds at δ.

use dp_exact::{Delta, Rational, elementary};

use super::curves::Curves;
use super::drops::{Drops, above, remaining};
use super::joint::MAX_DEPTH;
use super::parts::Changed;
use super::{Hedged, Parts, Route, target};
use crate::aggregated_rappor::composed::Composed;
use crate::aggregated_rappor::dropping::Revealed;
use crate::aggregated_rappor::multi_hot::accepted;
use crate::aggregated_rappor::{BELOW_DELTA, MultiHot, rounded_up, search};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{add_up, count, mul_up};

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// How many numbers of revealed reports are told apart.
const LEVELS: u64 = 10;

/// From this work for a block on, the guarantee of one number of revealed reports is taken.
const EXPENSIVE: f64 = 2e6;

/// Beyond this number of coordinates noise that is little next to the bits is left out.
const MANY: u64 = 1000;

/// The least ε for a δ where inputs have several ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultiHotBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Which guarantee that is.
    pub route: Route,
    /// What the ingredients promise by themselves.
    pub parts: Parts,
}

/// The same where reports of too many ones are dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultiHotDroppingBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Which guarantee that is.
    pub route: Route,
    /// The probability that an honest report is dropped, at most.
    pub dropped: Rational,
}

impl Hedged {
    /// The ε at δ for every dataset of the others, where inputs have several ones: the least of
    /// what the ingredients promise by themselves and together.
    ///
    /// ```
    /// use dp_calibration::Adjacency;
    /// use dp_amplification::aggregated_rappor::MultiHot;
    /// use dp_calibration::NoiseLaw;
    /// use dp_amplification::hedged::{Hedged, Route};
    ///
    /// let noise = NoiseLaw::DiscreteGaussian { variance: "400".parse()? };
    /// let policy = Hedged::new("5".parse()?, 20_000, noise, 1)?;
    /// let (input, delta) = (MultiHot { length: 100, ones: 2 }, "1e-9".parse()?);
    /// let bounds = policy.epsilon_multi_hot(&delta, Adjacency::Replacement, input)?;
    /// assert_eq!(bounds.route, Route::Joint);
    /// assert!(bounds.upper < bounds.parts.clients);
    /// assert!(Some(bounds.upper) < bounds.parts.aggregator);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-240 and 0.9, the length not from 1 to 2^40, or the number of
    /// coordinates that may change is 0 or above 2^20.
    pub fn epsilon_multi_hot(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
    ) -> Result<MultiHotBounds, Error> {
        let coordinates = accepted(adjacency, input)?;
        // Any data of one count, or of two, are possible for one-hot vectors too.
        if coordinates <= 2 {
            let bounds = self.epsilon(delta, adjacent(coordinates))?;
            return Ok(MultiHotBounds {
                upper: bounds.upper,
                route: bounds.route,
                parts: bounds.parts,
            });
        }
        let parts = self.parts(delta, Changed::MultiHot(adjacency, input))?;
        let (mut upper, mut route) = parts.best();
        let pure = self.pure(coordinates)?.1;
        if pure < upper {
            (upper, route) = (pure, Route::Joint);
        }
        if !delta.value().is_zero() && !upper.is_zero() {
            let target = target(delta)?;
            if let Some(composed) = self.composed(target, coordinates) {
                let joint = search::solve(target, &upper, |alpha| composed.delta(alpha))?;
                if joint < upper {
                    (upper, route) = (joint, Route::Joint);
                }
            }
        }
        Ok(MultiHotBounds {
            upper,
            route,
            parts,
        })
    }

    /// The same where reports of more than `max_weight` ones are dropped, and every aggregator sees
    /// which.
    ///
    /// # Errors
    /// As [`Self::epsilon_multi_hot`], and if δ is 0.
    pub fn epsilon_multi_hot_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<MultiHotDroppingBounds, Error> {
        let coordinates = accepted(adjacency, input)?;
        let target = target(delta)?;
        let drops = Drops::new(self, coordinates, input, max_weight, target)?;
        let clients = &self.rappor;
        let crowd = clients.epsilon_multi_hot_with_drops(delta, adjacency, input, max_weight)?;
        let parts = Parts {
            client: self.client_epsilon(coordinates),
            clients: crowd.upper,
            aggregator: match drops.left(delta)? {
                Some(left) => self.aggregator_epsilon(&left, coordinates)?,
                None => None,
            },
        };
        let (mut upper, mut route) = parts.best();
        if drops.least(&upper) > target {
            return Ok(MultiHotDroppingBounds {
                upper,
                route,
                dropped: rounded_up(drops.dropped)?,
            });
        }
        // Which of the two is the least is not known before, and both take long for many clients.
        let (revealed, fewest) = (
            self.with_revealed(&drops, coordinates, target),
            self.with_fewest(&drops, coordinates, delta),
        );
        let bounds = [
            revealed?,
            self.with_none_dropped(&drops, coordinates, target),
        ];
        let mut joint = Vec::new();
        for bound in bounds.into_iter().flatten() {
            joint.push(search::solve(target, &upper, bound)?);
        }
        joint.extend(fewest?);
        for epsilon in joint {
            if epsilon < upper {
                (upper, route) = (epsilon, Route::Joint);
            }
        }
        Ok(MultiHotDroppingBounds {
            upper,
            route,
            dropped: rounded_up(drops.dropped)?,
        })
    }

    /// δ at α where the others' reports that may be dropped are revealed.
    pub(super) fn with_revealed(
        &self,
        drops: &Drops,
        coordinates: u64,
        target: f64,
    ) -> Result<Option<Bound>, Error> {
        let mut revealed =
            Revealed::new(self.rappor.clients() - 1, drops.risky_other, target, LEVELS)?;
        if self.joint().is_expensive(depth(target), EXPENSIVE) {
            revealed.shares = vec![(revealed.most(), 1.0)];
        }
        let mut laws = Vec::new();
        for &(missing, _) in &revealed.shares {
            let left = Self {
                rappor: self.rappor.without(missing)?,
                ..self.clone()
            };
            laws.push(left.composed(target, coordinates));
        }
        if laws.iter().all(Option::is_none) {
            return Ok(None);
        }
        let drops = drops.clone();
        Ok(Some(Box::new(move |alpha| {
            let deltas = laws
                .iter()
                .map(|law| law.as_ref().map_or(1.0, |law| law.delta(alpha)));
            add_up(revealed.mean(deltas), drops.own(alpha))
        })))
    }

    /// The ε at δ for one or two coordinates, where datasets are told apart: that of the clients that
    /// are left but for a part of δ, at what else is left of δ.
    pub(super) fn with_fewest(
        &self,
        drops: &Drops,
        coordinates: u64,
        delta: &Delta,
    ) -> Result<Option<Rational>, Error> {
        if coordinates > 2 {
            return Ok(None);
        }
        let revealed = Revealed::new(
            self.rappor.clients() - 1,
            drops.risky_other,
            target(delta)?,
            LEVELS,
        )?;
        let Some(left) = remaining(delta, add_up(revealed.excess, drops.risky))? else {
            return Ok(None);
        };
        let fewest = Self {
            rappor: self.rappor.without(revealed.most())?,
            ..self.clone()
        };
        let bounds = fewest.epsilon(&left, adjacent(coordinates))?;
        Ok(Some(bounds.upper))
    }

    /// δ at α where no report of the others is dropped but rarely; `None` if that is not rare.
    pub(super) fn with_none_dropped(
        &self,
        drops: &Drops,
        coordinates: u64,
        target: f64,
    ) -> Option<Bound> {
        let others = mul_up(count(self.rappor.clients() - 1), drops.dropped);
        if others <= 0.0 || others >= target {
            return None;
        }
        let law = self.composed(target, coordinates)?;
        let drops = drops.clone();
        Some(Box::new(move |alpha| {
            let seen = mul_up(add_up(1.0, above(alpha)), others);
            add_up(law.delta(alpha), add_up(drops.own(alpha), seen))
        }))
    }

    /// The counts of so many coordinates, whatever the others hold; `None` where that takes too
    /// long, or long for next to nothing.
    pub(super) fn composed(&self, target: f64, coordinates: u64) -> Option<Composed> {
        if coordinates > MANY && self.joint().is_of_bits() {
            return None;
        }
        let curve = Curves::new(&self.joint(), depth(target))?.curve()?;
        Composed::new(curve, coordinates, target * SHARE)
    }
}

/// An upper bound on δ as a function of α next to e^ε and not above it.
pub(super) type Bound = Box<dyn Fn(f64) -> f64>;

/// One-hot vectors that differ in so many coordinates, one or two.
fn adjacent(coordinates: u64) -> Adjacency {
    match coordinates {
        1 => Adjacency::Deletion,
        _ => Adjacency::Replacement,
    }
}

/// How far tails are followed.
fn depth(target: f64) -> f64 {
    (BELOW_DELTA - elementary::ln(target)).min(MAX_DEPTH)
}
