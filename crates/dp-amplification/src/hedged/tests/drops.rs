//! Dropped reports and noise: the bounds against sums over everything that an aggregator sees, for
//! every input of the others.

use super::*;
use crate::aggregated_rappor::MultiHot;
use crate::hedged::drops::Drops;

/// A setting that can be listed.
struct Toy {
    input: MultiHot,
    adjacency: Adjacency,
    max_weight: u32,
    clients: usize,
}

/// The client's two inputs that differ most: all coordinates that may differ come first.
impl Toy {
    fn inputs(&self) -> [usize; 2] {
        let ones = |count: u64| (1_usize << count) - 1;
        let changed = self.input.changed(self.adjacency);
        let first = self.input.ones.min(changed);
        match self.adjacency {
            Adjacency::Replacement => [ones(first), ones(changed) - ones(first)],
            Adjacency::Deletion => [ones(first), 0],
        }
    }

    /// All inputs that a client may have.
    fn possible(&self) -> Vec<usize> {
        let all = 0..1_usize << self.input.length;
        all.filter(|input| u64::from(input.count_ones()) <= self.input.ones)
            .collect()
    }

    /// The law of all verdicts and of the sums, with noise where the inputs may differ. Elsewhere
    /// the sums are seen as they are, which tells the adversary more.
    fn seen(&self, p: f64, inputs: &[usize], noise: &[f64]) -> Vec<f64> {
        let length = usize::try_from(self.input.length).unwrap();
        let changed = usize::try_from(self.input.changed(self.adjacency)).unwrap();
        let base = |place: usize| inputs.len() + if place < changed { noise.len() } else { 1 };
        let mut strides = vec![1 << inputs.len()];
        for place in 0..length {
            strides.push(strides[place] * base(place));
        }
        let mut law = vec![(0usize, 1.0)];
        for (client, input) in inputs.iter().enumerate() {
            let reports = (0..1_usize << length).map(|report| {
                let flips = i32::try_from((report ^ input).count_ones()).unwrap();
                let kept = i32::try_from(length).unwrap() - flips;
                let mass = p.powi(flips) * (1.0 - p).powi(kept);
                if report.count_ones() > self.max_weight {
                    return (0, mass);
                }
                let bits = (0..length).map(|place| (report >> place & 1) * strides[place]);
                ((1 << client) + bits.sum::<usize>(), mass)
            });
            let reports: Vec<(usize, f64)> = reports.collect();
            let sums = law.iter().flat_map(|&(from, mass)| {
                reports
                    .iter()
                    .map(move |&(step, probability)| (from + step, mass * probability))
            });
            law = sums.collect();
        }
        let mut table = vec![0.0; strides[length]];
        for (place, mass) in law {
            table[place] += mass;
        }
        for &stride in &strides[..changed] {
            let mut noisy = vec![0.0; table.len()];
            for (place, &mass) in table.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
                for (step, weight) in noise.iter().enumerate() {
                    noisy[place + step * stride] += mass * weight;
                }
            }
            table = noisy;
        }
        table
    }

    /// The largest δ at each ε over both directions and all data of the others.
    fn worst(&self, p: f64, noise: &[f64], epsilons: &[f64]) -> Vec<f64> {
        let mut worst = vec![0.0f64; epsilons.len()];
        let possible = self.possible();
        let datasets = possible.len().pow(u32::try_from(self.clients - 1).unwrap());
        for dataset in 0..datasets {
            let others = (0..self.clients - 1).map(|other| {
                let place = dataset / possible.len().pow(u32::try_from(other).unwrap());
                possible[place % possible.len()]
            });
            let others: Vec<usize> = others.collect();
            let laws = self.inputs().map(|own| {
                let inputs: Vec<usize> =
                    std::iter::once(own).chain(others.iter().copied()).collect();
                self.seen(p, &inputs, noise)
            });
            for (worst, epsilon) in worst.iter_mut().zip(epsilons) {
                for [before, after] in [[0, 1], [1, 0]] {
                    let cells = laws[before].iter().zip(&laws[after]);
                    let delta = cells.map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum();
                    *worst = worst.max(delta);
                }
            }
        }
        worst
    }
}

