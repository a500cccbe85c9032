//! Relations between figures of `calibrate` and of other commands. `tests/snapshot` and
//! `tests/golden.txt` record the figures, and the crates that compute them prove them.

use dp_exact::Rational;
use serde_json::Value;

use crate::support::{figures, json, number, rows, simulated, success, text};

/// Two lines with one figure: a query and its worst difference, a randomizer and its bits.
#[test]
fn equal_questions_have_equal_answers() {
    for [one, other, name] in rows(
        "\
        laplace --epsilon 1 --query l2-squared:7 | laplace --epsilon 1 --query l1:7 | scale
        gaussian --epsilon 1 --delta 1e-6 --query sum:7 | gaussian --epsilon 1 --delta 1e-6 --query l1:7 | variance
        compose --mechanism gaussian:900:histogram:24 --delta 1e-6 | compose --mechanism gaussian:900:pair --delta 1e-6 | epsilon_upper
        compose --mechanism gaussian:900:histogram:24 --delta 1e-6 --adjacency deletion | compose --mechanism gaussian:900:one --delta 1e-6 | epsilon_upper
        compose --mechanism gaussian:900:pair --delta 1e-6 --adjacency deletion | compose --mechanism gaussian:900:one --delta 1e-6 | epsilon_upper
        compose --mechanism symmetric-rappor:100:0.5 --times 20 --delta 1e-6 | compose --mechanism response:0.5 --times 40 --delta 1e-6 | epsilon_upper
        compose --mechanism basic-rappor:1 --times 20 --delta 1e-6 | compose --mechanism response:0.5 --times 40 --delta 1e-6 | epsilon_upper
        compose --mechanism gaussian:900:l1:7 --times 5 --delta 1e-6 | compose --mechanism gaussian:900:sum:7 --times 5 --delta 1e-6 | epsilon_upper
        compose --mechanism randomized-response:2 --times 30 | compose --mechanism response:2 --times 30 --delta 0 | epsilon_upper
        compose --mechanism basic-rappor:2 --times 30 | compose --mechanism laplace:1:one --times 60 | epsilon_upper
        local --mechanism randomized-response --epsilon 2 | local --mechanism symmetric-rappor:1:1:2 | ratio
        local --mechanism k-ary:5 --epsilon 1 | local --mechanism k-ary:5:1 | epsilon_upper
        local --mechanism symmetric-rappor:100:3 --epsilon0 1 | local --mechanism symmetric-rappor:100:3:1 | ratio
        local --mechanism keep:1/3:5 | local --mechanism replace:2/3:5 | probability_other
        local --mechanism keep:1/2:2 | local --mechanism coin-flip | epsilon_upper
        local --mechanism bits:0.75:0.05 | compose --mechanism bits:0.75:0.05 --delta 0 | epsilon_upper
        local --mechanism bits:1/2:1/8 --adjacency deletion | compose --mechanism bits:1/2:1/8 --delta 0 --adjacency deletion | epsilon_upper
        local --mechanism rappor-two-step:0.5:0.5:0.75:1 | local --mechanism bits:0.6875:0.5625 | epsilon_upper
        compose --mechanism cube:20:80 --times 5 --delta 1e-6 | compose --mechanism laplace:20:sum:80 --times 5 --delta 1e-6 | epsilon_upper
        compose --mechanism cube:20:sumvec:9:80 --delta 1e-6 | compose --mechanism laplace:20:sum:80 --delta 1e-6 | epsilon_upper
        schedule --mechanism cube --release 4xmultihot:9:3 --epsilon 1 | schedule --mechanism laplace --release 4xcount --epsilon 1 | parameter_1
        gaussian --variance 49 --epsilon 0 --query one | compose --mechanism gaussian:49:one --epsilon 0 | delta_upper
        compose --mechanism laplace:20:pair --times 50 --delta 1e-9 | compose --mechanism laplace:20:one --times 100 --delta 1e-9 | epsilon_upper",
    ) {
        assert_eq!(figures(one)[name], figures(other)[name], "{one}");
    }
    let schedule = figures("schedule --release 1xsum:80 --epsilon 1 --delta 1e-9");
    assert_eq!(
        schedule["parameter_1"],
        figures("gaussian --query sum:80 --epsilon 1 --delta 1e-9")["variance"]
    );
    let schedule = figures("schedule --mechanism cube --release 1xsumvec:6:10 --epsilon 1");
    let cube = figures("laplace --cube --query sumvec:6:10 --epsilon 1");
    assert_eq!(
        [&schedule["parameter_1"], &schedule["std_of_one_1"]],
        [&cube["scale"], &cube["std_of_one"]]
    );
    // Of 15 clients that drop often 0.9275 is printed, and all datasets have at most 0.4458.
    for (rest, is_loose) in
        [("15 --length 3 --max-weight 2", true), ("100 --length 20 --max-weight 14", false)]
    {
        let line = format!("calibrate rappor --epsilon0 0.5 --delta 1e-3 --clients {rest}");
        assert_eq!(json(&line).get("epsilon_loose").is_some(), is_loose, "{rest}");
    }
}

