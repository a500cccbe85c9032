use super::*;
use crate::POLICIES;

/// A task of every combination of noise that a policy has, and tasks with the other budget and all
/// fields of trust.
fn tasks() -> Vec<Task> {
    let mut seen = Vec::new();
    let different = POLICIES.iter().filter(|policy| {
        let noise = (policy.client_noise, policy.aggregator_noise);
        let is_new = !seen.contains(&noise);
        seen.push(noise);
        is_new
    });
    let examples = different.map(|policy| {
        let mut document = policy.example();
        document.batch.max_reports.get_or_insert(10_000);
        Task::new(document).unwrap()
    });
    let written = [
        r#"vdaf = { type = "Prio3SumVec", aggregators = 3, length = 4, range = { max_measurement = 7 } }
           aggregator_noise = { type = "discrete-gaussian", budget = { zero_concentrated = { rho = "1/8" } } }
           trust = { model = "2AOC", releases = 30, delta = "1e-6" }"#,
        r#"vdaf = { type = "Prio3Count", aggregators = 2 }
           client_noise = { type = "coin-flip" }
           trust = { model = "OC", honest_clients = 900, reports_per_client = 2, releases = 1 }"#,
        r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 5 }
           client_noise = { type = "kary-randomized-response", epsilon = "2" }
           trust = { model = "OAMC", honest_clients = 900, delta = "1e-9" }"#,
        r#"vdaf = { type = "Prio3Histogram", aggregators = 2, length = 5 }
           aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "2" } } }
           trust = { model = "OAOC", adjacency = "deletion" }"#,
        r#"vdaf = { type = "Prio3SumVec", aggregators = 2, length = 5, range = { max_measurement = 9 } }
           aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "5" } } }
           trust = { model = "OAOC", adjacency = "one-coordinate" }"#,
        r#"vdaf = { type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }
           client_noise = { type = "basic-rappor", epsilon = "50", false_positive_rate = "1e-12" }
           trust = { model = "OC", accept_weak_guarantee = true }"#,
    ];
    examples.chain(written.map(task)).collect()
}

/// The task with this VDAF, noise and trust, for 1000 to 100 000 reports.
fn task(text: &str) -> Task {
    let common =
        "version = 2\nname = \"a task\"\nbatch = { min_reports = 1000, max_reports = 100000 }\n";
    Task::from_toml(format!("{common}{text}")).unwrap()
}

#[test]
fn a_task_comes_back_from_its_extension() {
    for task in tasks() {
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
fn one_encoding(changes: &[u8]) {
    for task in tasks() {
        let bytes = DpExtension::of(&task).get_encoded().unwrap();
        for length in 0..bytes.len() {
            assert!(DpExtension::get_decoded(&bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(DpExtension::get_decoded(&longer).is_err());
        for (place, change) in
            (0..bytes.len()).flat_map(|place| changes.iter().map(move |change| (place, change)))
        {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            let Ok(read) = DpExtension::get_decoded(&changed) else { continue };
            assert_ne!(read, DpExtension::of(&task));
            assert_eq!(read.get_encoded().unwrap(), changed, "byte {place}");
        }
    }
}

/// A histogram with Laplace noise; `more` fields of trust.
fn laplace(more: &str) -> Task {
    task(&format!(
        r#"vdaf = {{ type = "Prio3Histogram", aggregators = 2, length = 5 }}
           aggregator_noise = {{ type = "discrete-laplace", budget = {{ pure = {{ epsilon = "1" }} }} }}
           trust = {{ model = "OAOC"{more} }}"#
    ))
}

#[test]
fn a_default_that_is_stated_is_another_extension_of_one_digest() {
    let [open, delta, once] =
        ["", ", delta = \"1e-9\"", ", releases = 1"].map(|more| DpExtension::of(&laplace(more)));
    assert!(open.digest == delta.digest && open.digest == once.digest);
    assert!(open != delta && open != once);
}

#[test]
fn every_extension_has_one_encoding() {
    one_encoding(&[1, 2, 3, 4, 8, 16, 32, 64, 128, 255]);
}

#[test]
#[ignore = "every value of every byte"]
fn every_change_of_a_byte_is_refused_or_another_meaning() {
    one_encoding(&(1..=255).collect::<Vec<u8>>());
}
