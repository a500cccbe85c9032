//! Dropped reports: the bounds against sums over everything that an aggregator sees, for every
//! input of the others, with noise and without.

use dp_amplification::aggregated_rappor::MultiHot;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Delta, Rational, Rounding};

use crate::common::{BOTH, count, delta, gaussian, noise_pmf, number, rappor};

/// A setting that can be listed.
#[derive(Clone, Copy)]
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
            // All other ones of the input stay.
            Adjacency::OneCoordinate => [ones(self.input.ones), ones(self.input.ones) - 1],
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

/// The ε at δ where reports of more than `max_weight` ones are dropped: of one-hot vectors their
/// own bound, else the ε of the remaining clients at what drops leave of δ. The client's own
/// randomness is left where they leave nothing.
fn guaranteed(toy: &Toy, epsilon0: &str, noise: Option<&NoiseDistribution>, slack: f64) -> f64 {
    let clients = u64::try_from(toy.clients).expect("few");
    let counts = toy.input.changed(toy.adjacency);
    let local = &number(epsilon0) * &Rational::from(counts);
    let slack = Rational::from_f64(slack).expect("small");
    let whole = Delta::new(slack.clone()).expect("small");
    let sum = |clients| {
        let noise = noise.map(|noise| (noise, 1));
        rappor(epsilon0, clients).with_noise(noise).expect("accepted")
    };
    let most = toy.max_weight.into();
    if toy.input.ones == 1 {
        let length = toy.input.length;
        let bounds = sum(clients).epsilon_with_drops(&whole, toy.adjacency, length, most);
        return bounds.expect("in range").expect("a bound").upper.to_f64();
    }
    let left = sum(clients).remaining_clients(&whole, toy.adjacency, toy.input, most);
    let left = left.expect("in range");
    let rest = &slack - &(&left.delta_of_others + &left.critical);
    let rest = rest.round_to_digits(12, Rounding::Down);
    if !rest.is_positive() {
        return local.to_f64();
    }
    let rest = Delta::new(rest).expect("positive");
    let found = sum(left.clients).epsilon_of_counts(&rest, counts).expect("in range");
    found.expect("a bound").to_f64()
}

#[test]
fn an_aggregator_that_sees_every_verdict_learns_no_more_than_is_guaranteed() {
    let noise = gaussian("0.2");
    let (mut gained, mut caught) = (0, [false; 2]);
    for (epsilon0, length, ones, clients, noise) in [
        ("0.3", 2u32, 1, 5, None),
        ("1", 2, 1, 6, None),
        ("1", 3, 1, 4, None),
        ("3", 3, 1, 4, None),
        ("2", 4, 1, 3, None),
        ("1", 3, 2, 3, None),
        ("2", 4, 2, 2, None),
        ("1", 4, 1, 3, Some(&noise)),
        ("2", 3, 1, 2, Some(&noise)),
        ("1", 3, 2, 2, Some(&noise)),
        ("1", 3, 3, 2, Some(&noise)),
    ] {
        let p = (epsilon0.parse::<f64>().unwrap().exp() + 1.0).recip();
        let law = noise.map_or(vec![1.0], |noise| noise_pmf(noise, 4));
        for adjacency in Adjacency::ALL {
            for max_weight in 1..=length {
                if noise.is_some() && length > 3 && adjacency != BOTH[0] {
                    // Slower, with nothing that the other settings do not show.
                    continue;
                }
                // Of a single one that is the deletion.
                if ones == 1 && adjacency == Adjacency::OneCoordinate {
                    continue;
                }
                let input = MultiHot { length: length.into(), ones };
                let toy = Toy { input, adjacency, max_weight, clients };
                let undropped = Toy { max_weight: length, ..toy };
                let of = |toy| SLACKS.map(|slack| guaranteed(toy, epsilon0, noise, slack));
                let epsilons = [of(&toy), of(&undropped)].concat();
                let worst = toy.worst(p, &law, &epsilons);
                let local = epsilon0.parse::<f64>().unwrap()
                    * f64::from(u32::try_from(input.changed(adjacency)).unwrap());
                for (place, slack) in SLACKS.iter().enumerate() {
                    let case = format!("{epsilon0} {input:?} {clients} {adjacency:?} {max_weight}");
                    let found = worst[place];
                    assert!(found <= slack * (1.0 + 1e-6), "{case} {slack} {found}");
                    // A planted fault: that reports are dropped is forgotten.
                    caught[usize::from(noise.is_some())] |=
                        worst[SLACKS.len() + place] > slack * (1.0 + 1e-6);
                    gained += usize::from(epsilons[place] < local);
                }
            }
        }
    }
    assert!(gained > 50 && caught == [true; 2], "{gained} {caught:?}");
}

#[test]
fn what_is_not_counted_on_is_rare() {
    // One report in eleven hundred is dropped, and one in a hundred is next to it.
    let sum = rappor("5", 100_000);
    let tight = sum.epsilon_with_drops(&delta("1e-9"), Adjacency::Replacement, 1000, 15);
    let tight = tight.unwrap().expect("a bound");
    // P(Bin(998, p) = 14)
    assert!((tight.critical.to_f64() / 4.970_726e-3 - 1.0).abs() < 1e-6, "{tight:?}");
    // At every size one client at most is not counted on, where drops are rare.
    let (slack, input) = (delta("1e-6"), MultiHot { length: 100, ones: 1 });
    for clients in [2, 10, 200, 1_000_000] {
        let sum = rappor("1", clients);
        let hiding = sum.remaining_clients(&slack, Adjacency::Replacement, input, 60).unwrap();
        assert!(hiding.clients >= clients - 1 && hiding.delta_of_others <= number("1e-10"));
        // P(58 < Bin(98, p) ≤ 60)
        let critical = hiding.critical.to_f64();
        let law = count(1.0, 98, 0, &[1.0]);
        assert!((critical / (law[59] + law[60]) - 1.0).abs() < 1e-6, "{critical}");
    }
}

#[test]
fn the_number_of_heavy_reports_is_counted_from_the_right_side() {
    // Two places with at most one 1, of clients whose one is elsewhere: π = P(Ber(q) > 0).
    let input = MultiHot { length: 2, ones: 1 };
    for (epsilon0, clients) in [("1", 10u64), ("0.1", 60), ("4", 300)] {
        let sum = rappor(epsilon0, clients);
        let hiding = sum.remaining_clients(&delta("1e-3"), Adjacency::Deletion, input, 1).unwrap();
        let revealed = clients - hiding.clients;
        // P(Bin(n − 1, q) > r)
        let law = count(epsilon0.parse().unwrap(), 0, clients - 1, &[1.0]);
        let above = |r: u64| -> f64 { law.iter().skip(usize::try_from(r).unwrap() + 1).sum() };
        let bound = hiding.delta_of_others.to_f64();
        assert!(bound >= above(revealed) * (1.0 - 1e-9) && bound <= 1e-7, "{epsilon0} {revealed}");
        assert!(revealed == 0 || above(revealed - 1) > 0.99e-7 || revealed == clients - 1);
    }
}
