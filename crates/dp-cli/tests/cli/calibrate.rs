//! `calibrate` as a user types it: the fields of its documents, known values, refusals.

use crate::common::{document, field, number, ratio, refusal, text};

#[test]
fn gaussian_noise_is_the_least_safe_one_rounded_up() {
    let rows = include_str!("../../../dp-calibration/tests/data/discrete_gaussian_sigma.csv");
    let rows = rows.lines().skip(1).filter(|row| row.contains("1e-9"));
    for row in rows.chain(["0.317,1e-9,pair,23.39072940682174712119815,23.39157924034"]) {
        let cells: Vec<&str> = row.split(',').collect();
        let [epsilon, delta, query, continuous, sigma] = cells[..5] else {
            panic!("{row}");
        };
        let line = format!("gaussian --epsilon {epsilon} --delta {delta} --query {query}");
        let document = document(&line);
        let sigma: f64 = sigma.parse().expect("a decimal");
        let excess = number(&document, "sigma") / sigma - 1.0;
        assert!((-1e-14..1e-9).contains(&excess), "{line}: {excess}");
        let digits = &continuous[..continuous.len() - 2];
        assert!(
            field(&document, "sigma_continuous").starts_with(digits),
            "{line}"
        );
        let upper = number(&document, "delta_upper");
        assert!(upper <= 1e-9, "{line}: {upper}");
        let variance = ratio(&document, "variance");
        assert!((variance.sqrt() / number(&document, "sigma") - 1.0).abs() < 1e-14);
        let norm = if query == "pair" { 2.0 } else { 1.0 };
        let rho = number(&document, "rho");
        assert!(
            (rho * 2.0 * variance / norm - 1.0).abs() < 1e-14,
            "{line}: {rho}"
        );
        assert!(number(&document, "sigma_zcdp") > sigma);
    }
    let concentrated = document("gaussian --epsilon 0.317 --delta 1e-9 --query l2-squared:2");
    assert!((number(&concentrated, "sigma") - 24.675_089_7).abs() < 1e-7);
    assert!(number(&concentrated, "delta_upper") <= 1e-9);
}

#[test]
fn the_answer_of_gaussian_is_what_its_delta_says() {
    let noise = document("gaussian --epsilon 5 --delta 1e-9 --query one");
    let variance = field(&noise, "variance");
    let delta = document(&format!(
        "gaussian --delta-at --variance {variance} --epsilon 5 --query one"
    ));
    let [lower, upper] = ["delta_lower", "delta_upper"].map(|name| number(&delta, name));
    assert!(
        lower <= upper && upper <= 1e-9 && lower > 0.999_999_9e-9,
        "{lower} {upper}"
    );
    // The continuous sigma breaks the promise there: twice the delta.
    let continuous = number(&noise, "sigma_continuous");
    assert!(continuous < number(&noise, "sigma"));
    assert!((number(&noise, "delta_at_continuous") - 1.973e-9).abs() < 1e-12);
    let any = document("gaussian --delta-at --variance 547 --epsilon 0.317 --query l2-squared:2");
    let exact = document("gaussian --delta-at --variance 547 --epsilon 0.317 --query pair");
    assert_eq!(any["delta_lower"], exact["delta_lower"]);
    assert_eq!(any["delta_upper"], exact["delta_zcdp"]);
}

