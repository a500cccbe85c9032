//! The promise of compensation at toy size, against the whole view: which reports were dropped, how
//! many are in the batch, and the sums with the bits that the honest aggregator added. For every
//! number of honest reports, every number of malicious ones and all data of the others.
//!
//! Probabilities are sums of products of positive doubles, so that they are off by some 1e-14; what
//! is compared has a margin of 1e-9.

use std::collections::BTreeMap;

use crate::support::{epsilon, rational};
use dp_amplification::compensation::{Batch, Compensation};
use dp_calibration::{Adjacency, Budget};
use dp_exact::Delta;
use dp_prio3::{Circumstances, CompensatedRappor, MultihotRappor, PolicyDescription, TrustModel};

const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;
const OAMC: TrustModel = TrustModel::OneAggregatorMostClients;

/// A batch's policy at toy size.
struct Toy {
    policy: CompensatedRappor,
    length: usize,
    max_weight: u32,
    /// p = 1/(e^ε₀ + 1).
    flip: f64,
    malicious: u64,
}

/// Counts by outcome.
type Law = BTreeMap<Vec<u64>, f64>;

impl Toy {
    fn new(length: usize, rate: &str, [wanted, malicious, min, max]: [u64; 4]) -> Self {
        let clients =
            MultihotRappor::one_hot(2, length, epsilon("1"), &rational(rate)).expect("valid");
        let max_weight = clients.measurement_type().max_weight();
        let clients = clients.with_max_reports(max).expect("valid");
        let clients = clients.with_min_reports(min).expect("valid");
        Self {
            policy: CompensatedRappor::new(clients, wanted, malicious).expect("valid"),
            length,
            max_weight: u32::try_from(max_weight).expect("valid"),
            flip: 1.0 / (1.0_f64.exp() + 1.0),
            malicious,
        }
    }

    /// The probability that bits `input` become `output`.
    fn flips(&self, input: u32, output: u32) -> f64 {
        let length = u32::try_from(self.length).expect("valid");
        let flipped = (input ^ output).count_ones();
        let power = |base: f64, times: u32| base.powi(i32::try_from(times).expect("valid"));
        power(self.flip, flipped) * power(1.0 - self.flip, length - flipped)
    }

    fn outputs(&self) -> std::ops::Range<u32> {
        0..1 << self.length
    }

    /// The sums and one more report of these bits; only of accepted ones where `accepted`.
    fn with_report(&self, sums: &Law, input: u32, accepted: bool) -> Law {
        let mut law = Law::new();
        let outputs = self.outputs();
        for output in outputs.filter(|bits| !accepted || bits.count_ones() <= self.max_weight) {
            let probability = self.flips(input, output);
            for (sum, mass) in sums {
                let added = (0..)
                    .zip(sum)
                    .map(|(place, count)| count + u64::from(output >> place & 1));
                *law.entry(added.collect()).or_insert(0.0) += mass * probability;
            }
        }
        law
    }

    fn dropped(&self, input: u32) -> f64 {
        let outputs = self.outputs();
        outputs
            .filter(|bits| bits.count_ones() > self.max_weight)
            .map(|output| self.flips(input, output))
            .sum()
    }

    /// The law of the view: verdicts, reports, sums; no sums of a batch that is not released.
    fn view(&self, honest: &[u32], extra: u64) -> Law {
        let mut view = Law::new();
        for verdicts in 0..1_u64 << honest.len() {
            let mut sums = Law::from([(vec![0; self.length], 1.0)]);
            let mut dropped = 1.0;
            for (place, &input) in honest.iter().enumerate() {
                if verdicts >> place & 1 == 1 {
                    sums = self.with_report(&sums, input, true);
                } else {
                    dropped *= self.dropped(input);
                }
            }
            let reports = u64::from(verdicts.count_ones()) + extra;
            let bounds = self.policy.min_reports()..=self.policy.max_reports();
            let plan = self.policy.plan(reports).ok();
            let plan = plan.filter(|_| bounds.contains(&reports));
            for _ in 0..plan.as_ref().map_or(0, Compensation::added_zeros) {
                sums = self.with_report(&sums, 0, false);
            }
            for (sum, mass) in sums {
                let seen = if plan.is_some() { sum } else { Vec::new() };
                let outcome = [vec![verdicts, reports], seen].concat();
                *view.entry(outcome).or_insert(0.0) += mass * dropped;
            }
        }
        let total: f64 = view.values().sum();
        assert!((total - 1.0).abs() < 1e-12);
        view
    }

