//! The rows of the speed table: every workload, with the names that its document promises.

use std::time::Duration;

use dp_measure::clock::Effort;
use dp_measure::speed::{Mode, Work, Workload};

#[test]
fn the_table_has_every_workload_once() {
    let all: Vec<Workload> = Workload::all().collect();
    assert_eq!(all.len(), 7 + 4 + 1 + 4 + 2 + 2);
    for (index, workload) in all.iter().enumerate() {
        assert!(!all[..index].contains(workload), "{workload:?}");
    }
}

#[test]
fn a_row_has_the_fields_of_the_document_and_null_where_a_column_has_no_meaning() {
    let workload = Workload::all().find(|workload| workload.work == Work::RapporBit);
    let effort = Effort {
        windows: 2,
        window: Duration::from_micros(50),
        limit: Duration::from_millis(50),
    };
    let rows = workload
        .expect("RAPPOR")
        .measure(effort)
        .expect("a valid parameter");
    assert_eq!(rows.len(), 8, "two modes, four generators");
    let simulated = rows
        .iter()
        .filter(|row| row.mode == Mode::Simulation)
        .count();
    assert_eq!(simulated, 4);
    let document = serde_json::to_value(&rows).expect("serializable");
    for row in document.as_array().expect("a list") {
        assert_eq!(row["work"], "rappor_bit");
        assert!(row["ours_bulk_ns"].as_f64().is_some_and(|time| time > 0.0));
        assert!(row["float_ns"].is_f64() && row["prio_ns"].is_null());
        for field in [
            "parameter",
            "mode",
            "variant",
            "generator",
            "ours_bulk_256_ns",
            "ours_single_ns",
            "reference_ns",
        ] {
            assert!(row.get(field).is_some(), "{field}");
        }
    }
}
