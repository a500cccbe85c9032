//! The error of a policy against ε and the number of clients, beside the best policy with other noise.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, grouped};
use dp_planner::{Job, PolicyChoice, PolicyName, Target, TrustModel, std_of};

use crate::figures::{epsilon as digits, up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// The multiples of the budget and of the number of clients, in thousandths.
const FACTORS: [u64; 13] =
    [100, 147, 215, 316, 464, 681, 1000, 1468, 2154, 3162, 4642, 6813, 10_000];

/// A policy that does a job with a budget.
pub(crate) struct PolicyOnJob {
    pub(crate) job: Job,
    /// The budget and the adversary.
    pub(crate) target: Target,
    pub(crate) policy: PolicyName,
    /// The standard deviation of an estimate of the policy.
    pub(crate) std: f64,
    /// The best policy with another kind of noise.
    pub(crate) alternative: Option<PolicyName>,
    /// The name in the legends: `this plan` or `this run`.
    pub(crate) name: &'static str,
}

/// The section of the two curves; `None` if neither could be computed.
pub(crate) fn section(setting: &PolicyOnJob) -> Option<Section> {
    let charts = [against_budget(setting), against_clients(setting)];
    let charts = charts.into_iter().flatten().map(Box::new);
    let blocks: Vec<Block> = charts.map(Block::Chart).collect();
    let title = "What more privacy or more people would change";
    (!blocks.is_empty()).then(|| Section::new("accuracy", title, blocks))
}

/// The best policy with another kind of noise, of aggregators or of clients; without one, the next best policy.
pub(crate) fn alternative(choices: &[PolicyChoice], policy: &PolicyName) -> Option<PolicyName> {
    let others = || choices.iter().filter(|choice| choice.policy.name != policy.name);
    let is_other = |choice: &&PolicyChoice| {
        let other = &choice.policy;
        let is_hedged = other.client_noise.is_some() && other.aggregator_noise.is_some();
        !is_hedged && other.aggregator_noise != policy.aggregator_noise
    };
    let found = others().find(is_other).or_else(|| others().next());
    found.map(|choice| choice.policy)
}

impl PolicyOnJob {
    /// The budget times `factor`.
    fn budget(&self, factor: &Rational) -> Option<Budget> {
        let of = |value: &Rational| Epsilon::new(value * factor).ok();
        Some(match self.target.budget.as_ref()? {
            Budget::Pure { epsilon } => Budget::Pure { epsilon: of(epsilon.value())? },
            Budget::Approximate { epsilon, delta } => {
                Budget::Approximate { epsilon: of(epsilon.value())?, delta: delta.clone() }
            }
            Budget::ZeroConcentrated { rho } => {
                Budget::ZeroConcentrated { rho: Rho::new(rho.value() * factor).ok()? }
            }
            Budget::Renyi { .. } => return None,
        })
    }

    /// The standard deviation of an estimate of the policy and of the alternative, for another job or budget.
    fn stds(&self, job: &Job, budget: Budget) -> Vec<Option<f64>> {
        let target = Target { budget: Some(budget), accuracy: None, ..self.target.clone() };
        let found = |policy: &PolicyName| {
            // Among honest clients each point takes tenths of a second for several reports of a person.
            let is_slow = policy.client_noise.is_some()
                && target.trust_model == TrustModel::OneAggregatorMostClients
                && (target.counted_releases(job) > 1 || job.reports_per_client > 1);
            let std = (!is_slow).then(|| std_of(job, &target, policy).ok());
            std.flatten().filter(|std| *std > 0.0)
        };
        let own = match *job == self.job && target.budget == self.target.budget {
            true => Some(self.std),
            false => found(&self.policy),
        };
        let next = self.alternative.as_ref().map(found);
        std::iter::once(own).chain(next).collect()
    }

    /// Empty lines for the policy and the alternative.
    fn lines(&self) -> Vec<Series> {
        let mut lines = vec![Series::new(self.policy.name, Mark::Line, Vec::new())];
        lines.extend(self.alternative.iter().map(|next| {
            let name = format!("{}, the best with other noise", next.name);
            Series::new(name, Mark::Dashed, Vec::new())
        }));
        lines
    }

    /// A chart of these curves.
    fn chart(
        &self,
        id: &'static str,
        title: String,
        description: String,
        axes: [&str; 2],
        curves: Curves,
    ) -> Option<Chart> {
        let [x, y] = axes;
        let Curves { mut lines, chosen, rows } = curves;
        let (at, row) = chosen.filter(|_| rows.len() > 1)?;
        let mut columns = vec![x, "error"];
        columns.extend(self.alternative.map(|_| "other noise"));
        columns.extend((columns.len() < rows[row].len()).then_some("sampling"));
        let columns = columns.into_iter().map(Column::numbers);
        lines.retain(|line| line.points.len() > 1);
        // The policy's own line and point are on top.
        lines.reverse();
        lines.push(Series::new(self.name, Mark::Chosen, vec![at]));
        Some(Chart {
            id,
            description,
            x: Axis::log(x),
            y: Axis::log(y),
            series: lines,
            table: Table { rows, chosen: Some(row), ..Table::new(&*title, columns.collect()) },
            title,
        })
    }
}

/// A chart in the making: its lines, the report's policy first, and the rows of its table.
struct Curves {
    lines: Vec<Series>,
    chosen: Option<((f64, f64), usize)>,
    rows: Vec<Vec<String>>,
}

impl Curves {
    /// Adds the height of each line at x, unless the first line has none.
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
        let cells = cells.map(|height| height.map_or_else(|| "–".to_owned(), up));
        self.rows.push(std::iter::once(text).chain(cells).collect());
    }
}

