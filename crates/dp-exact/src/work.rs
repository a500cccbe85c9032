//! A budget for the work of an answer.
//!
//! Some questions would take hours: a δ of 1e-500 for a million releases of fifty kinds. What a question
//! will cost is seldom known before it is answered, so the arithmetic counts what it does, and a
//! question that has used up its budget is refused with [`Refusal::TooCostly`], which says what to
//! change.
//!
//! **Units.** Work is counted, not timed: the same question costs the same number of units on every
//! machine and in every build. A unit is about a nanosecond of one core in a release build: a product of
//! two short numbers costs tens of them, an exponential at 128 bits some thousands. Counted are the
//! products, quotients and roots of [`Interval`](crate::Interval)s and the series behind their
//! functions, the sums and products of [`Rational`](crate::Rational)s, and every loop over a long vector.
//!
//! **Answers do not depend on it.** A budget changes no number. Once it is used up, all that the thread
//! computes within the scope is thrown away, whatever it is, and the scope returns the refusal: a
//! looser bound that was found on the way cannot be taken for the answer. Until the scope ends,
//! [`refine`](crate::refine), exponentials, logarithms and [`spend`] fail, and intervals stay true but
//! are kept short, so that loops come to their end.
//!
//! **Scopes.** A function that answers a question calls [`bounded`], which allows [`DEFAULT`] units
//! unless the caller has set a limit. A caller that wants to allow more, or less, sets it by
//! [`limited`]; what is asked within shares it. Both hold for the thread that calls them.
//!
//! **Without the feature `std`** nothing is counted and no question is refused for what it costs: whoever asks on a
//! device bounds the parameters.
//!
//! ```
//! use dp_exact::{Rational, Refusal, refine, work};
//!
//! let question = || -> Result<Rational, Refusal> {
//!     let refused = || Refusal::too_costly("the root of this number", "take a shorter one");
//!     work::bounded(refused, || {
//!         let root = dp_exact::square_root_up(&Rational::integer(2), 6);
//!         root.map_err(|_| Refusal::not_available("a root", "take another number"))
//!     })
//! };
//! assert_eq!(question()?.to_string(), "1.41422");
//! let refused = work::limited(10, question).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "the root of this number, which takes too long: take a shorter one",
//! );
//! # Ok::<(), Refusal>(())
//! ```

pub(crate) mod cost;
mod meter;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;

use meter::Meter;

use crate::{ParameterError, Refusal};

/// What an answer may cost unless its caller says otherwise, in units: some seven seconds.
pub const DEFAULT: u64 = 8_000_000_000;

/// The bits of what is computed after the budget is used up.
const SHORT: u32 = 64;

/// An error that can say that a question is too costly.
pub trait Refused: From<Refusal> {
    /// Whether it is a [`Refusal::TooCostly`].
    fn is_too_costly(&self) -> bool;
}

impl Refused for Refusal {
    fn is_too_costly(&self) -> bool {
        matches!(self, Self::TooCostly { .. })
    }
}

/// Counts work.
pub fn charge(units: u64) {
    let mut meter = Meter::get();
    meter.spent = meter.spent.saturating_add(units);
    meter.set();
}

/// Counts work before it is done; `None` if it is not to be done any more.
#[must_use = "what is computed after the budget is used up is thrown away"]
pub fn spend(units: u64) -> Option<()> {
    charge(units);
    (!is_used_up()).then_some(())
}

/// As [`spend`], for work on so many elements.
#[must_use = "what is computed after the budget is used up is thrown away"]
pub fn spend_each(elements: usize, units: u64) -> Option<()> {
    spend(count(elements).saturating_mul(units))
}

/// Counts work on so many elements that a function does which cannot fail.
pub fn charge_each(elements: usize, units: u64) {
    charge(count(elements).saturating_mul(units));
}

/// A length as a count of units.
pub(crate) fn count(elements: usize) -> u64 {
    u64::try_from(elements).unwrap_or(u64::MAX)
}

/// Whether the budget of the scope is used up.
#[must_use]
pub fn is_used_up() -> bool {
    let meter = Meter::get();
    meter.limit.is_some_and(|limit| meter.spent > limit)
}

/// The bits of an operation that can fail.
pub(crate) fn kept(precision: u32) -> Option<u32> {
    (!is_used_up()).then_some(precision)
}

/// The bits of an operation that cannot: few, once its result will be thrown away.
pub(crate) fn short(precision: u32) -> u32 {
    if is_used_up() {
        precision.min(SHORT)
    } else {
        precision
    }
}

/// The units that this thread has spent since it began: what a question cost is the difference.
#[must_use]
pub fn spent() -> u64 {
    Meter::get().spent
}

/// What does not count for the question within which it is done, and is done in full although the
/// budget is used up: a constant that is computed once for all questions, or reading data, whose
/// length the caller knows.
///
/// ```
/// use dp_exact::{Refusal, work};
///
/// let refused = || Refusal::too_costly("the sum", "take fewer numbers");
/// let read = || work::charge(2 * work::DEFAULT);
/// work::bounded(refused, || Ok::<(), Refusal>(work::uncounted(read)))?;
/// # Ok::<(), Refusal>(())
/// ```
pub fn uncounted<T>(compute: impl FnOnce() -> T) -> T {
    /// What the question has spent, and its limit, also after a panic.
    struct Restore(Meter);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set();
        }
    }

    let before = Meter::get();
    let restore = Restore(before);
    Meter {
        limit: None,
        ..before
    }
    .set();
    let value = compute();
    drop(restore);
    value
}

