//! `--certificate`: claims of `calibrate` that `dp-check` accepts.

use dp_check::check;
use proptest::prelude::*;
use proptest::string::string_regex;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use crate::support::{Folder, figures, number, refusal, rows, success, text};

/// The certificate of a line of arguments, which the checker accepts, and its statement. The answer
/// names the ε that is claimed where the arithmetic of the checker needs room.
fn certified(line: &str) -> (Value, String) {
    let folder = Folder::new();
    let answer = figures(&format!("{line} --certificate {}", folder.at("certificate")));
    let certificate = folder.read("certificate");
    let statement = check(&certificate).unwrap_or_else(|refused| panic!("{line}: {refused}"));
    let certificate: Value = serde_json::from_str(&certificate).expect("JSON");
    let printed = ["epsilon_certified", "epsilon_upper"].into_iter().find_map(|it| answer.get(it));
    if let Some(printed) = printed {
        assert!(number(printed) >= epsilon(&certificate), "{line}: {answer:?}");
    }
    (certificate, statement.to_string())
}

/// The ε of a claim.
fn epsilon(certificate: &Value) -> f64 {
    text(&certificate["claim"]["epsilon"]).parse().expect("a decimal")
}

/// Table 2 of the Internet-Draft, and other worst-case differences, with every larger variance;
/// less Laplace noise than the L1 sensitivity asks for.
#[test]
fn noise_of_one_aggregator_has_a_certificate() {
    for (line, variance) in [
        ("gaussian --epsilon 0.317 --delta 1e-9 --query pair", "547.16597935"),
        ("gaussian --epsilon 0.906 --delta 1e-9 --query histogram:24", "72.8504"),
        ("gaussian --epsilon 50 --delta 1e-6 --query pair", "0.03988"),
        ("gaussian --epsilon 5 --delta 1e-9 --query sum:3", "13.2918"),
        ("gaussian --epsilon 1 --delta 1e-6 --query multihot:40:5", "178.4874"),
    ] {
        let (certificate, statement) = certified(line);
        let claim = &certificate["claim"];
        assert_eq!(claim["every_larger_variance"], true, "{line}");
        assert!(text(&claim["releases"][0]["variance"]).starts_with(variance), "{line}: {claim}");
        assert!(statement.contains("every larger variance"), "{statement}");
    }
    for (line, scale) in [
        ("laplace --epsilon 1 --delta 1e-6 --query count", "0.9999986"),
        ("laplace --epsilon 1 --delta 1e-6 --query sumvec:1000:15", "1998.6"),
        ("laplace --epsilon 1/3 --query multihot:9:2", "12"),
    ] {
        let (certificate, _) = certified(line);
        let claim = &certificate["claim"];
        assert!(text(&claim["releases"][0]["scale"]).starts_with(scale), "{line}: {claim}");
    }
}

/// One coordinate of vectors, and cube-shaped noise, are one number to the checker; the certificate
/// names the question. Where δ is 0, so is the δ of the claim.
#[test]
fn a_certificate_of_an_equal_question_names_both() {
    for [line, query, named] in rows(
        "\
        gaussian --epsilon 1 --delta 1e-6 --query sumvec:14:255 --adjacency one-coordinate | sum:255 | sumvec:14:255
        laplace --epsilon 1 --query multihot:14:3 --adjacency one-coordinate | sum:1 | one-coordinate
        compose --mechanism laplace:9:sumvec:5:7 --times 3 --delta 1e-6 --adjacency one-coordinate | sum:7 | laplace:9:sumvec:5:7
        local --mechanism symmetric-rappor:10:2:1 --adjacency one-coordinate | multihot:1:1 | symmetric-rappor:10:2:1
        laplace --cube --epsilon 1 --query sumvec:14:255 | sum:255 | cube
        laplace --cube --scale 255 --epsilon 1 --query sumvec:14:255 | sum:255 | cube
        compose --mechanism cube:255:255 --delta 1e-9 | sum:255 | cube:255:255",
    ) {
        let (certificate, statement) = certified(line);
        let claim = &certificate["claim"];
        assert_eq!(claim["releases"][0]["query"], query, "{statement}");
        assert_eq!(claim["adjacency"], "replacement", "{line}");
        assert!(text(&certificate["question"]).contains(named), "{certificate}");
        assert!(statement.contains(". The question, which is not verified: "), "{statement}");
    }
    let (certificate, _) = certified("laplace --scale 255 --epsilon 1 --query sum:255");
    assert!(certificate["claim"]["delta"] == "0" && certificate.get("question").is_none());
}

