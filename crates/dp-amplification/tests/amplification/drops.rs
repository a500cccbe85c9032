//! Dropped reports: the bounds against sums over everything that an aggregator sees, for every input of the
//! others, with noise and without.

use dp_amplification::aggregated_rappor::{MultiHot, WeightLimit};
use dp_calibration::Adjacency;
use dp_exact::{Delta, Rational};

use crate::common::{BOTH, count, delta, gaussian, hedged, noise_pmf, number, rappor};

/// A setting that can be listed.
struct Toy {
    input: MultiHot,
    adjacency: Adjacency,
    max_weight: u32,
    clients: usize,
}

impl Toy {
    /// The client's two inputs that differ most: all coordinates that may differ come first.
    fn inputs(&self) -> [usize; 2] {
        let ones = |count: u64| (1_usize << count) - 1;
        let changed = self.input.changed(self.adjacency);
        let first = self.input.ones.min(changed);
        match self.adjacency {
            Adjacency::Replacement => [ones(first), ones(changed) - ones(first)],
            Adjacency::Deletion => [ones(first), 0],
        }
    }

    /// All inputs that another client may have; one-hot vectors hold exactly one.
    fn possible(&self) -> Vec<usize> {
        let most = u32::try_from(self.input.ones).expect("small");
        let all = 0..1_usize << self.input.length;
        let is_possible = |input: &usize| match most {
            1 => input.count_ones() == 1,
            _ => input.count_ones() <= most,
        };
        all.filter(is_possible).collect()
    }