/// Randomizers as they are deployed, with figures that are published or follow by hand: RAPPOR's
/// ε₁ = 1.0743 and ε∞ = 4 ln 3, the 0.243 % of uniform answers among 2 925, and optimized unary
/// encoding.
#[test]
fn randomizers_of_deployments_have_their_published_figures() {
    for [line, name, value] in rows(
        "\
        bits:0.75:0.05 | ratio | 57
        bits:0.75:0.05 | epsilon_one_hot | 4.0430512678345501515
        bits:0.75:0.05 | epsilon_bit | 2.7080502011022100660
        bits:0.75:0.05 | epsilon_deletion | 2.7080502011022100660
        bits:0.95:0.25 | epsilon_deletion | 2.7080502011022100660
        bits:0.75:0.05 --clients 10000 | std_if_none | 31.13499245
        bits:0.75:0.05 --clients 10000 | std_if_all | 61.85895741
        bits:0.75:0.05 | estimate_slope | 1.428571429
        rappor-two-step:0.5:0.5:0.75:2 | epsilon_upper | 1.0742858641667281836
        rappor-two-step:0.5:0.5:0.75:2 | epsilon_lifetime | 4.3944491546724387656
        rappor-two-step:0.5:0.5:0.75:2 | probability_held | 0.6875
        rappor-two-step:0.5:0.5:0.75:2 --adjacency deletion | epsilon_lifetime | 2.1972245773362193828
        k-ary:2925:14 | probability_replaced | 0.0024263221679834087173
        keep:1/3:5 | ratio | 3.5
        keep:1/3:5 | probability_held | 7/15
        replace:0.5:2 | ratio | 3
        symmetric-rappor:40:1 | probability_other | 0.26894142136999512075
        symmetric-rappor:40:3:1 | epsilon_replacement | 6.0000000000000000000",
    ) {
        assert_eq!(figures(&format!("local --mechanism {line}"))[name], value, "{line}");
    }
    let best = figures("local --best-bits --epsilon 2 --clients 10000");
    let [none, symmetric] = ["std_if_none", "std_symmetric"].map(|name| number(&best[name]));
    assert!(best["probability_other"] == "0.119202922023" && none < 0.89 * symmetric);
    assert!(number(&best["epsilon_upper"]) <= 2.0);
    // For two answers no pair is better than the symmetric one.
    let two = figures("local --best-bits --answers 2 --epsilon 2 --clients 10000");
    assert!((number(&two["std_if_none"]) / symmetric - 1.0).abs() < 1e-9);
    // The permanent response of 9 values with two hashes is 36 coin flips.
    let composed =
        |line: &str| number(&figures(&format!("compose {line} --delta 1e-6"))["epsilon_upper"]);
    let permanent = composed("--mechanism rappor-two-step:0.5:0.1:0.9:2 --times 9");
    let flips = composed("--mechanism keep:1/2:2 --times 36");
    assert!(
        (permanent / flips - 1.0).abs() < 1e-4 && flips < 36.0 * 3_f64.ln(),
        "{permanent} {flips}"
    );
}

