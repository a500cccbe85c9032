//! Changes of the question that have less error, in sentences.

use dp_calibration::strategy_matrix::Workload;
use dp_calibration::{Budget, Query};
use dp_exact::{Delta, Rational, Rounding};
use dp_prio3::VdafType;
use dp_task::{POLICIES, PolicyName};

use crate::target::no_delta;
use crate::{Job, Plan, PolicyChoice, Target, std_of};

/// The δ whose worth is stated for a budget without one.
const TRIED_DELTA: &str = "1e-8";

impl Plan {
    /// Sentences on the worth of δ, and on a histogram that has less error as a count; `None` if
    /// neither applies, without a policy, or if an accuracy is asked for.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let best = self.chosen().filter(|_| self.target.accuracy.is_none())?;
        let sentences = [self.about_delta(best), self.about_count(best)];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        Some(sentences.join(" ")).filter(|sentences| !sentences.is_empty())
    }

    /// A sentence on the worth of δ: how much less error noise of aggregators would have with
    /// [`TRIED_DELTA`] where the budget has no δ, and how much more without the δ of the budget.
    /// `None` if it changes the error by less than 1 %, and for other budgets than ε or (ε, δ).
    fn about_delta(&self, best: &PolicyChoice) -> Option<String> {
        let (delta, other) = match self.target.budget.as_ref()? {
            Budget::Pure { epsilon } => {
                let delta: Delta = TRIED_DELTA.parse().expect("an accepted delta");
                let other = Budget::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
                (delta, other)
            }
            Budget::Approximate { epsilon, .. } => {
                (no_delta(), Budget::Pure { epsilon: epsilon.clone() })
            }
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => return None,
        };
        let is_gain = !delta.value().is_zero();
        let with = match is_gain {
            true => format!("With a delta (--delta {TRIED_DELTA})"),
            false => "Without a delta (--delta 0)".to_owned(),
        };
        let target = Target { budget: Some(other), delta, ..self.target.clone() };
        let of_aggregators = POLICIES.iter().filter(|policy| policy.client_noise.is_none());
        let stds = of_aggregators
            .filter_map(|policy| Some((policy.name, std_of(&self.job, &target, policy).ok()?)));
        let (name, std) = stds.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (std < 0.99 * best.errors.std || !is_gain && std > 1.01 * best.errors.std)
            .then(|| format!("{with}, {name} would have a standard deviation of {}.", figure(std)))
    }

    /// A sentence on two buckets whose first one has less error as a count, which leaves the rest
    /// of the reports to the other; `None` elsewhere. The L1 sensitivity is 1 in place of 2, so
    /// that Laplace noise has half the scale; Gaussian noise has the same error.
    fn about_count(&self, best: &PolicyChoice) -> Option<String> {
        let is_count = |policy: &&PolicyName| {
            policy.vdaf == VdafType::Count
                && policy.client_noise.is_none()
                && policy.aggregator_noise == best.policy.aggregator_noise
        };
        let has_two = matches!(self.job.query, Query::Histogram { length: 2 });
        let policy = POLICIES
            .iter()
            .find(is_count)
            .filter(|_| has_two && best.policy.client_noise.is_none())?;
        let job = Job { query: Query::Count, workload: Workload::Buckets, ..self.job.clone() };
        let std = std_of(&job, &self.target, policy).ok()?;
        (std < 0.99 * best.errors.std).then(|| {
            format!(
                "Two buckets have less error as a count of the first one (--type count): a standard deviation of {} in \
                 place of {}.",
                figure(std),
                figure(best.errors.std)
            )
        })
    }
}

/// Four significant digits of a number, rounded up; all of its digits if it is not finite.
fn figure(value: f64) -> String {
    let exact = Rational::from_f64(value);
    exact.map_or_else(|_| value.to_string(), |exact| dp_exact::figure(&exact, 4, Rounding::Up))
}