    /// The law of all verdicts and of the sums, with noise where the inputs may differ. Elsewhere
    /// the sums are seen as they are, which tells the adversary more.
    fn seen(&self, p: f64, inputs: &[usize], noise: &[f64]) -> Vec<f64> {
        let length = usize::try_from(self.input.length).expect("small");
        let changed = usize::try_from(self.input.changed(self.adjacency)).expect("small");
        let base = |place: usize| inputs.len() + if place < changed { noise.len() } else { 1 };
        let mut strides = vec![1 << inputs.len()];
        for place in 0..length {
            strides.push(strides[place] * base(place));
        }
        let mut law = vec![(0usize, 1.0)];
        for (client, input) in inputs.iter().enumerate() {
            let reports = (0..1_usize << length).map(|report| {
                let flips = i32::try_from((report ^ input).count_ones()).expect("small");
                let kept = i32::try_from(length).expect("small") - flips;
                let mass = p.powi(flips) * (1.0 - p).powi(kept);
                if report.count_ones() > self.max_weight {
                    return (0, mass);
                }
                let bits = (0..length).map(|place| (report >> place & 1) * strides[place]);
                ((1 << client) + bits.sum::<usize>(), mass)
            });
            let reports: Vec<(usize, f64)> = reports.collect();
            let sums = law.iter().flat_map(|&(from, mass)| {
                reports.iter().map(move |&(step, probability)| (from + step, mass * probability))
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
        let datasets = possible.len().pow(u32::try_from(self.clients - 1).expect("small"));
        for dataset in 0..datasets {
            let others = (0..self.clients - 1).map(|other| {
                let place = dataset / possible.len().pow(u32::try_from(other).expect("small"));
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

const SLACKS: [f64; 4] = [0.3, 0.1, 0.03, 1e-3];

fn slacks() -> [Delta; 4] {
    SLACKS.map(|slack| Delta::new(Rational::from_f64(slack).expect("small")).expect("small"))
}

#[test]
fn an_aggregator_that_sees_every_verdict_learns_no_more_than_is_guaranteed() {
    let (mut gained, mut caught) = (0, false);
    for (epsilon0, length, ones, clients) in [
        ("0.3", 2, 1, 5),
        ("1", 2, 1, 6),
        ("1", 3, 1, 4),
        ("3", 3, 1, 4),
        ("2", 4, 1, 3),
        ("1", 3, 2, 3),
        ("2", 4, 2, 2),
    ] {
        let sum = rappor(epsilon0, clients);
        let p = (epsilon0.parse::<f64>().unwrap().exp() + 1.0).recip();
        for adjacency in BOTH {
            for max_weight in 1..=length {
                let input = MultiHot { length, ones };
                let limit = WeightLimit { length, max_weight };
                let toy = Toy {
                    input,
                    adjacency,
                    max_weight: u32::try_from(max_weight).unwrap(),
                    clients: usize::try_from(clients).unwrap(),
                };
                let upper = |slack: &Delta| match ones {
                    1 => sum.epsilon_with_drops(slack, adjacency, limit).unwrap().upper,
                    _ => {
                        let bounds =
                            sum.epsilon_multi_hot_with_drops(slack, adjacency, input, max_weight);
                        bounds.unwrap().upper
                    }
                };
                let undropped = |slack: &Delta| {
                    let bounds = sum.epsilon_multi_hot_with_drops(slack, adjacency, input, length);
                    bounds.unwrap().upper
                };
                let epsilons = slacks().map(|slack| upper(&slack));
                let mut all = epsilons.clone().map(|epsilon| epsilon.to_f64()).to_vec();
                all.extend(slacks().map(|slack| undropped(&slack).to_f64()));
                let worst = toy.worst(p, &[1.0], &all);
                for (place, slack) in SLACKS.iter().enumerate() {
                    let case = format!(
                        "{epsilon0} {input:?} {clients} {adjacency:?} {max_weight} {slack}"
                    );
                    assert!(worst[place] <= slack * (1.0 + 1e-9), "{case} {}", worst[place]);
                    // A planted fault: that reports are dropped is forgotten.
                    caught |= worst[SLACKS.len() + place] > slack * (1.0 + 1e-9);
                }
                let local = &number(epsilon0) * &Rational::from(input.changed(adjacency));
                gained += epsilons.iter().filter(|epsilon| **epsilon < local).count();
                if ones == 1 {
                    for (slack, upper) in slacks().iter().zip(&epsilons) {
                        let lower =
                            sum.attained_epsilon_with_drops(slack, adjacency, limit).unwrap();
                        assert!(lower <= *upper);
                    }
                }
            }
        }
    }
    assert!(gained > 50 && caught, "{gained}");
}

#[test]
fn noise_and_bits_keep_their_guarantee_when_reports_are_dropped() {
    let noise = gaussian("0.2");
    let law = noise_pmf(&noise, 4);
    let mut caught = false;
    for (length, ones, adjacency, max_weight, clients) in [
        (4, 1, Adjacency::Replacement, 2, 3),
        (4, 2, Adjacency::Deletion, 3, 2),
        (5, 2, Adjacency::Replacement, 4, 2),
        (3, 2, Adjacency::Replacement, 2, 2),
        (3, 3, Adjacency::Deletion, 3, 2),
        (3, 1, Adjacency::Deletion, 1, 3),
    ] {
        let input = MultiHot { length, ones };
        let toy = Toy { input, adjacency, max_weight, clients };
        let policy = hedged("1", u64::try_from(clients).unwrap(), noise.clone(), 1);
        let local = f64::from(u32::try_from(input.changed(adjacency)).unwrap());
        let epsilon = |slack: &Delta, max_weight| {
            let bound = policy.epsilon_multi_hot_with_drops(slack, adjacency, input, max_weight);
            // Where drops alone exceed δ, the flips of the client are left.
            bound.unwrap().map_or(local, |epsilon| epsilon.to_f64())
        };
        let mut epsilons = slacks().map(|slack| epsilon(&slack, max_weight.into())).to_vec();
        epsilons.extend(slacks().map(|slack| epsilon(&slack, length)));
        let worst = toy.worst((1f64.exp() + 1.0).recip(), &law, &epsilons);
        for (place, slack) in SLACKS.iter().enumerate() {
            let case = format!("{input:?} {max_weight} {adjacency:?} {slack} {}", worst[place]);
            assert!(worst[place] <= slack * (1.0 + 1e-6), "{case}");
            caught |= worst[SLACKS.len() + place] > slack * (1.0 + 1e-6);
        }
    }
    assert!(caught, "a bound without the drops would not be noticed");
}

#[test]
fn what_is_not_counted_on_is_rare_and_costs_little() {
    // One report in eleven hundred is dropped, and one in a hundred is next to it.
    let (slack, limit) = (delta("1e-9"), |max_weight| WeightLimit { length: 1000, max_weight });
    let sum = rappor("5", 100_000);
    let plain = sum.epsilon(&slack, Adjacency::Replacement).unwrap();
    let tight = sum.epsilon_with_drops(&slack, Adjacency::Replacement, limit(15)).unwrap();
    assert!(tight.upper >= plain.lower && tight.upper <= &plain.upper * &number("1.02"));
    // P(Bin(998, p) = 14)
    assert!((tight.critical.to_f64() / 4.970_726e-3 - 1.0).abs() < 1e-6, "{tight:?}");
    let wide = sum.epsilon_with_drops(&slack, Adjacency::Replacement, limit(40)).unwrap();
    assert!(wide.upper <= &plain.upper * &number("1.00001") && wide.revealed <= 1);
    // At every size one client at most is not counted on, where drops are rare.
    let (slack, limit) = (delta("1e-6"), WeightLimit { length: 100, max_weight: 60 });
    for clients in [2, 10, 200, 1_000_000] {
        let hiding = rappor("1", clients).remaining_clients(&slack, Adjacency::Replacement, limit);
        let hiding = hiding.unwrap();
        assert!(hiding.clients >= clients - 1 && hiding.delta_of_others <= number("1e-10"));
        // P(Bin(98, p) = 59)·(q − p)
        assert!((hiding.critical.to_f64() / 1.703_926_5e-12 - 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_number_of_heavy_reports_is_counted_from_the_right_side() {
    // Reports of two places with at most one 1, of clients whose one is elsewhere: π = P(Ber(q) > 0).
    let limit = WeightLimit { length: 2, max_weight: 1 };
    for (epsilon0, clients) in [("1", 10u64), ("0.1", 60), ("4", 300)] {
        let hiding =
            rappor(epsilon0, clients).remaining_clients(&delta("1e-3"), Adjacency::Deletion, limit);
        let hiding = hiding.unwrap();
        let revealed = clients - hiding.clients;
        // P(Bin(n − 1, q) > r)
        let law = count(epsilon0.parse().unwrap(), 0, clients - 1, &[1.0]);
        let above = |r: u64| -> f64 { law.iter().skip(usize::try_from(r).unwrap() + 1).sum() };
        let bound = hiding.delta_of_others.to_f64();
        assert!(bound >= above(revealed) * (1.0 - 1e-9) && bound <= 1e-7, "{epsilon0} {revealed}");
        assert!(revealed == 0 || above(revealed - 1) > 0.99e-7 || revealed == clients - 1);
    }
}
