use super::*;

/// One task for every type of noise and every kind of budget.
const TASKS: [&str; 12] = [
    r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 64 }
       aggregator_noise = { type = "percentiles-gaussian", budget = { approximate = { epsilon = "1", delta = "1e-8" } } }
       trust = { model = "OAOC" }"#,
    r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 64 }
       aggregator_noise = { type = "ranges-gaussian", budget = { zero_concentrated = { rho = "1/8" } } }
       trust = { model = "OAOC" }"#,
    r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 64 }
       aggregator_noise = { type = "ranges-laplace", budget = { pure = { epsilon = "1" } } }
       trust = { model = "OAOC" }"#,
    r#"vdaf = { type = "Prio3Count", aggregators = 2 }
       aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "1/3" } } }
       trust = { model = "OAOC" }"#,
    r#"vdaf = { type = "Prio3Histogram", aggregators = 3, length = 12 }
       aggregator_noise = { type = "discrete-gaussian", budget = { approximate = { epsilon = "0.906", delta = "1e-9" } } }
       trust = { model = "2AOC" }"#,
    r#"vdaf = { type = "Prio3SumVec", aggregators = 2, length = 4, range = { max_measurement = 7 } }
       aggregator_noise = { type = "discrete-gaussian", budget = { zero_concentrated = { rho = "1/8" } } }
       trust = { model = "OAOC", releases = 30, delta = "1e-6" }"#,
    r#"vdaf = { type = "Prio3Count", aggregators = 2 }
       client_noise = { type = "randomized-response", epsilon = "1.5" }
       trust = { model = "OC" }"#,
    r#"vdaf = { type = "Prio3Count", aggregators = 2 }
       client_noise = { type = "coin-flip" }
       trust = { model = "OC" }"#,
    r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 5 }
       client_noise = { type = "kary-randomized-response", epsilon = "2" }
       trust = { model = "OAMC", honest_clients = 900, delta = "1e-9" }"#,
    r#"vdaf = { type = "Prio3MultihotCountVec", aggregators = 2, length = 9 }
       client_noise = { type = "symmetric-rappor", epsilon0 = "1", input_weight = 2, false_positive_rate = "1e-12" }
       trust = { model = "OC" }"#,
    r#"vdaf = { type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }
       client_noise = { type = "one-hot-rappor", epsilon0 = "3", false_positive_rate = "0" }
       aggregator_noise = { type = "compensation", target_honest_clients = 5000, assumed_malicious_clients = 100 }
       trust = { model = "OAMC", honest_clients = 900, delta = "1e-9" }"#,
    r#"vdaf = { type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }
       client_noise = { type = "basic-rappor", epsilon = "50", false_positive_rate = "1e-12" }
       trust = { model = "OC", accept_weak_guarantee = true }"#,
];

/// The task with this VDAF, noise and trust, and the fields that all tasks here share.
fn task(text: &str) -> Task {
    let common =
        "version = 2\nname = \"a task\"\nbatch = { min_reports = 1000, max_reports = 100000 }\n";
    Task::from_toml(format!("{common}{text}")).unwrap()
}

#[test]
fn a_task_comes_back_from_its_extension() {
    for task in TASKS.map(task) {
        let bytes = DpExtension::of(&task).get_encoded().unwrap();
        let read = DpExtension::get_decoded(&bytes).unwrap();
        assert_eq!(read, DpExtension::of(&task));
        let document = task.document();
        assert_eq!(read.task(&document.name, document.vdaf.clone()).unwrap(), task);
        let error = read.task("another name", document.vdaf.clone()).unwrap_err();
        assert!(error.to_string().contains("digest"), "{error}");
    }
}

/// Bytes that are read are written again unchanged. Every changed, missing or further byte is
/// refused or is another policy.
#[test]
fn every_meaning_has_one_encoding() {
    for task in TASKS.map(task) {
        let bytes = DpExtension::of(&task).get_encoded().unwrap();
        for length in 0..bytes.len() {
            assert!(DpExtension::get_decoded(&bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(DpExtension::get_decoded(&longer).is_err());
        for (place, change) in (0..bytes.len()).flat_map(|place| (1..=255).map(move |c| (place, c)))
        {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            let Ok(read) = DpExtension::get_decoded(&changed) else { continue };
            assert_ne!(read, DpExtension::of(&task));
            assert_eq!(read.get_encoded().unwrap(), changed, "byte {place}");
        }
    }
}

#[test]
fn refusals_name_the_field() {
    let bytes = DpExtension::of(&task(TASKS[3])).get_encoded().unwrap();
    // version, adjacency, no client noise, Laplace, pure, 1/3, OAOC, no delta.
    let start = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 3, 1, 0, 0];
    assert_eq!(bytes[..start.len()], start);
    let refused = |change: &[u8]| {
        let changed = [change, &bytes[start.len()..]].concat();
        DpExtension::get_decoded(&changed).unwrap_err().to_string()
    };
    for (change, name) in [
        (&[2, 1, 0, 1, 1, 0, 1, 1, 0, 1, 3, 1, 0, 0][..], "version"),
        (&[1, 2, 0, 1, 1, 0, 1, 1, 0, 1, 3, 1, 0, 0], "adjacency"),
        (&[1, 1, 7, 1, 1, 0, 1, 1, 0, 1, 3, 1, 0, 0], "client_noise"),
        (&[1, 1, 0, 7, 1, 0, 1, 1, 0, 1, 3, 1, 0, 0], "aggregator_noise"),
        (&[1, 1, 0, 1, 4, 0, 1, 1, 0, 1, 3, 1, 0, 0], "budget"),
        (&[1, 1, 0, 1, 1, 0, 0, 0, 1, 3, 1, 0, 0], "1 to 256 bytes"),
        (&[1, 1, 0, 1, 1, 0, 2, 0, 1, 0, 1, 3, 1, 0, 0], "as few bytes"),
        (&[1, 1, 0, 1, 1, 0, 1, 2, 0, 1, 6, 1, 0, 0], "lowest terms"),
        (&[1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0], "denominator"),
        (&[1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0], "epsilon"),
        (&[1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 3, 1, 2, 0], "other_clients"),
        (&[1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 3, 1, 0, 2], "delta"),
    ] {
        let error = refused(change);
        assert!(error.contains(name), "{name}: {error}");
    }
}
