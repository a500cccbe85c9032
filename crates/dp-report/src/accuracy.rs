//! Charts of a policy's error against the budget and against the number of clients, beside an
//! alternative policy.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, grouped};
use dp_planner::{Job, PolicyChoice, PolicyName, Target, TrustModel, std_of};

use crate::figures::{epsilon as digits, up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// Factors of the budget and of the number of clients at the points of the curves, in thousandths.
const FACTORS: [u64; 13] =
    [100, 147, 215, 316, 464, 681, 1000, 1468, 2154, 3162, 4642, 6813, 10_000];

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
    /// Legend of the point at the chosen budget and number of clients: `this plan` or `this run`.
    pub(crate) name: &'static str,
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

    /// Series without points: one for the policy, then one for the alternative if there is one.
    fn lines(&self) -> Vec<Series> {
        let mut lines = vec![Series::new(self.policy.name, Mark::Line, Vec::new())];
        lines.extend(self.alternative.iter().map(|next| {
            let name = format!("{}, the best with other noise", next.name);
            Series::new(name, Mark::Dashed, Vec::new())
        }));
        lines
    }

    /// Chart of `curves` on two logarithmic axes with the labels `axes`, x then y; `None` with
    /// fewer than two points or without a chosen one.
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

/// The lines and the table rows of one chart while points are added.
struct Curves {
    /// The report's policy first.
    lines: Vec<Series>,
    /// Coordinates (x, y) of the policy's own point and the index of its row.
    chosen: Option<((f64, f64), usize)>,
    /// Cells of the table: x, then the height of each line, rounded up; `–` without a height.
    rows: Vec<Vec<String>>,
}

impl Curves {
    /// Adds a point to every line and a row to the table; `text` is x as a figure. Does nothing if
    /// the first line has no height.
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

/// Chart of the standard deviation of an estimate against ε, or against ρ for a zero-concentrated
/// budget; `None` with fewer than two points or without a chosen one.
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
        "The standard deviation of {} if the budget were smaller or larger and all else the same: less {name} is \
         more privacy and more noise.",
        setting.job.estimate()
    );
    let title = format!("Error against {name}");
    let error = format!("error of {}", setting.job.estimate());
    setting.chart("against-budget", title, description, [name, &error], curves)
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
        "The standard deviation of {}, {unit}, by the noise for privacy and by the luck of who is asked. Where the \
         noise lies far below, privacy costs next to nothing.",
        job.estimate()
    );
    let title = "Error against the number of clients".to_owned();
    let axes = ["clients", &*format!("error {unit}")];
    setting.chart("against-clients", title, description, axes, curves)
}