#[test]
fn laplace_noise_is_exact_for_pure_privacy_and_less_with_a_slack() {
    for (line, scale) in [
        ("laplace --epsilon 0.4", "5/1"),
        ("laplace --epsilon 0.4 --query one", "5/2"),
        ("laplace --epsilon 1/3 --query l1:7", "21/1"),
        ("laplace --epsilon 3 --query pair", "2/3"),
    ] {
        let document = document(line);
        assert_eq!(field(&document, "scale"), scale, "{line}");
        assert_eq!(field(&document, "delta_upper"), "0");
    }
    let loose = document("laplace --epsilon 1 --delta 1e-3 --query pair");
    let scale = number(&loose, "scale_decimal");
    assert!(scale < number(&loose, "scale_any_pure") && scale < 2.0);
    assert!((0.0..=1e-3).contains(&number(&loose, "delta_upper")));
    let any = document("laplace --epsilon 1 --delta 1e-3 --query l1:2");
    assert_eq!(any["scale_any_pure"], loose["scale_any_pure"]);
    let bound = number(&any, "scale_decimal");
    assert!(scale < bound && bound < number(&any, "scale_any_pure"));
    let never = document("laplace --epsilon 1000 --delta 1e-300 --query l1:3");
    assert_eq!(
        field(&never, "scale"),
        "3/1000",
        "no more than pure privacy takes"
    );
}

#[test]
fn aggregated_rappor_meets_the_first_table_within_its_bounds() {
    for (epsilon0, least, most, std) in [
        ("5", 0.297_408, 0.2977, 26.133_643),
        ("6.5", 0.700_164, 0.7009, 12.279_943),
        ("7", 0.950_456, 0.9514, 9.557_966_8),
    ] {
        let document = document(&format!(
            "rappor --epsilon0 {epsilon0} --clients 100000 --delta 1e-9 --adjacency replacement"
        ));
        let [lower, upper] = ["epsilon_lower", "epsilon_upper"].map(|name| number(&document, name));
        assert!(
            least <= lower && lower <= upper && upper <= most,
            "{lower} {upper}"
        );
        assert!((number(&document, "std") - std).abs() < 1e-6);
        assert_eq!(field(&document, "attained_by_removed"), "99999");
    }
}

#[test]
fn a_histogram_of_randomized_answers_is_bounded_from_both_sides() {
    for (epsilon0, answers, clients, least, most, std) in [
        ("3", "5", "10000", 0.21025, 0.21027, 25.174_775),
        ("5", "12", "100000", 0.19892, 0.19893, 26.999_727),
        ("1", "10", "10000", 0.02325, 0.02326, 190.532_115),
    ] {
        let document = document(&format!(
            "response --epsilon {epsilon0} --answers {answers} --clients {clients} --delta 1e-6"
        ));
        let [lower, upper] = ["epsilon_lower", "epsilon_upper"].map(|name| number(&document, name));
        assert!(
            least <= lower && lower <= upper && upper <= most,
            "{lower} {upper}"
        );
        assert_eq!(field(&document, "epsilon_local"), epsilon0);
        let others: u64 = clients.parse().unwrap();
        assert_eq!(
            field(&document, "attained_by_neither"),
            (others - 1).to_string()
        );
        assert!((number(&document, "std") / std - 1.0).abs() < 1e-5);
    }
    // Few clients: every dataset is listed, and the bounds meet.
    let few = document("response --epsilon 1 --answers 3 --clients 10 --delta 1e-3");
    let [lower, upper] = ["epsilon_lower", "epsilon_upper"].map(|name| number(&few, name));
    assert!(0.81875 < lower && lower <= upper && upper < lower + 1e-9 && upper < 0.81876);
    assert_eq!(field(&few, "attained_by_removed"), "9");
}

#[test]
fn dropped_reports_cost_a_little_where_they_are_rare_and_all_where_they_are_not() {
    let plain = "rappor --epsilon0 5 --clients 100000 --delta 1e-9";
    let without = document(plain);
    let rare = document(&format!("{plain} --length 1000 --max-weight 30"));
    assert_eq!(rare["epsilon_without_drops"], without["epsilon_upper"]);
    let ordered = [
        number(&rare, "epsilon_lower"),
        number(&without, "epsilon_lower"),
        number(&without, "epsilon_upper"),
        number(&rare, "epsilon_upper"),
    ];
    assert!(ordered.is_sorted(), "{ordered:?}");
    assert!(ordered[3] - ordered[0] < 2e-4, "{ordered:?}");
    assert!((number(&rare, "std") - number(&without, "std")).abs() < 1e-6);
    let often = document(&format!("{plain} --length 100 --max-weight 3"));
    assert!((0.42..0.43).contains(&number(&often, "epsilon_upper")));
    assert!(number(&often, "std") < 24.3 && number(&often, "bias") < -70.0);
    let mostly = document(&format!("{plain} --length 100 --max-weight 2"));
    assert!(number(&mostly, "epsilon_upper") > 9.0);
    let never = document(&format!("{plain} --length 100 --max-weight 100"));
    assert_eq!(never["std"], without["std"]);
    assert_eq!(field(&never, "drop_rate_upper"), "0");
}

