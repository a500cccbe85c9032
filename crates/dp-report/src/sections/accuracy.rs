//! How the error of a policy changes with ε and with the number of clients.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, work};
use dp_planner::{Errors, Job, PolicyName, Wanted, errors_of};

use crate::figures::{epsilon as digits, figure};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// At which multiples of the budget the error is found, in tenths.
const BUDGETS: [u64; 7] = [1, 2, 5, 10, 20, 50, 100];

/// At which multiples of the number of clients, in thousandths.
const CLIENTS: [u64; 7] = [10, 31, 100, 316, 1000, 3162, 10_000];

/// What one point of a curve may cost, in units of work: a tenth of a second.
const OF_POINT: u64 = 120_000_000;

/// What exceeds the error of a normal estimate in 5 % of cases, in standard deviations.
const TWO_SIDED: f64 = 1.959_963_985;

/// A policy that does a job with a budget.
pub(crate) struct Setting {
    pub(crate) job: Job,
    /// The budget, and against whom it holds.
    pub(crate) wanted: Wanted,
    pub(crate) policy: PolicyName,
    /// The errors of the policy as it is.
    pub(crate) errors: Errors,
    /// What it is, in the legends: a plan or a run.
    pub(crate) name: &'static str,
}

/// Nothing if neither curve could be found.
pub(crate) fn section(setting: &Setting) -> Option<Section> {
    let charts = [against_budget(setting), against_clients(setting)];
    let charts = charts.into_iter().flatten().map(Box::new);
    let blocks: Vec<Block> = charts.map(Block::Chart).collect();
    (!blocks.is_empty()).then(|| Section {
        id: "accuracy",
        title: "What more privacy or more people would change".to_owned(),
        blocks,
    })
}

impl Setting {
    /// The budget, times so much.
    fn budget(&self, factor: &Rational) -> Option<Budget> {
        let times = |value: &Rational| value * factor;
        Some(match self.wanted.budget.as_ref()? {
            Budget::Pure { epsilon } => Budget::Pure {
                epsilon: Epsilon::new(times(epsilon.value())).ok()?,
            },
            Budget::Approximate { epsilon, delta } => Budget::Approximate {
                epsilon: Epsilon::new(times(epsilon.value())).ok()?,
                delta: delta.clone(),
            },
            Budget::ZeroConcentrated { rho } => Budget::ZeroConcentrated {
                rho: Rho::new(times(rho.value())).ok()?,
            },
            Budget::Renyi { .. } => return None,
        })
    }

    /// The errors of the policy for another job or budget.
    fn errors(&self, job: &Job, budget: Budget) -> Option<Errors> {
        let wanted = Wanted {
            budget: Some(budget),
            accuracy: None,
            ..self.wanted.clone()
        };
        let found = || errors_of(job, &wanted, &self.policy);
        work::limited(OF_POINT, found).ok()
    }
}

fn size(budget: &Budget) -> &Rational {
    match budget {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon.value(),
        Budget::ZeroConcentrated { rho } => rho.value(),
        Budget::Renyi { tau, .. } => tau,
    }
}

fn against_budget(setting: &Setting) -> Option<Chart> {
    let ten = Rational::from(10u64);
    let mut rows = Vec::new();
    let mut points = Vec::new();
    let mut chosen = None;
    for tenths in BUDGETS {
        let factor = Rational::from(tenths).checked_div(&ten)?;
        let Some(budget) = setting.budget(&factor) else {
            continue;
        };
        let found = match tenths {
            10 => Some(setting.errors),
            _ => setting.errors(&setting.job, budget.clone()),
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
    let name = match setting.wanted.budget {
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
            setting.policy.name
        ),
        x: Axis::log(name),
        y: Axis::log("error of an estimate, ± 95 %"),
        series: vec![
            Series::new(setting.policy.name, Mark::Line, points),
            Series::new(setting.name, Mark::Chosen, vec![at]),
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

fn against_clients(setting: &Setting) -> Option<Chart> {
    let job = &setting.job;
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
            1000 => Some(setting.errors),
            _ if clients < 10 || clients == job.clients => None,
            _ => setting
                .budget(&Rational::one())
                .and_then(|budget| setting.errors(&sized, budget)),
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
            Series::new(setting.name, Mark::Chosen, vec![at]),
        ],
        table: Table {
            rows,
            chosen: Some(row),
            ..Table::new("Error against the number of clients", columns)
        },
    })
}
