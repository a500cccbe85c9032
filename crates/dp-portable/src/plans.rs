//! Plans: the policies for jobs, best first, with their figures.

use dp_planner::{Question, plan};
use serde_json::json;

use crate::Error;
use crate::answers::Answers;

/// The choices of each plan as its document has them, a line each.
pub(crate) fn all(answers: &mut Answers) -> Result<(), Error> {
    for question in [
        json!({"type": "histogram:40", "clients": "250000", "epsilon": "1", "delta": "1e-8", "releases": "30"}),
        json!({"type": "count", "clients": "1000", "epsilon": "0.5"}),
        json!({"type": "multihot:20:3", "clients": "30000", "epsilon": "2", "delta": "1e-9"}),
        json!({"type": "average:80", "clients": "5000", "epsilon": "1", "delta": "1e-6"}),
        json!({"type": "sumvec:9:15", "clients": "100000", "epsilon": "3", "delta": "1e-7", "releases": "7"}),
    ] {
        let asked: Question = serde_json::from_value(question.clone())?;
        let (job, wanted) = asked.read()?;
        let found = serde_json::to_value(plan(&job, &wanted)?)?;
        let choices = found["choices"].as_array().ok_or("no choices")?;
        for (place, choice) in (1..).zip(choices) {
            answers.add(format_args!("{question} choice {place}"), choice)?;
        }
    }
    Ok(())
}
