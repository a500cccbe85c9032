//! The ceiling of what a strategy may promise, which is the ceiling of tasks.

use std::sync::{Mutex, PoisonError};

use dp_calibration::Budget;
use dp_exact::{Delta, ParameterError};
use dp_prio3::{WEAK, protects_nobody};

use crate::Error;

/// The field, in the written form, of a strategy whose promise protects nobody.
pub(crate) const ACCEPT: &str = "accept_weak_promise";

/// The δ at which a zero-concentrated budget is judged, as in a task that states none.
const JUDGED_AT: &str = "1e-9";

/// The most judgements that a process keeps.
const MAX_KEPT: usize = 64;

/// Zero-concentrated budgets that were judged, since a conversion near the ceiling takes up to a second.
static JUDGED: Mutex<Vec<(Budget, bool)>> = Mutex::new(Vec::new());

/// A promise that protects nobody is made only where that is accepted, and only then it may be accepted.
pub(crate) fn check_strength(budget: &Budget, is_accepted: bool) -> Result<(), Error> {
    let (value, accepted) = match (is_weak(budget)?, is_accepted) {
        (true, false) => {
            let why = WEAK.trim_end_matches('.');
            let accepted = format!("true, as the strategy promises {budget}. {why}");
            ("missing", accepted)
        }
        (false, true) => {
            let accepted = format!("no such field with {budget}, which is no weak promise");
            ("true", accepted)
        }
        (true, true) | (false, false) => return Ok(()),
    };
    Err(ParameterError::new(ACCEPT, value, accepted).into())
}

/// Whether a budget protects nobody. The lock is not held while that is found.
fn is_weak(budget: &Budget) -> Result<bool, Error> {
    let at = JUDGED_AT.parse::<Delta>()?;
    if !matches!(budget, Budget::ZeroConcentrated { .. }) {
        return Ok(protects_nobody(budget, &at));
    }
    let judged = || JUDGED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, is_weak)) = judged().iter().find(|(known, _)| known == budget) {
        return Ok(*is_weak);
    }
    let is_weak = protects_nobody(budget, &at);
    let mut judged = judged();
    if judged.len() >= MAX_KEPT {
        judged.remove(0);
    }
    judged.push((budget.clone(), is_weak));
    Ok(is_weak)
}
