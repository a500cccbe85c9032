//! How the error of a policy changes with ε and with the number of clients, beside that of the best one with other noise.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, grouped};
use dp_planner::{Choice, Errors, Job, PolicyName, Wanted, errors_of};

use crate::figures::{epsilon as digits, figure};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// At which multiples of the budget, or of the number of clients, the error is found, in thousandths. Lines are drawn
/// smooth between them.
const FACTORS: [u64; 13] = [
    100, 147, 215, 316, 464, 681, 1000, 1468, 2154, 3162, 4642, 6813, 10_000,
];

/// A policy that does a job with a budget.
pub(crate) struct Setting {
    pub(crate) job: Job,
    /// The budget, and against whom it holds.
    pub(crate) wanted: Wanted,
    pub(crate) policy: PolicyName,
    /// The errors of the policy as it is.
    pub(crate) errors: Errors,
    /// The best policy that does the job with another kind of noise.
    pub(crate) alternative: Option<PolicyName>,
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

/// The best policy with another kind of noise than this one: other noise of aggregators, or noise of clients in its
/// place. Failing that, the next best of any kind.
pub(crate) fn alternative(choices: &[Choice], policy: &PolicyName) -> Option<PolicyName> {
    let others = || {
        choices
            .iter()
            .filter(|choice| choice.policy.name != policy.name)
    };
    let is_other = |choice: &&Choice| {
        let other = &choice.policy;
        let is_hedged = other.client_noise.is_some() && other.aggregator_noise.is_some();
        !is_hedged && other.aggregator_noise != policy.aggregator_noise
    };
    let found = others().find(is_other).or_else(|| others().next());
    found.map(|choice| choice.policy)
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

    /// The standard deviation of an estimate of the policy and of the alternative, for another job or budget.
    fn std(&self, job: &Job, budget: Budget) -> Vec<Option<f64>> {
        let wanted = Wanted {
            budget: Some(budget),
            accuracy: None,
            ..self.wanted.clone()
        };
        let found = |policy: &PolicyName| {
            let found = errors_of(job, &wanted, policy);
            let std = found.ok()?.std;
            (std > 0.0).then_some(std)
        };
        let own = match *job == self.job && wanted.budget == self.wanted.budget {
            true => Some(self.errors.std),
            false => found(&self.policy),
        };
        let next = self.alternative.as_ref().map(found);
        std::iter::once(own).chain(next).collect()
    }

    /// The lines of these policies.
    fn lines(&self) -> Vec<Series> {
        let own = Series::new(self.policy.name, Mark::Line, Vec::new());
        let next = self.alternative.iter().map(|next| {
            let name = format!("{}, the best with other noise", next.name);
            Series::new(name, Mark::Dashed, Vec::new())
        });
        std::iter::once(own).chain(next).collect()
    }
}

/// A chart in the making: its lines, the first of which the report is about, and the rows of its table.
struct Curves {
    lines: Vec<Series>,
    chosen: Option<((f64, f64), usize)>,
    rows: Vec<Vec<String>>,
}

impl Curves {
    const fn new(lines: Vec<Series>) -> Self {
        Self {
            lines,
            chosen: None,
            rows: Vec::new(),
        }
    }

    /// Adds a place with the height of each line, unless the first has none there.
    fn add(&mut self, (x, text): (f64, String), heights: &[Option<f64>], is_chosen: bool) {
        let Some(own) = heights.first().copied().flatten() else {
            return;
        };
        if is_chosen {
            self.chosen = Some(((x, own), self.rows.len()));
        }
        for (line, height) in self.lines.iter_mut().zip(heights) {
            line.points.extend(height.map(|height| (x, height)));
        }
        let cells = heights.iter();
        let cells = cells.map(|height| height.map_or_else(|| "–".to_owned(), figure));
        self.rows.push(std::iter::once(text).chain(cells).collect());
    }