/// Behind a strategy matrix the answer itself is certified, and the checker has the first column or
/// the block of the matrix. A claim of less noise is refused.
#[test]
fn noise_behind_a_strategy_matrix_has_a_certificate() {
    for line in [
        "gaussian --epsilon 1 --delta 1e-8 --query percentiles:256",
        "gaussian --epsilon 0.1 --delta 1e-12 --query ranges:256",
        "gaussian --epsilon 1 --delta 1e-8 --query ranges:64 --adjacency deletion",
        "gaussian --epsilon 1 --sigma 500000 --query percentiles:256",
        "laplace --epsilon 1 --query ranges:256",
        "laplace --epsilon 1 --delta 1e-4 --query ranges:256",
        "laplace --epsilon 1 --query ranges:4",
    ] {
        let (certificate, statement) = certified(line);
        assert!(statement.contains(" behind its matrix gives "), "{statement}");
        let release = &certificate["claim"]["releases"][0];
        let is_gaussian = line.starts_with("gaussian");
        assert_eq!(release["column"].is_array(), is_gaussian, "{line}");
        assert_eq!(release["block"].is_u64(), !is_gaussian, "{line}");
        let name = if is_gaussian { "variance" } else { "scale" };
        let parameter: f64 = text(&release[name]).parse().expect("a decimal");
        let mut less = certificate.clone();
        less["claim"]["releases"][0][name] = format!("{:.6}", parameter * 0.999_99).into();
        check(&less.to_string()).expect_err(line);
    }
}

/// The ε of a certificate is at most a little above the answer's.
fn check_sums(table: &'static str) {
    for [line, at_most] in rows(table) {
        let (certificate, statement) = certified(line);
        let is_of_two = certificate["claim"]["releases"][0]["aggregators"] == 2;
        assert_eq!(statement.ends_with("(2AOC)"), is_of_two, "{statement}");
        assert!(
            epsilon(&certificate) <= at_most.parse().expect("a decimal"),
            "{line}: {statement}"
        );
    }
}

#[test]
fn sums_of_reports_of_noises_and_of_losses_have_certificates() {
    check_sums(
        "\
        rappor --epsilon0 4 --clients 300 --delta 1e-6 | 7.9452
        compose --mechanism gaussian:900:pair --times 50 --delta 1e-9 | 1.890454
        compose --mechanism response:0.1:1e-9 --times 100 --delta 1e-6 | 5.9
        compose --mechanism response:1:0.1 --mechanism response:2:0.2 --delta 0.28 | 3.00000001
        compose --mechanism gaussian:900:one --times 50 --mechanism laplace:20:pair --times 50 --mechanism response:0.05 --times 50 --delta 1e-6 | 3.02
        compose --mechanism rappor:2:50 --mechanism gaussian:50:histogram:4 --times 1 --delta 1e-6 | 3.66018
        gaussian --epsilon 0.317 --delta 1e-9 --honest-aggregators 2 | 0.31702
        gaussian --delta-at --variance 30 --epsilon 0.8 --honest-aggregators 3 | 0.80017
        compose --mechanism hedged:2:gaussian:20:50 --delta 1e-6 | 0.91522
        compose --mechanism hedged:2:laplace:20:50 --times 3 --delta 1e-6 | 0.2282",
    );
}

#[test]
#[ignore = "sums of 100 000 reports take seconds each"]
fn sums_of_many_reports_have_certificates() {
    check_sums(
        "\
        rappor --epsilon0 5 --clients 100000 --delta 1e-9 | 0.29750
        rappor --epsilon0 7 --clients 100000 --delta 1e-9 | 0.95180
        compose --mechanism gaussian:900:pair --times 365 --delta 1e-9 | 5.5019358
        compose --mechanism rappor:5:100000 --mechanism gaussian:5000:histogram:4 --times 12 --delta 1e-9 | 1.132
        compose --mechanism hedged:5:gaussian:547:100000 --delta 1e-9 | 0.2111",
    );
}

#[test]
fn an_answer_without_certificate_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    for [line, reason] in rows(
        "\
        gaussian --epsilon 1 --delta 1e-6 --query l2-squared:2 | certificate
        compose --mechanism coin-flip --times 3 --delta 1e-6 | answers of this kind
        convert --epsilon 1 | certificate",
    ) {
        let said = refusal(&format!("calibrate {line} --certificate {}", folder.at("certificate")));
        assert!(said.contains(reason), "{said}");
    }
    assert_eq!(folder.len(), 0);
}

