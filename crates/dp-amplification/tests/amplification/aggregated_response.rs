//! The guarantee of a histogram of k-ary randomized answers, against sums over every histogram for
//! every dataset of the others, and its figures.

use std::collections::HashMap;

use dp_amplification::OthersHold;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::{Adjacency, Query, discrete_gaussian};
use dp_exact::{Delta, Epsilon};

fn survey(epsilon0: &str, answers: u64, clients: u64) -> AggregatedResponse {
    let epsilon0 = epsilon0.parse().expect("a number");
    AggregatedResponse::new(epsilon0, answers, clients).expect("accepted")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a slack")
}

/// ε from below and from above.
fn epsilons(epsilon0: &str, answers: u64, clients: u64, slack: &str) -> (f64, f64) {
    let bounds = survey(epsilon0, answers, clients)
        .epsilon(&delta(slack))
        .expect("accepted");
    assert!(bounds.lower <= bounds.upper);
    (bounds.lower.to_f64(), bounds.upper.to_f64())
}

type Law = HashMap<Vec<u8>, f64>;

/// The law of the histogram of the answers of clients that hold these values, one client after the
/// other, over all k cells.
fn slow_law(epsilon0: f64, answers: usize, held: &[usize]) -> Law {
    let e = epsilon0.exp();
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let all = e + answers as f64 - 1.0;
    let mut law = Law::from([(vec![0; answers], 1.0)]);
    for &value in held {
        let mut next = Law::new();
        for (histogram, mass) in &law {
            for answer in 0..answers {
                let mut after = histogram.clone();
                after[answer] += 1;
                let probability = if answer == value { e } else { 1.0 } / all;
                *next.entry(after).or_default() += mass * probability;
            }
        }
        law = next;
    }
    law
}

/// δ for one dataset of the others, if value 0 becomes value 1.
fn slow_delta(epsilon0: f64, answers: usize, others: &[usize], epsilon: f64) -> f64 {
    let law = |value: usize| slow_law(epsilon0, answers, &[others, &[value]].concat());
    let (before, after) = (law(0), law(1));
    let alpha = epsilon.exp();
    let excess = |(histogram, p): (&Vec<u8>, &f64)| (p - alpha * after[histogram]).max(0.0);
    before.iter().map(excess).sum()
}

