//! What was asked of the planner, in words.

use std::fmt::Write as _;

use dp_calibration::Query;
use dp_exact::grouped;
use dp_planner::{Accuracy, Plan, Scope};

use crate::figures::figure;

/// Whether the number of clients is asked for.
pub(super) const fn are_clients_asked(plan: &Plan) -> bool {
    plan.wanted.budget.is_some() && plan.wanted.accuracy.is_some()
}

/// The job, and what is wanted of it.
pub(super) fn question(plan: &Plan) -> String {
    let model = plan.wanted.against.trust_model();
    format!(
        "Job: {}. Wanted: {}, against {} ({}).",
        job(plan),
        wanted(plan),
        model.adversary(),
        model.abbreviation()
    )
}

fn job(plan: &Plan) -> String {
    let job = &plan.job;
    let mut words = job.query.to_string();
    if let Some(grid) = &job.grid {
        let _ = write!(words, " on the grid {grid}");
    }
    if !are_clients_asked(plan) {
        let _ = write!(words, ", {} clients", grouped(job.clients));
    }
    let _ = write!(words, ", {} aggregators", job.aggregators);
    if job.releases > 1 {
        let _ = write!(
            words,
            ", {} releases over the same clients",
            grouped(job.releases)
        );
    }
    if job.reports_per_client > 1 {
        let reports = grouped(job.reports_per_client);
        let _ = write!(words, ", up to {reports} reports of a person");
    }
    words
}

fn wanted(plan: &Plan) -> String {
    let wanted = &plan.wanted;
    let budget = wanted.budget.as_ref().map(|budget| {
        let scope = match (wanted.scope, plan.job.releases) {
            (_, 1) => "",
            (Scope::Release, _) => " in each release",
            (Scope::Total, _) => " in total",
        };
        format!("{budget}{scope}")
    });
    let accuracy = wanted.accuracy.as_ref().map(|accuracy| {
        let (name, amount) = match accuracy {
            Accuracy::StandardDeviation(amount) => ("standard deviation", amount),
            Accuracy::Margin(amount) => ("a 95 % margin", amount),
        };
        format!("{name} of at most {amount}")
    });
    let both: Vec<String> = budget.into_iter().chain(accuracy).collect();
    both.join(", with ")
}

/// The job as somebody would ask it who knows none of its names, how often, and of how many.
pub(super) fn plainly(plan: &Plan) -> String {
    let asked = asked(plan);
    let often = match plan.job.releases {
        1 => String::new(),
        releases => format!(
            " It is asked {} times of the same people.",
            grouped(releases)
        ),
    };
    let size = match are_clients_asked(plan) {
        true => " And how many people does it take?",
        false => "",
    };
    format!("{asked}{often}{size}")
}

/// The job as one question.
pub(super) fn asked(plan: &Plan) -> String {
    let job = &plan.job;
    let people = match are_clients_asked(plan) {
        true => "people".to_owned(),
        false => format!("{} people", grouped(job.clients)),
    };
    let number = |largest: u128| match &job.grid {
        Some(grid) => format!("numbers on the grid {grid}"),
        None => format!("numbers from 0 to {}", grouped(largest)),
    };
    match job.query {
        Query::Count => format!("How many of {people} say yes?"),
        Query::Sum { max_measurement } => {
            let numbers = number(max_measurement);
            format!("What do the {numbers} of {people} come to?")
        }
        Query::Average { max_measurement } => {
            let numbers = number(max_measurement);
            format!("What is the mean of the {numbers} of {people}?")
        }
        Query::SumVec {
            length,
            max_measurement,
        } => {
            let numbers = number(max_measurement);
            format!(
                "Each of {people} has {} {numbers}: what does each of them come to?",
                grouped(length)
            )
        }
        Query::Histogram { length } => {
            format!(
                "How many of {people} are in each of {} groups?",
                grouped(length)
            )
        }
        Query::MultihotCountVec { length, max_weight } => format!(
            "How many of {people} have each of {} properties, of which one person has at most {}?",
            grouped(length),
            grouped(max_weight)
        ),
        Query::L1BoundSum {
            length,
            max_measurement,
        } => format!(
            "Each of {people} has {} numbers that come to at most {}: what does each of them come to?",
            grouped(length),
            grouped(max_measurement)
        ),
    }
}

/// How far off a survey of that size is without any noise.
pub(super) fn scale(plan: &Plan) -> Option<String> {
    if are_clients_asked(plan) {
        return None;
    }
    let sampled = figure(plan.job.sampling_error());
    let share = match plan.job.query {
        Query::Histogram { .. } => " of a bucket that holds an equal share",
        Query::Count => "",
        _ => " at most",
    };
    Some(format!(
        "For scale: the standard error of a survey of that size without any noise is {sampled}{share}."
    ))
}
