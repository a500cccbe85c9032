//! What a strategy has calibrated, kept with it.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::Query;
use dp_exact::work;

use crate::{Error, Noise};

/// The most queries for which noise is kept.
const MAX_KEPT: usize = 8;

/// The noise for the last queries, shared by clones.
///
/// It follows from the strategy that holds it, so it takes no part in comparing two of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calibrations(Arc<Mutex<Vec<Arc<Noise>>>>);

impl Calibrations {
    /// The noise for `query`, by `calibrate` if it is not kept.
    pub(crate) fn get_or_insert(
        &self,
        query: &Query,
        calibrate: impl FnOnce() -> Result<Noise, Error>,
    ) -> Result<Arc<Noise>, Error> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().iter().find(|noise| noise.query() == query) {
            return Ok(Arc::clone(known));
        }
        let noise = Arc::new(calibrate()?);
        if work::is_used_up() {
            // What was computed then is thrown away, and must not be kept here.
            return Ok(noise);
        }
        let mut kept = kept();
        if kept.len() == MAX_KEPT {
            kept.remove(0);
        }
        kept.push(Arc::clone(&noise));
        Ok(noise)
    }
}

impl PartialEq for Calibrations {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Calibrations {}

impl PartialOrd for Calibrations {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Calibrations {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Calibrations {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use dp_exact::Epsilon;

    use super::*;
    use crate::Strategy;

    #[test]
    fn what_was_calibrated_after_a_budget_was_used_up_is_not_kept() -> Result<(), Error> {
        let epsilon: Epsilon = "1".parse()?;
        let noise = Strategy::discrete_laplace(epsilon)?.noise(&Query::Count)?;
        let calibrations = Calibrations::default();
        let mut calls = 0;
        let mut ask = || {
            calibrations.get_or_insert(&Query::Count, || {
                calls += 1;
                Ok(Noise::clone(&noise))
            })
        };
        let late = work::limited(10, || -> Result<(), dp_calibration::Error> {
            work::charge(100);
            assert!(ask().is_ok());
            Ok(())
        });
        assert!(late.is_err());
        ask()?;
        ask()?;
        assert_eq!(calls, 2);
        Ok(())
    }
}
