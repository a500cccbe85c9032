//! Which policy to take and why, and what the next best costs, in words.

use dp_exact::{Rational, Rounding, grouped};

use crate::target::BudgetScope;
use crate::{Plan, PolicyChoice};

impl Plan {
    /// Two sentences: which policy to take and why, and what the next best costs. A third one names the
    /// policies whose place rests on a looser guarantee than could be proved.
    #[must_use]
    pub fn advice(&self) -> String {
        let Some(best) = self.chosen() else {
            return "No policy does this job: the reasons are above.".to_owned();
        };
        let first = format!("Take {}: {}.", best.policy.name, self.why(best));
        format!("{first} {}", self.beside(best))
    }

    /// What the next best policy costs, and which policies may deserve a better place.
    #[must_use]
    pub fn comparison(&self) -> Option<String> {
        self.chosen().map(|best| self.beside(best))
    }

    fn beside(&self, best: &PolicyChoice) -> String {
        let next = match self.choices.get(1) {
            None => "No other policy does this job.".to_owned(),
            Some(next) => self.cost(best, next),
        };
        next + &self.reservation()
    }

    /// Which policies may deserve a better place.
    fn reservation(&self) -> String {
        let is_loose = |choice: &&PolicyChoice| choice.loose(&self.target).is_some();
        let names = self.choices.iter().filter(is_loose);
        let names: Vec<&str> = names.map(|choice| choice.policy.name).collect();
        if names.is_empty() {
            return String::new();
        }
        format!(
            " The order rests on guarantees that are looser than could be proved (≤) for {}: they may \
             deserve a better place.",
            names.join(", ")
        )
    }

    fn why(&self, best: &PolicyChoice) -> String {
        let target = &self.target;
        let model = target.trust_model.abbreviation();
        let together = match (target.scope, self.job.releases) {
            (_, 1) => String::new(),
            (BudgetScope::Release, _) => " for each release".to_owned(),
            (BudgetScope::Total, releases) => format!(" for all {releases} releases together"),
        };
        match (&target.budget, &target.accuracy) {
            (Some(budget), Some(_)) => format!(
                "it keeps {budget} in {model}{together} and the accuracy with the fewest clients, {}",
                grouped(best.clients)
            ),
            (Some(budget), None) => format!(
                "of all policies that keep {budget} in {model}{together} its estimates are the most \
                 accurate, ± {} in 95 % of cases",
                figure(best.errors.margin_95)
            ),
            (None, _) => {
                let epsilon = target.guarantee(best).map_or(f64::NAN, |value| value.to_f64());
                format!(
                    "of all policies of this accuracy it has the least epsilon in {model}{together}, \
                     {}",
                    figure(epsilon)
                )
            }
        }
    }

    fn cost(&self, best: &PolicyChoice, next: &PolicyChoice) -> String {
        let name = next.policy.name;
        // Errors below the smallest floating-point number are 0, and alike.
        let of = |a: f64, b: f64| match a / b {
            _ if a.total_cmp(&b).is_eq() => "1 times".to_owned(),
            ratio if ratio.is_infinite() => "many times".to_owned(),
            ratio => format!("{} times", figure(ratio)),
        };
        match (&self.target.budget, &self.target.accuracy) {
            (Some(_), Some(_)) => {
                format!("The next best, {name}, needs {} clients.", grouped(next.clients))
            }
            (Some(_), None) => format!(
                "The next best, {name}, has {} the standard deviation.",
                of(next.errors.std, best.errors.std)
            ),
            (None, _) => {
                let epsilon =
                    |choice| self.target.guarantee(choice).map_or(f64::NAN, |e| e.to_f64());
                format!(
                    "The next best, {name}, has {} the epsilon.",
                    of(epsilon(next), epsilon(best))
                )
            }
        }
    }
}

/// Four significant digits, rounded up.
fn figure(value: f64) -> String {
    let exact = Rational::from_f64(value);
    exact.map_or_else(|_| value.to_string(), |exact| dp_exact::figure(&exact, 4, Rounding::Up))
}
