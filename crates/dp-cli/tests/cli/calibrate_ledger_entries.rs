//! `calibrate ledger show --entries`: which releases were recorded, in which order, and what each cost.

use serde_json::{Value, json};

use crate::common::{document, text};

#[test]
fn entries_are_listed_in_their_order_with_what_they_cost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits.ledger");
    let file = path.to_str().expect("UTF-8");
    document(&format!("ledger create {file} --rho 1"));
    let shown =
        |further: &[&str]| text(&[&["ledger", "show", file, "--entries"], further].concat());
    assert!(
        shown(&[]).contains("Entries, in the order"),
        "{}",
        shown(&[])
    );
    assert!(shown(&[]).contains("\n  none\n"), "{}", shown(&[]));
    let entries = |text: &str| {
        let document: Value = serde_json::from_str(text).expect("JSON");
        document.get("entries").cloned()
    };
    assert_eq!(entries(&shown(&["--json"])), Some(json!([])));

    document(&format!(
        "ledger record {file} --name 2026-07-01/visits --mechanism gaussian:9000:histogram:12"
    ));
    document(&format!(
        "ledger record {file} --name 2026-07-02/visits --mechanism laplace:1e5:sum:80 --minimum-batch 1k"
    ));
    document(&format!(
        "ledger record {file} --name poll --epsilon 0.1 --mechanism by_hand"
    ));
    let page = shown(&[]);
    let wanted = [
        "1. 2026-07-01/visits",
        "gaussian:9000 on 2 moved by 1: zero-concentrated differential privacy with rho",
        "2. 2026-07-02/visits",
        "laplace:100000 on 1 moved by 80 of at least 1 000 reports: pure differential privacy with epsilon 0.0008 (OAOC, \
         replacement). Charge: ",
        "3. poll",
        "by_hand: pure differential privacy with epsilon 0.1",
    ];
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let places: Vec<usize> = wanted
        .iter()
        .map(|words| {
            flat.find(words)
                .unwrap_or_else(|| panic!("{words}: {page}"))
        })
        .collect();
    assert!(places.is_sorted(), "{page}");

    let listed = entries(&shown(&["--json"])).expect("entries");
    let listed = listed.as_array().expect("a list");
    let of = |name: &str| {
        listed
            .iter()
            .map(|entry| entry[name].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(of("number"), ["1", "2", "3"]);
    assert_eq!(
        of("name"),
        ["2026-07-01/visits", "2026-07-02/visits", "poll"]
    );
    assert_eq!(listed[1]["release"]["minimum_batch"], json!("1000"));
    assert_eq!(
        listed[2]["release"]["mechanism"],
        json!({"other": "by_hand"})
    );
    assert!(
        listed.iter().all(|entry| entry["charge"].is_object()),
        "{listed:?}"
    );
    // Without the option nothing is listed.
    let without = text(&["ledger", "show", file, "--json"]);
    assert_eq!(entries(&without), None);
    assert!(!text(&["ledger", "show", file]).contains("Entries"));
}
