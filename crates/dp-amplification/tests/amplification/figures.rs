//! Published, independently computed and documented figures.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::{NoiseDistribution, WorstCaseDifference, discrete_gaussian};
use dp_exact::{Rational, Rounding};

use crate::common::{compensation, delta, hedged, number, rappor, response, rows};

/// Whether a figure is the value, to its digits.
fn assert_printed(value: &Rational, figure: &str) {
    let places = figure.split_once('.').map_or(0, |(_, places)| places.len());
    let scale = Rational::integer(10).pow(u32::try_from(places).expect("few"));
    let distance = (value - &number(figure)).abs();
    let shown = value.to_decimal(8, Rounding::Nearest);
    assert!(&distance * &scale < 1, "{shown} is not {figure}");
}

/// The example of `hedging.md` with `clients` clients, 10⁵ there: ε₀ = 5, σ = 23.3916.
fn example(clients: u64) -> AggregatedRappor {
    let variance = &number("23.3916") * &number("23.3916");
    hedged("5", clients, &NoiseDistribution::DiscreteGaussian { variance }, 1)
}

#[test]
fn the_table_of_the_draft_is_tight_and_valid_for_every_dataset() {
    let slack = delta("1e-9");
    for (epsilon0, attained, certified) in
        [("5", "0.297408", "0.29749"), ("6.5", "0.700164", "0.70040"), ("7", "0.950456", "0.95083")]
    {
        for adjacency in [Replacement, Deletion] {
            let bounds = rappor(epsilon0, 100_000).epsilon(&slack, adjacency).unwrap();
            if adjacency == Replacement {
                assert_printed(&bounds.lower, attained);
                assert_printed(&bounds.upper, certified);
            }
            for row in rows("rappor_table1_exact.csv") {
                let replaces = row[3] == "replacement";
                if number(&row[1]) == number(epsilon0) && replaces == (adjacency == Replacement) {
                    assert!(bounds.upper >= number(&row[6]), "{row:?}");
                }
            }
        }
    }
}

/// Compares the rows of the grid with a number of clients from `least` to `most`.
fn compare_with_the_grid(least: u64, most: u64) {
    for row in rows("rappor_exact_grid.csv") {
        let clients: u64 = row[0].parse().expect("an integer");
        if !(least..=most).contains(&clients) {
            continue;
        }
        let (sum, slack) = (rappor(&row[1], clients), delta(&row[2]));
        for (adjacency, column) in [(Replacement, 3), (Deletion, 5)] {
            if row.len() <= column + 1 {
                continue;
            }
            let exact = number(&row[column]);
            let bounds = sum.epsilon(&slack, adjacency).expect("in range");
            let nearly = &exact * &number("0.9999999");
            assert!(bounds.upper >= nearly, "{row:?} {bounds:?}");
            assert!(bounds.upper <= &exact * &number("1.003"), "{row:?} {bounds:?}");
            assert!(bounds.lower <= &exact * &number("1.0000001"), "{row:?} {bounds:?}");
        }
    }
}

#[test]
fn upper_bounds_are_within_a_thousandth_of_the_grid() {
    compare_with_the_grid(0, 10_000);
}

#[test]
#[ignore = "seconds: in release"]
fn upper_bounds_of_many_clients_are_within_a_thousandth_of_the_grid() {
    compare_with_the_grid(10_001, u64::MAX);
}

#[test]
fn dropping_heavy_reports_costs_what_is_documented() {
    for (clients, [length, max_weight], epsilon0, slack, adjacency, without, with) in [
        (100, [20, 14], "0.5", "1e-3", Replacement, "0.1348", "0.1359"),
        (100_000, [1000, 15], "5", "1e-9", Replacement, "0.29749", "0.30022"),
        (15, [3, 2], "0.5", "1e-3", Replacement, "0.4443", "0.9275"),
        (40, [3, 2], "0.5", "1e-3", Replacement, "0.2400", "0.4036"),
        (120, [200, 83], "1", "1e-6", Deletion, "0.4328", "0.4667"),
    ] {
        let (sum, slack) = (rappor(epsilon0, clients), delta(slack));
        assert_printed(&sum.epsilon(&slack, adjacency).unwrap().upper, without);
        let dropping = sum.epsilon_with_drops(&slack, adjacency, length, max_weight).unwrap();
        assert_printed(&dropping.expect("a bound").upper, with);
    }
}

