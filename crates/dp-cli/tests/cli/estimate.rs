//! `estimate`: from noisy totals to estimates, beside formulas and beside runs.

use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use serde_json::Value;

use crate::support::{Folder, json, number, success, text};

fn estimate(task: &str, reports: u32, totals: &str) -> Value {
    json(&format!(
        "estimate --task examples/tasks/{task}.toml --reports {reports} --totals={totals}"
    ))
}

/// The estimate, standard error and margin of the first row.
fn first(document: &Value) -> [f64; 3] {
    ["estimate", "standard_error", "margin_95"].map(|name| number(&document["rows"][0][name]))
}

#[test]
fn totals_with_noise_of_aggregators_are_the_estimates_also_as_elements_of_the_field() {
    let document = estimate("count", 1629, "-3");
    let [value, standard_error, margin] = first(&document);
    // Two aggregators at scale 2: 2·2q/(1 − q)² with q = e^(−1/2) is the variance.
    let q = (-0.5_f64).exp();
    assert_eq!(value, -3.0);
    assert!((standard_error - (4.0 * q / (1.0 - q).powi(2)).sqrt()).abs() < 1e-12);
    assert_eq!(margin, 8.0);
    for same in ["18446744069414584318", "[-3]", "-3.0"] {
        assert_eq!(document["rows"], estimate("count", 1629, same)["rows"], "{same}");
    }
    // Another field: p − 1 of 128 bits, and what is left of the reports.
    let mut totals = ["148"; 12];
    totals[0] = "340282366920938462946865773367900766208";
    let totals = totals.join(",");
    let line = "estimate --task examples/tasks/histogram.toml --reports 1629 --raw-totals --totals";
    assert_eq!(first(&json(&format!("{line} {totals}")))[0], -1.0);
}

/// x̂ᵢ = yᵢ + (n − Σy)/d leaves 1 − 1/d of the variance.
#[test]
fn buckets_add_up_to_the_known_number_of_reports() {
    let folder = Folder::new();
    let noise = "aggregator_noise = { type = \"discrete-laplace\", budget.pure.epsilon = 1 }";
    let of = |buckets: u32, rest: &str| {
        let vdaf = format!("type = \"Prio3Histogram\", length = {buckets}");
        let task = task(&folder, "buckets.toml", &vdaf, noise, "OAOC");
        json(&format!("estimate --task {task} --reports 1000 {rest}"))
    };
    let estimates = |document: &Value| -> Vec<String> {
        let rows = document["rows"].as_array().expect("rows").iter();
        rows.map(|row| text(&row["estimate"]).to_owned()).collect()
    };
    let (two, raw) = (of(2, "--totals [420,590]"), of(2, "--totals [420,590] --raw-totals"));
    assert_eq!(
        (estimates(&two), text(&two["known_total"])),
        (vec!["415".into(), "585".into()], "1000")
    );
    assert_eq!(
        (estimates(&raw), &raw["known_total"]),
        (vec!["420".into(), "590".into()], &Value::Null)
    );
    assert!((first(&two)[1] * 2.0_f64.sqrt() / first(&raw)[1] - 1.0).abs() < 1e-12);
    // The half of a difference of the noise in two totals, by both of its tails.
    assert!((first(&two)[2] - 5.5).abs() < 1e-9 && first(&raw)[2] == 8.0, "{two} {raw}");
    let line = "estimate --reports 1000 --totals [420,590] --task";
    let printed = success(&format!("{line} {}", folder.at("buckets.toml")));
    assert!(printed.contains("bucket 0  415       5.5     2.79918"), "{printed}");
    // Exact, whether it has a decimal or not.
    assert_eq!(estimates(&of(2, "--totals [420,591]")), ["414.5", "585.5"]);
    assert_eq!(estimates(&of(3, "--totals [400,300,200]")), ["1300/3", "1000/3", "700/3"]);
}

/// Each bit is flipped with 1/(e^ε₀ + 1), ε₀ = 0.8.
#[test]
fn totals_of_rappor_are_debiased() {
    let flip = 1.0 / (0.8_f64.exp() + 1.0);
    let [value, standard_error, margin] =
        first(&estimate("multihot", 2000, "700,600,800,900,1000"));
    assert!((value - (700.0 - 2000.0 * flip) / (1.0 - 2.0 * flip)).abs() < 1e-9);
    let exact = (2000.0 * flip * (1.0 - flip)).sqrt() / (1.0 - 2.0 * flip);
    assert!((standard_error - exact).abs() < 1e-9 && margin > 1.9 * exact && margin < 2.1 * exact);
}

/// A task of 2 aggregators in the trust model, with this VDAF and these noises.
fn task(folder: &Folder, name: &str, vdaf: &str, noise: &str, model: &str) -> String {
    let text = format!(
        "version = 2\nname = \"a task\"\nvdaf = {{ aggregators = 2, {vdaf} }}\n{noise}\n\
         trust = {{ model = \"{model}\" }}\nbatch = {{ min_reports = 1 }}\n"
    );
    folder.with(name, text)
}

