//! The bound on ε with dropped reports, from what can be listed and from what holds for any crowd.

use dp_exact::{Delta, Rational};

use super::enumeration::Enumeration;
use super::limit::{Verdicts, WeightLimit, changed};
use super::own_report::OwnReport;
use super::revealed::Revealed;
use crate::aggregated_rappor::AggregatedRappor;
use crate::aggregated_rappor::curve::Curve;
use crate::aggregated_rappor::limits::{depth_for, rounded_up, target};
use crate::aggregated_rappor::search::solve;
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{count, floor_to_count};

/// The most numbers of revealed clients that are told apart.
const MOST_NUMBERS: u64 = 40;

/// A guarantee in which the effect of dropped reports is included.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppingBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// How many of the other clients the guarantee does not count on, because their reports are
    /// so heavy that they may be dropped, or because all cases are listed for so many fewer.
    pub revealed: u64,
    /// What the dropping of more of the other clients' reports adds to δ, at most.
    pub delta_of_others: Rational,
    /// The probability that the client's own report has a weight at which the verdict depends on
    /// what it holds, at most.
    pub critical: Rational,
}

/// What is asked.
pub(super) struct Case<'a> {
    sum: &'a AggregatedRappor,
    delta: &'a Delta,
    /// A number not above δ.
    pub(super) target: f64,
    adjacency: Adjacency,
    limit: WeightLimit,
    pub(super) own: OwnReport,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        sum: &'a AggregatedRappor,
        delta: &'a Delta,
        adjacency: Adjacency,
        limit: WeightLimit,
    ) -> Result<Self, Error> {
        let target = target(delta)?;
        let own = OwnReport::new(sum, adjacency, limit, target)?;
        Ok(Self {
            sum,
            delta,
            target,
            adjacency,
            limit,
            own,
        })
    }

    /// The least of the bounds.
    pub(super) fn epsilon(&self, verdicts: Verdicts) -> Result<DroppingBounds, Error> {
        let mut best = self.in_a_crowd()?;
        // Who sees each verdict learns no less than who sees their number.
        let seen: &[Verdicts] = match verdicts {
            Verdicts::Each => &[Verdicts::Each],
            Verdicts::Counted => &[Verdicts::Counted, Verdicts::Each],
        };
        for &verdicts in seen {
            if let Some(better) = self.listed(verdicts, &best.upper)? {
                best = better;
            }
        }
        Ok(best)
    }

    /// What listing all cases of as many clients as possible gives, if that is less than `most`.
    fn listed(&self, verdicts: Verdicts, most: &Rational) -> Result<Option<DroppingBounds>, Error> {
        let Some(clients) = Enumeration::largest(self.sum.clients, self.limit, verdicts) else {
            return Ok(None);
        };
        let revealed = self.sum.clients - clients;
        if revealed > 0 {
            // A crowd so much larger that it need not be compared.
            let (attained, _) = self
                .sum
                .without(revealed)?
                .attained_epsilon(self.delta, self.adjacency)?;
            if most + most <= attained {
                return Ok(None);
            }
        }
        let Some(all) = Enumeration::new(
            &self.sum.flip,
            clients,
            self.adjacency,
            self.limit,
            verdicts,
        ) else {
            return Ok(None);
        };
        let upper = solve(self.target, most, |alpha| all.upper(alpha))?;
        let bounds = self.bounds(upper, revealed, 0.0)?;
        Ok((bounds.upper < *most).then_some(bounds))
    }

    /// What holds for any crowd.
    pub(super) fn in_a_crowd(&self) -> Result<DroppingBounds, Error> {
        let sum = self.sum;
        let (depth, heavy) = (depth_for(self.target), self.heavy()?);
        let numbers = numbers(sum, depth);
        let revealed = Revealed::new(sum.clients - 1, heavy, self.target, numbers)?;
        let left = |&(missing, _): &(u64, f64)| sum.without(missing);
        // Without a curve everything is told; listing all cases may still do better.
        let mut free = Vec::new();
        for share in &revealed.shares {
            free.push(left(share)?.curve(depth).ok());
        }
        // What is known matters less: where time is short every second number is served by the next
        // larger one.
        let spacing = if numbers < MOST_NUMBERS { 2 } else { 1 };
        let mut known = Vec::new();
        for share in revealed.shares.iter().rev().step_by(spacing) {
            if self.own.needs_known() {
                known.push(left(share)?.known(depth));
            }
        }
        let known = |kappa: f64| {
            let twice = |(curve, told): &(Curve, f64)| curve.two_or_told(*told, kappa);
            let known = known.iter().map(|law| law.as_ref().map_or(1.0, twice));
            let known: Vec<f64> = known.collect();
            let places = (0..revealed.shares.len()).rev();
            revealed.mean(places.map(|place| known[place / spacing]))
        };
        let local = sum.local_epsilon(self.adjacency);
        let upper = solve(self.target, &local, |alpha| {
            let at = |curve: &Curve| curve.at(self.adjacency, alpha);
            let free = free.iter().map(|curve| curve.as_ref().map_or(1.0, at));
            self.own.delta(alpha, revealed.mean(free), known)
        })?;
        self.bounds(upper, revealed.most(), revealed.excess)
    }

    fn bounds(&self, upper: Rational, revealed: u64, excess: f64) -> Result<DroppingBounds, Error> {
        Ok(DroppingBounds {
            upper,
            revealed,
            delta_of_others: rounded_up(excess)?,
            critical: rounded_up(self.own.critical)?,
        })
    }

    /// π, at most.
    pub(super) fn heavy(&self) -> Result<f64, Error> {
        let changed = changed(self.adjacency, self.limit)?;
        let rest = self.limit.length - changed;
        let weight = self
            .limit
            .max_weight
            .saturating_add(1)
            .saturating_sub(changed);
        let ones = rest.min(1);
        self.sum.tail(rest - ones, ones, weight, self.target)
    }
}

/// How many numbers of revealed clients are told apart, by about how long each of them takes.
fn numbers(sum: &AggregatedRappor, depth: f64) -> u64 {
    let flip = &sum.flip;
    let clients = count(sum.clients);
    let blocks = clients.min(0.5 / sum.resolution(depth, 1.0).slack);
    let length = 2.0 * (2.0 * depth * clients * flip.p * (1.0 - flip.p)).sqrt();
    // With the nodes of a curve.
    let work = blocks * (length.min(clients) + 1000.0);
    let numbers = (2e7 / work).max((1.5e8 / work).min(12.0)).max(4.0);
    floor_to_count(numbers, MOST_NUMBERS)
}
