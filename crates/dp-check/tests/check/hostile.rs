//! Every text gets an answer; none causes a panic.

use serde_json::{Value, json};

use crate::{Refusal, certificate, check};

#[test]
fn what_is_no_certificate_is_unreadable() {
    let release = json!([{"mechanism": "gaussian", "query": "count", "variance": "25"}]);
    let good = certificate("1", "1e-6", release, json!({}));
    let asked = good.replace("\"steering\":{}", "\"question\":\"cube\"");
    assert!(check(&asked).is_ok_and(|words| words.to_string().ends_with(" verified: \"cube\"")));
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
    for text in
        ["", "{", "[]", "null", "{\"format\":\"dp-check certificate\"}", &"[".repeat(100_000)]
    {
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
        json!({
            "mechanism": "gaussian", "query": "sumvec:1000000000000:1", "variance": "1e6", "times": 9,
        }),
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
    // Common denominators of a million bits, and weights of thousands of bits.
    let unlike = (0..150).map(|place| {
        let epsilon = format!("1/1{}{:04}", "0".repeat(970), 2 * place + 1);
        json!({"mechanism": "private", "epsilon": epsilon, "delta": "0"})
    });
    let unlike: Vec<Value> = unlike.collect();
    let noise =
        json!([{"mechanism": "gaussian", "query": "count", "variance": "4e5", "times": 1000}]);
    for (delta, releases) in [("0.5", json!(unlike)), ("1e-1000", noise)] {
        let refused = check(&certificate("0", delta, releases, json!({})));
        assert!(matches!(refused, Err(Refusal::Outside(_))), "{refused:?}");
    }
    let refused = check(&certificate("0", "0", json!(unlike), json!({})));
    assert!(matches!(refused, Err(Refusal::NotProved(_))), "{refused:?}");
}

#[test]
fn a_refusal_says_the_bound_that_was_found_and_comes_before_the_work() {
    let noise = |mechanism: &str, parameter: &str, number: &str, times: u64| json!([{"mechanism": mechanism, "query": "count", parameter: number, "times": times}]);
    for (delta, releases, words) in [
        ("1e-6", noise("gaussian", "variance", "25", 1), "bound on delta is at least 4.12"),
        (
            "0",
            noise("laplace", "scale", "1/2", 3),
            "sum of the largest losses is at least 6, and 1e-1",
        ),
        ("1e-6", noise("gaussian", "variance", "1e4", 1_000_000), "bound on delta is at least "),
        ("1e-6", noise("laplace", "scale", "50", 1_000_000), "bound on delta is at least "),
    ] {
        let certificate = certificate("1/10", delta, releases, json!({}));
        let refused = dp_check::check_within(&certificate, 1_000_000_000).expect_err(words);
        assert!(matches!(refused, Refusal::NotProved(_)), "{refused}");
        let text = refused.to_string();
        assert!(text.contains(words) && text.ends_with(" is claimed"), "{text}");
    }
}

#[test]
#[ignore = "seconds: in release"]
fn distributions_that_do_not_fit_side_by_side_are_refused() {
    let wide = ["1e9", "1.1e9", "1.2e9", "1.3e9", "1.4e9"];
    let wide = wide
        .map(|variance| json!({"mechanism": "gaussian", "query": "count", "variance": variance}));
    let refused = check(&certificate("0", "1e-9", json!(wide), json!({})));
    assert!(matches!(refused, Err(Refusal::Outside(_))), "{refused:?}");
}

#[test]
fn every_block_costs_what_its_odds_cost() {
    // 20 000 blocks with few values each, but odds of thousands of bits, would take minutes.
    let ends: Vec<u64> = (0..2000).collect();
    let release =
        json!({"mechanism": "rappor", "query": "count", "epsilon0": "700", "clients": 2000});
    let steering = json!({"aggregations": [{"step": "1", "nodes": 1, "block_ends": ends}]});
    let text = certificate("0.01", "1e-262", json!([release]), steering).replace("OAOC", "OAMC");
    assert!(matches!(dp_check::check_within(&text, 1_000_000_000), Err(Refusal::Outside(_))));
}