#[test]
fn bounds_with_drops_hold_for_all_data_of_the_others_and_both_directions() {
    let (replacement, deletion) = (Adjacency::Replacement, Adjacency::Deletion);
    let toy = |length, ones, adjacency, max_weight, clients| Toy {
        input: MultiHot { length, ones },
        adjacency,
        max_weight,
        clients,
    };
    let toys = [
        toy(4, 1, replacement, 2, 3),
        toy(4, 2, deletion, 3, 2),
        toy(5, 2, replacement, 4, 2),
        toy(3, 2, replacement, 2, 2),
        toy(3, 2, replacement, 3, 2),
        toy(3, 1, deletion, 1, 3),
    ];
    let noise = gaussian("0.2");
    let slow: Vec<f64> = slow_noise(&noise, 1)[56..=64].to_vec();
    let epsilons = [0.05, 0.4, 1.0, 1.8];
    let mut caught = 0;
    for toy in toys {
        let clients = toy.clients as u64;
        let policy = Hedged::new("1".parse().unwrap(), clients, noise.clone(), 1).unwrap();
        let coordinates = toy.input.changed(toy.adjacency);
        let (input, max_weight) = (toy.input, u64::from(toy.max_weight));
        let target = 0.3;
        let drops = Drops::new(&policy, coordinates, input, max_weight, target).unwrap();
        let worst = toy.worst(policy.flip.p, &slow, &epsilons);
        let revealed = policy.with_revealed(&drops, coordinates, target).unwrap();
        let rare = policy.with_none_dropped(&drops, coordinates, target);
        let forgotten = policy.composed(target, coordinates).unwrap();
        for (epsilon, worst) in epsilons.iter().zip(worst) {
            let mut least = f64::INFINITY;
            for bound in [&revealed, &rare].into_iter().flatten() {
                let bound = bound(epsilon.exp());
                let far = format!("{input:?} {max_weight} {epsilon} {bound} {worst}");
                assert!(bound >= worst * (1.0 - 1e-7), "{far}");
                least = least.min(bound);
            }
            if input.length <= max_weight {
                assert!(least <= 1.15 * worst, "{least} {worst}");
            }
            caught += usize::from(forgotten.delta(epsilon.exp()) < worst);
        }
    }
    assert!(caught > 0, "a bound without the drops would not be noticed");
}

#[test]
fn noise_alone_keeps_its_promise_when_reports_are_dropped() {
    let noise = laplace("0.6");
    let slow: Vec<f64> = slow_noise(&noise, 1)[44..=76].to_vec();
    let policy = Hedged::new("3".parse().unwrap(), 1, noise, 1).unwrap();
    let delta: Delta = "0.3".parse().unwrap();
    for (length, ones, max_weight, adjacency) in [
        (3, 1, 1, Adjacency::Replacement),
        (3, 2, 2, Adjacency::Deletion),
        (4, 1, 2, Adjacency::Replacement),
    ] {
        let input = MultiHot { length, ones };
        let toy = Toy {
            input,
            adjacency,
            max_weight,
            clients: 1,
        };
        let coordinates = input.changed(adjacency);
        let bound = u64::from(max_weight);
        let drops = Drops::new(&policy, coordinates, input, bound, 0.3).unwrap();
        let left = drops.left(&delta).unwrap().expect("something");
        let epsilon = policy
            .aggregator_epsilon(&left, coordinates)
            .unwrap()
            .unwrap();
        let worst = toy.worst(policy.flip.p, &slow, &[epsilon.to_f64()])[0];
        assert!(worst <= 0.3, "{input:?} {epsilon} {worst}");
    }
}

/// P(Bin(zeros, p) + Bin(ones, q) ≥ least)
fn tail(p: f64, zeros: u64, ones: u64, least: u64) -> f64 {
    let law = slow_law(p, zeros, ones, &[1.0]);
    law.iter().skip(usize::try_from(least).unwrap()).sum()
}

