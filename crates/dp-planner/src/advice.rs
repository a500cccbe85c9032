//! The next best policy, in sentences.

use dp_calibration::strategy_matrix::Workload;
use dp_calibration::{Budget, Query};
use dp_exact::{Delta, Rational, Rounding, grouped};
use dp_prio3::VdafType;
use dp_task::{POLICIES, PolicyName};

use crate::target::no_delta;
use crate::{Job, Plan, PolicyChoice, Target, std_of};

/// The δ whose worth is stated for a budget without one.
const TRIED_DELTA: &str = "1e-8";

impl Plan {
    /// The next best policy's cost, and policies with a loose guarantee; `None` without a policy.
    #[must_use]
    pub fn comparison(&self) -> Option<String> {
        let best = self.chosen()?;
        let next = match self.choices.get(1) {
            None => "No other policy does this job.".to_owned(),
            Some(next) => self.cost(best, next),
        };
        let loose =
            self.choices.iter().filter(|choice| choice.slack_reason(&self.target).is_some());
        let names: Vec<&str> = loose.map(|choice| choice.policy.name).collect();
        let next =
            next + &self.about_delta(best) + &self.about_matrix(best) + &self.about_count(best);
        Some(match names.is_empty() {
            true => next,
            false => format!(
                "{next} The order rests on guarantees that are looser than could be proved (≤) for {}: they may \
                 deserve a better place.",
                names.join(", ")
            ),
        })
    }

    /// A sentence on whether a strategy matrix pays; an empty text if no policy has one.
    fn about_matrix(&self, best: &PolicyChoice) -> String {
        let is_behind_matrix = |choice: &PolicyChoice| choice.policy.strategy().is_some();
        match &self.choices {
            _ if is_behind_matrix(best) => {
                " Its strategy matrix makes single buckets noisier.".to_owned()
            }
            choices if choices.iter().any(is_behind_matrix) => format!(
                " A strategy matrix does not pay here: it takes more noise, and {} of {} buckets gain less than that \
                 by it.",
                match self.job.workload {
                    Workload::Ranges => "ranges",
                    _ => "prefixes",
                },
                grouped(self.job.estimates())
            ),
            _ => String::new(),
        }
    }

    /// A sentence on the worth of δ: how much less error noise of aggregators would have with
    /// [`TRIED_DELTA`] where the budget has no δ, and how much more without the δ of the budget. An
    /// empty text if the first gains less than 1 %, and for other targets than (ε, δ) alone.
    fn about_delta(&self, best: &PolicyChoice) -> String {
        if self.target.accuracy.is_some() {
            return String::new();
        }
        let (delta, other) = match &self.target.budget {
            Some(Budget::Pure { epsilon }) => {
                let delta: Delta = TRIED_DELTA.parse().expect("an accepted delta");
                let other = Budget::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
                (delta, other)
            }
            Some(Budget::Approximate { epsilon, .. }) => {
                (no_delta(), Budget::Pure { epsilon: epsilon.clone() })
            }
            _ => return String::new(),
        };
        let is_gain = !delta.value().is_zero();
        let target = Target { budget: Some(other), delta, ..self.target.clone() };
        let of_aggregators = POLICIES.iter().filter(|policy| policy.client_noise.is_none());
        let stds = of_aggregators
            .filter_map(|policy| Some((policy.name, std_of(&self.job, &target, policy).ok()?)));
        match stds.min_by(|(_, one), (_, other)| one.total_cmp(other)) {
            Some((name, std)) if !is_gain || std < 0.99 * best.errors.std => {
                let with = match is_gain {
                    true => format!("With a delta (--delta {TRIED_DELTA})"),
                    false => "Without a delta (--delta 0)".to_owned(),
                };
                format!(" {with}, {name} would have a standard deviation of {}.", figure(std))
            }
            _ => String::new(),
        }
    }

    /// A sentence on two buckets whose first one has less error as a count, which leaves the rest of
    /// the reports to the other; an empty text elsewhere. The L1 sensitivity is 1 in place of 2, so
    /// that Laplace noise has half the scale; Gaussian noise has the same error.
    fn about_count(&self, best: &PolicyChoice) -> String {
        let is_count = |policy: &&PolicyName| {
            policy.vdaf == VdafType::Count
                && policy.client_noise.is_none()
                && policy.aggregator_noise == best.policy.aggregator_noise
        };
        let count = POLICIES.iter().find(is_count).filter(|_| {
            matches!(self.job.query, Query::Histogram { length: 2 })
                && best.policy.client_noise.is_none()
                && self.target.accuracy.is_none()
        });
        let job = Job { query: Query::Count, workload: Workload::Buckets, ..self.job.clone() };
        let std = count.and_then(|policy| std_of(&job, &self.target, policy).ok());
        match std {
            Some(std) if std < 0.99 * best.errors.std => format!(
                " Two buckets have less error as a count of the first one (--type count): a standard deviation of {} \
                 in place of {}.",
                figure(std),
                figure(best.errors.std)
            ),
            _ => String::new(),
        }
    }

    /// A sentence on how much worse `next` is than `best`: by clients, standard deviation or ε, by
    /// which of them the plan ranks.
    fn cost(&self, best: &PolicyChoice, next: &PolicyChoice) -> String {
        let name = next.policy.name;
        // Errors below the smallest floating-point number are 0, and equal.
        let times = |next: f64, best: f64| match next / best {
            _ if next.total_cmp(&best).is_eq() => "1 times".to_owned(),
            ratio if ratio.is_infinite() => "many times".to_owned(),
            ratio => format!("{} times", figure(ratio)),
        };
        match (&self.target.budget, &self.target.accuracy) {
            (Some(_), Some(_)) => {
                format!("The next best, {name}, needs {} clients.", grouped(next.clients))
            }
            (Some(_), None) => format!(
                "The next best, {name}, has {} the standard deviation.",
                times(next.errors.std, best.errors.std)
            ),
            (None, _) => {
                let epsilon = |choice: &PolicyChoice| {
                    // Without a guarantee a policy with an accuracy is excluded.
                    choice.asked(&self.target).epsilon().expect("a guarantee").to_f64()
                };
                let times = times(epsilon(next), epsilon(best));
                format!("The next best, {name}, has {times} the epsilon.")
            }
        }
    }
}

/// Four significant digits of a number, rounded up; all of its digits if it is not finite.
fn figure(value: f64) -> String {
    let exact = Rational::from_f64(value);
    exact.map_or_else(|_| value.to_string(), |exact| dp_exact::figure(&exact, 4, Rounding::Up))
}
