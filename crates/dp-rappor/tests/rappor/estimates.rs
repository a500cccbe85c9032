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
    /// The estimate from a count over all clients.
    estimate: Box<dyn Fn(u32) -> Estimate>,
    /// The standard deviation of the estimate if that many clients hold the answer.
    deviation: Box<dyn Fn(u32) -> f64>,
}

impl Counted {
    fn coin_flip() -> Self {
        let estimate = |count| CoinFlip.estimate(count, CLIENTS.into());
        Self {
            name: "coin flips".to_owned(),
            report: [0.75, 0.25],
            estimate: Box::new(estimate),
            deviation: Box::new(move |_| estimate(0).standard_error),
        }
    }

    fn bits(epsilon0: &str) -> Self {
        let [counted, stated] = [(); 2].map(|()| rappor(epsilon0));
        let report = [0, 1].map(|flips| counted.probability(flips, 1, 64).midpoint());
        Self {
            name: format!("bits at {epsilon0}"),
            report,
            estimate: Box::new(move |count| counted.estimate(count, CLIENTS.into())),
            deviation: Box::new(move |_| stated.standard_deviation(CLIENTS.into())),
        }
    }

    fn kary(epsilon: &str, answers: u32) -> Self {
        let [counted, stated] = [(); 2].map(|()| kary(epsilon, answers));
        let report = [0, 1].map(|answer| counted.probability(answer, 0, 64).midpoint());
        Self {
            name: format!("{answers} answers at {epsilon}"),
            report,
            estimate: Box::new(move |count| counted.estimate(count, CLIENTS.into())),
            deviation: Box::new(move |held| stated.standard_deviation(held.into(), CLIENTS.into())),
        }
    }

    fn unary(p: &str, q: &str) -> Self {
        let [counted, stated] = [(); 2].map(|()| unary(p, q));
        Self {
            name: format!("bits with {p} and {q}"),
            report: [counted.p(), counted.q()].map(dp_exact::Rational::to_f64),
            estimate: Box::new(move |count| counted.estimate(count, CLIENTS.into())),
            deviation: Box::new(move |held| stated.standard_deviation(held.into(), CLIENTS.into())),
        }
    }

    /// Mean and standard deviation of the `estimate` if `held` clients hold the answer.
    fn moments(&self, held: u32, estimate: &dyn Fn(u32) -> Estimate) -> [f64; 2] {
        // The probability of each count, client by client.
        let mut counts = vec![1.0];
        for client in 0..CLIENTS {
            let p = self.report[usize::from(client >= held)];
            let without = counts.iter().map(|count| count * (1.0 - p)).chain([0.0]);
            let with = [0.0].into_iter().chain(counts.iter().map(|count| count * p));
            counts = without.zip(with).map(|(without, with)| without + with).collect();
        }
        let mean_of = |of: &dyn Fn(f64) -> f64| -> f64 {
            let all = (0..).zip(&counts);
            all.map(|(count, probability)| probability * of(estimate(count).value)).sum()
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
        for held in 0..=CLIENTS {
            let [mean, deviation] = counted.moments(held, &counted.estimate);
            assert!(close(mean, held.into()), "{name}: {mean}");
            assert!(close(deviation, (counted.deviation)(held)), "{name}: {deviation}");
        }
        // The error of an estimate is that of the truth for which it stands.
        for count in 0..=CLIENTS {
            let Estimate { value, standard_error } = (counted.estimate)(count);
            let holding = value.clamp(0.0, CLIENTS.into());
            let [one, other] = [holding.floor(), holding.ceil()].map(|whole| {
                let held = (0..=CLIENTS).find(|held| f64::from(*held) == whole).unwrap();
                (counted.deviation)(held)
            });
            let allowed = one.min(other) * (1.0 - 1e-12)..=one.max(other) * (1.0 + 1e-12);
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
        let biases = [0, 2].map(|held| truth.moments(held, &faulty.estimate)[0] - f64::from(held));
        assert!(biases.iter().any(|bias| bias.abs() > 0.1), "{}: {biases:?}", faulty.name);
    }
}
