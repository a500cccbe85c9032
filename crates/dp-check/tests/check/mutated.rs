//! Certificates of true claims that are tight, and the same certificates after a change.

use serde_json::{Value, json};

use crate::oracles::exact;
use crate::{aggregated, block_ends, certificate, check, holds};

/// True claims that become false if ε, δ or the noise is a hundredth smaller.
fn tight() -> Vec<String> {
    let noise = [
        ("0.317", "1e-9", "gaussian", "histogram:9", "547.165979358", 1),
        ("19.4916385251", "1e-6", "gaussian", "count", "1", 10),
        ("16.860617143", "1e-6", "gaussian", "histogram", "25", 100),
        ("1/2", "0", "laplace", "sumvec:3:5", "30", 1),
        ("0.3922639431", "1e-6", "laplace", "count", "100", 100),
    ];
    let noise = noise.map(|(epsilon, delta, mechanism, query, number, times)| {
        let parameter = if mechanism == "gaussian" { "variance" } else { "scale" };
        let release =
            json!({"mechanism": mechanism, "query": query, parameter: number, "times": times});
        certificate(epsilon, delta, json!([release]), json!({}))
    });
    let bits = aggregated(
        "0.2975",
        "1e-9",
        json!([{"mechanism": "rappor", "query": "histogram:4", "epsilon0": "5", "clients": 100_000}]),
        json!({"step": "3/4000", "nodes": 400, "block_ends": block_ends(100_000, 20)}),
    );
    noise.into_iter().chain([bits]).collect()
}

/// The certificate with `value` at `pointer`, a JSON pointer.
fn with(certificate: &str, pointer: &str, value: Value) -> String {
    let mut certificate: Value = serde_json::from_str(certificate).expect("JSON");
    *certificate.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
    certificate.to_string()
}

#[test]
fn a_claim_that_became_false_is_refused() {
    for certificate in tight() {
        assert!(holds(&certificate), "{certificate}");
        let value: Value = serde_json::from_str(&certificate).expect("JSON");
        for (pointer, factor) in [
            ("/claim/epsilon", "99/100"),
            ("/claim/delta", "98/100"),
            ("/claim/releases/0/variance", "99/100"),
            ("/claim/releases/0/scale", "99/100"),
            ("/claim/releases/0/epsilon0", "101/100"),
        ] {
            let number = value.pointer(pointer).and_then(Value::as_str);
            // A sum of bits takes longest, and the delta of noise is altered in other certificates.
            let is_slow = pointer == "/claim/delta" && certificate.contains("rappor");
            let Some(number) = number.filter(|number| *number != "0" && !is_slow) else {
                continue;
            };
            let smaller = (exact(number) * exact(factor)).to_string();
            let changed = with(&certificate, pointer, smaller.into());
            assert!(!holds(&changed), "{changed}");
        }
    }
}

#[test]
fn a_claim_about_more_than_was_proved_is_refused() {
    for certificate in tight() {
        let more = match certificate.contains("rappor") {
            // Every bit may differ.
            true => with(&certificate, "/claim/releases/0/query", "multihot:9:2".into()),
            false => {
                let mut value: Value = serde_json::from_str(&certificate).expect("JSON");
                let release = value.pointer_mut("/claim/releases/0").expect("a release");
                release["times"] = (release["times"].as_u64().expect("an integer") + 1).into();
                value.to_string()
            }
        };
        assert!(!holds(&more), "{more}");
        // Noise of aggregators is none where none of them is honest.
        if !certificate.contains("rappor") {
            assert!(!holds(&with(&certificate, "/claim/trust_model", "OC".into())));
        }
    }
}

#[test]
fn a_query_that_changes_less_is_accepted_and_one_that_changes_more_refused() {
    let certificate = &tight()[0];
    for (query, adjacency, is_true) in [
        ("count", "replacement", true),
        ("histogram:9", "deletion", true),
        ("multihot:9:1", "replacement", true),
        ("multihot:2:2", "deletion", true),
        ("l1boundsum:9:1", "replacement", true),
        ("sum:2", "replacement", false),
        ("sumvec:3:1", "replacement", false),
        ("multihot:9:2", "replacement", false),
        ("l1boundsum:9:2", "replacement", false),
        ("l1boundsum:9:2", "deletion", false),
    ] {
        let changed = with(certificate, "/claim/releases/0/query", query.into());
        let changed = with(&changed, "/claim/adjacency", adjacency.into());
        assert_eq!(holds(&changed), is_true, "{query} {adjacency}");
    }
}