    /// The least δ at `epsilon` for these others and any two values of the client.
    fn delta(&self, others: &[u32], extra: u64, epsilon: f64) -> f64 {
        let values = (0..self.length).map(|place| 1_u32 << place);
        let view = |value: u32| self.view(&[&[value], others].concat(), extra);
        let views: Vec<Law> = values.map(view).collect();
        let mut largest = 0.0_f64;
        for (place, one) in views.iter().enumerate() {
            for (_, other) in views.iter().enumerate().filter(|(at, _)| *at != place) {
                let excess = |(outcome, mass): (&Vec<u64>, &f64)| {
                    (mass - epsilon.exp() * other.get(outcome).unwrap_or(&0.0)).max(0.0)
                };
                largest = largest.max(one.iter().map(excess).sum());
            }
        }
        largest
    }

    /// The same for the worst of up to so many honest clients and any number of malicious ones up to
    /// f.
    fn worst_among(&self, honest: usize, epsilon: f64) -> f64 {
        let mut worst = 0.0_f64;
        for others in (0..honest).flat_map(|count| datasets(count, self.length)) {
            for extra in 0..=self.malicious {
                worst = worst.max(self.delta(&others, extra, epsilon));
            }
        }
        worst
    }

    /// The same where all others are known, of any number.
    fn worst_alone(&self, epsilon: f64) -> f64 {
        let extras = 0..self.policy.max_reports();
        extras
            .map(|extra| self.delta(&[], extra, epsilon))
            .fold(0.0, f64::max)
    }

    fn promised(&self, model: TrustModel, delta: &str) -> f64 {
        let circumstances = Circumstances::new(1, delta.parse().expect("valid"));
        match self.policy.guarantee(model, &circumstances).budget() {
            Some(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
                epsilon.value().to_f64()
            }
            other => panic!("{other:?}"),
        }
    }
}

/// What so many clients may hold, up to their order.
fn datasets(clients: usize, length: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..clients {
        let longer = all.iter().flat_map(|held: &Vec<u32>| {
            let least = held.last().map_or(0, |bits| bits.trailing_zeros());
            (least..u32::try_from(length).expect("valid"))
                .map(move |place| [&held[..], &[1 << place]].concat())
        });
        all = longer.collect();
    }
    all
}

fn number(delta: &str) -> f64 {
    delta.parse::<Delta>().expect("valid").value().to_f64()
}

#[test]
fn the_promise_holds_for_every_number_of_reports_and_whoever_is_missing_or_extra() {
    for (length, rate, counts, delta) in [
        // Nothing is dropped. Fewer wanted than fit, more, and exactly as many.
        (3, "0", [3, 1, 1, 5], "1/20"),
        (3, "0", [6, 1, 2, 4], "1/20"),
        (2, "0", [3, 0, 1, 3], "1/10"),
        // Reports of more than m ones are dropped, and everybody sees which.
        (3, "1/10", [4, 1, 1, 4], "7/20"),
        (4, "1/10", [3, 1, 2, 4], "1/4"),
    ] {
        let toy = Toy::new(length, rate, counts);
        let (target, case) = (number(delta), format!("{length} {rate} {counts:?}"));
        let honest = usize::try_from(counts[3].min(3)).unwrap();
        let among = toy.worst_among(honest, toy.promised(OAMC, delta));
        assert!(among <= target + 1e-9, "{case}: {among}");
        let alone = toy.worst_alone(toy.promised(OAOC, delta));
        assert!(alone <= target + 1e-9, "{case}: {alone}");
    }
}

/// The ε at the number of honest clients that are certain is not kept by more of them.
#[test]
fn the_promise_at_the_fewest_honest_clients_is_refuted() {
    let toy = Toy::new(3, "0", [3, 1, 1, 5]);
    let batch = Batch {
        reports: 2,
        malicious: 1,
    };
    let fewest = Compensation::new(epsilon("1"), batch, 3, 2).unwrap();
    let delta = "1/20".parse().unwrap();
    let there = fewest.epsilon(&delta, Adjacency::Replacement).unwrap();
    assert!(there.upper.to_f64() < toy.promised(OAMC, "1/20"));
    assert!(toy.worst_among(3, there.upper.to_f64()) > number("1/20") + 1e-4);
    // Nor is that of two reports in OAOC, where the adversary fills the batch up.
    let alone = fewest.one_client().unwrap();
    let alone = alone.epsilon(&delta, Adjacency::Replacement).unwrap();
    assert!(toy.worst_alone(alone.upper.to_f64()) > number("1/20") + 1e-4);
}
