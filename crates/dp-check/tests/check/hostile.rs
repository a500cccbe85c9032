//! Every text gets an answer; none causes a panic.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Refusal, certificate, check};

#[test]
fn what_is_no_certificate_is_unreadable() {
    let release = json!([{"mechanism": "gaussian", "query": "count", "variance": "25"}]);
    let good = certificate("1", "1e-6", release, json!({}));
    assert!(check(&good).is_ok());
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("dp-check certificate", "dp-cli plan"),
        ("\"variance\":\"25\"", "\"variance\":9"),
        ("\"variance\":\"25\"", "\"variance\":\"-9\""),
        ("\"variance\":\"25\"", "\"variance\":\"0\""),
        ("\"variance\":\"25\"", "\"variance\":\"9/0\""),
        ("\"variance\":\"25\"", "\"variance\":\"1e1001\""),
        ("\"variance\":\"25\"", "\"variance\":\"25\",\"sigma\":\"3\""),
        ("\"count\"", "\"count:1\""),
        ("\"count\"", "\"sum:0\""),
        ("\"count\"", "\"multihot:3:4\""),
        ("\"1e-6\"", "\"1\""),
        ("\"epsilon\":\"1\"", "\"epsilon\":\"inf\""),
        ("replacement", "addition"),
        ("OAOC", "OAMOC"),
        ("\"steering\":{}", "\"steering\":{\"delta\":\"0\"}"),
        ("\"steering\":{}", "\"steering\":{\"aggregations\":[{}]}"),
        // A field that is there twice.
        ("\"epsilon\":", "\"epsilon\":\"0.1\",\"epsilon\":"),
        ("\"variance\":", "\"varianc\\u0065\":\"1\",\"variance\":"),
        ("\"claim\":", "\"claim\":{},\"claim\":"),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        assert!(matches!(check(&changed), Err(Refusal::Unreadable(_))), "{changed}");
    }
    for text in ["", "{", "[]", "null", "{\"format\":\"dp-check certificate\"}", &"[".repeat(100_000)] {
        assert!(matches!(check(text), Err(Refusal::Unreadable(_))));
    }
    assert!(matches!(check(&" ".repeat(1 << 21)), Err(Refusal::Unreadable(_))));
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let noise = |parameter: Value| certificate("1", "1e-6", json!([parameter]), json!({}));
    for release in [
        json!({"mechanism": "gaussian", "query": "count", "variance": "1e30"}),
        json!({"mechanism": "laplace", "query": "sum:1000000000000", "scale": "1e11"}),
        json!({"mechanism": "gaussian", "query": "sumvec:1000000000000:1", "variance": "1e6", "times": 9}),
        json!({"mechanism": "gaussian", "query": "count", "variance": "2e9", "times": 1000}),
        json!({"mechanism": "hedged", "query": "count"}),
        json!({"mechanism": "gaussian", "query": "histogram:1", "variance": "1"}),
    ] {
        let refused = check(&noise(release.clone()));
        assert!(matches!(refused, Err(Refusal::Outside(_))), "{release} {refused:?}");
    }
}

#[test]
fn what_would_take_hours_or_all_memory_is_refused() {
    // Common denominators of a million bits, distributions that do not fit side by side, weights of thousands of
    // bits.
    let unlike = (0..300).map(|place| {
        let epsilon = format!("1/1{}{:04}", "0".repeat(970), 2 * place + 1);
        json!({"mechanism": "private", "epsilon": epsilon, "delta": "0"})
    });
    let unlike: Vec<Value> = unlike.collect();
    let wide = ["1e9", "1.1e9", "1.2e9", "1.3e9", "1.4e9"];
    let wide = wide.map(|variance| json!({"mechanism": "gaussian", "query": "count", "variance": variance}));
    let noise = json!([{"mechanism": "gaussian", "query": "count", "variance": "4e5", "times": 1000}]);
    for (delta, releases) in [("0.5", json!(unlike)), ("1e-9", json!(wide)), ("1e-1000", noise)] {
        let refused = check(&certificate("0", delta, releases, json!({})));
        assert!(matches!(refused, Err(Refusal::Outside(_))), "{refused:?}");
    }
    let refused = check(&certificate("0", "0", json!(unlike), json!({})));
    assert!(matches!(refused, Err(Refusal::NotProved(_))), "{refused:?}");
}

#[test]
fn every_block_costs_what_its_odds_cost() {
    // 20 000 blocks with few values each, but odds of thousands of bits, would take minutes.
    let ends: Vec<u64> = (0..2000).collect();
    let release = json!({"mechanism": "rappor", "query": "count", "epsilon0": "700", "clients": 2000});
    let steering = json!({"aggregations": [{"step": "1", "nodes": 1, "block_ends": ends}]});
    let text = certificate("0.01", "1e-262", json!([release]), steering).replace("OAOC", "OAMC");
    assert!(matches!(dp_check::check_within(&text, 1_000_000_000), Err(Refusal::Outside(_))));
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => "[1-9]{1,2}(\\.[0-9]{1,3})?".prop_map(Value::from),
        8 => "[1-9]e-[1-9]".prop_map(Value::from),
        1 => "[0-9]{1,4}(\\.[0-9]{1,3})?(e-?[0-9]{1,2})?".prop_map(Value::from),
        2 => "[0-9]{1,3}/[0-9]{1,3}".prop_map(Value::from),
        1 => "[0-9./e-]{0,6}".prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn release() -> impl Strategy<Value = Value> {
    let query = prop_oneof![
        2 => Just("count".to_owned()),
        4 => "(sum|histogram|average):[0-9]{1,3}",
        4 => "(sumvec|multihot|l1boundsum):[0-9]{1,2}:[0-9]{1,2}",
        1 => "[a-z:0-9]{0,12}",
    ];
    let mechanism = prop_oneof![Just("gaussian"), Just("laplace"), Just("rappor"), Just("private")];
    (mechanism, query, number(), number(), 0u64..5).prop_map(|(mechanism, query, one, other, count)| match mechanism {
        "gaussian" => json!({"mechanism": mechanism, "query": query, "variance": one, "times": count}),
        "laplace" => json!({"mechanism": mechanism, "query": query, "scale": one, "times": count}),
        "rappor" => json!({"mechanism": mechanism, "query": query, "epsilon0": one, "clients": count * 7}),
        _ => json!({"mechanism": mechanism, "epsilon": one, "delta": other}),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_certificates_are_answered(
        epsilon in number(),
        delta in number(),
        releases in prop::collection::vec(release(), 1..4),
        aggregations in prop::collection::vec((number(), 0u64..60, prop::collection::vec(0u64..30, 0..4)), 0..3),
        (grid, order, cuts) in (number(), number(), prop::collection::vec(number(), 0..3)),
        (larger, model) in (any::<bool>(), prop_oneof![Just("OC"), Just("OAOC"), Just("OAMC")]),
    ) {
        let aggregations: Vec<Value> = aggregations.into_iter()
            .map(|(step, nodes, ends)| json!({"step": step, "nodes": nodes, "block_ends": ends}))
            .collect();
        let certificate = json!({
            "format": "dp-check certificate", "version": 1,
            "claim": {
                "epsilon": epsilon, "delta": delta, "adjacency": "replacement", "trust_model": model,
                "releases": releases, "every_larger_variance": larger,
            },
            "steering": {"grid": grid, "order": order, "cuts": cuts, "aggregations": aggregations},
        });
        let _ = check(&certificate.to_string());
    }

    #[test]
    fn random_text_is_unreadable(text in ".{0,200}") {
        prop_assert!(check(&text).is_err());
    }
}
