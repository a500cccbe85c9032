//! Every figure in the tables of `docs/aggregated-rappor.md` and `docs/hedging.md`: what is computed is
//! less than one unit of the last digit away.

use crate::common::number;
use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot, Verdicts, WeightLimit};
use dp_amplification::compensation::{Batch, Compensation};
use dp_amplification::hedged::{Hedged, Route};
use dp_calibration::Adjacency::{self, Deletion, Replacement};
use dp_calibration::NoiseLaw;
use dp_exact::{Delta, Rational, Rounding};

/// Whether `figure` is `value` rounded up or down to as many decimal places.
fn is_printed_as(value: &Rational, figure: &str) -> bool {
    let places = figure.split_once('.').map_or(0, |(_, places)| places.len());
    let scale = Rational::integer(10).pow(u32::try_from(places).expect("few"));
    let distance = (value - &number(figure)).abs();
    &distance * &scale < 1
}

fn assert_printed(value: &Rational, figure: &str) {
    let shown = value.to_decimal(8, Rounding::Nearest);
    assert!(is_printed_as(value, figure), "{shown} is not {figure}");
}

fn delta(text: &str) -> Delta {
    text.parse().expect("in range")
}

fn sum(epsilon0: &str, clients: u64) -> AggregatedRappor {
    let epsilon0 = epsilon0.parse().expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("accepted")
}

/// The example of `hedging.md`: n = 10⁵, ε₀ = 5, σ = 23.3916.
fn example() -> Hedged {
    let variance = &number("23.3916") * &number("23.3916");
    let noise = NoiseLaw::DiscreteGaussian { variance };
    Hedged::new("5".parse().expect("positive"), 100_000, noise, 1).expect("accepted")
}

#[test]
fn aggregated_rappor_section_5() {
    for (epsilon0, attained, certified) in [
        ("5", "0.297408", "0.29749"),
        ("6.5", "0.700164", "0.70040"),
        ("7", "0.950456", "0.95083"),
    ] {
        let bounds = sum(epsilon0, 100_000)
            .epsilon(&delta("1e-9"), Replacement)
            .unwrap();
        assert_printed(&bounds.lower, attained);
        assert_printed(&bounds.upper, certified);
        let distance = bounds.upper.to_f64() / bounds.lower.to_f64() - 1.0;
        assert!((1e-4..9e-4).contains(&distance), "{distance}");
    }
}

#[test]
fn aggregated_rappor_section_6() {
    let row = |clients, [length, max_weight]: [u64; 2], epsilon0, slack: &str, adjacency| {
        let limit = WeightLimit { length, max_weight };
        let (sum, slack) = (sum(epsilon0, clients), delta(slack));
        let without = sum.epsilon(&slack, adjacency).unwrap().upper;
        let with = sum.epsilon_with_drops(&slack, adjacency, limit).unwrap();
        (without, with)
    };
    for (clients, limit, epsilon0, slack, adjacency, without, with) in [
        (10, [3, 2], "0.5", "1e-3", Replacement, "0.5619", "0.6453"),
        (15, [3, 2], "0.5", "1e-3", Replacement, "0.4427", "0.5260"),
        (100, [3, 2], "0.5", "1e-3", Replacement, "0.1347", "0.3879"),
        (
            100,
            [20, 14],
            "0.5",
            "1e-3",
            Replacement,
            "0.1347",
            "0.1356",
        ),
        (
            100_000,
            [1000, 30],
            "5",
            "1e-9",
            Replacement,
            "0.29749",
            "0.29749",
        ),
        (
            100_000,
            [1000, 15],
            "5",
            "1e-9",
            Replacement,
            "0.29749",
            "0.3008",
        ),
        (120, [200, 83], "1", "1e-6", Deletion, "0.4328", "0.4640"),
    ] {
        let (plain, dropping) = row(clients, limit, epsilon0, slack, adjacency);
        assert_printed(&plain, without);
        assert_printed(&dropping.upper, with);
    }
    // The number of drops instead of each verdict.
    let limit = WeightLimit {
        length: 3,
        max_weight: 2,
    };
    let counted = sum("0.5", 10)
        .epsilon_with_verdicts(&delta("1e-3"), Replacement, limit, Verdicts::Counted)
        .unwrap();
    assert_printed(&counted.upper, "0.5674");
}

