//! Charts of a policy's error against the budget and the clients, beside an alternative policy.

use dp_calibration::{Budget, Query};
use dp_exact::{Epsilon, Rational, Rho, Rounding, grouped};
use dp_planner::{Job, Plan, PolicyChoice, PolicyName, Target, TrustModel, std_of};
use dp_prio3::EpsilonDelta;

use crate::figures::{epsilon as digits, up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// Factors of the budget and of the number of clients at the points of the curves, in thousandths.
const FACTORS: [u64; 7] = [100, 215, 464, 1000, 2154, 4642, 10_000];

/// The factor of the plan itself, in thousandths.
const OF_PLAN: u64 = 1000;

/// Section with the charts of errors; `None` if there is no guarantee to keep, or no chart has two
/// points.
pub(super) fn section(plan: &Plan, choice: &PolicyChoice) -> Option<Section> {
    let curves = Curves {
        job: Job { clients: choice.clients, ..plan.job.clone() },
        target: &plan.target,
        budget: kept_budget(plan, choice)?,
        choice,
        alternative: alternative(&plan.choices, &choice.policy),
    };
    let charts = [curves.against_budget(), curves.against_clients()].into_iter().flatten();
    let blocks: Vec<Block> = charts.map(|chart| Block::Chart(Box::new(chart))).collect();
    let title = "What more privacy or more people would change";
    (!blocks.is_empty()).then(|| Section::new("accuracy", title, blocks))
}

/// The budget of the plan; for an accuracy alone the guarantee of the choice in the requested trust
/// model, its ε rounded up to six digits. `None` if there is no guarantee.
fn kept_budget(plan: &Plan, choice: &PolicyChoice) -> Option<Budget> {
    if let Some(budget) = &plan.target.budget {
        return Some(budget.clone());
    }
    let kept = choice.in_scope(plan.target.scope).of(plan.target.trust_model).epsilon()?;
    let epsilon = Epsilon::new(kept.round_to_digits(6, Rounding::Up)).ok()?;
    Some(EpsilonDelta { epsilon, delta: plan.target.delta.clone() }.budget())
}

/// The first of `choices`, sorted with the best first, whose aggregators add another kind of noise
/// than `policy` has; policies with noise of clients and aggregators are left out. If there is
/// none, the first other choice; `None` if there is no other.
fn alternative(choices: &[PolicyChoice], policy: &PolicyName) -> Option<PolicyName> {
    let others = || choices.iter().map(|choice| choice.policy).filter(|other| other != policy);
    let is_other = |other: &PolicyName| {
        let is_hedged = other.client_noise.is_some() && other.aggregator_noise.is_some();
        !is_hedged && other.aggregator_noise != policy.aggregator_noise
    };
    others().find(is_other).or_else(|| others().next())
}

/// The budget with its ε or ρ multiplied by `factor`, and that ε or ρ; `None` if it is out of
/// range, and for a Rényi bound. δ is kept.
fn scaled(budget: &Budget, factor: &Rational) -> Option<(Budget, Rational)> {
    let epsilon = |size: &Rational| Epsilon::new(size.clone()).ok();
    Some(match budget {
        Budget::Pure { epsilon: own } => {
            let size = own.value() * factor;
            (Budget::Pure { epsilon: epsilon(&size)? }, size)
        }
        Budget::Approximate { epsilon: own, delta } => {
            let size = own.value() * factor;
            (Budget::Approximate { epsilon: epsilon(&size)?, delta: delta.clone() }, size)
        }
        Budget::ZeroConcentrated { rho } => {
            let size = rho.value() * factor;
            (Budget::ZeroConcentrated { rho: Rho::new(size.clone()).ok()? }, size)
        }
        Budget::Renyi { .. } => return None,
    })
}

/// A policy on a job under a budget, beside an alternative.
struct Curves<'a> {
    job: Job,
    target: &'a Target,
    budget: Budget,
    choice: &'a PolicyChoice,
    /// The policy of the dashed curve.
    alternative: Option<PolicyName>,
}

/// The errors at one budget or number of clients.
struct Row {
    factor: u64,
    /// The budget or the number of clients, as a coordinate and as a figure.
    x: f64,
    text: String,
    /// Errors of the policy, of the alternative if there is one, and by sampling against clients.
    errors: Vec<Option<f64>>,
}