/// 2^53 + 1 is no float.
#[test]
fn a_total_that_nothing_is_corrected_in_keeps_every_digit() {
    let folder = Folder::new();
    let vdaf = "type = \"Prio3Sum\", range = { max_measurement = 1099511627776 }";
    let noise = "aggregator_noise = { type = \"discrete-laplace\", budget.pure.epsilon = 1 }";
    let task = task(&folder, "sum.toml", vdaf, noise, "OAOC");
    let line = format!("estimate --task {task} --reports 9000 --totals 9007199254740993");
    assert_eq!(text(&json(&line)["rows"][0]["estimate"]), "9007199254740993");
}

/// One bit of 40 at ε₀ = 3 and a rate of 1 %: a report of more than 6 ones is not sent. Of 10^6
/// that are, 46 359 show a bit that nobody holds, p·P(R ≤ 5)/(p·P(R ≤ 5) + (1 − p)·P(R ≤ 6)), not
/// 47 426.
#[test]
fn totals_of_rappor_are_debiased_by_the_bits_of_the_reports_that_are_sent() {
    let folder = Folder::new();
    let estimate = |name: &str, noise: &str| {
        let noise =
            format!("client_noise = {{ {noise}, epsilon0 = 3, false_positive_rate = \"0.01\" }}");
        let vdaf = "type = \"Prio3MultihotCountVec\", length = 40";
        let (task, totals) = (task(&folder, name, vdaf, &noise, "OC"), ["46359"; 40].join(","));
        json(&format!("estimate --task {task} --reports 1000000 --totals {totals}"))
    };
    let one_hot = estimate("one-hot.toml", "type = \"one-hot-rappor\"");
    let [value, standard_error, _] = first(&one_hot);
    assert!(value.abs() < 1.0 && (standard_error - 232.1).abs() < 0.1, "{value} {standard_error}");
    assert!(one_hot["bias_bound"].is_null());
    // Of vectors without a bit 47 088: half of the difference, debiased, is in the margin.
    let several = estimate("several.toml", "type = \"symmetric-rappor\", input_weight = 1");
    let (bias, [_, standard_error, margin]) = (number(&several["bias_bound"]), first(&several));
    assert!((bias - 402.3).abs() < 0.1 && margin > bias + 1.9 * standard_error, "{bias} {margin}");
}

/// On the grid 40..140/0.1 a mean of n reports is 40 + total/(10·n).
#[test]
fn a_mean_on_a_grid_is_in_the_unit_of_the_measurements() {
    let [value, ..] = first(&estimate("weight", 1000, "310000"));
    assert!((value - 71.0).abs() < 1e-12);
}

/// A fraction is the estimate of the people by the public number of reports: noise, errors and the
/// effect of one measurement are divided by it. Sums of numbers have none.
#[test]
fn fractions_are_estimates_by_the_number_of_reports() {
    let people = estimate("count", 1629, "78");
    let line = "estimate --task examples/tasks/count.toml --reports 1629 --totals 78 --fractions";
    let fraction = json(line);
    assert_eq!((text(&fraction["sensitivity"]), &people["sensitivity"]), ("1/1629", &Value::Null));
    for (fraction, people) in first(&fraction).into_iter().zip(first(&people)) {
        assert!((fraction * 1629.0 / people - 1.0).abs() < 1e-12, "{fraction}, {people}");
    }
    assert!(success(line).contains("changes a fraction by at most 1/1629."));
}

/// Estimates below 0 are raised, and buckets add up to the reports.
#[test]
fn consistent_estimates_are_the_nearest_possible_ones() {
    let totals = format!("[-40{}]", ",100".repeat(11));
    let line = format!(
        "estimate --task examples/tasks/histogram.toml --reports 1100 --consistent --totals={totals}"
    );
    let document = json(&line);
    let rows = document["rows"].as_array().expect("rows").iter();
    let consistent: Vec<f64> = rows.map(|row| number(&row["consistent"])).collect();
    assert_eq!(consistent[0], 0.0);
    assert!(consistent[1..].iter().all(|bucket| (bucket - 100.0).abs() < 1e-9), "{consistent:?}");
    assert_eq!(text(&document["rows"][0]["estimate"]), "-110/3");
    assert!(text(&document["post_processing"]).contains("add up to the number of reports"));
    assert!(estimate("histogram", 1100, &totals)["rows"][0]["consistent"].is_null());
}

/// The totals behind a matrix are C·x. Without noise, C is solved for exactly: the median of 1500
/// reports in bucket 30 is bucket 30.
#[test]
fn percentiles_and_ranges_solve_for_the_strategy_matrix() {
    let matrix = StrategyMatrix::new(StrategyFamily::Toeplitz, 60).expect("a matrix");
    let mut buckets = vec![0_i64; 60];
    buckets[30] = 1500;
    let totals: Vec<String> = matrix.multiply(&buckets).iter().map(ToString::to_string).collect();
    let line = format!(
        "estimate --task examples/tasks/percentiles.toml --reports 1500 --totals={} --median \
         --between 20..31",
        totals.join(",")
    );
    let document = json(&line);
    let median = &document["percentiles"][0];
    assert_eq!((text(&median["percentile"]), text(&median["estimate"])), ("50", "bucket 30"));
    assert!((number(&document["ranges"][0]["estimate"]) - 1500.0).abs() < 1e-6);
    assert_eq!(text(&document["ranges"][0]["label"]), "bucket 20 to bucket 30");
}