/// The tables of the sampler that draws the noise; any threshold of the first pass that moves by
/// one word towards a larger outcome is refused.
#[test]
fn tables_of_samplers_have_certificates() {
    let folder = Folder::new();
    let path = folder.at("sampler");
    for [line, statement] in rows(
        "\
        gaussian --epsilon 0.317 --delta 1e-9 --query pair | noise of variance parameter 547.16597935
        gaussian --epsilon 1 --variance 1/4 | noise of variance parameter 0.25
        gaussian --epsilon 1 --variance 1100 | noise of variance parameter 1100
        laplace --epsilon 1 --scale 2/5 | noise of scale 0.4
        laplace --epsilon 1/2 --query pair | noise of scale 4",
    ) {
        success(&format!("calibrate {line} --force --sampler-certificate {path}"));
        let certificate: Value = serde_json::from_str(&folder.read("sampler")).expect("JSON");
        let said = check(&certificate.to_string()).expect("it holds").to_string();
        assert!(said.contains(statement) && said.contains(" exactly"), "{said}");
        let cells = certificate["claim"]["passes"][0]["cells"].as_array().expect("a list").len();
        for place in 1..cells {
            let mut moved = certificate.clone();
            let cells = &mut moved["claim"]["passes"][0]["cells"];
            for (place, change) in [(place - 1, -1), (place, 1)] {
                let words = cells[place][1].as_i64().expect("few words");
                cells[place][1] = (words + change).into();
            }
            assert!(check(&moved.to_string()).is_err(), "{line}: {place}");
        }
    }
    for [line, reason] in rows(
        "\
        laplace --epsilon 1 --scale 20 | noise so wide
        gaussian --epsilon 1e-6 --delta 1e-9 | noise so wide
        laplace --epsilon 1 --query sumvec:9:3 --cube | has no noise
        local --mechanism k-ary:5 --epsilon 1 | has no noise",
    ) {
        let said = refusal(&format!("calibrate {line} --sampler-certificate {}", folder.at("no")));
        assert!(said.starts_with("sampler-certificate ") && said.contains(reason), "{said}");
    }
    assert_eq!(folder.len(), 1);
}

/// A line of `calibrate` whose answer has a certificate.
fn line() -> impl Strategy<Value = String> {
    let epsilon = r"--epsilon [0-4]\.[1-9][0-9]";
    let delta = "--delta [1-9]e-([4-9]|1[0-5])";
    let budget = format!("{delta} --adjacency (replacement|deletion)");
    let small = "([2-9]|1[0-3])";
    let query = format!(
        "(count|(sum|histogram):{small}|(sumvec|l1boundsum):{small}:[1-3]|multihot:([5-9]|1[0-6]):[1-3])"
    );
    let times = "--times ([1-9]|1[0-9]|20)";
    let clients = "([1-9]|1[0-9])[0-9]";
    let lines = [
        format!("gaussian {epsilon} --query {query} {budget}"),
        format!("laplace {epsilon} --query {query} {budget}"),
        format!("gaussian {epsilon} --query (one|pair) --honest-aggregators [2-4] {budget}"),
        format!(r"rappor --epsilon0 [0-6]\.5 --clients {clients}[0-9] {budget}"),
        format!(
            "compose --mechanism hedged:[1-5]:(gaussian:3|gaussian:100|laplace:5):{clients} {budget}"
        ),
        format!(
            "compose --mechanism gaussian:([2-9]|[1-3][0-9])[0-9]:{query} {times} \
             --mechanism laplace:([5-9]|[1-5][0-9]):{query} {times} {budget}"
        ),
        "utility --mechanism (laplace|gaussian):([2-9]|[1-8][0-9]) --coordinates [1-9][0-9]{0,5} \
         --aggregators [2-4]"
            .to_owned(),
        r"multihot --epsilon0 [2-4] --length ([3-9]|1[0-9])[0-9] --input-weight [1-9] --false-positive-rate (0\.01|1e-6|1e-12)"
            .to_owned(),
        format!(r"convert (--rho 0\.01|--rho 0\.3|--alpha 9 --tau 0\.5) {delta}"),
        r"local --mechanism symmetric-rappor:[3-9]:[1-3]:0\.[1-9]".to_owned(),
    ];
    string_regex(&lines.join("|")).expect("a regular expression")
}

/// The certificate with a claim that is too strong: a bound or an ε that is a fifth smaller.
fn falsified(certificate: &Value) -> String {
    let mut certificate = certificate.clone();
    let claim = &mut certificate["claim"];
    if let Some(bound) = claim["bound"].as_u64() {
        claim["bound"] = (bound * 4 / 5).max(1).into();
        if bound == 1 {
            claim["probability"] = "1e-40".into();
        }
    } else {
        let epsilon: f64 = text(&claim["epsilon"]).parse().expect("a decimal");
        claim["epsilon"] = (0.8 * epsilon).to_string().into();
        // The sum of several narrow noises guarantees far more than is claimed, the bound of one of
        // them; so the claim is that one of them keeps the smaller ε.
        let release = &mut claim["releases"][0];
        let variance = release["variance"].as_str().and_then(|variance| variance.parse().ok());
        if release["aggregators"] != 1 && variance.is_some_and(|variance: f64| variance < 1.0) {
            release["aggregators"] = 1.into();
        }
    }
    certificate.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        rng_seed: RngSeed::Fixed(17),
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// `PROPTEST_CASES` is the number of answers, `PROPTEST_RNG_SEED` their seed.
    #[test]
    fn random_answers_have_certificates_and_stronger_claims_are_refused(line in line()) {
        let (certificate, _) = certified(&line);
        let falsified = falsified(&certificate);
        prop_assert!(check(&falsified).is_err(), "{line}: {falsified}");
    }
}