impl Curves<'_> {
    /// Standard deviations of one estimate on `job` under `budget`: of the policy, and of the
    /// alternative if there is one. `None` where the policy does not apply, the computation is
    /// slow, or the result is 0. For a `factor` of 1000 thousandths the policy has the error in the
    /// plan.
    fn stds(&self, factor: u64, job: &Job, budget: Budget) -> Vec<Option<f64>> {
        let target = Target { budget: Some(budget), accuracy: None, ..self.target.clone() };
        let found = |policy: &PolicyName| {
            // Each point takes tenths of a second.
            let is_slow = policy.client_noise.is_some()
                && target.trust_model == TrustModel::OneAggregatorMostClients
                && (target.counted_releases(job) > 1 || job.reports_per_client > 1);
            let std = (!is_slow).then(|| std_of(job, &target, policy).ok());
            std.flatten().filter(|std| *std > 0.0)
        };
        let own = match factor {
            OF_PLAN => Some(self.choice.errors.std),
            _ => found(&self.choice.policy),
        };
        std::iter::once(own).chain(self.alternative.as_ref().map(found)).collect()
    }

    /// Chart of the standard deviation of one estimate against ε or ρ; `None` with fewer than two
    /// points.
    fn against_budget(&self) -> Option<Chart> {
        let rows = FACTORS.iter().filter_map(|factor| {
            let times = Rational::new(*factor, 1000).expect("a denominator of 1000");
            let (budget, size) = scaled(&self.budget, &times)?;
            let (x, text) = (size.to_f64(), digits(&size));
            let errors = self.stds(*factor, &self.job, budget);
            (x > 0.0).then_some(Row { factor: *factor, x, text, errors })
        });
        let name = match self.budget {
            Budget::ZeroConcentrated { .. } => "rho",
            _ => "epsilon",
        };
        let estimate = self.job.estimate();
        let description = format!(
            "The standard deviation of {estimate} if the budget were smaller or larger and all else the same: less {name} \
             is more privacy and more noise."
        );
        let axes = (name, &*format!("error of {estimate}"));
        self.chart("against-budget", format!("Error against {name}"), description, axes, rows)
    }

    /// Chart of the standard deviation of one estimate against the number of clients, beside the
    /// sampling error; `None` with fewer than two points. Errors of counts are in percent of the
    /// clients, errors of sums per client.
    fn against_clients(&self) -> Option<Chart> {
        let (unit, of_clients) = match &self.job.query {
            Query::Average { .. } => ("of the mean", 0.0),
            Query::Count
            | Query::Histogram { .. }
            | Query::HistogramRanges { .. }
            | Query::MultihotCountVec { .. } => ("in percent of the clients", 100.0),
            Query::Sum { .. } | Query::SumVec { .. } | Query::L1BoundSum { .. } => {
                ("per client", 1.0)
            }
        };
        let all = self.job.clients;
        let rows = FACTORS.iter().filter_map(|factor| {
            let clients = u128::from(all) * u128::from(*factor) / 1000;
            let clients = u64::try_from(clients).expect("at most ten times 10^10");
            if *factor != OF_PLAN && (clients < 10 || clients == all) {
                return None;
            }
            let sized = Job { clients, ..self.job.clone() };
            let x = Rational::from(clients).to_f64();
            let each = if of_clients > 0.0 { x / of_clients } else { 1.0 };
            let mut errors = self.stds(*factor, &sized, self.budget.clone());
            errors.push(Some(sized.sampling_error()));
            let errors = errors.into_iter().map(|error| Some(error? / each)).collect();
            Some(Row { factor: *factor, x, text: grouped(clients), errors })
        });
        let description = format!(
            "The standard deviation of {}, {unit}, by the noise for privacy and by the luck of who is asked. Where the \
             noise lies far below, privacy costs next to nothing.",
            self.job.estimate()
        );
        let title = "Error against the number of clients".to_owned();
        let axes = ("clients", &*format!("error {unit}"));
        self.chart("against-clients", title, description, axes, rows)
    }

    /// Chart of the errors of `rows` on two logarithmic axes with the labels `x` and `y`, and with
    /// a mark at the plan itself. Rows without an error of the policy are left out; `None` if fewer
    /// than two rows are left, or the row of the plan itself is not.
    fn chart(
        &self,
        id: &'static str,
        title: String,
        description: String,
        (x, y): (&str, &str),
        rows: impl Iterator<Item = Row>,
    ) -> Option<Chart> {
        let rows: Vec<Row> = rows.filter(|row| row.errors[0].is_some()).collect();
        let chosen =
            rows.iter().position(|row| row.factor == OF_PLAN).filter(|_| rows.len() > 1)?;
        let at = (rows[chosen].x, rows[chosen].errors[0]?);
        let mut lines = vec![("error", self.choice.policy.name.to_owned(), Mark::Line)];
        lines.extend(self.alternative.map(|next| {
            ("other noise", format!("{}, the best with other noise", next.name), Mark::Dashed)
        }));
        if rows[chosen].errors.len() > lines.len() {
            lines.push(("sampling", "by sampling alone".to_owned(), Mark::Dotted));
        }
        let columns = std::iter::once(x).chain(lines.iter().map(|(column, ..)| *column));
        let mut table = Table::new(&*title, columns.map(Column::numbers).collect());
        table.chosen = Some(chosen);
        table.rows.extend(rows.iter().map(|row| {
            let errors = row.errors.iter();
            let errors = errors.map(|error| error.map_or_else(|| "–".to_owned(), up));
            std::iter::once(row.text.clone()).chain(errors).collect()
        }));
        // The policy's own line and point are on top.
        let series = lines.into_iter().enumerate().rev().map(|(number, (_, name, mark))| {
            let points = rows.iter().filter_map(|row| Some((row.x, row.errors[number]?)));
            Series::new(name, mark, points.collect())
        });
        let mut series: Vec<Series> = series.filter(|line| line.points.len() > 1).collect();
        series.push(Series::new("this plan", Mark::Chosen, vec![at]));
        Some(Chart { id, title, description, x: Axis::log(x), y: Axis::log(y), series, table })
    }
}
