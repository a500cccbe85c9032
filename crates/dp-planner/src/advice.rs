//! The next best policy, in sentences.

use dp_calibration::strategy_matrix::Workload;
use dp_exact::{Rational, Rounding, grouped};

use crate::{Plan, PolicyChoice};

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
        let next = next + &self.about_matrix(best);
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