#[test]
fn an_answer_keeps_what_was_asked() {
    let noise = figures("gaussian --epsilon 5 --delta 1e-9 --query one");
    let line = format!(
        "gaussian --delta-at --variance {} --epsilon 5 --query one",
        text(&noise["variance"])
    );
    let delta = figures(&line);
    let [lower, upper] = ["delta_lower", "delta_upper"].map(|name| number(&delta[name]));
    assert!(lower <= upper && upper <= 1e-9 && lower > 0.999_999_9e-9, "{lower} {upper}");
    // The continuous sigma breaks the guarantee there: twice the delta.
    assert!((number(&noise["delta_at_continuous"]) - 1.973e-9).abs() < 1e-12);
    // The δ at the ε that was found for a δ is that δ, and the total variation is more.
    let line = "compose --mechanism gaussian:900:pair --mechanism laplace:20:one --times 30";
    let epsilon = &figures(&format!("{line} --delta 1e-6"))["epsilon_upper"];
    let back = number(&figures(&format!("{line} --epsilon {}", text(epsilon)))["delta_upper"]);
    assert!((1.0 - 1e-4..=1.0 + 1e-9).contains(&(back / 1e-6)), "{back}");
    assert!(number(&figures(&format!("{line} --epsilon 0"))["delta_lower"]) > 0.1);
    let disclosed = figures("compose --mechanism response:0:0.5 --times 2 --epsilon 0");
    assert_eq!(number(&disclosed["delta_upper"]), 0.75);
    // One coordinate at scale 2 that moves by 1: tanh(1/4).
    let distance = figures("laplace --scale 2 --epsilon 0 --query one");
    assert!((number(&distance["delta_upper"]) - 0.25_f64.tanh()).abs() < 1e-12, "{distance:?}");
    let month =
        figures("schedule --release 30xhistogram:24 --release 4xsum:8 --epsilon 2 --delta 1e-8");
    let [days, weeks] = ["parameter_1", "parameter_2"].map(|name| text(&month[name]).to_owned());
    let composed = figures(&format!(
        "compose --mechanism gaussian:{days}:pair --times 30 --mechanism gaussian:{weeks}:sum:8 --times 4 --delta 1e-8"
    ));
    assert!(number(&composed["epsilon_lower"]) <= 2.0);
    assert!((number(&composed["epsilon_upper"]) - 2.0).abs() < 1e-3);
    for [line, name, value] in rows(
        "\
        schedule --release 12xsum:80 --rho 1/2 | parameter_1 | 76800/1
        compose --mechanism response:0.1:1e-9 --delta 1e-9 | epsilon_upper | 0.1
        compose --mechanism rappor:0.1:1000 --delta 0 | epsilon_upper | 0.2
        laplace --epsilon 1/3 --query l1:7 | scale | 21/1
        compose --mechanism response:1:0.1 --mechanism response:2:0.2 --delta 0.28 | epsilon_upper | 3
        compose --mechanism response:1:0.1 --mechanism response:2:0.2 --delta 0.28 | epsilon_lower | 3
        compose --mechanism response:0:0.1 --mechanism response:2 --delta 0.1 | epsilon_lower | 2
        compose --mechanism response:1 --mechanism coin-flip --epsilon 3 | delta_upper | 0
        laplace --delta-at --scale 2 --epsilon 1 | delta_upper | 0
        schedule --mechanism laplace --release 4xl1:7 --epsilon 1 | parameter_1 | 28/1",
    ) {
        assert_eq!(figures(line)[name], value, "{line}");
    }
}

/// A task that is planned with the printed budget has the noise of the schedule, and the noise of
/// all tasks keeps the total.
#[test]
fn the_budgets_of_a_schedule_make_tasks_with_its_noise() {
    let releases = "--release 12xmultihot:14:14 --release 4xhistogram:6 --epsilon 1";
    for (noise, budget, parameter, delta) in
        [("gaussian", "rho", "variance", "1e-8"), ("laplace", "epsilon", "scale", "0")]
    {
        let line = format!("schedule --mechanism {noise} {releases} --delta {delta}");
        let (schedule, mut tasks) = (figures(&line), String::new());
        for (number, query, times) in [(1, "multihot:14:14", 12), (2, "histogram:6", 4)] {
            let (vdaf, _) = query.split_once(':').expect("a length");
            let each = text(&schedule[&format!("{budget}_{number}")]);
            let plan = format!("plan --type {query} --policy {vdaf}-{noise} --clients 10000");
            let plan = json(&format!("{plan} --{budget} {each} --releases {times}"));
            let mut choices = plan["choices"].as_array().expect("choices").iter();
            let choice = choices.find(|one| one["policy"] == format!("{vdaf}-{noise}"));
            let drawn = text(&choice.expect("a choice")["parameter"][parameter]);
            let printed = text(&schedule[&format!("parameter_{number}")]);
            assert_eq!(drawn.parse::<Rational>(), printed.parse(), "{line}");
            tasks += &format!(" --mechanism {noise}:{drawn}:{query} --times {times}");
        }
        let composed = figures(&format!("compose{tasks} --delta {delta}"));
        let bound = |name: &str| number(&composed[name]);
        assert!(bound("epsilon_lower") <= 1.0 && (bound("epsilon_upper") - 1.0).abs() < 1e-3);
    }
}