impl From<Vec<Series>> for Curves {
    fn from(lines: Vec<Series>) -> Self {
        let (chosen, rows) = (None, Vec::new());
        Self { lines, chosen, rows }
    }
}

fn against_budget(setting: &PolicyOnJob) -> Option<Chart> {
    let mut curves = Curves::from(setting.lines());
    for thousandths in FACTORS {
        let factor = Rational::from(thousandths).checked_div(&Rational::from(1000u64))?;
        let Some(budget) = setting.budget(&factor) else {
            continue;
        };
        let size = match &budget {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
                epsilon.value().clone()
            }
            Budget::ZeroConcentrated { rho } => rho.value().clone(),
            Budget::Renyi { tau, .. } => tau.clone(),
        };
        if size.to_f64() > 0.0 {
            let place = (size.to_f64(), digits(&size));
            curves.add(place, &setting.stds(&setting.job, budget), thousandths == 1000);
        }
    }
    let name = match setting.target.budget {
        Some(Budget::ZeroConcentrated { .. }) => "rho",
        _ => "epsilon",
    };
    let description = format!(
        "The standard deviation of an estimate if the budget were smaller or larger and all else the same: less \
         {name} is more privacy and more noise."
    );
    let title = format!("Error against {name}");
    setting.chart("against-budget", title, description, [name, "error of an estimate"], curves)
}

fn against_clients(setting: &PolicyOnJob) -> Option<Chart> {
    let job = &setting.job;
    // Of totals the error of a mean says how much is learned: more people, more total.
    let (unit, of_clients) = match &job.query {
        Query::Average { .. } => ("of the mean", 0.0),
        Query::Count
        | Query::Histogram { .. }
        | Query::HistogramRanges { .. }
        | Query::MultihotCountVec { .. } => ("in percent of the clients", 100.0),
        Query::Sum { .. } | Query::SumVec { .. } | Query::L1BoundSum { .. } => ("per client", 1.0),
    };
    let mut lines = setting.lines();
    lines.push(Series::new("by sampling alone", Mark::Dotted, Vec::new()));
    let mut curves = Curves::from(lines);
    for thousandths in FACTORS {
        let clients = u128::from(job.clients) * u128::from(thousandths) / 1000;
        let clients = u64::try_from(clients).ok()?;
        let is_chosen = thousandths == 1000;
        if !is_chosen && (clients < 10 || clients == job.clients) {
            continue;
        }
        let sized = Job { clients, ..job.clone() };
        let people = Rational::from(clients).to_f64();
        let each = if of_clients > 0.0 { people / of_clients } else { 1.0 };
        let mut errors = setting.stds(&sized, setting.budget(&Rational::one())?);
        errors.push(Some(sized.sampling_error()));
        let errors = errors.iter().map(|error| error.map(|error| error / each));
        curves.add((people, grouped(clients)), &errors.collect::<Vec<_>>(), is_chosen);
    }
    let description = format!(
        "The standard deviation of an estimate, {unit}, by the noise for privacy and by the luck of who is asked. Where \
         the noise lies far below, privacy costs next to nothing."
    );
    let title = "Error against the number of clients".to_owned();
    let axes = ["clients", &*format!("error {unit}")];
    setting.chart("against-clients", title, description, axes, curves)
}
