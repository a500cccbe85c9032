//! Estimates of every randomizer are unbiased and have the error that they state, by the exact
//! distribution of a count.

use dp_rappor::{CoinFlip, Estimate};

use crate::support::{kary, rappor, unary};

/// The number of clients.
const CLIENTS: u32 = 9;

/// A randomizer, as one count of reports shows it.
struct Counted {
    name: String,
    /// The probabilities that a report counts: if the client holds the answer, and if not.
    report: [f64; 2],
    /// The estimate from each count over all clients, 0 to all.
    estimates: Vec<Estimate>,
    /// The standard deviation of the estimate for each number of clients that hold the answer.
    deviations: Vec<f64>,
}

impl Counted {
    fn new(
        name: String,
        report: [f64; 2],
        estimate: impl Fn(u32, u64) -> Estimate,
        deviation: impl Fn(u64, u64) -> f64,
    ) -> Self {
        let estimates = (0..=CLIENTS).map(|count| estimate(count, CLIENTS.into())).collect();
        let deviations = (0..=CLIENTS).map(|held| deviation(held.into(), CLIENTS.into())).collect();
        Self { name, report, estimates, deviations }
    }

    fn coin_flip() -> Self {
        let error = |_, reports| CoinFlip.estimate(0, reports).standard_error;
        let estimate = |count, reports| CoinFlip.estimate(count, reports);
        Self::new("coin flips".to_owned(), [0.75, 0.25], estimate, error)
    }

    fn bits(epsilon0: &str) -> Self {
        let one = rappor(epsilon0);
        let report = [0, 1].map(|flips| one.probability(flips, 1, 64).midpoint());
        let name = format!("bits at {epsilon0}");
        let estimate = |count, reports| one.estimate(count, reports);
        Self::new(name, report, estimate, |_, reports| one.standard_deviation(reports))
    }

    fn kary(epsilon: &str, answers: u32) -> Self {
        let one = kary(epsilon, answers);
        let report = [0, 1].map(|answer| one.probability(answer, 0, 64).midpoint());
        let name = format!("{answers} answers at {epsilon}");
        let estimate = |count, reports| one.estimate(count, reports);
        Self::new(name, report, estimate, |held, reports| one.standard_deviation(held, reports))
    }

    fn unary(p: &str, q: &str) -> Self {
        let one = unary(p, q);
        let report = [one.p(), one.q()].map(dp_exact::Rational::to_f64);
        let name = format!("bits with {p} and {q}");
        let estimate = |count, reports| one.estimate(count, reports);
        Self::new(name, report, estimate, |held, reports| one.standard_deviation(held, reports))
    }

    /// Mean and standard deviation of the `estimates` of each count if `held` clients hold the
    /// answer.
    fn moments(&self, held: u32, estimates: &[Estimate]) -> [f64; 2] {
        // The probability of each count, client by client.
        let mut counts = vec![1.0];
        for client in 0..CLIENTS {
            let p = self.report[usize::from(client >= held)];
            let without = counts.iter().map(|count| count * (1.0 - p)).chain([0.0]);
            let with = [0.0].into_iter().chain(counts.iter().map(|count| count * p));
            counts = without.zip(with).map(|(without, with)| without + with).collect();
        }
        let mean_of = |of: &dyn Fn(f64) -> f64| -> f64 {
            let all = estimates.iter().zip(&counts);
            all.map(|(estimate, probability)| probability * of(estimate.value)).sum()
        };
        let mean = mean_of(&|value| value);
        [mean, mean_of(&|value| (value - mean).powi(2)).sqrt()]
    }
}

#[test]
fn estimates_are_unbiased_with_the_error_that_they_state() {
    let close = |one: f64, other: f64| (one - other).abs() < 1e-8 * (1.0 + other.abs());
    let bits = ["1/10", "1", "4"].map(Counted::bits);
    let answers = ["1/5", "1", "3"].map(|epsilon| [2, 3, 5].map(|k| Counted::kary(epsilon, k)));
    let pairs =
        [("0.75", "0.05"), ("1/2", "1/8"), ("0.9", "0.8")].map(|(p, q)| Counted::unary(p, q));
    let all = bits.into_iter().chain(answers.into_iter().flatten()).chain(pairs);
    for counted in all.chain([Counted::coin_flip()]) {
        let name = &counted.name;
        for (held, stated) in (0..).zip(&counted.deviations) {
            let [mean, deviation] = counted.moments(held, &counted.estimates);
            assert!(close(mean, held.into()), "{name}: {mean}");
            assert!(close(deviation, *stated), "{name}: {deviation}");
        }
        // The error of an estimate is that of the truth for which it stands.
        for &Estimate { value, standard_error } in &counted.estimates {
            let holding = value.clamp(0.0, CLIENTS.into());
            let [one, other] = [holding.floor(), holding.ceil()].map(|whole| {
                let held =
                    (0..).zip(&counted.deviations).find(|(held, _)| f64::from(*held) == whole);
                held.unwrap().1
            });
            let allowed = one.min(*other) * (1.0 - 1e-12)..=one.max(*other) * (1.0 + 1e-12);
            assert!(allowed.contains(&standard_error), "{name}: {standard_error} {allowed:?}");
        }
    }
}

#[test]
fn an_estimate_for_another_randomizer_is_caught() {
    for (truth, faulty) in [
        // The parameter of basic RAPPOR for that of one bit, and the reverse.
        (Counted::bits("1/2"), Counted::bits("1")),
        (Counted::bits("2"), Counted::bits("1")),
        (Counted::bits("5/2"), Counted::bits("5")),
        // k answers beside the truth, and another ε.
        (Counted::kary("1", 4), Counted::kary("1", 5)),
        (Counted::kary("1", 4), Counted::kary("2", 4)),
        // The bits that are not set taken for symmetric ones, and the pair exchanged.
        (Counted::unary("0.75", "0.05"), Counted::unary("0.75", "0.25")),
        (Counted::unary("0.75", "0.05"), Counted::unary("0.95", "0.25")),
    ] {
        let biases = [0, 2].map(|held| truth.moments(held, &faulty.estimates)[0] - f64::from(held));
        assert!(biases.iter().any(|bias| bias.abs() > 0.1), "{}: {biases:?}", faulty.name);
    }
}