/// All multisets of so many of `answers` values.
fn datasets(answers: usize, others: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..others {
        let longer = |data: Vec<usize>| {
            let least = data.last().copied().unwrap_or(0);
            (least..answers).map(move |value| [data.clone(), vec![value]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn few_clients_are_exact_for_every_dataset_in_both_directions() {
    for (epsilon0, answers, clients) in [
        ("1", 3, 6),
        ("0.2", 3, 5),
        ("3", 4, 4),
        ("2", 5, 3),
        ("1", 3, 1),
        ("5", 3, 4),
    ] {
        let others = usize::try_from(clients).unwrap() - 1;
        let local: f64 = epsilon0.parse().unwrap();
        let sum = survey(epsilon0, answers, clients);
        let answers = usize::try_from(answers).unwrap();
        for share in [0.05, 0.3, 0.6, 0.95] {
            let epsilon = share * local;
            let exact = datasets(answers, others).into_iter();
            // Every dataset is listed with the two values exchanged too.
            let exact = exact.map(|data| slow_delta(local, answers, &data, epsilon));
            let worst = exact.fold(0.0, f64::max);
            let typed: Epsilon = format!("{epsilon}").parse().unwrap();
            let bounds = sum.delta(&typed).unwrap();
            let (lower, upper) = (bounds.lower.to_f64(), bounds.upper.to_f64());
            assert!(upper >= worst * (1.0 - 1e-10), "{upper} {worst}");
            assert!(upper <= worst * (1.0 + 1e-10) + 1e-300, "{upper} {worst}");
            assert!(lower <= worst * (1.0 + 1e-10) && lower >= worst * (1.0 - 1e-9));
            // The dataset that is named attains it.
            let OthersHold {
                removed,
                added,
                neither,
            } = bounds.attained_by;
            let repeat = |value: usize, times: u64| vec![value; usize::try_from(times).unwrap()];
            let named = [repeat(0, removed), repeat(1, added), repeat(2, neither)].concat();
            assert_eq!(named.len(), others);
            let attained = slow_delta(local, answers, &named, epsilon);
            assert!(attained >= lower * (1.0 - 1e-10));
        }
    }
}

/// Where ε is close to ε₀, the dataset in which all others hold the client's value attains what is
/// certified.
#[test]
fn a_small_slack_is_attained_by_the_clients_own_value() {
    let sum = survey("3", 5, 100);
    let bounds = sum.epsilon(&delta("1e-9")).expect("accepted");
    assert_eq!(bounds.attained_by.removed, 99);
    assert!(bounds.lower.to_f64() > 2.9197 && bounds.upper.to_f64() < 2.9207);
    let at = sum.delta(&"2.9".parse().unwrap()).expect("accepted");
    assert_eq!(at.attained_by.removed, 99);
    // (E/(E + 4))¹⁰⁰·(1 − e^2.9/E) is the probability of a hundred equal answers, or less.
    assert!(at.lower.to_f64() > 1.2e-9 && at.lower <= at.upper);
}

#[test]
fn figures_for_large_crowds_are_within_a_ten_thousandth_of_what_a_dataset_attains() {
    for (epsilon0, answers, clients, least, most) in [
        ("3", 5, 10_000, 0.21025, 0.21027),
        ("5", 12, 100_000, 0.19892, 0.19893),
        ("1", 10, 10_000, 0.02325, 0.02326),
    ] {
        let (lower, upper) = epsilons(epsilon0, answers, clients, "1e-6");
        assert!(least <= lower && upper <= most, "{lower} {upper}");
        assert!(upper <= lower * 1.0001, "{lower} {upper}");
    }
}

#[test]
fn a_bound_on_delta_and_one_on_epsilon_agree() {
    for (epsilon0, answers, clients, slack) in [
        ("3", 5, 2_000, "1e-6"),
        ("1", 3, 8, "1e-2"),
        ("2", 100, 500, "1e-9"),
    ] {
        let sum = survey(epsilon0, answers, clients);
        let bounds = sum.epsilon(&delta(slack)).unwrap();
        let slack = delta(slack).value().to_f64();
        let upper = Epsilon::new(bounds.upper).unwrap();
        let lower = Epsilon::new(bounds.lower).unwrap();
        let at = |epsilon: &Epsilon| sum.delta(epsilon).unwrap();
        assert!(at(&upper).upper.to_f64() <= slack * (1.0 + 1e-4));
        assert!(at(&lower).lower.to_f64() >= slack * (1.0 - 1e-4));
        assert!(at(&lower).upper.to_f64() >= slack * (1.0 - 1e-4));
    }
}

#[test]
fn more_clients_hide_more_and_less_local_noise_hides_less() {
    let crowds = [1, 5, 20, 40, 60, 200, 3_000, 50_000];
    let upper = crowds.map(|clients| epsilons("2", 4, clients, "1e-4").1);
    assert!(upper.is_sorted_by(|few, many| few >= many), "{upper:?}");
    assert!(upper[0] <= 2.0 && upper[7] < 0.1);
    let upper = ["0.1", "0.5", "1", "3", "6"].map(|own| epsilons(own, 7, 500, "1e-4").1);
    assert!(upper.is_sorted(), "{upper:?}");
}

#[test]
fn a_crowd_never_promises_less_than_the_client_alone() {
    for (answers, clients, slack) in [(3, 1, "1e-6"), (3, 2, "1e-30"), (1_000, 40, "1e-12")] {
        let (lower, upper) = epsilons("4", answers, clients, slack);
        assert!(lower <= upper && upper <= 4.0, "{lower} {upper}");
    }
    let bounds = survey("4", 6, 1_000).epsilon(&delta("0")).unwrap();
    assert!(bounds.lower == 4 && bounds.upper == 4);
    let bounds = survey("4", 6, 1_000).delta(&"4".parse().unwrap()).unwrap();
    assert!(bounds.upper.is_zero());
}

#[test]
fn two_answers_are_one_randomized_bit() {
    let bit = AggregatedRappor::new("1.5".parse().unwrap(), 300).unwrap();
    let bit = bit.epsilon(&delta("1e-6"), Adjacency::Deletion).unwrap();
    let pair = survey("1.5", 2, 300).epsilon(&delta("1e-6")).unwrap();
    assert_eq!((&pair.upper, &pair.lower), (&bit.upper, &bit.lower));
    let OthersHold {
        removed,
        added,
        neither,
    } = pair.attained_by;
    assert_eq!((removed + added, neither), (299, 0));
    // Where there is a third value, others that hold it hide the two values less.
    let (lower, _) = epsilons("1.5", 3, 300, "1e-6");
    assert!(lower > bit.upper.to_f64());
}

#[test]
fn answers_and_gaussian_noise_together_promise_more_than_either() {
    let slack = delta("1e-6");
    let variance = "50".parse().unwrap();
    let sum = survey("3", 5, 1_000);
    let together = sum
        .epsilon_with_gaussian_noise(&slack, &variance)
        .unwrap()
        .unwrap();
    assert!((0.470..0.4705).contains(&together.to_f64()), "{together}");
    assert!(sum.epsilon(&slack).unwrap().lower.to_f64() > 0.75);
    let noise = Query::Histogram { length: 5 };
    let corner = noise.corner(Adjacency::Replacement).unwrap().unwrap();
    let alone = discrete_gaussian::epsilon(&variance, &slack, &corner).unwrap();
    assert!(alone.to_f64() > 0.8, "{alone}");
    // One client: its own answer and the noise are better than the noise alone.
    let own = survey("3", 5, 1)
        .epsilon_with_gaussian_noise(&slack, &variance)
        .unwrap()
        .unwrap();
    assert!(own < alone && own > together, "{own} {alone}");
    // A crowd that is too large for the joint law is counted as a smaller one.
    let large = survey("3", 5, 100_000_000);
    let noisy = large
        .epsilon_with_gaussian_noise(&slack, &variance)
        .unwrap()
        .unwrap();
    assert!(noisy < together);
    // Where nothing is computed.
    let refused = |variance: &str| {
        let variance = variance.parse().unwrap();
        sum.epsilon_with_gaussian_noise(&slack, &variance)
    };
    assert_eq!(refused("1e11").unwrap(), None);
    assert!(
        refused("0")
            .unwrap_err()
            .to_string()
            .starts_with("variance is 0: expected")
    );
    assert_eq!(
        sum.epsilon_with_gaussian_noise(&delta("0"), &variance)
            .unwrap(),
        None
    );
}

#[test]
fn extreme_parameters_are_answered() {
    for (epsilon0, answers, clients, slack) in [
        ("100", 3, 1_000, "1e-6"),
        ("100", 4_294_967_295, 3, "1e-300"),
        ("1e-6", 3, 1_000, "0.9"),
        ("1e-6", 4_294_967_295, 1_000_000, "1e-9"),
        ("10", 1_000, 1_000_000_000, "1e-9"),
        ("1", 50, 2_000, "1e-300"),
    ] {
        let local: f64 = epsilon0.parse().unwrap();
        let (lower, upper) = epsilons(epsilon0, answers, clients, slack);
        assert!(0.0 <= lower && upper <= local, "{lower} {upper}");
    }
    let (lower, upper) = epsilons("10", 1_000, 1_000_000_000, "1e-9");
    assert!(upper < lower * 1.001, "{lower} {upper}");
}

#[test]
fn bad_parameters_are_refused_by_name() {
    let refused = |epsilon0: &str, answers, clients| {
        let error = AggregatedResponse::new(epsilon0.parse().unwrap(), answers, clients);
        error.unwrap_err().to_string()
    };
    assert!(refused("1", 1, 10).starts_with("answers is 1: expected an integer from 2"));
    assert!(refused("1", 1 << 32, 10).starts_with("answers is 4294967296: expected"));
    assert!(refused("1", 3, 0).starts_with("clients is 0: expected an integer from 1"));
    assert!(refused("1", 3, 10_000_000_001).starts_with("clients is 10000000001: expected"));
    assert!(refused("101", 3, 10).starts_with("epsilon0 is 101: expected a number from 1e-6"));
    let sum = survey("1", 3, 10);
    let error = sum.epsilon(&delta("1e-301")).unwrap_err().to_string();
    assert!(error.starts_with("delta is "), "{error}");
    let error = sum.delta(&"1e5".parse().unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("epsilon is 1e5: expected"), "{error}");
}

#[test]
fn a_tiny_delta_is_resolved_however_far_its_tail_is() {
    for (epsilon, least) in [("1", 1e-25), ("1.8", 1e-68), ("1.98", 1e-96)] {
        let sum = AggregatedResponse::new("2".parse().unwrap(), 3, 1_000).unwrap();
        let bounds = sum.delta(&epsilon.parse().unwrap()).unwrap();
        assert!(bounds.lower.is_positive() && bounds.lower <= bounds.upper);
        assert!(bounds.upper.to_f64() < least, "{bounds:?}");
    }
}
