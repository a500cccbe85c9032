//! What this process has calibrated.
//!
//! A server reads a strategy from its database at every collection. So what was calibrated is not kept with the
//! strategy, but for the process.

use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::{Adjacency, Budget, Corner, Query, Sensitivity};

use crate::law::Law;
use crate::noise::Mechanism;
use crate::{Error, Noise};

/// The most calibrations that a process keeps: the least recently used is forgotten first.
pub const MAX_KEPT: usize = 64;

static KEPT: Kept = Kept::new();

/// The noise of a law that keeps a budget for `query`, by `calibrate` if it is not kept.
pub(crate) fn noise(
    law: Law,
    budget: &Budget,
    query: &Query,
    calibrate: impl FnOnce() -> Result<Mechanism, Error>,
) -> Result<Arc<Noise>, Error> {
    KEPT.noise(law, budget, query, calibrate)
}

/// Calibrations, the most recently used last.
struct Kept(Mutex<Vec<Entry>>);

struct Entry {
    law: Law,
    budget: Budget,
    noise: Arc<Noise>,
}

impl Kept {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Nobody waits for a calibration: the lock is held to look, and to put away what was found.
    fn noise(
        &self,
        law: Law,
        budget: &Budget,
        query: &Query,
        calibrate: impl FnOnce() -> Result<Mechanism, Error>,
    ) -> Result<Arc<Noise>, Error> {
        if let Some(noise) = self.find(law, budget, |noise| noise.query() == query) {
            return Ok(noise);
        }
        let moves = Moves::of(query);
        let alike = self.find(law, budget, |noise| Moves::of(noise.query()) == moves);
        let mechanism = match alike {
            Some(noise) => noise.mechanism().clone(),
            None => calibrate()?,
        };
        let noise = Arc::new(Noise::new(query, mechanism));
        Ok(self.keep(law, budget, noise))
    }

    /// The noise of an entry, which is the most recently used from now on.
    fn find(&self, law: Law, budget: &Budget, is: impl Fn(&Noise) -> bool) -> Option<Arc<Noise>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|entry| {
            entry.law == law && entry.budget == *budget && is(entry.noise.as_ref())
        })?;
        let entry = kept.remove(found);
        let noise = Arc::clone(&entry.noise);
        kept.push(entry);
        Some(noise)
    }

    /// Keeps what was calibrated, unless another thread was first.
    fn keep(&self, law: Law, budget: &Budget, noise: Arc<Noise>) -> Arc<Noise> {
        if let Some(first) = self.find(law, budget, |kept| kept.query() == noise.query()) {
            return first;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push(Entry {
            law,
            budget: budget.clone(),
            noise: Arc::clone(&noise),
        });
        noise
    }
}

/// How far one measurement moves the result of a query: all that a calibration depends on.
#[derive(Debug, PartialEq, Eq)]
struct Moves {
    corner: Option<Corner>,
    sensitivity: Option<Sensitivity>,
}

impl Moves {
    fn of(query: &Query) -> Self {
        let adjacency = Adjacency::Replacement;
        Self {
            corner: query.corner(adjacency).ok().flatten(),
            sensitivity: query.sensitivity(adjacency).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{self, AssertUnwindSafe};
    use std::thread;

    use dp_calibration::NoiseLaw;
    use dp_prio3::mechanisms::{DiscreteLaplace, NoiseMechanism as _};

    use super::*;

    fn pure(epsilon: &str) -> Budget {
        Budget::Pure {
            epsilon: epsilon.parse().expect("an epsilon"),
        }
    }

    fn laplace(query: &Query, budget: &Budget) -> Result<Mechanism, Error> {
        let mechanism = DiscreteLaplace::calibrate(query, budget)?;
        Ok(Mechanism::Laplace(mechanism))
    }

    /// Asks, and counts the calibrations.
    fn ask(kept: &Kept, budget: &Budget, query: &Query, calls: &mut usize) -> Arc<Noise> {
        let calibrate = || {
            *calls += 1;
            laplace(query, budget)
        };
        let noise = kept.noise(Law::DiscreteLaplace, budget, query, calibrate);
        noise.expect("calibrated")
    }

    #[test]
    fn equal_budgets_and_sensitivities_are_calibrated_once() {
        let kept = Kept::new();
        let mut calls = 0;
        let histogram = |length| Query::Histogram { length };
        let first = ask(&kept, &pure("1/2"), &histogram(5), &mut calls);
        let again = ask(&kept, &pure("0.50"), &histogram(5), &mut calls);
        assert!(Arc::ptr_eq(&first, &again));
        // Another histogram is moved as far; what is told of it is its own.
        let longer = ask(&kept, &pure("1/2"), &histogram(6), &mut calls);
        assert_eq!((longer.law(), calls), (first.law(), 1));
        assert_eq!(longer.query(), &histogram(6));
        let sum = ask(
            &kept,
            &pure("1/2"),
            &Query::Sum { max_measurement: 7 },
            &mut calls,
        );
        let other = ask(&kept, &pure("1/3"), &histogram(5), &mut calls);
        assert_eq!(calls, 3);
        let scale = |text: &str| NoiseLaw::DiscreteLaplace {
            scale: text.parse().expect("a scale"),
        };
        assert_eq!(
            [first.law(), sum.law(), other.law()],
            ["4", "14", "6"].map(scale)
        );
    }

    #[test]
    fn the_least_recently_used_is_forgotten_first() {
        let kept = Kept::new();
        let mut calls = 0;
        let budget = |number: usize| pure(&format!("1/{number}"));
        for number in 1..=MAX_KEPT {
            ask(&kept, &budget(number), &Query::Count, &mut calls);
        }
        ask(&kept, &budget(1), &Query::Count, &mut calls);
        assert_eq!(calls, MAX_KEPT);
        ask(&kept, &budget(MAX_KEPT + 1), &Query::Count, &mut calls);
        ask(&kept, &budget(1), &Query::Count, &mut calls);
        assert_eq!(calls, MAX_KEPT + 1);
        ask(&kept, &budget(2), &Query::Count, &mut calls);
        assert_eq!(calls, MAX_KEPT + 2);
        assert_eq!(kept.0.lock().expect("no panic").len(), MAX_KEPT);
    }

    /// A calibration that panics, or asks for another one, locks nobody out.
    #[test]
    fn no_lock_is_held_while_something_is_calibrated() {
        let kept = Kept::new();
        let ask_one = |calibrate: &dyn Fn() -> Result<Mechanism, Error>| {
            kept.noise(Law::DiscreteLaplace, &pure("1"), &Query::Count, calibrate)
        };
        let panicking = || ask_one(&|| panic!("a fault"));
        assert!(panic::catch_unwind(AssertUnwindSafe(panicking)).is_err());
        let calibrate = || laplace(&Query::Count, &pure("1"));
        let within = ask_one(&|| ask_one(&calibrate).map(|noise| noise.mechanism().clone()));
        let first = within.expect("calibrated");
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| ask_one(&calibrate)))
                .collect();
            for thread in threads {
                let noise = thread.join().expect("no panic").expect("calibrated");
                assert!(Arc::ptr_eq(&noise, &first));
            }
        });
    }
}
