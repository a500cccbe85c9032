//! Task documents.

use dp_task::{AggregatorNoise, Budget, TaskDocument, Error, Task};

use crate::{check_refusal, text};

/// TOML: a document that is read is the same, with the same digest, when it is written and read again,
/// as TOML and as JSON.
pub fn task_toml(data: &[u8]) {
    let document = text(data).and_then(|text| toml::from_str(text).ok());
    check(document, || Task::from_toml(data));
}

/// JSON: the same.
pub fn task_json(data: &[u8]) {
    check(serde_json::from_slice(data).ok(), || Task::from_json(data));
}

fn check(document: Option<TaskDocument>, task: impl Fn() -> Result<Task, Error>) {
    let Some(document) = document else {
        let error = task().expect_err("no document, no task");
        return check_refusal(&error);
    };
    let toml = toml::to_string(&document).expect("TOML");
    let json = serde_json::to_string(&document).expect("JSON");
    assert_eq!(toml::from_str::<TaskDocument>(&toml).as_ref().ok(), Some(&document));
    assert_eq!(serde_json::from_str::<TaskDocument>(&json).as_ref().ok(), Some(&document));
    if !is_quickly_built(&document) {
        return;
    }
    let task = match task() {
        Ok(task) => task,
        Err(error) => return check_refusal(&error),
    };
    for again in [Task::from_toml(&toml), Task::from_json(&json)] {
        let again = again.expect("what was written");
        assert_eq!(again, task);
        assert_eq!(again.digest(), task.digest());
    }
}

/// Whether the noise follows from the budget at once. Other noise is calibrated, which takes so long
/// that few documents would be looked at.
fn is_quickly_built(document: &TaskDocument) -> bool {
    let is_pure = matches!(
        document.aggregator_noise,
        Some(AggregatorNoise::DiscreteLaplace { budget: Budget::Pure { .. } })
    );
    is_pure && document.client_noise.is_none()
}
