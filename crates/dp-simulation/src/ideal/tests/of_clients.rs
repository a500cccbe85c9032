//! The laws of totals against all coins of all clients.

use std::collections::BTreeMap;

use super::enumerated::{Numbers, Path, assert_close, distance, law};
use crate::ideal::dropping::{Sent, of_one_hot, of_vector};
use crate::ideal::probability::Probability;
use crate::ideal::weights::{Vectors, WeightLaw};
use crate::ideal::{answers, bits};

/// ε₀ = ln-free and small, so that drops are frequent.
const EPSILON0: &str = "0.7";

fn vectors(length: u32, sent_weight: u32) -> Vectors {
    Vectors {
        epsilon0: EPSILON0.parse().expect("a number"),
        length,
        sent_weight,
    }
}

fn flip() -> f64 {
    1.0 / (0.7_f64.exp() + 1.0)
}

/// Totals and reports of clients with these vectors, by every flip of every client.
fn by_clients(clients: &[Vec<bool>], sent_weight: usize) -> BTreeMap<(Vec<u64>, u64), f64> {
    let length = clients[0].len();
    let mut law = BTreeMap::from([((vec![0; length], 0), 1.0)]);
    for client in clients {
        let mut next = BTreeMap::new();
        for flips in 0..1_u32 << length {
            let flipped = |place: usize| flips >> place & 1 == 1;
            let output: Vec<bool> = (0..length)
                .map(|place| client[place] ^ flipped(place))
                .collect();
            let mass: f64 = (0..length)
                .map(|place| if flipped(place) { flip() } else { 1.0 - flip() })
                .product();
            let is_sent = output.iter().filter(|bit| **bit).count() <= sent_weight;
            for ((totals, reports), before) in &law {
                let mut after: (Vec<u64>, u64) = (totals.clone(), *reports);
                if is_sent {
                    after.1 += 1;
                    after
                        .0
                        .iter_mut()
                        .zip(&output)
                        .for_each(|(total, bit)| *total += u64::from(*bit));
                }
                *next.entry(after).or_insert(0.0) += before * mass;
            }
        }
        law = next;
    }
    law
}

fn one_hot(length: usize, counts: &[u64]) -> Vec<Vec<bool>> {
    let vector = |place| (0..length).map(|other| other == place).collect();
    let clients = counts.iter().enumerate();
    clients
        .flat_map(|(place, count)| vec![vector(place); usize::try_from(*count).expect("few")])
        .collect()
}

fn drawn(run: impl Fn(&mut Path) -> Sent) -> BTreeMap<(Vec<u64>, u64), f64> {
    law(0.0, |path| {
        let sent = run(path);
        (sent.totals, sent.reports)
    })
}

#[test]
fn one_hot_vectors_of_which_heavy_ones_are_not_sent() {
    for (counts, sent_weight) in [
        (vec![1, 1, 0], 1),
        (vec![0, 2, 1], 2),
        (vec![2, 0, 0, 1], 1),
        (vec![0, 1], 1),
    ] {
        let length = counts.len();
        let bound = u32::try_from(sent_weight).expect("small");
        let law = vectors(u32::try_from(length).expect("small"), bound);
        let law = WeightLaw::new(&law, 1).expect("a law");
        let ideal = drawn(|path| of_one_hot(&counts, &law, &mut Numbers(path)));
        let real = by_clients(&one_hot(length, &counts), sent_weight);
        assert_close(&ideal, &real, 1e-12);
    }
}

#[test]
fn drops_that_do_not_depend_on_the_ones_are_another_law() {
    let (counts, length) = ([1, 1, 0], 3);
    let real = by_clients(&one_hot(length, &counts), 1);
    let law_of_one = WeightLaw::new(&vectors(3, 1), 1).expect("a law");
    let flip = Probability::real(|precision| {
        let one = dp_exact::Interval::integer(1, precision);
        let epsilon: dp_exact::Rational = EPSILON0.parse().expect("a number");
        one.checked_div(&(dp_exact::Interval::rational(&epsilon, precision).exp()? + &one))
    });
    let flip = flip.expect("a probability");
    let faulty = law(0.0, |path| {
        let mut draws = Numbers(path);
        let dropped = crate::ideal::draws::Draws::successes(&mut draws, 2, &law_of_one.dropped);
        (
            bits::totals(
                2 - dropped,
                &[(2 - dropped).min(1), (2 - dropped) / 2, 0],
                &flip,
                &mut draws,
            ),
            2 - dropped,
        )
    });
    assert!(distance(&faulty, &real) > 0.05);
}

#[test]
fn other_vectors_of_which_heavy_ones_are_not_sent() {
    let vector = vec![true, false, true, false];
    for (count, sent_weight) in [(1, 2), (2, 2), (2, 3), (1, 0)] {
        let bound = u32::try_from(sent_weight).expect("small");
        let law = WeightLaw::new(&vectors(4, bound), 2).expect("a law");
        let ideal = drawn(|path| of_vector(&vector, count, &law, &mut Numbers(path)));
        let clients = vec![vector.clone(); usize::try_from(count).expect("few")];
        assert_close(&ideal, &by_clients(&clients, sent_weight), 1e-12);
    }
}

#[test]
fn k_ary_answers() {
    let (counts, replaced) = ([2, 0, 1], 0.375);
    let ideal = law(0.0, |path| {
        answers::totals(&counts, &Probability::ratio(3, 8), &mut Numbers(path))
    });
    let mut real = BTreeMap::from([(vec![0; 3], 1.0)]);
    for own in [0, 0, 2] {
        let mut next = BTreeMap::new();
        for (totals, before) in &real {
            for answer in 0..3 {
                let mut after: Vec<u64> = totals.clone();
                after[answer] += 1;
                let kept = if answer == own { 1.0 - replaced } else { 0.0 };
                *next.entry(after).or_insert(0.0) += before * (kept + replaced / 3.0);
            }
        }
        real = next;
    }
    assert_close(&ideal, &real, 1e-12);
}
