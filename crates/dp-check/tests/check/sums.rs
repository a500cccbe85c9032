//! Sums of noise, and of bits and noise, against enumerations of all outcomes.

use serde_json::{Value, json};

use crate::{certificate, check, holds};

/// The probabilities of successive outcomes, in floating point.
type Probabilities = Vec<f64>;

/// Probabilities in proportion to `weight` on −`reach`, …, `reach`.
pub(crate) fn normalized(reach: i32, weight: impl Fn(f64) -> f64) -> Probabilities {
    let weights: Vec<f64> = (-reach..=reach).map(|x| weight(f64::from(x))).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The distribution of the sum of two independent numbers.
pub(crate) fn plus(one: &[f64], other: &[f64]) -> Probabilities {
    let mut sum = vec![0.0; one.len() + other.len() - 1];
    for (place, one) in one.iter().enumerate() {
        for (further, other) in other.iter().enumerate() {
            sum[place + further] += one * other;
        }
    }
    sum
}

/// The distribution of the sum of noise and of the randomized bits of `ones` + `zeros` clients.
pub(crate) fn bits(ones: usize, zeros: usize, epsilon0: f64, noise: &[f64]) -> Probabilities {
    let flipped = 1.0 / (epsilon0.exp() + 1.0);
    let bits = [1.0 - flipped].repeat(ones).into_iter().chain([flipped].repeat(zeros));
    bits.fold(noise.to_vec(), |law, one| plus(&law, &[1.0 - one, one]))
}

/// δ(ln `ratio`) of p against q, outcome by outcome: Σ max(p − `ratio`·q, 0).
fn delta(p: &[f64], q: &[f64], ratio: f64) -> f64 {
    let length = p.len().max(q.len());
    let at = |law: &[f64], place| law.get(place).copied().unwrap_or(0.0);
    (0..length).map(|place| (at(p, place) - ratio * at(q, place)).max(0.0)).sum()
}

/// δ(ln `ratio`) of two independent counts, p\[i\] against q\[i\] each.
fn delta_of_two(p: [&[f64]; 2], q: [&[f64]; 2], ratio: f64) -> f64 {
    let mut total = 0.0;
    for (p0, q0) in p[0].iter().zip(q[0]) {
        for (p1, q1) in p[1].iter().zip(q[1]) {
            total += (p0 * p1 - ratio * q0 * q1).max(0.0);
        }
    }
    total
}

/// The distribution shifted up by `by`, and the distribution itself, both padded to one length.
fn moved(law: &[f64], by: usize) -> [Probabilities; 2] {
    let zeros = vec![0.0; by];
    [[&zeros, law].concat(), [law, &zeros].concat()]
}

/// Whether a certificate of `release` with (`epsilon`, `delta`) is accepted.
fn accepts(
    release: &Value, (adjacency, trust_model): (&str, &str), epsilon: f64, delta: f64,
    steering: &Value,
) -> bool {
    let steering = json!({"aggregations": [steering]});
    let certificate =
        certificate(&epsilon.to_string(), &format!("{delta:.15}"), json!([release]), steering);
    holds(&certificate.replace("replacement", adjacency).replace("OAOC", trust_model))
}

/// The steering of one aggregation: curve nodes e^0, e^step, …, e^(nodes·step), and a block of
/// datasets for each number of ones below `ends`.
fn nodes(step: &str, nodes: u64, ends: usize) -> Value {
    json!({"step": step, "nodes": nodes, "block_ends": (0..ends).collect::<Vec<_>>()})
}

#[test]
fn the_noise_of_several_aggregators_agrees_with_the_enumeration() {
    let gaussian = |variance: f64| normalized(60, |x| (-x * x / (2.0 * variance)).exp());
    let laplace = |scale: f64| normalized(60, |x| (-x.abs() / scale).exp());
    for (one, law) in [
        (json!({"mechanism": "gaussian", "variance": "3"}), gaussian(3.0)),
        (json!({"mechanism": "gaussian", "variance": "0.3"}), gaussian(0.3)),
        (json!({"mechanism": "laplace", "scale": "2"}), laplace(2.0)),
    ] {
        for aggregators in [2, 3] {
            let noise = (1..aggregators).fold(law.clone(), |sum, _| plus(&sum, &law));
            let queries = [("count", 1), ("sum:3", 3), ("histogram", 1)];
            // Three noises are added up as two are, whatever is asked.
            for (query, by) in queries.into_iter().take(if aggregators == 2 { 3 } else { 1 }) {
                let [p, q] = moved(&noise, by);
                for epsilon in [0.7, 0.2].into_iter().take(if query == "histogram" { 2 } else { 1 })
                {
                    let ratio = f64::exp(epsilon);
                    let worst = match query {
                        "histogram" => delta_of_two([&p, &q], [&q, &p], ratio),
                        _ => delta(&p, &q, ratio),
                    };
                    let mut release = one.clone();
                    release["aggregators"] = json!(aggregators);
                    release["query"] = json!(query);
                    let who = ("replacement", &*format!("{aggregators}AOC"));
                    let accepts =
                        |delta| accepts(&release, who, epsilon, delta, &nodes("1/300", 2400, 1));
                    assert!(accepts(worst * 1.001 + 1e-6), "{release} {epsilon} {worst}");
                    assert!(
                        worst < 1e-9 || !accepts(worst * (1.0 - 1e-7)),
                        "{release} {epsilon} {worst}"
                    );
                }
            }
        }
    }
}

/// The largest δ over all data of `clients` − 1 others: under deletion, and under replacement.
fn worst(clients: usize, epsilon0: f64, noise: &[f64], ratio: f64) -> [f64; 2] {
    let others = clients - 1;
    let law = |own: usize, ones: usize| bits(ones + own, clients - ones - own, epsilon0, noise);
    let (mut deleted, mut replaced) = (0.0f64, 0.0f64);
    for ones in 0..=others {
        let (one, zero) = (law(1, ones), law(0, ones));
        deleted = deleted.max(delta(&one, &zero, ratio)).max(delta(&zero, &one, ratio));
        for more in 0..=others - ones {
            let (p, q) = ([&*one, &*law(0, more)], [&*zero, &*law(1, more)]);
            replaced = replaced.max(delta_of_two(p, q, ratio));
        }
    }
    [deleted, replaced]
}

#[test]
fn bits_with_noise_and_without_agree_with_the_enumeration_of_all_datasets() {
    let gaussian = normalized(60, |x| (-x * x / 2.0).exp());
    let laplace = normalized(60, |x| (-x.abs() / 1.5).exp());
    let two = plus(&gaussian, &gaussian);
    let (noisy, plain) = ([(1, 2.0), (4, 1.0), (6, 3.0)], [(5, 1.0), (8, 2.0)]);
    for (noise, law, settings) in [
        (json!({"mechanism": "gaussian", "variance": "1"}), gaussian, &noisy[..]),
        (json!({"mechanism": "gaussian", "variance": "1", "aggregators": 2}), two, &noisy),
        (json!({"mechanism": "laplace", "scale": "3/2"}), laplace, &noisy),
        (Value::Null, vec![1.0], &plain),
    ] {
        for (&(clients, epsilon0), epsilon) in
            settings.iter().flat_map(|setting| [(setting, 0.05), (setting, 0.3)])
        {
            let worst = worst(clients, epsilon0, &law, f64::exp(epsilon));
            let mut release = json!({
                "mechanism": "rappor", "query": "histogram", "epsilon0": epsilon0.to_string(), "clients": clients,
            });
            if !noise.is_null() {
                release["noise"] = noise.clone();
            }
            // Of one count with noise the bound is tight.
            let slacks = [if noise.is_null() { 1.3 } else { 1.001 }, 1.3];
            for ((adjacency, worst), slack) in
                [("deletion", worst[0]), ("replacement", worst[1])].into_iter().zip(slacks)
            {
                let several = noise.get("aggregators").is_some();
                let who = (adjacency, if several { "2AMC" } else { "OAMC" });
                let steering = nodes("1/200", 620, clients);
                let accepts = |delta| accepts(&release, who, epsilon, delta, &steering);
                let case = format!("{release} {adjacency} {epsilon} {worst}");
                assert!(accepts(worst * slack + 1e-8), "{case}");
                assert!(worst < 1e-9 || !accepts(worst * (1.0 - 1e-7)), "{case}");
            }
        }
    }
}

#[test]
fn what_an_adversary_knows_does_not_count() {
    let noise = json!({"mechanism": "gaussian", "variance": "4"});
    let hedged =
        json!({"mechanism": "rappor", "query": "histogram", "epsilon0": "2", "noise": noise});
    let steering = json!({"aggregations": [{"step": "1/100", "nodes": 210, "block_ends": [0]}]});
    let text = |release: &Value| certificate("2", "1e-3", json!([release]), steering.clone());
    // Two flips and noise of an aggregator; noise of none; clients that nobody says are honest.
    let words = check(&text(&hedged)).expect("it holds").to_string();
    assert!(
        words.contains("symmetric RAPPOR with epsilon0 2 and discrete Gaussian noise"),
        "{words}"
    );
    assert!(!holds(&text(&hedged).replace("OAOC", "OC")));
    let mut aggregated = hedged.clone();
    aggregated["clients"] = json!(100);
    assert!(check(&text(&aggregated)).is_err());
    // For numbers with a bounded sum the worst case of several aggregators' noise is not known.
    let split = json!({"mechanism": "gaussian", "variance": "4", "aggregators": 2, "query": "l1boundsum:4:3"});
    assert!(check(&text(&split)).is_err());
    let apart = json!({"mechanism": "gaussian", "variance": "5", "aggregators": 2, "query": "sumvec:2:1", "times": 2});
    let apart = text(&apart).replace("210", "800");
    assert!(check(&apart).is_err_and(|refused| refused.to_string().contains("2AOC or 2AMC")));
    let words = check(&apart.replace("OAOC", "2AOC")).expect("it holds").to_string();
    assert!(
        words.contains("2 aggregators in each release, which each add such noise, are"),
        "{words}"
    );
}