#[test]
fn weight_bounds_are_those_of_the_table() {
    let rows = include_str!("../../../dp-rappor/tests/data/multihot_m.csv");
    for row in rows.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [length, epsilon0, rate, draft, _, _, exact] = cells[..7] else {
            panic!("{row}");
        };
        let document = document(&format!(
            "multihot --epsilon0 {epsilon0} --length {length} --false-positive-rate {rate}"
        ));
        assert_eq!(field(&document, "max_weight"), exact, "{row}");
        assert_eq!(field(&document, "max_weight_draft"), draft, "{row}");
    }
}

#[test]
fn conversions_are_the_known_ones_and_tighter() {
    let rho = document("convert --rho 0.025 --delta 1e-6");
    assert_eq!(field(&rho, "epsilon_upper"), "1.01407425473");
    assert_eq!(field(&rho, "epsilon_tightest"), "1.01407363054");
    assert!((number(&rho, "epsilon_classical") - 1.200_394_000_24).abs() < 1e-11);
    for (line, tighter, looser) in [
        (
            "convert --rho 0.025 --epsilon 1",
            "delta_tightest",
            "delta_upper",
        ),
        (
            "convert --alpha 2 --tau 0.01 --delta 1e-3",
            "epsilon_tightest",
            "epsilon_upper",
        ),
        (
            "convert --alpha 2 --tau 0.01 --epsilon 1",
            "delta_tightest",
            "delta_upper",
        ),
        ("convert --epsilon 1", "rho_tightest", "rho_upper"),
        ("convert --epsilon 1 --alpha 3", "tau_tightest", "tau_upper"),
    ] {
        let document = document(line);
        assert!(
            number(&document, tighter) < number(&document, looser),
            "{line}"
        );
    }
    let group = document("convert --epsilon 1 --delta 1e-9 --group 2");
    assert_eq!(field(&group, "epsilon_upper"), "2");
    assert_eq!(field(&group, "delta_upper"), "3.71828182846e-9");
    assert_eq!(
        field(&document("convert --rho 1/2 --group 3"), "rho_upper"),
        "4.5"
    );
}

#[test]
fn accuracy_is_answered_forward_and_backward() {
    let names = document(
        "utility --mechanism laplace:2 --aggregators 1 --coordinates 10000 --confidence 0.95",
    );
    assert_eq!(field(&names, "bound"), "24");
    assert!((number(&names, "continuous_bound") - 2.0 * 12.206_072_645).abs() < 1e-8);
    assert!((number(&names, "std") - 2.799_177_768).abs() < 1e-8);
    let scale = document(
        "utility --mechanism laplace --aggregators 1 --bound 24 --coordinates 10000 --query one",
    );
    assert_eq!(field(&scale, "bound"), "24");
    assert!((ratio(&scale, "scale") * number(&scale, "epsilon_upper") - 1.0).abs() < 1e-14);
    assert!(ratio(&scale, "scale") >= 2.0);
    let variance = document("utility --mechanism gaussian --bound 100 --delta 1e-9 --query pair");
    assert_eq!(field(&variance, "bound"), "100");
    assert!(number(&variance, "epsilon_upper") < number(&variance, "epsilon_zcdp"));
    let rappor = document("utility --mechanism rappor:5 --clients 100000 --coordinates 100");
    assert!((number(&rappor, "std") - 26.133_643).abs() < 1e-6);
    assert!(number(&rappor, "bound") > number(&rappor, "bound_of_one"));
    let clients = document("utility --mechanism rappor:5 --accuracy 0.00026133643");
    assert_eq!(field(&clients, "clients"), "100000");
    let epsilon0 = document("utility --mechanism rappor --clients 100000 --std 26.13364284");
    assert!((number(&epsilon0, "epsilon0") - 5.0).abs() < 1e-9);
}

