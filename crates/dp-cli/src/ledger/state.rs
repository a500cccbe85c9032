//! The state of a ledger: the budget that was spent, the budget that is left, and the entries.

use std::path::Path;

use dp_calibration::Budget;
use dp_exact::shown;
use dp_ledger::{Cost, Head, Ledger, LedgerError, Release, Rule, Spending};

use crate::calibrate::figures::Figures;
use crate::failure::Failure;
use crate::values::up;

/// The refusal of `release` as a failure that names the ledger's path, unless its own words name a
/// file or a parameter already; and which other ledger would take the release.
pub(super) fn refused(
    path: &Path,
    ledger: &Ledger,
    release: &Release,
    error: LedgerError,
) -> Failure {
    let advice = match error {
        LedgerError::Overspend { .. } | LedgerError::Kind(_) => other_ledger(ledger, release),
        LedgerError::Conflict { .. }
        | LedgerError::OtherShares { .. }
        | LedgerError::NotScheduled { .. }
        | LedgerError::Adjacency { .. }
        | LedgerError::TrustModel { .. }
        | LedgerError::NoHonestAggregator { .. } => String::new(),
        other => return other.into(),
    };
    Failure::Usage(format!("{}: {error}{advice}", shown(path)))
}

/// The advice to take another ledger: with a δ, if this limit has none and the release has one; or,
/// while nothing is spent, a scheduled ledger of the release's task. An empty text without advice.
fn other_ledger(ledger: &Ledger, release: &Release) -> String {
    let is_pure = |budget: &Budget| matches!(budget, Budget::Pure { .. });
    let terms = ledger.terms();
    let is_scheduled = matches!(terms.rule, Rule::Scheduled { .. });
    let has_delta = is_pure(&terms.limit) && !is_pure(&release.budget);
    let is_planned = release.task.is_some() && ledger.entries().is_empty() && !is_scheduled;
    [
        (has_delta, "--epsilon with --delta, or of --rho, is for noise with a delta"),
        (is_planned, "--rule scheduled with this --task takes it"),
    ]
    .into_iter()
    .filter(|(applies, _)| *applies)
    .map(|(_, which)| format!(": a ledger of {which}"))
    .collect()
}

/// The state of a ledger as figures, with ε at the limit's δ. `recorded` is the name of the entry
/// that was just recorded, and whether it was recorded before and spends nothing; `None` if none
/// was to be.
pub(super) fn figures(
    path: &Path,
    ledger: &Ledger,
    head: Head,
    recorded: Option<(&str, Spending)>,
) -> Result<Figures, Failure> {
    let title = format!("Ledger {}", shown(path));
    let figures = match recorded {
        None => Figures::titled(title),
        Some((name, Spending::Repeated)) => {
            let title = format!("{title}: {} was recorded before: nothing spent", shown(name));
            Figures::titled(title).figure("recorded", "before", "nothing spent")
        }
        Some(_) => Figures::titled(title).figure("recorded", "now", "one release"),
    };
    let figures = figures.about(&ledger.terms().limit);
    let mut figures = with_state(figures, ledger)?
        .figure("entries", ledger.entries().len(), "")
        .figure("head", head, "keep it: --head refuses an older copy of the file");
    if let Some(last) = ledger.entries().last() {
        let budget = &last.release().budget;
        figures = figures
            .about(budget)
            .given_name("last_entry", last.name())
            .budget("last_guarantee", Some(budget.clone()));
        figures = with_cost(figures, "last_spent", Some(last.charge()));
    }
    Ok(figures.because(certificate(&ledger.terms().rule)))
}

/// The figures of how many further releases like `release` fit into the limit, if nothing else is
/// spent, and of the charge for each.
pub(super) fn room(path: &Path, ledger: &Ledger, release: &Release) -> Result<Figures, Failure> {
    let failed = |error| refused(path, ledger, release, error);
    let fit = ledger.room_for(release).map_err(failed)?;
    let charge = ledger.terms().charge("the release", release).map_err(failed)?;
    let words = if fit == u64::MAX { format!("{fit} or more") } else { fit.to_string() };
    let advice = if fit == 0 { other_ledger(ledger, release) } else { String::new() };
    let meaning = format!("fit, if nothing else is spent{advice}");
    let title = format!("Ledger {}, and one more release", shown(path));
    let figures = Figures::titled(title).figure("more_releases", words, meaning);
    let figures = with_state(with_cost(figures, "each_costs", Some(charge)), ledger)?;
    Ok(figures.because(certificate(&ledger.terms().rule)))
}

