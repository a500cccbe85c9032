//! Chart of a policy's error against the budget, beside an alternative policy.

use dp_calibration::Budget;
use dp_exact::{Epsilon, Rational, Rho, Rounding};
use dp_planner::{Job, Plan, PolicyChoice, PolicyName, Target, TrustModel, std_of};
use dp_prio3::EpsilonDelta;

use crate::figures::{epsilon as digits, up};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// Factors of the budget at the points of the curves, in thousandths.
const FACTORS: [u64; 7] = [100, 215, 464, 1000, 2154, 4642, 10_000];

/// The factor of the plan itself, in thousandths.
const OF_PLAN: u64 = 1000;

/// Section with the chart of errors; `None` if there is no guarantee to keep, or the chart has
/// fewer than two points.
pub(super) fn section(plan: &Plan, choice: &PolicyChoice) -> Option<Section> {
    let curves = Curves {
        job: Job { clients: choice.clients, ..plan.job.clone() },
        target: &plan.target,
        choice,
        alternative: alternative(&plan.choices, &choice.policy),
    };
    let chart = Block::Chart(Box::new(curves.against(&kept_budget(plan, choice)?)?));
    Some(Section::new("accuracy", "What more or less privacy would change", vec![chart]))
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

/// A policy on a job, beside an alternative.
struct Curves<'a> {
    job: Job,
    target: &'a Target,
    choice: &'a PolicyChoice,
    /// The policy of the dashed curve.
    alternative: Option<PolicyName>,
}

/// The errors at one budget.
struct Row {
    factor: u64,
    /// The ε or ρ of the budget.
    size: Rational,
    /// Errors of the policy, and of the alternative if there is one.
    errors: Vec<Option<f64>>,
}

impl Curves<'_> {
    /// Standard deviations of one estimate under `budget`: of the policy, and of the alternative if
    /// there is one. `None` where the policy does not apply, the computation is slow, or the result
    /// is 0. For a `factor` of 1000 thousandths the policy has the error in the plan.
    fn stds(&self, factor: u64, budget: Budget) -> Vec<Option<f64>> {
        let Self { job, .. } = self;
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

    /// Chart of the standard deviation of one estimate against the ε or ρ of `budget`, on two
    /// logarithmic axes, with a mark at the plan itself. Budgets without an error of the policy are
    /// left out; `None` if fewer than two are left, or the plan's own is not.
    fn against(&self, budget: &Budget) -> Option<Chart> {
        let rows = FACTORS.iter().filter_map(|factor| {
            let times = Rational::new(*factor, 1000).expect("a denominator of 1000");
            let (budget, size) = scaled(budget, &times)?;
            let errors = self.stds(*factor, budget);
            (size.to_f64() > 0.0 && errors[0].is_some()).then_some(Row {
                factor: *factor,
                size,
                errors,
            })
        });
        let rows: Vec<Row> = rows.collect();
        let chosen =
            rows.iter().position(|row| row.factor == OF_PLAN).filter(|_| rows.len() > 1)?;
        let at = (rows[chosen].size.to_f64(), rows[chosen].errors[0]?);
        let name = match budget {
            Budget::ZeroConcentrated { .. } => "rho",
            _ => "epsilon",
        };
        let mut lines = vec![("error", self.choice.policy.name.to_owned(), Mark::Line)];
        lines.extend(self.alternative.map(|next| {
            ("other noise", format!("{}, the best with other noise", next.name), Mark::Dashed)
        }));
        let title = format!("Error against {name}");
        let columns = std::iter::once(name).chain(lines.iter().map(|(column, ..)| *column));
        let mut table = Table::new(&*title, columns.map(Column::numbers).collect());
        table.chosen = Some(chosen);
        table.rows.extend(rows.iter().map(|row| {
            let errors = row.errors.iter();
            let errors = errors.map(|error| error.map_or_else(|| "–".to_owned(), up));
            std::iter::once(digits(&row.size)).chain(errors).collect()
        }));
        // The policy's own line and point are on top.
        let series = lines.into_iter().enumerate().rev().map(|(number, (_, name, mark))| {
            let points =
                rows.iter().filter_map(|row| Some((row.size.to_f64(), row.errors[number]?)));
            Series::new(name, mark, points.collect())
        });
        let mut series: Vec<Series> = series.filter(|line| line.points.len() > 1).collect();
        series.push(Series::new("this plan", Mark::Chosen, vec![at]));
        let estimate = self.job.estimate();
        Some(Chart {
            id: "against-budget",
            title,
            description: format!(
                "The standard deviation of {estimate} if the budget were smaller or larger and all else the same: less \
                 {name} is more privacy and more noise."
            ),
            x: Axis::log(name),
            y: Axis::log(format!("error of {estimate}")),
            series,
            table,
        })
    }
}
