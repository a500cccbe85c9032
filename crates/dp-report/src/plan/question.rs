//! The question to the planner, in words.

use dp_calibration::{Adjacency, Query};
use dp_exact::grouped;
use dp_planner::{Accuracy, BudgetScope, Plan, Workload};

use crate::figures::up;
use crate::text::counted;

/// Whether the number of clients is the unknown of the plan: both a budget and an accuracy are
/// given.
pub(super) const fn are_clients_asked(plan: &Plan) -> bool {
    plan.target.budget.is_some() && plan.target.accuracy.is_some()
}

/// The job and the target of the plan, in technical terms.
pub(super) fn question(plan: &Plan) -> String {
    let (job, target) = (&plan.job, &plan.target);
    let mut words = job.query.to_string();
    if job.workload != Workload::Buckets {
        words += &format!(" for {}", job.workload);
    }
    if let Some(grid) = &job.grid {
        words += &format!(" on the grid {grid}");
    }
    if !are_clients_asked(plan) {
        words += &format!(", {}", counted(job.clients, "client"));
    }
    words += &format!(", {} aggregators", job.aggregators);
    if job.releases > 1 {
        words += &format!(", {} releases over the same clients", grouped(job.releases));
    }
    if job.reports_per_client > 1 {
        words += &format!(", up to {} reports of a person", grouped(job.reports_per_client));
    }
    words += match job.adjacency {
        Adjacency::Replacement => "",
        Adjacency::Deletion => ", with and without the reports of a person",
        Adjacency::OneCoordinate => ", for one answer of a person at a time",
    };
    let scope = match (target.scope, job.releases) {
        (_, 1) => "",
        (BudgetScope::Release, _) => " in each release",
        (BudgetScope::Total, _) => " in total",
    };
    let budget = target.budget.iter().map(|budget| format!("{budget}{scope}"));
    let accuracy = target.accuracy.iter().map(|accuracy| match accuracy {
        Accuracy::StandardDeviation(amount) => format!("standard deviation of at most {amount}"),
        Accuracy::Margin(amount) => format!("a 95 % margin of at most {amount}"),
    });
    let target: Vec<String> = budget.chain(accuracy).collect();
    let model = plan.target.trust_model;
    format!(
        "Job: {words}. Wanted: {}, against {} ({}).",
        target.join(", with "),
        model.adversary(),
        model.abbreviation()
    )
}

/// The job in plain words, with the number of repetitions, and whether the number of people is
/// asked for.
pub(super) fn plainly(plan: &Plan) -> String {
    let often = match plan.job.releases {
        1 => String::new(),
        releases => format!(" It is asked {} times of the same people.", grouped(releases)),
    };
    let size = match are_clients_asked(plan) {
        true => " And how many people does it take?",
        false => "",
    };
    asked(plan) + &often + size
}

/// The job as one plain question.
pub(super) fn asked(plan: &Plan) -> String {
    let job = &plan.job;
    let people = match (are_clients_asked(plan), job.clients) {
        (true, _) => "people".to_owned(),
        (false, 1) => "1 person".to_owned(),
        (false, clients) => format!("{} people", grouped(clients)),
    };
    let number = |largest: u128| match &job.grid {
        Some(grid) => format!("numbers on the grid {grid}"),
        None => format!("numbers from 0 to {}", grouped(largest)),
    };
    match job.query {
        Query::Count => format!("How many of {people} say yes?"),
        Query::Sum { max_measurement } => {
            format!("What do the {} of {people} come to?", number(max_measurement))
        }
        Query::Average { max_measurement } => {
            format!("What is the mean of the {} of {people}?", number(max_measurement))
        }
        Query::SumVec { length, max_measurement } => format!(
            "Each of {people} has {} {}: what does each of them come to?",
            grouped(length),
            number(max_measurement)
        ),
        Query::Histogram { length } | Query::HistogramRanges { length, .. } => {
            let groups = match job.workload {
                Workload::Buckets => "each",
                Workload::Percentiles => "the first 1, 2, 3, …",
                Workload::Ranges => "every range",
            };
            format!("How many of {people} are in {groups} of {} groups?", grouped(length))
        }
        Query::MultihotCountVec { length, max_weight } => format!(
            "How many of {people} have each of {} properties, of which one person has at most {}?",
            grouped(length),
            grouped(max_weight)
        ),
        Query::L1BoundSum { length, max_measurement } => format!(
            "Each of {people} has {} numbers that come to at most {}: what does each of them come to?",
            grouped(length),
            grouped(max_measurement)
        ),
    }
}

/// Sentence with the standard error by sampling alone, without noise; `None` if the number of
/// clients is the unknown of the plan.
pub(super) fn scale(plan: &Plan) -> Option<String> {
    let share = match plan.job.query {
        Query::Histogram { .. } => match plan.job.workload {
            Workload::Buckets => " of a bucket that holds an equal share",
            Workload::Percentiles => " of a prefix, if buckets hold equal shares",
            Workload::Ranges => " of a range, if buckets hold equal shares",
        },
        Query::Count => "",
        _ => " at most",
    };
    (!are_clients_asked(plan)).then(|| {
        format!(
            "For scale: without any noise, sampling alone has a standard error of {}{share}.",
            up(plan.job.sampling_error())
        )
    })
}