/// Every command prints one error of an estimate, with the noise of all aggregators. Names of
/// figures about one aggregator say so. Of twelve buckets a twelfth of the variance is corrected
/// away by the known number of reports; the margin is a multiple of 1/12.
/// Two numbers that change by 1 under cube-shaped noise of scale 1 have the total variation 0.3978,
/// where noise on one number has tanh(1/2).
#[test]
fn cube_shaped_noise_has_upper_bounds_alone() {
    for [line, name, bound] in rows(
        "\
        laplace --cube --scale 1 --epsilon 0 --query sumvec:2:1 | delta_upper | 0.46211715726
        compose --mechanism cube:1:sumvec:2:1 --epsilon 0 | delta_upper | 0.46211715726
        compose --mechanism cube:1:1 --mechanism laplace:9:one --delta 0 | epsilon_upper | 1.1111111",
    ) {
        let found = figures(line);
        assert!(text(&found[name]).starts_with(bound), "{line}: {found:?}");
        assert!(!found.keys().any(|name| name.ends_with("_lower")), "{line}: {found:?}");
    }
    let line = "calibrate laplace --cube --query multihot:8:8 --epsilon 0.5 --delta 1e-3";
    let said = success(line);
    assert!(said.contains("upper bound on delta"), "{said}");
    assert!(!said.contains("exact delta") && !said.contains("certainly not enough"), "{said}");
}

#[test]
fn millionths_of_epsilon_are_read_exactly_and_written_rounded_down() {
    let found = figures("convert --micro-epsilon 333333");
    assert_eq!(found["epsilon"], "0.333333");
    assert_eq!(found["rho_tightest"], figures("convert --epsilon 0.333333")["rho_tightest"]);
    let document = json("calibrate convert --epsilon 1/3");
    assert_eq!(document["beside"]["micro_epsilon"], "333333");
    let [group, same] = ["--micro-epsilon 500000", "--epsilon 0.5"]
        .map(|budget| figures(&format!("convert {budget} --group 3")));
    assert_eq!(group, same);
}

#[test]
fn every_command_prints_one_std_and_one_margin_of_an_estimate() {
    // A histogram at ε = 1: two aggregators' discrete Laplace noise of scale 2.
    let close = |found: f64| (found / 3.958_635_163 - 1.0).abs() < 1e-8;
    let is_corrected = |row: &Value, std: &str| {
        close(number(&row[std]) * (12.0_f64 / 11.0).sqrt())
            && (number(&row["margin_95"]) - 7.75).abs() < 1e-9
    };
    let laplace = figures("laplace --epsilon 1 --query histogram:12");
    assert!(!laplace.contains_key("std"), "{laplace:?}");
    assert!(close(number(&laplace["std_of_one"]) * 2_f64.sqrt()));
    let utility = figures("utility --mechanism laplace:2");
    assert!(close(number(&utility["std"])) && utility["bound_of_one"] == "8");
    let policies = json("policies --type histogram:12 --epsilon 1 --policy histogram-laplace");
    let plan = json("plan --type histogram:12 --clients 1000 --epsilon 1");
    for row in [&policies["policies"][0], &plan["choices"][0]] {
        assert_eq!(row["policy"], "histogram-laplace");
        assert!(is_corrected(row, "std"), "{row}");
    }
    let run = simulated("--type histogram:12 --epsilon 1");
    for row in run["coordinates"].as_array().expect("an array") {
        assert!(is_corrected(row, "standard_error"), "{row}");
    }
}
