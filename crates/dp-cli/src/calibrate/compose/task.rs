//! `calibrate compose --task`: what the releases of a task guarantee together, as its policy states it.

use std::path::Path;

use dp_calibration::Budget;
use dp_exact::{Delta, Refusal};
use dp_prio3::{Promise, TrustModel};

use super::super::answer::Answer;
use super::super::typed::{number, up};
use crate::failure::Failure;
use crate::options::integer;
use crate::policies;

/// The names of the figures, by trust model.
const FIGURES: [&str; 3] = ["epsilon_oc", "epsilon_oaoc", "epsilon_oamc"];

/// ε in each trust model, over `times` releases or else the task's number of releases, at the typed δ or else the
/// task's δ.
pub(super) fn answer(
    path: &Path,
    times: &[String],
    delta: Option<&String>,
) -> Result<Answer, Failure> {
    let task = policies::read(path)?;
    let releases = match times {
        [] => task.releases(),
        [times] => integer("times", times, 1..=1 << 20)?,
        several => {
            let given = several.join(", ");
            let change = "give it once";
            return Err(Refusal::contradiction("times", given, "with --task", change).into());
        }
    };
    let mut circumstances = task.circumstances().clone().over(releases);
    if let Some(delta) = delta {
        circumstances = circumstances.at(number::<Delta>("delta", delta)?);
    }
    let at = circumstances.delta().clone();
    let name = task.policy_name().name;
    let mut answer = Answer::to(format!(
        "{releases} releases of {name}, together at delta {at}"
    ))
    .at_delta(&at);
    for (figure, model) in FIGURES.into_iter().zip(TrustModel::ALL) {
        let who = model.must_be_honest();
        let are = if who.contains(" and ") { "are" } else { "is" };
        match task.pair_in(model, &circumstances) {
            Promise::Proved(Budget::Pure { epsilon }) => {
                let meaning = format!("with delta 0, if {who} {are} honest");
                answer.figure(figure, up(epsilon.value()), meaning);
            }
            Promise::Proved(Budget::Approximate { epsilon, .. }) => {
                let meaning = format!("if {who} {are} honest");
                answer.figure(figure, up(epsilon.value()), meaning);
            }
            Promise::TotalVariation { .. } => {
                answer.figure(figure, 0, format!("if {who} {are} honest"))
            }
            Promise::Proved(other) => answer.figure(figure, "none", other.to_string()),
            Promise::Absent { reason } => answer.figure(figure, "none", reason),
        }
    }
    Ok(answer.because(
        "The guarantee of the task's policy over all releases, as plan and statement state it: products of \
         the pairs of laws that dominate one release (Zhu, Dong, Wang 2022, Theorem 10), for data that may \
         depend on earlier results.",
    ))
}
