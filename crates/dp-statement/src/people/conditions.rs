//! On what the limits rest, in plain words.
//!
//! A guarantee states its conditions for experts. Each is known here by its words; one that is not is
//! quoted as it stands, so that none is left out.

use dp_calibration::TrustModel;
use dp_exact::grouped;

use crate::markdown::sentence;
use crate::statement::Statement;

/// A part of a condition for experts, and the condition in plain words.
const PLAIN: [(&str, &str); 8] = [
    (
        "releases the batch once",
        "An operator that follows the rules makes its random numbers well. It gives out each sum once. Then it \
         wipes its part.",
    ),
    (
        "Prio3 reveals nothing",
        "Nobody breaks the code that splits your answer.",
    ),
    (
        "the client has one report in the batch",
        "You have one report in each result.",
    ),
    (
        "sends one report of its measurement",
        "Your device makes its random changes well, and sends one report for each result.",
    ),
    (
        "whether a report arrives does not depend",
        "Whether your report gets through does not depend on your answer.",
    ),
    (
        "by its own count: the promise holds for every number",
        "An operator that follows the rules gives out no result with too few or too many reports.",
    ),
    (
        "aggregators are honest: any one of them voids",
        "All operators follow the rules. One that does not can break the limit.",
    ),
    (
        "aggregators are honest, one fewer voids",
        "As many operators as named above follow the rules. With one less the limit is gone.",
    ),
];

/// What says how many honest clients a promise counts on.
const CROWD: &str = "honest clients";

/// The conditions of the limits, one in each line.
pub(super) fn list(statement: &Statement) -> String {
    let task = statement.task();
    let models = [task.trust_model(), TrustModel::OneClient];
    let stated = models
        .into_iter()
        .filter_map(|model| statement.in_model(model));
    let mut lines: Vec<String> = Vec::new();
    for assumption in stated.flat_map(|stated| &stated.guarantee.assumptions) {
        let line = format!(
            "- {}",
            in_plain_words(assumption, task.circumstances().honest_clients())
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push("- They hold always.".to_owned());
    }
    lines.join("\n")
}

/// A condition, known by its words, or quoted.
fn in_plain_words(assumption: &str, honest: u64) -> String {
    let known = PLAIN.iter().find(|(part, _)| assumption.contains(part));
    if let Some((_, plain)) = known {
        return (*plain).to_owned();
    }
    if assumption.contains(CROWD) {
        // The condition may count on more of them than the task does.
        return format!(
            "At least {} reports in each result are of people who follow the rules. A bad operator may \
             throw out others.",
            grouped(first_number(assumption).map_or(honest, |number| number.max(honest)))
        );
    }
    format!("In the words of experts: {}", sentence(assumption))
}

/// The first number in a sentence.
fn first_number(sentence: &str) -> Option<u64> {
    let mut words = sentence.split(|character: char| !character.is_ascii_digit());
    words.find(|word| !word.is_empty())?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_without_plain_words_is_quoted() {
        let quoted = in_plain_words("the sun rises *tomorrow*", 1);
        assert_eq!(
            quoted,
            r"In the words of experts: the sun rises \*tomorrow\*."
        );
    }
}