/// Adds the terms of the ledger, and the budgets that were spent and that are left; under a
/// zero-concentrated rule with a limit (ε, δ) also as ε at this δ.
fn with_state(figures: Figures, ledger: &Ledger) -> Result<Figures, Failure> {
    let terms = ledger.terms();
    let figures = figures
        .budget("limit", Some(terms.limit.clone()))
        .figure("adjacency", terms.adjacency, "")
        .figure("trust_model", terms.trust_model.abbreviation(), "");
    let figures = match &terms.rule {
        Rule::Basic => {
            let meaning = match terms.limit {
                Budget::Approximate { .. } => {
                    "adds up epsilon and delta; --rule concentrated takes more of many releases"
                }
                _ => "",
            };
            figures.figure("rule", "basic", meaning)
        }
        Rule::ZeroConcentrated { releases_delta, rho } => figures
            .figure("rule", "concentrated", "")
            .figure("rho", rho, "limit of the sum of rho, computed once")
            .figure(
                "delta_for_releases",
                releases_delta,
                "limit of the sum of the releases' deltas",
            ),
        Rule::Scheduled { releases, release } => figures
            .figure("rule", "scheduled", "")
            .figure("releases", releases, "of the task, which the limit guarantees together")
            .figure("task", release.task.as_deref().unwrap_or("none"), "digest of the task"),
        _ => figures,
    };
    let figures = with_cost(figures, "spent", ledger.spent());
    let figures = with_cost(figures, "left", ledger.left());
    let (Budget::Approximate { delta, .. }, Rule::ZeroConcentrated { .. }) =
        (&terms.limit, &terms.rule)
    else {
        return Ok(figures);
    };
    let spent = ledger.spent_epsilon(delta)?.map_or_else(|| "none".to_owned(), |value| up(&value));
    let meaning = format!(
        "of all recorded releases, at delta {delta}; rho adds up by this rule, so that this epsilon and \
         the epsilon that is left come to more than the limit"
    );
    Ok(figures.figure("spent_epsilon", spent, meaning))
}

/// Adds a cost as a figure: a budget with its warning if it protects nobody, another cost in words;
/// `None` is no cost.
fn with_cost(figures: Figures, name: &'static str, cost: Option<Cost>) -> Figures {
    match cost {
        None => figures.budget(name, None),
        Some(Cost::Sum(budget)) => figures.about(&budget).budget(name, Some(budget)),
        Some(Cost::Scheduled { releases }) => figures.figure(name, releases, "scheduled releases"),
        Some(other) => figures.figure(name, other, ""),
    }
}

/// Why the limit of a ledger with this rule holds, in words.
fn certificate(rule: &Rule) -> String {
    let by_rule = match rule {
        Rule::ZeroConcentrated { .. } => {
            "The limit holds for releases that may depend on earlier results. Each release counts \
             with its rho, or with its epsilon if it has no delta. It is recorded while the sums of \
             rho or of epsilon, and of delta, stay within their limits (a filter of approximate \
             zero-concentrated privacy: Whitehouse, Ramdas, Rogers, Wu 2023; docs/filters.md of \
             dp-ledger). Sums are exact; the spent budget is shown with 30 digits, rounded up."
        }
        Rule::Scheduled { .. } => {
            "The limit is what the task guarantees over all releases, certified when the ledger was \
             created. It holds for releases whose data depend on earlier results, as the mechanism \
             and the number of releases were fixed beforehand (Zhu, Dong, Wang 2022; docs/filters.md \
             of dp-ledger)."
        }
        _ => {
            "The sums of epsilon and delta, or of rho, are exact; the spent budget is shown with 30 \
             digits, rounded up."
        }
    };
    format!(
        "{by_rule} Every entry guarantees privacy for the printed neighbours in the printed trust \
         model, or was converted to them. Every printed entry is on the disk; an entry that would \
         exceed the limit is refused and leaves no trace."
    )
}
