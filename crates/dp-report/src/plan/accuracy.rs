//! How the error of a choice changes with ε and with the number of clients.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, Rounding, work};
use dp_planner::{Choice, Error, Errors, Job, Plan, Wanted, errors_of};

use super::report::{promised, section as made};
use crate::figures::{epsilon as digits, figure};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// At which multiples of the budget the error is found, in tenths.
const BUDGETS: [u64; 7] = [1, 2, 5, 10, 20, 50, 100];

/// At which multiples of the number of clients, in thousandths.
const CLIENTS: [u64; 7] = [10, 31, 100, 316, 1000, 3162, 10_000];

/// What one point of a curve may cost, in units of work: some tenths of a second.
const OF_POINT: u64 = 250_000_000;

/// What exceeds the error of a normal estimate in 5 % of cases, in standard deviations.
const TWO_SIDED: f64 = 1.959_963_985;

/// Nothing if neither curve could be found.
pub(super) fn section(plan: &Plan, choice: &Choice) -> Option<Section> {
    let job = Job {
        clients: choice.clients,
        ..plan.job.clone()
    };
    let charts = [
        against_budget(plan, choice, &job),
        against_clients(plan, choice, &job),
    ];
    let blocks: Vec<Block> = charts
        .into_iter()
        .flatten()
        .map(Box::new)
        .map(Block::Chart)
        .collect();
    let title = "What more privacy or more people would change";
    (!blocks.is_empty()).then(|| made("accuracy", title, blocks))
}

/// The budget of the choice, times so much.
fn budget(plan: &Plan, choice: &Choice, factor: &Rational) -> Option<Budget> {
    let own = match &plan.wanted.budget {
        Some(budget) => budget.clone(),
        None => {
            let of = promised(
                plan,
                choice,
                match plan.wanted.scope {
                    dp_planner::Scope::Release => &choice.per_release,
                    dp_planner::Scope::Total => &choice.total,
                },
            );
            let epsilon = Epsilon::new(of.epsilon()?.round_to_digits(6, Rounding::Up)).ok()?;
            let delta = plan.wanted.delta.clone();
            match delta.value().is_zero() {
                true => Budget::Pure { epsilon },
                false => Budget::Approximate { epsilon, delta },
            }
        }
    };
    let times = |value: &Rational| value * factor;
    Some(match own {
        Budget::Pure { epsilon } => Budget::Pure {
            epsilon: Epsilon::new(times(epsilon.value())).ok()?,
        },
        Budget::Approximate { epsilon, delta } => Budget::Approximate {
            epsilon: Epsilon::new(times(epsilon.value())).ok()?,
            delta,
        },
        Budget::ZeroConcentrated { rho } => Budget::ZeroConcentrated {
            rho: Rho::new(times(rho.value())).ok()?,
        },
        Budget::Renyi { .. } => return None,
    })
}

fn size(budget: &Budget) -> &Rational {
    match budget {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon.value(),
        Budget::ZeroConcentrated { rho } => rho.value(),
        Budget::Renyi { tau, .. } => tau,
    }
}

/// The errors of the policy of a choice for another job or budget.
fn errors(plan: &Plan, choice: &Choice, job: &Job, budget: Budget) -> Option<Errors> {
    let wanted = Wanted {
        budget: Some(budget),
        accuracy: None,
        ..plan.wanted.clone()
    };
    let found = || Ok::<_, Error>(errors_of(job, &wanted, &choice.policy)?);
    work::limited(OF_POINT, found).ok()
}

