//! `calibrate compose` and `calibrate convert` at the ends of their ranges, as a user types them.

use crate::common::{document, field, number, refusal};

#[test]
fn a_composition_is_the_least_of_all_bounds_and_says_which() {
    let sum = "compose --mechanism laplace:0.5:pair --times 3 --mechanism laplace:5:one --times 10 \
               --delta 1.77e-28";
    let document = document(sum);
    assert_eq!(field(&document, "epsilon_upper"), "14");
    assert_eq!(field(&document, "epsilon_basic"), "14");
    assert!(field(&document, "certificate").starts_with("The sum of the largest privacy losses"));
    assert!(number(&document, "epsilon_lower") >= 13.999_999);
}

#[test]
fn one_client_of_a_rappor_is_not_worse_than_its_bits() {
    let document = document("compose --mechanism rappor:2.5:1 --times 2 --delta 1e-9");
    assert!(number(&document, "epsilon_upper") <= 10.0);
    assert!(number(&document, "epsilon_lower") > 9.99);
}

#[test]
fn what_has_an_answer_is_not_refused() {
    for (line, upper) in [
        (
            "compose --mechanism response:3.6e-9 --delta 3.6e-74",
            "3.6e-9",
        ),
        (
            "compose --mechanism response:0.5:1e-40 --mechanism laplace:2:one --delta 1e-39",
            "1",
        ),
        ("compose --mechanism response:0.1:1e-9 --delta 1e-9", "0.1"),
        (
            "compose --mechanism response:0.1 --times 3 --delta 0",
            "0.3",
        ),
        (
            "compose --mechanism rappor:0.1:10000000000 --delta 0",
            "0.2",
        ),
        (
            "compose --mechanism response:9.99e-7 --times 1048576 --delta 0.5",
            "0",
        ),
    ] {
        let document = document(line);
        assert_eq!(field(&document, "epsilon_upper"), upper, "{line}");
        let lower = number(&document, "epsilon_lower");
        let exact: f64 = upper.parse().expect("a decimal");
        assert!(
            lower <= exact && lower >= exact * (1.0 - 1e-12),
            "{line}: {lower}"
        );
    }
}

#[test]
fn what_has_none_is_refused_by_name() {
    let noise = refusal("compose --mechanism gaussian:100:one --delta 0");
    assert!(noise.starts_with("error: delta is 0: expected"), "{noise}");
    let told = refusal("compose --mechanism response:0.1:1e-9 --delta 1e-10");
    assert!(
        told.starts_with("error: delta is 1e-10: expected a number above"),
        "{told}"
    );
    let many = refusal(
        "compose --mechanism rappor:1:10000000000 --times 1048576 --mechanism laplace:2:one \
         --times 1 --delta 1e-9",
    );
    assert!(
        many.contains("at most 1048576 releases, all together"),
        "{many}"
    );
}

#[test]
fn a_renyi_divergence_converts_to_what_the_best_coins_attain() {
    let delta = document("convert --alpha 13.1 --tau 0.23 --epsilon 0.000206");
    assert_eq!(field(&delta, "delta_tightest"), "0.205302706715");
    assert!(number(&delta, "delta_upper") > 0.47);
    let epsilon = document("convert --alpha 280 --tau 0.0316 --delta 0.0157");
    assert_eq!(field(&epsilon, "epsilon_tightest"), "0.0157754496531");
}

#[test]
fn the_classical_delta_of_zero_concentrated_privacy_is_printed_with_all_its_digits() {
    let delta = document("convert --rho 0.458404 --epsilon 0.0666");
    assert_eq!(field(&delta, "delta_upper"), "0.51748041734120040820");
}