    /// The series, the policy's own line and point on top, and the table; nothing where there is no line.
    fn drawn(mut self, columns: &[&str], name: &str) -> Option<(Vec<Series>, Table)> {
        let (at, row) = self.chosen.filter(|_| self.rows.len() > 1)?;
        self.lines.retain(|line| line.points.len() > 1);
        self.lines.reverse();
        self.lines.push(Series::new(name, Mark::Chosen, vec![at]));
        let columns = columns.iter().map(|name| Column::numbers(*name));
        let table = Table {
            rows: self.rows,
            chosen: Some(row),
            ..Table::new("", columns.collect())
        };
        Some((self.lines, table))
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
    let mut curves = Curves::new(setting.lines());
    for thousandths in FACTORS {
        let factor = Rational::from(thousandths).checked_div(&Rational::from(1000u64))?;
        let Some(budget) = setting.budget(&factor) else {
            continue;
        };
        let place = (size(&budget).to_f64(), digits(size(&budget)));
        if place.0 > 0.0 {
            curves.add(
                place,
                &setting.std(&setting.job, budget),
                thousandths == 1000,
            );
        }
    }
    let name = match setting.wanted.budget {
        Some(Budget::ZeroConcentrated { .. }) => "rho",
        _ => "epsilon",
    };
    let (series, table) = curves.drawn(&[name, "error", "other noise"], setting.name)?;
    let title = format!("Error against {name}");
    Some(Chart {
        id: "against-budget",
        description: format!(
            "The standard deviation of an estimate if the budget were smaller or larger and all else the same: less \
             {name} is more privacy and more noise."
        ),
        x: Axis::log(name),
        y: Axis::log("error of an estimate"),
        series,
        table: cut(table, &title, setting),
        title,
    })
}

/// The table without a column of the alternative where there is none.
fn cut(mut table: Table, caption: &str, setting: &Setting) -> Table {
    if setting.alternative.is_none() {
        table.columns.retain(|column| column.name != "other noise");
    }
    caption.clone_into(&mut table.caption);
    table
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

    /// How many units one unit of a total is, of so many clients.
    fn each(self, clients: f64) -> f64 {
        match self {
            Self::Mean => 1.0,
            Self::Each => clients,
            Self::Percent => clients / 100.0,
        }
    }
}

fn against_clients(setting: &Setting) -> Option<Chart> {
    let job = &setting.job;
    let unit = Unit::of(&job.query);
    let sampled = Series::new("by sampling alone", Mark::Dotted, Vec::new());
    let lines = setting.lines().into_iter().chain([sampled]).collect();
    let mut curves = Curves::new(lines);
    for thousandths in FACTORS {
        let clients = u128::from(job.clients) * u128::from(thousandths) / 1000;
        let clients = u64::try_from(clients).ok()?;
        let is_chosen = thousandths == 1000;
        if !is_chosen && (clients < 10 || clients == job.clients) {
            continue;
        }
        let sized = Job {
            clients,
            ..job.clone()
        };
        // Of totals the error of a mean says how much is learned: more people, more total.
        let people = Rational::from(clients).to_f64();
        let each = unit.each(people);
        let mut errors = setting.std(&sized, setting.budget(&Rational::one())?);
        errors.push(Some(sized.sampling_error()));
        let errors: Vec<Option<f64>> = errors
            .iter()
            .map(|error| error.map(|error| error / each))
            .collect();
        curves.add((people, grouped(clients)), &errors, is_chosen);
    }
    let columns: &[&str] = match setting.alternative {
        Some(_) => &["clients", "error", "other noise", "sampling"],
        None => &["clients", "error", "sampling"],
    };
    let (series, table) = curves.drawn(columns, setting.name)?;
    let unit = unit.name();
    let title = "Error against the number of clients".to_owned();
    Some(Chart {
        id: "against-clients",
        description: format!(
            "The standard deviation of an estimate, {unit}, by the noise for privacy and by the luck of who is asked. Where \
             the noise lies far below, privacy costs next to nothing."
        ),
        x: Axis::log("clients"),
        y: Axis::log(format!("error {unit}")),
        series,
        table: cut(table, &title, setting),
        title,
    })
}
