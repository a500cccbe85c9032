//! The row of a cell that has run.

use crate::Summary;

use super::command::command;
use crate::sweep::data::{Data, Question};
use crate::sweep::file::Sweep;
use crate::sweep::plan::Planned;
use crate::sweep::row::Row;

pub(super) fn row(
    sweep: &Sweep,
    planned: &Planned,
    question: &Question,
    summary: &Summary,
    seconds: f64,
) -> Row {
    let Planned {
        cell,
        task,
        promises,
    } = planned;
    let [oc, oaoc, oamc] = promises.clone();
    let said = |name: &str| {
        let given = cell.parameters.given();
        let found = given.iter().find(|(given, _)| *given == name);
        found.map_or_else(String::new, |(_, value)| (*value).to_owned())
    };
    // What follows from other parameters.
    let built = |name: &str| {
        let found = task.parameters().iter().find(|(own, _)| *own == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    };
    let bins = match &sweep.data {
        Data::Table(table) if cell.size.is_some() => table.bins.get(cell.choice).cloned(),
        _ => None,
    };
    Row {
        cell: cell.number,
        policy: cell.policy.name.to_owned(),
        functionality: sweep.functionality.name().to_owned(),
        data: sweep.data.name().to_owned(),
        bins: bins.unwrap_or_default(),
        length: u64::try_from(question.length).unwrap_or(u64::MAX),
        clients: cell.clients,
        trials: cell.trials,
        aggregators: said("aggregators"),
        epsilon: said("epsilon"),
        delta: cell
            .parameters
            .stated_delta()
            .map_or_else(|_| String::new(), |delta| delta.value().to_string()),
        rho: said("rho"),
        epsilon0: said("epsilon0"),
        local_epsilon: said("local_epsilon"),
        false_positive_rate: built("false_positive_rate"),
        wanted_honest_clients: built("wanted_honest_clients"),
        assumed_malicious_clients: built("assumed_malicious_clients"),
        max_measurement: built("max_measurement"),
        max_weight: built("max_weight"),
        seed: cell.seed,
        noise: noise(task.parameters()),
        predicted_std: summary.predicted_std,
        observed_std: summary.observed_std,
        observed_std_error: summary.observed_std_error,
        bias: summary.bias,
        bias_error: summary.bias_error,
        coverage_95: summary.coverage_95,
        dropped: summary.dropped,
        rejected: summary.rejected.saturating_sub(summary.dropped),
        oc_epsilon: oc.epsilon,
        oc_delta: oc.delta,
        oc_reason: oc.reason,
        oaoc_epsilon: oaoc.epsilon,
        oaoc_delta: oaoc.delta,
        oaoc_reason: oaoc.reason,
        oamc_epsilon: oamc.epsilon,
        oamc_delta: oamc.delta,
        oamc_reason: oamc.reason,
        seconds,
        command: command(sweep, cell),
    }
}

/// The parameter of the aggregators' noise, else that of the clients.
fn noise(parameters: &[(&'static str, String)]) -> String {
    let names = ["scale", "variance", "epsilon0", "epsilon", "ratio"];
    let found = names.iter().find_map(|name| {
        let mut parameters = parameters.iter();
        parameters.find(|(own, _)| own == name)
    });
    found.map_or_else(String::new, |(name, value)| format!("{name} {value}"))
}