/// Two parts of an answer that do not need each other, on two threads where there are threads. What both spend is
/// counted as if one had followed the other, so that the same questions are refused.
///
/// ```
/// use dp_exact::work;
///
/// let before = work::spent();
/// let part = |units| move || work::charge(units);
/// work::both(part(3), part(4));
/// assert_eq!(work::spent() - before, 7);
/// ```
#[cfg(all(feature = "std", not(target_family = "wasm")))]
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    use std::thread;

    let begin = Meter::get();
    let beside = || {
        begin.set();
        (other(), spent().saturating_sub(begin.spent))
    };
    thread::scope(
        |scope| match thread::Builder::new().spawn_scoped(scope, beside) {
            Ok(beside) => {
                let one = one();
                match beside.join() {
                    Ok((other, units)) => {
                        charge(units);
                        (one, other)
                    }
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            // One after the other, where there are no threads, or no more of them.
            Err(_) => (one(), other()),
        },
    )
}

/// Two parts of an answer that do not need each other, one after the other: here are no threads. In a browser, a
/// page need not carry what starts them.
#[cfg(any(not(feature = "std"), target_family = "wasm"))]
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    (one(), other())
}

/// An answer that may cost [`DEFAULT`] units, or what is left of what the caller allows.
///
/// # Errors
/// Those of the question; and the refusal, if the budget is used up, whatever the question returned.
pub fn bounded<T, E: Refused>(
    refusal: impl FnOnce() -> Refusal,
    question: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let outer = Meter::get();
    let own = outer.spent.saturating_add(DEFAULT);
    within(outer.limit.unwrap_or(own), outer, refusal, question)
}

/// What is asked within may cost so many units together, but no more than a limit around this one
/// leaves.
///
/// # Errors
/// Those of the question; and [`Refusal::TooCostly`], if the limit is reached, whatever the question
/// returned.
pub fn limited<T, E: Refused>(units: u64, question: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let outer = Meter::get();
    let own = outer.spent.saturating_add(units);
    let limit = outer.limit.map_or(own, |limit| limit.min(own));
    let refusal = || {
        let what = format!("the answer costs more than {units} units of work");
        Refusal::too_costly(what, "allow more units")
    };
    within(limit, outer, refusal, question)
}

/// The refusal of a question: `what` is a noun, `given` are the parameters that make it costly, with
/// their values, and `change` says what to change.
///
/// ```
/// use dp_exact::work;
///
/// let refusal = work::refusal("the delta", &[("clients", &1000)], "take fewer clients");
/// assert_eq!(
///     refusal.to_string(),
///     "the delta for clients 1000 needs more operations than are allowed, which takes too long: \
///      take fewer clients",
/// );
/// ```
#[must_use]
pub fn refusal(
    what: &str,
    given: &[(&'static str, &dyn Display)],
    change: impl Into<Cow<'static, str>>,
) -> Refusal {
    let given = given.iter().map(|(name, value)| {
        let short = ParameterError::new(*name, value, "");
        format!("{} {}", short.name(), short.value())
    });
    let given: Vec<String> = given.collect();
    let of = if given.is_empty() { "" } else { " for " };
    let what = format!(
        "{what}{of}{} needs more operations than are allowed",
        given.join(", ")
    );
    Refusal::too_costly(what, change)
}

fn within<T, E: Refused>(
    limit: u64,
    outer: Meter,
    refusal: impl FnOnce() -> Refusal,
    question: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    /// The outer limit holds again, also after a panic.
    struct Restore(Option<u64>);
    impl Drop for Restore {
        fn drop(&mut self) {
            let spent = spent();
            let limit = self.0;
            Meter { spent, limit }.set();
        }
    }

    let restore = Restore(outer.limit);
    Meter {
        spent: outer.spent,
        limit: Some(limit),
    }
    .set();
    let result = question();
    let is_used_up = is_used_up();
    drop(restore);
    match result {
        // The refusal of the question that was too costly says more than that of a scope around it.
        Err(error) if is_used_up && error.is_too_costly() => Err(error),
        _ if is_used_up => Err(refusal().into()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_beside_each_other_are_refused_as_one_after_the_other() {
        let spending = |one: u64, other: u64| {
            let parts = || {
                let (one, other) = both(|| spend(one), || spend(other));
                Ok::<_, Refusal>((one.is_some(), other.is_some()))
            };
            limited(10, parts)
        };
        assert_eq!(spending(4, 6), Ok((true, true)));
        // Neither of them alone is too costly.
        assert!(spending(5, 6).is_err_and(|refusal| refusal.is_too_costly()));
        assert!(spending(1, 11).is_err_and(|refusal| refusal.is_too_costly()));
    }
}