/// The certificate with a claim about every larger variance.
fn with_larger(certificate: &str) -> String {
    let mut certificate: Value = serde_json::from_str(certificate).expect("JSON");
    certificate["claim"]["every_larger_variance"] = true.into();
    certificate.to_string()
}

/// A certificate of (0.317, 1e-9) for every larger variance, with ranges that the calibration
/// chose.
fn ranges() -> String {
    let release =
        json!([{"mechanism": "gaussian", "query": "histogram", "variance": "547.1659793576"}]);
    let cuts = json!([
        "547.1659794037",
        "547.1660282631",
        "547.1710018307",
        "547.2211053149",
        "548.5873013295",
        "555.9604470575",
        "574.8276944319",
        "608.8600535086",
        "610.077773616"
    ]);
    with_larger(&certificate("0.317", "1e-9", release, json!({"cuts": cuts, "order": "100.27"})))
}

#[test]
fn every_larger_variance_needs_all_of_its_ranges() {
    let certificate = ranges();
    assert!(holds(&certificate));
    let claim: Value = serde_json::from_str(&certificate).expect("JSON");
    let cuts = claim.pointer("/steering/cuts").and_then(Value::as_array).expect("cuts").clone();
    for fewer in [&cuts[1..], &cuts[..5], &cuts[..cuts.len() - 1], &cuts[4..], &cuts[8..]] {
        assert!(!holds(&with(&certificate, "/steering/cuts", fewer.into())), "{fewer:?}");
    }
    for (pointer, value) in [
        ("/claim/releases/0/variance", json!("547.16597")),
        ("/claim/epsilon", json!("0.3169999")),
        ("/claim/delta", json!("9.9999e-10")),
        ("/steering/order", json!("50")),
        ("/steering/order", json!("1")),
        ("/steering/cuts", json!([])),
    ] {
        let changed = with(&certificate, pointer, value);
        assert!(!holds(&changed), "{changed}");
    }
    let mut unsorted = cuts.clone();
    unsorted.swap(2, 3);
    assert!(!holds(&with(&certificate, "/steering/cuts", unsorted.into())));
}

#[test]
fn one_good_variance_below_a_bad_one_is_no_range() {
    // At (50, 1e-6) a one-hot vector is safe with sigma 0.1415, not with 0.195, and again with
    // 0.1998.
    let release = |variance: &str| json!([{"mechanism": "gaussian", "query": "histogram", "variance": variance}]);
    let one = |variance: &str| certificate("50", "1e-6", release(variance), json!({}));
    assert!(holds(&one("0.02002225")));
    assert!(!holds(&one("0.038025")));
    assert!(holds(&one("0.03992004")));
    for cuts in [
        json!(["0.03992004", "0.06"]),
        json!(["0.021", "0.03", "0.035", "0.0399", "0.05", "0.06", "0.1"]),
    ] {
        let steering = json!({"cuts": cuts, "order": "2"});
        assert!(!holds(&with_larger(&certificate("50", "1e-6", release("0.02002225"), steering))));
    }
}

#[test]
fn blocks_have_no_gap_and_nodes_do_not_decide() {
    let certificate = tight().pop().expect("an aggregation");
    let aggregated = |field: &str, value: Value| {
        with(&certificate, &format!("/steering/aggregations/0/{field}"), value)
    };
    let ends = block_ends(100_000, 20);
    let mut unsorted = ends.clone();
    unsorted.swap(3, 4);
    let last: Vec<u64> = ends[..ends.len() - 1].to_vec();
    for ends in [json!(unsorted), json!(last), json!([]), json!([99_999]), json!([0, 100_000])] {
        assert!(!holds(&aggregated("block_ends", ends)));
    }
    for (step, nodes) in [("3/4000", 100), ("1e-30", 400)] {
        let changed =
            with(&aggregated("step", step.into()), "/steering/aggregations/0/nodes", nodes.into());
        assert!(check(&changed).is_err(), "{step} {nodes}");
    }
}

#[test]
fn the_published_epsilon_is_accepted_and_less_than_is_attained_is_refused() {
    let certificate = tight().pop().expect("an aggregation");
    let accepts = |epsilon: &str| holds(&with(&certificate, "/claim/epsilon", epsilon.into()));
    // Others who hold (99 899, 0) attain 0.297382, and (99 999, 0) 0.297408.
    assert!(accepts("0.29749"));
    assert!(!accepts("0.297408"));
}