fn against_budget(plan: &Plan, choice: &Choice, job: &Job) -> Option<Chart> {
    let ten = Rational::from(10u64);
    let mut rows = Vec::new();
    let mut points = Vec::new();
    let mut chosen = None;
    for tenths in BUDGETS {
        let factor = Rational::from(tenths).checked_div(&ten)?;
        let Some(budget) = budget(plan, choice, &factor) else {
            continue;
        };
        let found = match tenths {
            10 => Some(choice.errors),
            _ => errors(plan, choice, job, budget.clone()),
        };
        let Some(found) = found else { continue };
        let place = (size(&budget).to_f64(), found.margin_95);
        if place.0 <= 0.0 || place.1 <= 0.0 {
            continue;
        }
        if tenths == 10 {
            chosen = Some((place, rows.len()));
        }
        points.push(place);
        rows.push(vec![
            digits(size(&budget)),
            figure(found.margin_95),
            figure(found.std),
        ]);
    }
    let (at, row) = chosen.filter(|_| points.len() > 1)?;
    let name = match plan.wanted.budget {
        Some(Budget::ZeroConcentrated { .. }) => "rho",
        _ => "epsilon",
    };
    let mut columns = vec![Column::numbers(name)];
    columns.extend(["± 95 %", "std"].map(Column::numbers));
    Some(Chart {
        id: "against-budget",
        title: format!("Error against {name}"),
        description: format!(
            "The error of {} if the budget were smaller or larger and all else the same: less {name} is more privacy and more \
             noise.",
            choice.policy.name
        ),
        x: Axis::log(name),
        y: Axis::log("error of an estimate, ± 95 %"),
        series: vec![
            Series::new(choice.policy.name, Mark::Line, points),
            Series::new("this plan", Mark::Chosen, vec![at]),
        ],
        table: Table {
            rows,
            chosen: Some(row),
            ..Table::new(format!("Error against {name}"), columns)
        },
    })
}

/// In which unit errors over numbers of clients are told apart.
#[derive(Clone, Copy)]
enum Unit {
    Mean,
    Each,
    Percent,
}

impl Unit {
    const fn of(query: &Query) -> Self {
        match query {
            Query::Average { .. } => Self::Mean,
            Query::Count | Query::Histogram { .. } | Query::MultihotCountVec { .. } => {
                Self::Percent
            }
            Query::Sum { .. } | Query::SumVec { .. } | Query::L1BoundSum { .. } => Self::Each,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Mean => "of the mean",
            Self::Each => "per client",
            Self::Percent => "in percent of the clients",
        }
    }
}

fn against_clients(plan: &Plan, choice: &Choice, job: &Job) -> Option<Chart> {
    let unit = Unit::of(&job.query);
    let mut rows = Vec::new();
    let (mut noisy, mut sampled) = (Vec::new(), Vec::new());
    let mut chosen = None;
    for thousandths in CLIENTS {
        let clients = u128::from(job.clients) * u128::from(thousandths) / 1000;
        let clients = u64::try_from(clients).ok()?;
        let sized = Job {
            clients,
            ..job.clone()
        };
        let found = match thousandths {
            1000 => Some(choice.errors),
            _ if clients < 10 || clients == job.clients => None,
            _ => budget(plan, choice, &Rational::one())
                .and_then(|budget| errors(plan, choice, &sized, budget)),
        };
        let Some(found) = found else { continue };
        // Of totals the error of a mean says how much is learned: more people, more total.
        let people = Rational::from(clients).to_f64();
        let each = match unit {
            Unit::Mean => 1.0,
            Unit::Each => people,
            Unit::Percent => people / 100.0,
        };
        let sampling = TWO_SIDED * sized.sampling_error();
        if thousandths == 1000 {
            chosen = Some(((people, found.margin_95 / each), rows.len()));
        }
        noisy.push((people, found.margin_95 / each));
        sampled.push((people, sampling / each));
        rows.push(vec![
            clients.to_string(),
            figure(found.margin_95 / each),
            figure(sampling / each),
        ]);
    }
    let (at, row) = chosen.filter(|_| noisy.len() > 1)?;
    let unit = unit.name();
    let mut columns = vec![Column::numbers("clients")];
    let of = |cause: &str| Column::numbers(format!("± 95 % by {cause}, {unit}"));
    columns.extend(["noise", "sampling"].map(of));
    Some(Chart {
        id: "against-clients",
        title: "Error against the number of clients".to_owned(),
        description: format!(
            "The error {unit}, by the noise for privacy and by the luck of who is asked. Where the noise lies far below, privacy \
             costs next to nothing."
        ),
        x: Axis::log("clients"),
        y: Axis::log(format!("error {unit}, ± 95 %")),
        series: vec![
            Series::new("by sampling alone", Mark::Dashed, sampled),
            Series::new("by noise", Mark::Line, noisy),
            Series::new("this plan", Mark::Chosen, vec![at]),
        ],
        table: Table {
            rows,
            chosen: Some(row),
            ..Table::new("Error against the number of clients", columns)
        },
    })
}
