//! Charts of a policy's error against the budget and against the number of clients, beside an
//! alternative policy.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, grouped};
use dp_planner::{Job, PolicyChoice, PolicyName, Target, TrustModel, std_of};

use crate::figures::{epsilon as digits, up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// Factors of the budget and of the number of clients at the points of the curves, in thousandths.
const FACTORS: [u64; 7] = [100, 215, 464, 1000, 2154, 4642, 10_000];

/// What the two charts need: a policy, its job, its budget and an alternative policy.
pub(crate) struct PolicyOnJob {
    pub(crate) job: Job,
    /// The budget and the adversary.
    pub(crate) target: Target,
    pub(crate) policy: PolicyName,
    /// Standard deviation of one estimate of `policy` under `target`, in the unit of the estimate.
    pub(crate) std: f64,
    /// The policy of the dashed curve: see [`alternative()`].
    pub(crate) alternative: Option<PolicyName>,
}

/// Section with the charts of error against budget and against clients; `None` if neither has two
/// points.
pub(crate) fn section(setting: &PolicyOnJob) -> Option<Section> {
    let charts = [against_budget(setting), against_clients(setting)];
    let charts = charts.into_iter().flatten().map(Box::new);
    let blocks: Vec<Block> = charts.map(Block::Chart).collect();
    let title = "What more privacy or more people would change";
    (!blocks.is_empty()).then(|| Section::new("accuracy", title, blocks))
}

/// First choice, best first, whose aggregator noise differs from the aggregator noise of `policy`
/// and that does not have both client and aggregator noise. Without one, the first choice with
/// another name; `None` if `policy` is the only choice.
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
    /// The target's budget with ε or ρ multiplied by `factor`; δ stays. `None` without a budget,
    /// for a Rényi budget, and for a product outside the range of ε or ρ.
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

    /// Standard deviations of one estimate for `job` under `budget`, in the unit of the estimate:
    /// of the policy, then of the alternative if there is one. `None` where the policy does not
    /// apply, the computation is slow, or the result is 0.
    fn stds(&self, job: &Job, budget: Budget) -> Vec<Option<f64>> {
        let target = Target { budget: Some(budget), accuracy: None, ..self.target.clone() };
        let found = |policy: &PolicyName| {
            // With honest clients each point takes tenths of a second if a person gives several
            // reports.
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

    /// Chart of the standard deviation at `rows`, on two logarithmic axes with the labels `x` and
    /// `y`; `None` with fewer than two rows or without a chosen one.
    fn chart(&self, texts: ChartTexts<'_>, mut rows: Vec<Row>) -> Option<Chart> {
        rows.retain(|row| row.heights[0].is_some());
        let chosen = rows.iter().position(|row| row.is_chosen).filter(|_| rows.len() > 1)?;
        let at = (rows[chosen].x, rows[chosen].heights[0]?);
        let mut lines = vec![("error", self.policy.name.to_owned(), Mark::Line)];
        lines.extend(self.alternative.map(|next| {
            ("other noise", format!("{}, the best with other noise", next.name), Mark::Dashed)
        }));
        if rows[chosen].heights.len() > lines.len() {
            lines.push(("sampling", "by sampling alone".to_owned(), Mark::Dotted));
        }
        let columns = [texts.x].into_iter().chain(lines.iter().map(|(column, ..)| *column));
        let columns = columns.map(Column::numbers).collect();
        // The policy's own line and point are on top.
        let series = lines.iter().enumerate().rev().map(|(number, (_, name, mark))| {
            let points = rows.iter().filter_map(|row| Some((row.x, row.heights[number]?)));
            Series::new(name, *mark, points.collect())
        });
        let mut series: Vec<Series> = series.filter(|line| line.points.len() > 1).collect();
        series.push(Series::new("this plan", Mark::Chosen, vec![at]));
        let cell = |height: &Option<f64>| height.map_or_else(|| "–".to_owned(), up);
        let cells = rows.iter().map(|row| {
            let heights = row.heights.iter().map(cell);
            std::iter::once(row.text.clone()).chain(heights).collect()
        });
        Some(Chart {
            id: texts.id,
            x: Axis::log(texts.x),
            y: Axis::log(texts.y),
            series,
            table: Table {
                rows: cells.collect(),
                chosen: Some(chosen),
                ..Table::new(&*texts.title, columns)
            },
            title: texts.title,
            description: texts.description,
        })
    }
}

/// Identifier, title, description and labels of the axes of a chart.
struct ChartTexts<'a> {
    id: &'static str,
    title: String,
    description: String,
    x: &'a str,
    y: &'a str,
}

/// The errors at one budget or number of clients.
struct Row {
    /// The budget or the number of clients, as a coordinate and as a figure.
    x: f64,
    text: String,
    /// Errors of the report's policy, of the alternative if there is one, and by sampling in the
    /// chart against clients.
    heights: Vec<Option<f64>>,
    /// Whether the report is about this budget and number of clients.
    is_chosen: bool,
}

/// Chart of the standard deviation of an estimate against ε, or against ρ for a zero-concentrated
/// budget; `None` with fewer than two points or without a chosen one.
fn against_budget(setting: &PolicyOnJob) -> Option<Chart> {
    let rows = FACTORS.iter().filter_map(|thousandths| {
        let budget = setting.budget(&Rational::new(*thousandths, 1000).ok()?)?;
        let size = match &budget {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon.value(),
            Budget::ZeroConcentrated { rho } => rho.value(),
            Budget::Renyi { tau, .. } => tau,
        };
        Some(Row {
            x: size.to_f64(),
            text: digits(size),
            is_chosen: *thousandths == 1000,
            heights: setting.stds(&setting.job, budget),
        })
    });
    let name = match setting.target.budget {
        Some(Budget::ZeroConcentrated { .. }) => "rho",
        _ => "epsilon",
    };
    let texts = ChartTexts {
        id: "against-budget",
        title: format!("Error against {name}"),
        description: format!(
            "The standard deviation of {} if the budget were smaller or larger and all else the same: less {name} is \
             more privacy and more noise.",
            setting.job.estimate()
        ),
        x: name,
        y: &format!("error of {}", setting.job.estimate()),
    };
    setting.chart(texts, rows.filter(|row| row.x > 0.0).collect())
}

/// Chart of the standard deviation of an estimate against the number of clients, with the sampling
/// error beside it. Counts are in percent of the clients, sums per client, averages in their own
/// unit. `None` with fewer than two points or without a chosen one.
fn against_clients(setting: &PolicyOnJob) -> Option<Chart> {
    let job = &setting.job;
    // The total of a sum grows with the number of people, so the chart shows the error per client.
    let (unit, of_clients) = match &job.query {
        Query::Average { .. } => ("of the mean", 0.0),
        Query::Count
        | Query::Histogram { .. }
        | Query::HistogramRanges { .. }
        | Query::MultihotCountVec { .. } => ("in percent of the clients", 100.0),
        Query::Sum { .. } | Query::SumVec { .. } | Query::L1BoundSum { .. } => ("per client", 1.0),
    };
    let rows = FACTORS.iter().filter_map(|thousandths| {
        let clients = u128::from(job.clients) * u128::from(*thousandths) / 1000;
        let clients = u64::try_from(clients).ok()?;
        let is_chosen = *thousandths == 1000;
        if !is_chosen && (clients < 10 || clients == job.clients) {
            return None;
        }
        let sized = Job { clients, ..job.clone() };
        let x = Rational::from(clients).to_f64();
        let each = if of_clients > 0.0 { x / of_clients } else { 1.0 };
        let mut errors = setting.stds(&sized, setting.budget(&Rational::one())?);
        errors.push(Some(sized.sampling_error()));
        let heights = errors.into_iter().map(|error| Some(error? / each)).collect();
        Some(Row { x, text: grouped(clients), heights, is_chosen })
    });
    let texts = ChartTexts {
        id: "against-clients",
        title: "Error against the number of clients".to_owned(),
        description: format!(
            "The standard deviation of {}, {unit}, by the noise for privacy and by the luck of who is asked. Where the \
             noise lies far below, privacy costs next to nothing.",
            job.estimate()
        ),
        x: "clients",
        y: &format!("error {unit}"),
    };
    setting.chart(texts, rows.collect())
}