#[test]
fn an_error_is_that_of_the_noise_of_all_aggregators() {
    let two = document("utility --mechanism gaussian:52");
    assert_eq!(field(&two, "aggregators"), "2");
    assert!((number(&two, "std") - 104f64.sqrt()).abs() < 1e-8);
    assert!((number(&two, "std_of_one") - 52f64.sqrt()).abs() < 1e-8);
    // The bound of 24 is one aggregator's: see above.
    let names = document("utility --mechanism laplace:2 --coordinates 10000");
    assert_eq!(field(&names, "bound"), "28");
    let scale = document("utility --mechanism laplace --bound 28 --coordinates 10000 --query one");
    assert!(ratio(&scale, "scale") >= 2.0 && ratio(&scale, "scale") < 2.1);
    let five = document("utility --mechanism gaussian --bound 100 --delta 1e-9 --aggregators 5");
    let one = document("utility --mechanism gaussian --bound 100 --delta 1e-9 --aggregators 1");
    assert_eq!(field(&five, "bound"), "100");
    assert!((5.0 * ratio(&five, "variance") / ratio(&one, "variance") - 1.0).abs() < 1e-6);
    let text = text(&["utility", "--mechanism", "laplace:2"]);
    assert!(text.contains("from each of 2 aggregators"), "{text}");
}

#[test]
fn the_text_has_the_answer_the_certificate_and_what_it_beats() {
    let text = text(&["gaussian", "--epsilon", "0.317", "--delta", "1e-9"]);
    let mut rest = text.as_str();
    for part in [
        "a histogram under replacement",
        "sigma ",
        "23.391579240",
        "variance ",
        "delta upper ",
        "Certificate",
        "every larger one is safe",
        "certainly not enough",
        "Beside it",
        "sigma continuous ",
        "it is broken",
        "sigma zcdp ",
    ] {
        let place = rest.find(part);
        let place = place.unwrap_or_else(|| panic!("{part:?} is missing in {rest}"));
        rest = &rest[place + part.len()..];
    }
}