#[test]
fn what_drops_add_is_what_the_formulas_say() {
    let policy = Hedged::new("2".parse().unwrap(), 30, gaussian("4"), 1).unwrap();
    let p = policy.flip.p;
    let near = |value: f64, exact: f64| {
        assert!(value >= exact * (1.0 - 1e-11), "{value} {exact}");
        assert!(value <= exact * (1.0 + 1e-9) + 1e-200, "{value} {exact}");
    };
    for (length, ones, changed, max_weight) in
        [(30u64, 2u64, 4u64, 20u64), (25, 3, 6, 17), (12, 2, 4, 9)]
    {
        let input = MultiHot { length, ones };
        let target = 1e-3;
        let drops = Drops::new(&policy, changed, input, max_weight, target).unwrap();
        // π₀, and P(V > m − D) of the client and of another.
        let (outside, heavy) = (length - changed, max_weight + 1 - changed);
        let (dropped, risky) = (
            tail(p, length - ones, ones, max_weight + 1),
            tail(p, outside, 0, heavy),
        );
        near(drops.dropped, dropped);
        near(drops.risky, risky);
        near(drops.risky_other, tail(p, outside - ones, ones, heavy));
        let largest = (2.0 * dp_exact::directed::count(changed)).exp();
        let own = |alpha: f64| {
            let told: f64 = risky * (largest - alpha).max(0.0) / (largest + 1.0);
            told.min(alpha * dropped)
        };
        for epsilon in [0.0, 0.7, 3.0, 9.0] {
            let alpha = f64::exp(epsilon);
            near(drops.own(alpha), own(alpha));
        }
        let delta: Delta = "1e-2".parse().unwrap();
        let left = drops.left(&delta).unwrap().unwrap();
        let taken = (delta.value() - left.value()).to_f64();
        let part = risky.min(2.0 * dropped);
        assert!(taken >= part * (1.0 - 1e-11) && taken <= part * (1.0 + 1e-9) + 2e-14);
        if let Some(rare) = policy.with_none_dropped(&drops, changed, target) {
            let law = policy.composed(target, changed).unwrap();
            for epsilon in [0.0, 0.7, 2.0] {
                let alpha = f64::exp(epsilon);
                let seen = (1.0 + alpha) * 29.0 * dropped;
                near(rare(alpha), law.delta(alpha) + own(alpha) + seen);
            }
        } else {
            assert!(29.0 * dropped >= target);
        }
    }
}

#[test]
fn the_clients_that_are_left_answer_for_one_or_two_coordinates() {
    let noise = gaussian("0.2");
    let slow: Vec<f64> = slow_noise(&noise, 1)[56..=64].to_vec();
    let mut gained = 0;
    for (length, adjacency, max_weight, clients) in [
        (4, Adjacency::Replacement, 3, 3),
        (4, Adjacency::Deletion, 2, 3),
        (5, Adjacency::Replacement, 3, 2),
        (4, Adjacency::Replacement, 4, 3),
    ] {
        let input = MultiHot { length, ones: 1 };
        let toy = Toy {
            input,
            adjacency,
            max_weight,
            clients,
        };
        let policy = Hedged::new("2".parse().unwrap(), clients as u64, noise.clone(), 1).unwrap();
        let coordinates = input.changed(adjacency);
        for target in [0.1, 0.3, 0.5] {
            let delta = Delta::new(Rational::from_f64(target).unwrap()).unwrap();
            let drops = Drops::new(&policy, coordinates, input, max_weight.into(), target).unwrap();
            let Some(epsilon) = policy.with_fewest(&drops, coordinates, &delta).unwrap() else {
                continue;
            };
            let worst = toy.worst(policy.flip.p, &slow, &[epsilon.to_f64()])[0];
            assert!(
                worst <= target * (1.0 + 1e-7),
                "{input:?} {max_weight} {target} {worst}"
            );
            // What is answered is the least of several bounds.
            let bounds = policy
                .epsilon_multi_hot_with_drops(&delta, adjacency, input, max_weight.into())
                .unwrap();
            assert!(bounds.upper <= epsilon);
            let worst = toy.worst(policy.flip.p, &slow, &[bounds.upper.to_f64()])[0];
            assert!(
                worst <= target * (1.0 + 1e-7),
                "{input:?} {max_weight} {target} {worst}"
            );
            gained += 1;
        }
    }
    assert!(gained >= 4, "{gained}");
}

#[test]
fn three_coordinates_are_not_hidden_like_two() {
    let noise = gaussian("0.2");
    let slow: Vec<f64> = slow_noise(&noise, 1)[56..=64].to_vec();
    let policy = Hedged::new("1".parse().unwrap(), 2, noise, 1).unwrap();
    for (length, ones, adjacency) in [(3, 3, Adjacency::Deletion), (3, 2, Adjacency::Replacement)] {
        let input = MultiHot { length, ones };
        let toy = Toy {
            input,
            adjacency,
            max_weight: 3,
            clients: 2,
        };
        let delta = "0.1".parse().unwrap();
        let bounds = policy.epsilon_multi_hot(&delta, adjacency, input).unwrap();
        let worst = toy.worst(policy.flip.p, &slow, &[bounds.upper.to_f64()])[0];
        assert!(worst <= 0.1 * (1.0 + 1e-7), "{input:?} {worst}");
    }
}