#[test]
fn composed_releases_are_bounded_from_both_sides() {
    let rows = include_str!("../../../dp-accounting/tests/data/composition_oracle.csv");
    let rows = rows.lines().filter(|row| row.contains("dgauss"));
    for row in rows.filter(|row| row.contains("1e-09") && !row.contains("1000,")) {
        let cells: Vec<&str> = row.rsplit(',').collect();
        let [epsilon, delta, times, sigma] = cells[..4] else {
            panic!("{row}");
        };
        let query = if row.contains("pair") { "pair" } else { "one" };
        let variance = sigma.parse::<f64>().expect("a decimal").powi(2);
        let document = document(&format!(
            "compose --mechanism gaussian:{variance}:{query} --times {times} --delta {delta}"
        ));
        let known: f64 = epsilon.parse().expect("a decimal");
        let [lower, upper] = ["epsilon_lower", "epsilon_upper"].map(|name| number(&document, name));
        assert!(lower <= known * (1.0 + 1e-9), "{row}: {lower}");
        assert!(
            known * (1.0 - 1e-9) <= upper && upper <= lower * (1.0 + 1e-6),
            "{row}: {upper}"
        );
        assert!(number(&document, "epsilon_zcdp") > upper, "{row}");
    }
    // Laplace noise on one integer is randomized response, for which this is optimal.
    let laplace = document("compose --mechanism laplace:20:one --times 100 --delta 1e-9");
    let [lower, optimal, upper] = ["epsilon_lower", "epsilon_kov15", "epsilon_upper"];
    let [lower, optimal, upper] = [lower, optimal, upper].map(|name| number(&laplace, name));
    assert!(lower <= optimal && optimal <= upper && upper - lower < 1e-11);
    let pair = document("compose --mechanism laplace:20:pair --times 50 --delta 1e-9");
    assert_eq!(pair["epsilon_upper"], laplace["epsilon_upper"]);
    let mixed = document(
        "compose --mechanism gaussian:900:one --mechanism laplace:20:one --times 5 --times 100 \
         --delta 1e-9",
    );
    assert!(number(&mixed, "epsilon_lower") > upper);
    let basic = document("compose --mechanism response:1/2 --times 3 --delta 1e-9");
    assert_eq!(field(&basic, "epsilon_basic"), "1.5");
}

#[test]
fn the_widest_noise_composes_below_zero_concentrated_privacy() {
    let document = document("compose --mechanism gaussian:1e12:pair --times 1000 --delta 1e-9");
    let [lower, upper] = ["epsilon_lower", "epsilon_upper"].map(|name| number(&document, name));
    assert!(
        lower > 1.6e-4 && upper < 1.7e-4 && upper < lower * 1.00001,
        "{lower} {upper}"
    );
    assert!(upper < number(&document, "epsilon_zcdp"));
}

#[test]
fn what_clients_randomize_composes_by_its_own_losses() {
    let epsilon = |mechanism: &str, end: &str| {
        let line = format!("compose --mechanism {mechanism} --times 20 --delta 1e-6");
        number(&document(&line), end)
    };
    // Two answers are randomized response; a third of no loss makes it less.
    let (two, response) = (
        epsilon("k-ary:2:0.5", "epsilon_upper"),
        epsilon("response:0.5", "epsilon_lower"),
    );
    assert!((two / response - 1.0).abs() < 1e-10, "{two} {response}");
    assert!(epsilon("k-ary:9:0.5", "epsilon_upper") < epsilon("k-ary:3:0.5", "epsilon_lower"));
    assert!(epsilon("k-ary:3:0.5", "epsilon_upper") < response);
    // A one-hot vector replaced differs in two bits.
    let bits = document("compose --mechanism response:0.5 --times 40 --delta 1e-6");
    let bits = number(&bits, "epsilon_upper");
    for mechanism in [
        "symmetric-rappor:100:0.5",
        "basic-rappor:1",
        "symmetric-rappor:2:2:0.5",
    ] {
        assert_eq!(epsilon(mechanism, "epsilon_upper"), bits, "{mechanism}");
    }
    let coin = document("compose --mechanism coin-flip --times 3 --delta 0");
    assert!((number(&coin, "epsilon_upper") / 27f64.ln() - 1.0).abs() < 1e-12);
    let line = "compose --mechanism symmetric-rappor:9:10:1 --delta 1e-6";
    assert!(refusal(line).contains("weight is 10"), "{}", refusal(line));
}

#[test]
fn what_would_take_long_is_answered_or_refused_before() {
    // Answered, by a search that ends.
    let tiny = document("compose --mechanism gaussian:100:one --times 127 --delta 2.6e-429");
    assert!(number(&tiny, "epsilon_lower") <= number(&tiny, "epsilon_upper"));
    // Refused before the law of ten billion clients is computed.
    let clients = "compose --mechanism rappor:1:10000000000";
    let many = refusal(&format!(
        "{clients} --times 1048576 --mechanism gaussian:9:one --delta 1e-9"
    ));
    let all = "times is 2097152: expected at most 1048576 releases, all together";
    assert!(many.contains(all), "{many}");
    let pure = refusal(&format!("{clients} --mechanism gaussian:9:one --delta 0"));
    assert!(
        pure.starts_with("error: delta is 0: expected a number"),
        "{pure}"
    );
}
