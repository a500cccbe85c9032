//! Every figure exactly, for each trust model, and what only Prio3 has.

use std::collections::BTreeMap;

use dp_calibration::Budget;
use serde::Serialize;

use super::decimal;
use crate::risk::{belief, exception};
use crate::statement::{Stated, Statement, YEAR};
use crate::total::Total;

/// The version of this part.
const FORM: u32 = 1;

/// The part `prio3` of a record. Figures are texts: decimals that are rounded up, or exact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Exact {
    form_version: u32,
    task: Task,
    implementation: Implementation,
    releases_per_person: u32,
    reports_per_person_and_release: u32,
    relied_on: String,
    guarantees: Vec<Guarantee>,
    unprotected_quantities: Vec<&'static str>,
    actors: Vec<Actor>,
    retention: Retention,
    contact: Contact,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Task {
    name: String,
    digest: String,
    policy: &'static str,
    description: String,
    parameters: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Implementation {
    library: &'static str,
    version: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Guarantee {
    trust_model: String,
    must_be_honest: String,
    holds_against: String,
    neighbours: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_of_a_release: Option<Budget>,
    one_release: Kept,
    all_releases: Kept,
    a_release_a_day_for_a_year: Kept,
    provided_that: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_over_from: Option<String>,
    /// Absent where nothing is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    otherwise: Option<String>,
    notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Kept {
    releases: u32,
    /// Whether nothing is promised, or too little.
    protects_nobody: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<String>,
    /// What is believed at most of a guess that was held for 50 % likely, in percent.
    belief_after_50_percent: String,
    /// The belief may be exceeded in one of so many cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    but_for_one_case_in: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Actor {
    role: &'static str,
    name: String,
    sees: &'static str,
    trust: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Retention {
    reports: String,
    results: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Contact {
    name: String,
    address: String,
    opt_out: String,
}

impl Exact {
    pub(super) fn of(statement: &Statement) -> Self {
        let (task, deployment) = (statement.task(), statement.deployment());
        let parameters = task.parameters().iter().cloned().collect();
        Self {
            form_version: FORM,
            task: Task {
                name: task.name().to_owned(),
                digest: task.digest().to_string(),
                policy: task.policy_name().name,
                description: task.description().to_owned(),
                parameters,
            },
            implementation: Implementation {
                library: "dp-prio3",
                version: env!("CARGO_PKG_VERSION"),
            },
            releases_per_person: statement.releases(),
            reports_per_person_and_release: 1,
            relied_on: task.trust_model().abbreviation(),
            guarantees: statement
                .stated()
                .iter()
                .map(|stated| guarantee(stated, statement.releases()))
                .collect(),
            unprotected_quantities: UNPROTECTED.to_vec(),
            actors: actors(statement),
            retention: Retention {
                reports: deployment.retention.reports.clone(),
                results: deployment.retention.results.clone(),
            },
            contact: Contact {
                name: deployment.contact.name.clone(),
                address: deployment.contact.address.clone(),
                opt_out: deployment.contact.opt_out.clone(),
            },
        }
    }
}

/// What no noise hides.
pub(super) const UNPROTECTED: [&str; 5] = [
    "that a person takes part, and when",
    "the number of reports in each release",
    "the network addresses from which reports come",
    "what the results say about people in general",
    "that a report is missing",
];

fn guarantee(stated: &Stated, releases: u32) -> Guarantee {
    let own = &stated.guarantee;
    Guarantee {
        trust_model: own.trust_model.abbreviation(),
        must_be_honest: own.trust_model.must_be_honest(),
        holds_against: own.trust_model.adversary(),
        neighbours: match own.adjacency {
            dp_calibration::Adjacency::Replacement => "one report is replaced by any other",
            dp_calibration::Adjacency::Deletion => {
                "one report is replaced by one that counts nothing"
            }
        },
        budget_of_a_release: own.budget().cloned(),
        one_release: kept(&stated.once, 1),
        all_releases: kept(&stated.all, releases),
        a_release_a_day_for_a_year: kept(&stated.year, YEAR),
        provided_that: own.assumptions.clone(),
        carried_over_from: own.carried_over_from.map(|model| model.abbreviation()),
        otherwise: own.budget().map(|_| own.otherwise.to_string()),
        notes: own.remarks.clone(),
    }
}

fn kept(total: &Total, releases: u32) -> Kept {
    let figures = match total {
        Total::Kept {
            epsilon,
            delta,
            rho,
        } => Ok((decimal(epsilon), decimal(delta), rho.as_ref().map(decimal))),
        Total::Absent { reason } => Err(reason.clone()),
    };
    let (figures, none_because) = match figures {
        Ok(figures) => (Some(figures), None),
        Err(reason) => (None, Some(reason)),
    };
    let (epsilon, delta, rho) = match figures {
        Some((epsilon, delta, rho)) => (Some(epsilon), Some(delta), rho),
        None => (None, None, None),
    };
    Kept {
        releases,
        protects_nobody: total.protects_nobody(),
        none_because,
        epsilon,
        delta,
        rho,
        belief_after_50_percent: belief(total, 50).to_string(),
        but_for_one_case_in: exception(total).map(|cases| cases.cases().to_string()),
    }
}

/// Everybody who sees something.
fn actors(statement: &Statement) -> Vec<Actor> {
    let deployment = statement.deployment();
    let own_noise = statement.task().document().client_noise.is_some();
    let client = Actor {
        role: "client",
        name: "the device of each person".to_owned(),
        sees: "its own measurement",
        trust: if own_noise {
            "randomizes its measurement before it shares it"
        } else {
            "shares its measurement as it is"
        }
        .to_owned(),
    };
    let aggregators = deployment.aggregators.iter().map(|one| Actor {
        role: "aggregator",
        name: one.operator.clone(),
        sees: "one share of each report, when it comes and from which address",
        trust: one.trust.clone(),
    });
    let collector = Actor {
        role: "collector",
        name: deployment.collector.operator.clone(),
        sees: "the noisy totals and the number of reports",
        trust: "none is needed beyond the trust model".to_owned(),
    };
    let readers = Actor {
        role: "reader of the results",
        name: deployment.collector.audience.clone(),
        sees: "the results",
        trust: "none is needed beyond the trust model".to_owned(),
    };
    let last = [collector, readers];
    std::iter::once(client)
        .chain(aggregators)
        .chain(last)
        .collect()
}
