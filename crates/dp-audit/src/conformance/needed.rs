//! How many collections it takes.
//!
//! With the laws P and Q of a value without and with a fault, Chernoff's bound says: after N collections the product of
//! likelihood ratios is below its threshold although the fault is there with probability at most
//!
//! ```text
//! (K/α)^s · ρ(s)^N, ρ(s) = Σ Q^(1−s)·P^s, for every s between 0 and 1,
//! ```
//!
//! and that the reciprocal is below it although the fault is not there, the same with P and Q exchanged. So many N that
//! both are at most a wanted probability.

use dp_exact::ParameterError;
use serde::Serialize;

use super::expected::{Expected, Noise, Total};
use super::faults::Fault;
use super::pmf::{Pmf, signed};
use crate::Error;
use crate::confidence::float;

/// How many collections tell a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// Which one.
    pub fault: Fault,
    /// After so many collections it is found if it is there, and excluded if it is not, except with the stated
    /// probability. `None` if it does not show in these measurements, or depends on what is released before.
    pub collections: Option<u64>,
}

impl Expected {
    /// How many collections of so many reports with these true totals it takes to decide about each fault, where
    /// decisions are wrong with probability at most `error`, and not made after so many with probability at most `error`.
    ///
    /// # Errors
    /// If the error is not above 0 and below 1/2, there are no totals, or laws are too wide for tables.
    pub fn collections_needed(
        &self,
        reports: u64,
        truths: &[i64],
        error: f64,
    ) -> Result<Vec<Needed>, Error> {
        if !(error > 0.0 && error < 0.5) {
            return Err(
                ParameterError::new("error", error, "a number above 0 and below 1/2").into(),
            );
        }
        let one = self.noise.as_ref().map(Noise::pmf).transpose()?;
        let usual = one
            .as_ref()
            .map(|one| one.times(self.aggregators))
            .transpose()?;
        let faults = Fault::of(self);
        // One of dependent coordinates stands for all.
        let coordinates = if self.is_independent {
            1
        } else {
            truths.len().max(1)
        };
        let threshold = (2.0 * float((faults.len() * coordinates) as u64) / error).ln();
        let needed = |fault: Fault| {
            if fault.depends_on_others() {
                return Ok(Needed {
                    fault,
                    collections: None,
                });
            }
            let noise = one.as_ref().map(|one| fault.noise(self, one)).transpose()?;
            let clients = self.clients.map(|flips| fault.clients(flips));
            let clients = clients.filter(|_| fault != Fault::NotRandomized);
            let mut affinities: Vec<Affinities> = Vec::new();
            let mut known: Vec<(i64, Affinities)> = Vec::new();
            for &truth in truths {
                let of = Total {
                    reports,
                    submitted: reports,
                    truth,
                };
                let place = known.iter().position(|(other, _)| *other == truth);
                let affinity = match place {
                    Some(place) => known[place].1,
                    None => {
                        let law = self.law(of, self.clients, 0, usual.as_ref())?;
                        let with = self.law(of, clients, fault.heavier(), noise.as_ref())?;
                        let affinity = affinities_of(self, fault, of, (&law, &with));
                        known.push((truth, affinity));
                        affinity
                    }
                };
                affinities.push(affinity);
            }
            Ok(Needed {
                fault,
                collections: needed_of(&affinities, self.is_independent, threshold, error),
            })
        };
        faults.into_iter().map(needed).collect()
    }
}

/// The exponents that are tried.
const EXPONENTS: usize = 19;

/// ln ρ(s) at s = 1/20, …, 19/20.
type Affinities = [f64; EXPONENTS];

fn exponent(place: usize) -> f64 {
    float(place as u64 + 1) / float(EXPONENTS as u64 + 1)
}

fn affinities_of(
    expected: &Expected,
    fault: Fault,
    of: Total,
    (law, with): (&Pmf, &Pmf),
) -> Affinities {
    let totals = law
        .outcomes()
        .chain(with.outcomes())
        .map(|(total, _)| total);
    let mut values: Vec<f64> = totals
        .flat_map(|total| {
            let estimate = expected.estimate(of, total);
            [estimate, -estimate, signed(total)]
        })
        .chain([0.0, 1e18])
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let mut sums = [0.0; EXPONENTS];
    for value in values {
        let usual = Fault::WrongLaw.probability(expected, of, law, value);
        let faulty = fault.probability(expected, of, with, value);
        if usual > 0.0 && faulty > 0.0 {
            for (place, sum) in sums.iter_mut().enumerate() {
                let exponent = exponent(place);
                *sum += (exponent * usual.ln() + (1.0 - exponent) * faulty.ln()).exp();
            }
        }
    }
    sums.map(|sum: f64| sum.min(1.0).ln())
}

fn needed_of(
    affinities: &[Affinities],
    is_independent: bool,
    threshold: f64,
    error: f64,
) -> Option<u64> {
    let of = |place: usize| {
        let all = affinities.iter().map(|affinities| affinities[place]);
        if is_independent {
            all.sum()
        } else {
            all.fold(0.0, f64::min)
        }
    };
    let missed = -error.ln();
    let found = (0..EXPONENTS).map(|place| (missed + exponent(place) * threshold) / -of(place));
    let excluded =
        (0..EXPONENTS).map(|place| (missed + (1.0 - exponent(place)) * threshold) / -of(place));
    let least = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(f64::INFINITY, f64::min);
    let (mut found, mut excluded) = (found, excluded);
    let most = f64::max(least(&mut found), least(&mut excluded))
        .ceil()
        .max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (most < 1e12).then_some(most as u64)
}
