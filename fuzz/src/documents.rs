//! Documents: certificates, deployments and tasks.

use dp_check::check_within;
use dp_report::statement::{self, Deployment};
use dp_task::dp_prio3::prio::codec::{Decode, Encode};
use dp_task::{
    AggregatorNoise, BatchLimits, Budget, DpExtension, Error, Parts, Task, TaskDocument, Vdaf,
};

use crate::{check_refusal, text};

/// The work limit of a certificate, in the units of `dp-check`: a fraction of a second.
const WORK: u64 = 50_000_000;

/// JSON of a certificate: it is refused, or proves a statement, also with a larger work limit.
pub fn certificate(data: &[u8]) {
    let Some(text) = text(data) else { return };
    match check_within(text, WORK) {
        Ok(statement) => {
            let words = statement.to_string();
            assert!(
                words.contains(" gives (") || words.contains(" probability of at most "),
                "{words}"
            );
            let more = check_within(text, 2 * WORK);
            assert_eq!(more.map(|statement| statement.to_string()), Ok(words));
        }
        Err(refusal) => check_refusal(&refusal),
    }
}

/// TOML of a deployment: it is refused, or a short text with every field.
pub fn deployment(data: &[u8]) {
    match Deployment::from_toml(data) {
        Err(error) => check_refusal(&error),
        Ok(_) => {
            let text = text(data).expect("UTF-8");
            assert!(text.len() <= statement::MAX_BYTES);
            let table: toml::Table = text.parse().expect("TOML");
            assert_eq!(table.len(), 9, "{table:?}");
        }
    }
}

/// TOML of a task: written as TOML and as JSON and read again, it is equal and has an equal digest.
pub fn task_toml(data: &[u8]) {
    check_task(TaskDocument::from_toml(data));
}

/// The extension of a DAP task: it is refused, or written as the bytes that it was read from. With
/// noise that takes no calibration it is the policy of a task, whose extension has that policy.
pub fn extension(data: &[u8]) {
    let extension = match DpExtension::get_decoded(data) {
        Ok(extension) => extension,
        Err(error) => return check_refusal(&error),
    };
    assert_eq!(extension.get_encoded().expect("bytes"), data);
    let DpExtension { client_noise, aggregator_noise, trust, min_reports, max_reports, .. } =
        &extension;
    let vdaf = Vdaf::Count { aggregators: 2 };
    let parts = Parts {
        vdaf: vdaf.clone(),
        client_noise: client_noise.clone(),
        aggregator_noise: aggregator_noise.clone(),
        batch: BatchLimits { min_reports: *min_reports, max_reports: Some(*max_reports) },
    };
    let document = TaskDocument::new("a task", parts, trust.clone());
    if !is_quick(&document) {
        return;
    }
    match Task::new(document) {
        Err(error) => check_refusal(&error),
        Ok(task) => {
            let again = DpExtension::of(&task);
            assert_eq!(again, DpExtension { digest: again.digest, ..extension });
            assert_eq!(again.task("a task", vdaf).as_ref().ok(), Some(&task));
        }
    }
}

/// Whether the guarantees of the document take no calibration, which is too slow for a fuzz target.
fn is_quick(document: &TaskDocument) -> bool {
    let is_pure = matches!(
        document.aggregator_noise,
        Some(AggregatorNoise::DiscreteLaplace { budget: Budget::Pure { .. } })
    );
    is_pure && document.client_noise.is_none()
}

/// JSON of a task, with the properties of [`task_toml`].
pub fn task_json(data: &[u8]) {
    check_task(TaskDocument::from_json(data));
}

/// Writes and reads the document of [`task_toml`], and the task that it makes.
fn check_task(document: Result<TaskDocument, Error>) {
    let document = match document {
        Ok(document) => document,
        Err(error) => return check_refusal(&error),
    };
    let toml = toml::to_string(&document).expect("TOML");
    let json = serde_json::to_string(&document).expect("JSON");
    assert_eq!(TaskDocument::from_toml(&toml).as_ref().ok(), Some(&document));
    assert_eq!(TaskDocument::from_json(&json).as_ref().ok(), Some(&document));
    if !is_quick(&document) {
        return;
    }
    let task = match Task::new(document) {
        Ok(task) => task,
        Err(error) => return check_refusal(&error),
    };
    for again in [Task::from_toml(&toml), Task::from_json(&json)] {
        let again = again.expect("a written task");
        assert_eq!(again, task);
        assert_eq!(again.digest(), task.digest());
    }
}