/// Arguments, and how the line that refuses them goes on after "error: ".
const REFUSED: &str = "
    => nothing to calibrate: expected gaussian, laplace, rappor, response, multihot, local,
    gauss => unrecognized subcommand 'gauss'
    gaussian => epsilon is missing: expected a number
    gaussian --epsilon 1 => delta is missing: expected a number
    gaussian --epsilon 0 --delta 1e-9 => epsilon is 0: expected
    gaussian --epsilon nan --delta 1e-9 => epsilon is nan: expected
    gaussian --epsilon -1 --delta 1e-9 => epsilon is -1: expected
    gaussian --epsilon 1e5 --delta 1e-9 => epsilon is 1e5: expected
    gaussian --epsilon 1 --delta 0 => delta is 0: expected
    gaussian --epsilon 1 --delta 1 => delta is 1: expected
    gaussian --epsilon 1 --delta 1e-9 --query two => query is two: expected one, pair, l1:NUMBER, l2-squared:NUMBER, count
    gaussian --epsilon 1 --delta 1e-9 --query l2-squared:0 => query is 0: expected an integer from 1
    gaussian --epsilon 1 --delta 1e-9 --variance 3 => variance 3 has no meaning without --delta-at: leave it out
    gaussian --delta-at --epsilon 1 => variance is missing: expected
    gaussian --delta-at --epsilon 1 --variance -4 => variance is -4: expected
    gaussian --delta-at --epsilon 1 --variance 1/0 => variance is 1/0: expected
    gaussian --delta-at --epsilon 1 --variance 1e-99 => variance is 1e-99: expected
    laplace --epsilon 1 --query l2:2 => query is l2:2: expected
    laplace --epsilon 1 --delta -1 => delta is -1: expected
    rappor --epsilon0 0 --clients 10 --delta 1e-9 => epsilon0 is 0: expected
    rappor --epsilon0 5 --clients 0 --delta 1e-9 => clients is 0: expected
    rappor --epsilon0 5 --clients 1.5 --delta 1e-9 => clients is 1.5: expected
    rappor --epsilon0 5 --clients 1e11 --delta 1e-9 => clients is 1e11: expected
    rappor --epsilon0 5 --clients 10 --delta 1e-9 --adjacency add => adjacency is add: expected replacement or deletion
    rappor --epsilon0 5 --clients 10 --delta 1e-9 --length 9 => max-weight is missing: expected
    rappor --epsilon0 5 --clients 10 --delta 1e-9 --length 9 --max-weight 10 => max-weight is 10: expected an integer from 1 to 9
    response --epsilon 3 --answers 1 --clients 10 --delta 1e-9 => answers is 1: expected an integer from 2
    response --epsilon 3 --clients 10 --delta 1e-9 => answers is missing: expected an integer from 2
    response --epsilon 3 --answers 5 --delta 1e-9 => clients is missing: expected an integer from 1
    response --epsilon 3 --answers 5 --clients 0 --delta 1e-9 => clients is 0: expected
    response --epsilon 101 --answers 5 --clients 9 --delta 1e-9 => epsilon is 101: expected
    response --epsilon 3 --answers 5 --clients 9 => delta is missing: expected
    multihot --epsilon0 5 --length 0 --false-positive-rate 1e-9 => length is 0: expected
    multihot --epsilon0 5 --length 10 --false-positive-rate 0.7 => false_positive_rate is 0.7: expected
    compose => mechanism is missing: expected gaussian:VARIANCE
    compose --mechanism gaussian:900 --delta 1e-9 => mechanism is gaussian:900: expected
    compose --mechanism gaussian:1e31:one --delta 1e-9 => variance is 1e31: expected
    compose --mechanism laplace:0:one --delta 1e-9 => scale is 0: expected
    compose --mechanism laplace:2:one => delta is missing: expected
    compose --mechanism laplace:2:one --times 0 --delta 1e-9 => times is 0: expected
    convert => no such conversion: expected --rho with
    convert --rho 1 => delta is missing: expected
    convert --rho 0 --delta 1e-6 => rho is 0: expected
    convert --alpha 1 --tau 1 --delta 1e-6 => alpha is 1: expected
    utility => mechanism is missing: expected laplace:SCALE
    utility --mechanism cauchy:2 => mechanism is cauchy:2: expected
    utility --mechanism laplace:0 => scale is 0: expected
    utility --mechanism laplace:2 --confidence 1 => confidence is 1: expected
    utility --mechanism laplace:2 --coordinates 0 => coordinates is 0: expected
    utility --mechanism laplace:2 --aggregators 0 => aggregators is 0: expected an integer from 1 to 64
    utility --mechanism rappor:5 --clients 9 --aggregators 2 => aggregators 2 has no meaning with --mechanism rappor
    utility --mechanism laplace:2 --clients 5 => clients 5 has no meaning with noise of the aggregators
    utility --mechanism laplace => bound is missing: expected
    utility --mechanism rappor:5 => clients is missing: expected
";

#[test]
fn bad_input_is_refused_on_one_line_that_names_it() {
    for row in REFUSED.lines().filter(|row| !row.is_empty()) {
        let (line, expected) = row.split_once("=>").expect("an arrow");
        let refused = refusal(line);
        let start = format!("error: {}", expected.trim());
        assert!(refused.starts_with(&start), "{line}: {refused:?}");
    }
}