#[test]
fn several_ones_with_and_without_noise() {
    let (policy, slack) = (example(), delta("1e-9"));
    for (ones, flips, noise, together, one_client) in [
        (1, "0.29749", "0.31700", "0.21093", "0.31257"),
        (2, "0.42030", "0.45460", "0.30097", "0.44843"),
        (3, "0.51572", "0.56148", "0.37087", "0.55396"),
        (4, "0.59688", "0.65233", "0.43022", "0.64363"),
    ] {
        let input = MultiHot { length: 1000, ones };
        let bounds = policy
            .epsilon_multi_hot(&slack, Replacement, input)
            .unwrap();
        assert_eq!(bounds.route, Route::Joint);
        assert_printed(&bounds.upper, together);
        assert_printed(&bounds.parts.clients, flips);
        assert_printed(bounds.parts.aggregator.as_ref().unwrap(), noise);
        let alone = policy.one_client().unwrap();
        let alone = alone.epsilon_multi_hot(&slack, Replacement, input).unwrap();
        assert_printed(&alone.upper, one_client);
    }
    let bounds = policy.epsilon(&slack, Replacement).unwrap();
    assert_printed(&bounds.lower, "0.21088");
}

#[test]
fn hedging_section_5_with_drops() {
    let (policy, slack) = (example(), delta("1e-9"));
    let input = MultiHot {
        length: 1000,
        ones: 2,
    };
    let at = |max_weight| {
        let bounds = policy.epsilon_multi_hot_with_drops(&slack, Replacement, input, max_weight);
        bounds.unwrap()
    };
    let wide = at(40);
    assert_printed(&wide.upper, "0.30097");
    assert!((6e-18..6.5e-18).contains(&wide.dropped.to_f64()));
    let tight = at(25);
    assert_eq!(tight.upper, 20);
    assert!((1.45e-7..1.5e-7).contains(&tight.dropped.to_f64()));
}

#[test]
fn hedging_section_3() {
    let gaussian = |variance| NoiseLaw::DiscreteGaussian {
        variance: number(variance),
    };
    let laplace = NoiseLaw::DiscreteLaplace { scale: number("1") };
    for (epsilon0, clients, noise, worst, pairs) in [
        ("0.5", 5, gaussian("0.5"), "0.16600", "0.16606"),
        ("0.3", 5, gaussian("0.5"), "0.03598", "0.03600"),
        ("0.5", 5, laplace, "0.09583", "0.09587"),
        ("2", 20, gaussian("4"), "0.42283", "0.42296"),
        ("3", 1000, gaussian("20"), "0.03091", "0.03099"),
    ] {
        let policy = Hedged::new(epsilon0.parse().unwrap(), clients, noise, 1).unwrap();
        let bounds = policy.epsilon(&delta("0.05"), Replacement).unwrap();
        assert_printed(&bounds.lower, worst);
        assert_printed(&bounds.upper, pairs);
    }
}

#[test]
fn compensation() {
    let epsilon = |plan: &Compensation, adjacency: Adjacency| {
        plan.epsilon(&delta("1e-9"), adjacency).unwrap().upper
    };
    let plan = |reports, malicious, wanted| {
        let batch = Batch { reports, malicious };
        Compensation::new("5".parse().unwrap(), batch, wanted, 2).unwrap()
    };
    for (zeros, figure) in [(1_000, "6.119"), (10_000, "1.0343"), (100_000, "0.28474")] {
        assert_printed(&epsilon(&plan(1, 0, zeros + 1), Replacement), figure);
    }
    let full = sum("5", 20_000)
        .epsilon(&delta("1e-9"), Replacement)
        .unwrap();
    assert_printed(&full.upper, "0.74292");
    for (reports, malicious, before, after) in [
        (20_000, 2_000, "0.79154", "0.73040"),
        (15_000, 5_000, "1.14570", "0.70169"),
        (4_000, 3_000, "10", "0.68422"),
    ] {
        let plan = plan(reports, malicious, 20_000);
        let missing = plan.before().unwrap();
        let missing = missing.epsilon(&delta("1e-9"), Replacement).unwrap();
        assert_printed(&missing.upper, before);
        assert_printed(&epsilon(&plan, Replacement), after);
    }
}

#[test]
fn many_releases() {
    for (epsilon0, clients, counts, figure) in [
        ("0.5", 250_000, 60, "0.03429"),
        ("8.2", 1_000_000_000, 10_000, "0.9728"),
    ] {
        let sum = sum(epsilon0, clients);
        let epsilon = sum.epsilon_of_counts(&delta("1e-8"), counts).unwrap();
        assert_printed(&epsilon, figure);
    }
}
