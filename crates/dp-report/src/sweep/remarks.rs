//! What ran, what is left out, and whether errors are as predicted.

use dp_exact::grouped;
use dp_simulation::sweep::{Data, Functionality, Results, TOLERANCE};

/// The most disagreements and pairs that are named.
const NAMED: usize = 20;

/// What ran.
pub(super) fn question(results: &Results) -> Vec<String> {
    let (sweep, summary) = (&results.sweep, &results.summary);
    let all = results.grid.cells.len();
    let cells = match usize::try_from(summary.cells) {
        Ok(some) if some < all => format!("{} of {} cells", grouped(some), grouped(all)),
        _ => format!("{} cells", grouped(all)),
    };
    let totals = match sweep.functionality {
        Functionality::Ideal => {
            "The ideal functionality: totals are drawn from their exact laws, without Prio3."
        }
        Functionality::Prio3 => "Prio3: every report is made, verified and added up.",
    };
    let clients = match &sweep.data {
        Data::Synthetic(law) => {
            format!("Each client draws its value by the {} law.", law.name())
        }
        Data::Table(_) => format!(
            "Each client is a row of {}, drawn at random.",
            sweep.data.name()
        ),
    };
    let first = format!(
        "A sweep of {cells}: {} policies, {} budgets. {totals} {clients} Seed: {}.",
        sweep.policies.len(),
        sweep.budgets.len(),
        results.grid.seed,
    );
    vec![first]
}

/// Which pairs of policy and budget are left out, and why.
pub(super) fn left_out(results: &Results) -> Vec<String> {
    let pairs = &results.grid.left_out;
    let named = pairs.iter().take(NAMED);
    let mut named: Vec<String> = named
        .map(|pair| format!("{} with {}: {}", pair.policy, pair.budget, pair.reason))
        .collect();
    named.extend(more(pairs.len(), "pairs"));
    named
}

/// Whether errors are as predicted.
pub(super) fn agreement(results: &Results) -> Vec<String> {
    let summary = &results.summary;
    let unjudged = match summary.cells.saturating_sub(summary.judged) {
        0 => String::new(),
        some => format!(
            " Of {} there are fewer than 100 errors, too few to tell.",
            grouped(some)
        ),
    };
    if summary.judged == 0 {
        return vec![
            "Whether errors are as predicted cannot be told: every cell has fewer than 100 errors (totals times \
             trials)."
                .to_owned(),
        ];
    }
    let off = &summary.disagreements;
    if off.is_empty() {
        return vec![format!(
            "Errors are as predicted: in none of {} cells are they off by more than {TOLERANCE} standard \
             errors.{unjudged}",
            grouped(summary.judged)
        )];
    }
    let mut named = vec![format!(
        "Not as predicted, by more than {TOLERANCE} standard errors (of {} cells):{unjudged}",
        grouped(summary.judged)
    )];
    named.extend(off.iter().take(NAMED).map(|one| {
        format!(
            "cell {} ({}): {} is off by {:.1} standard errors",
            one.cell, one.parameters, one.what, one.standard_errors
        )
    }));
    named.extend(more(off.len(), "cells"));
    named
}

fn more(all: usize, what: &str) -> Option<String> {
    let more = all.checked_sub(NAMED).filter(|more| *more > 0)?;
    Some(format!("and {} more {what}", grouped(more)))
}