#[test]
fn several_ones_with_noise_and_without() {
    let slack = delta("1e-9");
    let variance = &number("23.3916") * &number("23.3916");
    for (ones, flips, noise, together, one_client) in [
        (1, "0.29749", "0.31700", "0.21093", "0.31257"),
        (2, "0.42030", "0.45460", "0.30097", "0.44843"),
        (4, "0.59688", "0.65233", "0.43022", "0.64363"),
    ] {
        let counts = 2 * ones;
        for (clients, figure) in [(100_000, together), (1, one_client)] {
            let bound = example(clients).epsilon_of_counts(&slack, counts);
            assert_printed(&bound.unwrap().expect("a bound"), figure);
        }
        let bound = rappor("5", 100_000).epsilon_of_counts(&slack, counts);
        assert_printed(&bound.unwrap().expect("a bound"), flips);
        let difference = WorstCaseDifference::new(counts, 1u32).unwrap();
        let alone = discrete_gaussian::epsilon(&variance, &slack, &difference).unwrap();
        assert_printed(&alone, noise);
    }
}

#[test]
fn noise_that_hides_next_to_nothing_is_left_out() {
    // The noise has a variance of 547, the bits have one of some 6.6 million and 660.
    for (clients, shares) in [(1_000_000_000, 1.0..=1.0), (100_000, 0.7..=0.75)] {
        let [with, without] = [example(clients), rappor("5", clients)].map(|sum| {
            let epsilon = sum.epsilon_of_counts(&delta("1e-9"), 2).unwrap();
            epsilon.expect("a bound").to_f64()
        });
        let share = with / without;
        assert!(shares.contains(&share), "{share} with {clients} clients");
    }
}

#[test]
fn added_zeros_restore_the_guarantee_of_the_missing_clients() {
    let slack = delta("1e-9");
    for (zeros, figure) in [(1_000, "6.119"), (10_000, "1.0343")] {
        let alone = compensation("5", 1, 0, zeros + 1);
        assert_printed(&alone.epsilon(&slack, Replacement).unwrap(), figure);
    }
    for (reports, malicious, before, after) in
        [(20_000, 2_000, "0.79165", "0.73040"), (4_000, 3_000, "10", "0.68422")]
    {
        let plan = compensation("5", reports, malicious, 20_000);
        let missing = rappor("5", reports - malicious).epsilon(&slack, Replacement).unwrap();
        assert_printed(&missing.upper, before);
        assert_printed(&plan.epsilon(&slack, Replacement).unwrap(), after);
    }
    // A large ε₀ keeps its precision.
    let plan = compensation("14", 8, 2, 1000);
    let upper = plan.epsilon(&slack, Replacement).unwrap();
    assert!(upper <= number("22.21") && upper >= number("22.188"), "{upper}");
    // Where nothing is missing the bound equals the bound of the sum.
    for adjacency in [Replacement, Deletion] {
        let plan = compensation("3", 2_000, 0, 1_000);
        let with = plan.epsilon(&slack, adjacency);
        let plain = rappor("3", 2_000).epsilon(&slack, adjacency).unwrap().upper;
        assert!((with.unwrap().to_f64() / plain.to_f64() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn many_releases() {
    let epsilon = rappor("8.2", 1_000_000_000).epsilon_of_counts(&delta("1e-8"), 10_000);
    assert_printed(&epsilon.unwrap().expect("a bound"), "0.9728");
}

#[test]
fn large_crowds_of_answers_are_within_a_ten_thousandth_of_what_a_dataset_attains() {
    for (epsilon0, answers, clients, least, most) in [
        ("3", 5, 10_000, "0.21025", "0.21027"),
        ("5", 12, 100_000, "0.19892", "0.19893"),
        ("1", 10, 10_000, "0.02325", "0.02326"),
    ] {
        let bounds = response(epsilon0, answers, clients).epsilon(&delta("1e-6")).unwrap();
        assert!(bounds.lower >= number(least) && bounds.upper <= number(most), "{bounds:?}");
        assert!(bounds.upper <= &bounds.lower * &number("1.0001"), "{bounds:?}");
    }
}
