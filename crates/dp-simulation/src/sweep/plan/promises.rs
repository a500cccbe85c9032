//! What a task promises in each trust model, as two decimals.

use dp_calibration::conversion::rho_to_epsilon;
use dp_calibration::{Budget, TrustModel};
use dp_exact::{Rational, Rounding};
use dp_prio3::{Circumstances, Guarantee, Promise};
use dp_task::Task;

use crate::sweep::Error;

/// Digits of an ε that is not exact, rounded up.
const DIGITS: usize = 12;

/// A promise in one trust model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stated {
    /// ε, as a decimal; empty if nothing is promised.
    pub(crate) epsilon: String,
    /// δ, as a decimal; empty if nothing is promised.
    pub(crate) delta: String,
    /// Why nothing is promised, or what is to be known of it.
    pub(crate) reason: String,
    is_weak: bool,
}

impl Stated {
    /// Whether something is promised that protects somebody.
    pub(crate) const fn protects(&self) -> bool {
        !self.is_weak && !self.epsilon.is_empty()
    }
}

/// What is promised in the three trust models, from the strongest adversary to the weakest.
pub(super) fn stated(task: &Task, circumstances: &Circumstances) -> Result<[Stated; 3], Error> {
    let mut all: [Stated; 3] = Default::default();
    for (stated, model) in all.iter_mut().zip(TrustModel::ALL) {
        let guarantee = task.guarantee_in(model, circumstances);
        *stated = of(&guarantee, circumstances)?;
    }
    Ok(all)
}

fn of(guarantee: &Guarantee, circumstances: &Circumstances) -> Result<Stated, Error> {
    let weak = match guarantee.is_weak {
        true => "it protects nobody",
        false => "",
    };
    let kept = |epsilon: &Rational, delta: &Rational, note: String| {
        let notes = [weak.to_owned(), note].into_iter();
        let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
        Stated {
            epsilon: decimal(epsilon),
            delta: decimal(delta),
            reason: notes.join("; "),
            is_weak: guarantee.is_weak,
        }
    };
    let delta = circumstances.delta();
    let (zero, none) = (Rational::zero(), String::new());
    Ok(match &guarantee.promise {
        Promise::Absent { reason } => Stated {
            reason: reason.clone(),
            ..Stated::default()
        },
        Promise::TotalVariation { delta, .. } => kept(&zero, delta.value(), none),
        Promise::Proved(Budget::Pure { epsilon }) => kept(epsilon.value(), &zero, none),
        Promise::Proved(Budget::Approximate { epsilon, delta }) => {
            kept(epsilon.value(), delta.value(), none)
        }
        Promise::Proved(Budget::ZeroConcentrated { rho }) => {
            let epsilon = rho_to_epsilon(rho, delta)?;
            let note = format!("converted from rho {}", rho.value());
            kept(&epsilon, delta.value(), note)
        }
        Promise::Proved(other) => Stated {
            reason: format!("{other}, which is no pair of epsilon and delta"),
            ..Stated::default()
        },
    })
}

/// As it is, if that is short, else rounded up.
fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}
