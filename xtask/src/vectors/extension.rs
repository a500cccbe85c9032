//! The group `dap-extension`: task extensions by fields, and data that break one rule each.

use dp_exact::hexadecimal;
use dp_prio3::prio::codec::{Decode, Encode};
use dp_task::{DpExtension, Task};
use serde_json::{Map, Value, json};

use super::model::{Figure, Outcome, Vector};

/// The encoded fields before the fields of noise and trust; `BATCH` has the fields after them.
const START: &str = "version=01 adjacency=01";
const START_2: &str = "version=02 adjacency=01";
const BATCH: &str = "min_reports=00000000000003e8 max_reports=00000000000186a0";

/// The trust in the client alone, and in it and one aggregator.
const OC: &str = "honest_aggregators=00 counts_on_clients=00 has_delta=00 releases=0000000000000000 accept_weak_guarantee=00";
const OAOC: &str = "honest_aggregators=01 counts_on_clients=00 has_delta=00 releases=0000000000000000 accept_weak_guarantee=00";
const OAMC: &str = "honest_aggregators=01 counts_on_clients=01 honest_clients=0000000000000384 has_delta=01 delta=00010100043b9aca00 releases=0000000000000000 accept_weak_guarantee=00";

/// For every type of noise, every kind of budget and every part of trust a task: its VDAF, its
/// noise and trust in TOML, and the fields of noise and trust, written by hand.
#[rustfmt::skip]
const TASKS: [[&str; 4]; 16] = [
    [r#"{ type = "Prio3Count", aggregators = 2 }"#,
     r#"aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "1/3" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=01 budget.type=01 budget.epsilon=000101000103", OAOC],
    [r#"{ type = "Prio3Sum", aggregators = 2, range = { max_measurement = 80 } }"#,
     r#"aggregator_noise = { type = "discrete-laplace", budget = { approximate = { epsilon = "0.906", delta = "1e-6" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=01 budget.type=02 budget.epsilon=000201c5000201f4 budget.delta=00010100030f4240", OAOC],
    [r#"{ type = "Prio3Histogram", aggregators = 3, length = 12 }"#,
     r#"aggregator_noise = { type = "discrete-gaussian", budget = { approximate = { epsilon = "0.906", delta = "1e-9" } } }, trust = { model = "2AOC" }"#,
     "client_noise.type=00 aggregator_noise.type=02 budget.type=02 budget.epsilon=000201c5000201f4 budget.delta=00010100043b9aca00",
     "honest_aggregators=02 counts_on_clients=00 has_delta=00 releases=0000000000000000 accept_weak_guarantee=00"],
    [r#"{ type = "Prio3SumVec", aggregators = 2, length = 4, range = { max_measurement = 7 } }"#,
     r#"aggregator_noise = { type = "discrete-gaussian", budget = { zero_concentrated = { rho = "1/8" } } }, trust = { model = "OAOC", releases = 30, delta = "1e-6" }"#,
     "client_noise.type=00 aggregator_noise.type=02 budget.type=03 budget.rho=000101000108",
     "honest_aggregators=01 counts_on_clients=00 has_delta=01 delta=00010100030f4240 releases=000000000000001e accept_weak_guarantee=00"],
    [r#"{ type = "Prio3Histogram", aggregators = 2, length = 64 }"#,
     r#"aggregator_noise = { type = "percentiles-gaussian", budget = { approximate = { epsilon = "1", delta = "1e-8" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=04 budget.type=02 budget.epsilon=000101000101 budget.delta=000101000405f5e100", OAOC],
    [r#"{ type = "Prio3Histogram", aggregators = 2, length = 64 }"#,
     r#"aggregator_noise = { type = "ranges-gaussian", budget = { zero_concentrated = { rho = "1/8" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=05 budget.type=03 budget.rho=000101000108", OAOC],
    [r#"{ type = "Prio3Histogram", aggregators = 2, length = 64 }"#,
     r#"aggregator_noise = { type = "ranges-laplace", budget = { pure = { epsilon = "1" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=06 budget.type=01 budget.epsilon=000101000101", OAOC],
    [r#"{ type = "Prio3Count", aggregators = 2 }"#,
     r#"client_noise = { type = "randomized-response", epsilon = "1.5" }, trust = { model = "OC" }"#,
     "client_noise.type=01 client_noise.epsilon=000103000102 aggregator_noise.type=00", OC],
    [r#"{ type = "Prio3Count", aggregators = 2 }"#,
     r#"client_noise = { type = "coin-flip" }, trust = { model = "OC" }"#,
     "client_noise.type=02 aggregator_noise.type=00", OC],
    [r#"{ type = "Prio3Histogram", aggregators = 2, length = 5 }"#,
     r#"client_noise = { type = "kary-randomized-response", epsilon = "2" }, trust = { model = "OAMC", honest_clients = 900, delta = "1e-9" }"#,
     "client_noise.type=03 client_noise.epsilon=000102000101 aggregator_noise.type=00", OAMC],
    [r#"{ type = "Prio3MultihotCountVec", aggregators = 2, length = 9 }"#,
     r#"client_noise = { type = "symmetric-rappor", epsilon0 = "1", input_weight = 2, false_positive_rate = "1e-12" }, trust = { model = "OC" }"#,
     "client_noise.type=04 client_noise.epsilon0=000101000101 client_noise.input_weight=00000002 client_noise.false_positive_rate=0001010005e8d4a51000 aggregator_noise.type=00", OC],
    [r#"{ type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }"#,
     r#"client_noise = { type = "one-hot-rappor", epsilon0 = "3", false_positive_rate = "0" }, aggregator_noise = { type = "compensation", target_honest_clients = 5000, assumed_malicious_clients = 100 }, trust = { model = "OAMC", honest_clients = 900, delta = "1e-9" }"#,
     "client_noise.type=05 client_noise.epsilon0=000103000101 client_noise.false_positive_rate=000100000101 aggregator_noise.type=03 target_honest_clients=0000000000001388 assumed_malicious_clients=0000000000000064", OAMC],
    [r#"{ type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }"#,
     r#"client_noise = { type = "basic-rappor", epsilon = "50", false_positive_rate = "1e-12" }, trust = { model = "OC", accept_weak_guarantee = true }"#,
     "client_noise.type=06 client_noise.epsilon=000132000101 client_noise.false_positive_rate=0001010005e8d4a51000 aggregator_noise.type=00",
     "honest_aggregators=00 counts_on_clients=00 has_delta=00 releases=0000000000000000 accept_weak_guarantee=01"],
    [r#"{ type = "Prio3Average", aggregators = 2, range = { grid = { low = "40", high = "140", granularity = "0.1" } } }"#,
     r#"aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "1" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=01 budget.type=01 budget.epsilon=000101000101", OAOC],
    [r#"{ type = "Prio3Histogram", aggregators = 2, length = 5 }"#,
     r#"aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "1" } } }, trust = { model = "OAOC", honest_clients = 900, releases = 1, reports_per_client = 2 }"#,
     "client_noise.type=00 aggregator_noise.type=01 budget.type=01 budget.epsilon=000101000101",
     "honest_aggregators=01 counts_on_clients=00 has_delta=00 releases=0000000000000001 reports_per_client=0000000000000002 other_honest_clients=0000000000000384 accept_weak_guarantee=00"],
    [r#"{ type = "Prio3SumVec", aggregators = 2, length = 4, range = { max_measurement = 7 } }"#,
     r#"aggregator_noise = { type = "discrete-k-norm", budget = { pure = { epsilon = "1" } } }, trust = { model = "OAOC" }"#,
     "client_noise.type=00 aggregator_noise.type=07 budget.type=01 budget.epsilon=000101000101", OAOC],
];

/// The rule that is broken, the number of the task, the field, and what the field becomes.
#[rustfmt::skip]
const BROKEN: [(&str, usize, &str, &str); 31] = [
    ("version", 0, "version", "02"), ("version", 0, "version", "03"), ("range", 14, "reports_per_client", "0000000000100001"),
    ("adjacency", 0, "adjacency", "04"), ("type", 0, "client_noise.type", "07"),
    ("type", 0, "aggregator_noise.type", "08"), ("type", 0, "budget.type", "00"), ("type", 0, "budget.type", "04"),
    ("integer_length", 0, "budget.epsilon", "0000000103"), ("integer_length", 0, "budget.epsilon", "010101"),
    ("leading_zero", 0, "budget.epsilon", "00020001000103"), ("lowest_terms", 0, "budget.epsilon", "000102000106"),
    ("denominator", 0, "budget.epsilon", "000101000100"), ("range", 0, "budget.epsilon", "000100000101"),
    ("range", 3, "budget.rho", "000100000101"), ("range", 2, "budget.delta", "000101000101"), ("range", 3, "delta", "000103000102"),
    ("flag", 0, "counts_on_clients", "02"), ("flag", 0, "has_delta", "02"), ("flag", 0, "accept_weak_guarantee", "ff"),
    ("honest_aggregators", 9, "honest_aggregators", "00"), ("honest_aggregators", 0, "honest_aggregators", "ff"),
    ("honest_clients", 9, "honest_clients", "0000000000000000"), ("honest_clients", 11, "target_honest_clients", "0000000000000000"),
    ("min_reports", 0, "min_reports", "0000000000000000"), ("min_reports", 0, "max_reports", "0000000000000001"),
    ("truncated", 0, "digest", "00"), ("truncated", 0, "digest", ""),
    ("trailing", 0, "digest", "000000000000000000000000000000000000000000000000000000000000000000"),
    ("digest", 0, "digest", "0000000000000000000000000000000000000000000000000000000000000000"),
    ("digest", 0, "min_reports", "0000000000000065"),
];

/// A task, and its fields as name and hexadecimal digits.
type Written<'a> = (Task, Vec<(&'a str, String)>);

/// The test vectors of every task of [`TASKS`] and of every broken rule of [`BROKEN`].
pub(super) fn extension() -> Outcome<Vec<Vector>> {
    let tasks = TASKS.iter().map(written).collect::<Outcome<Vec<_>>>()?;
    let mut vectors = tasks.iter().map(accepted).collect::<Outcome<Vec<_>>>()?;
    for (rule, task, field, changed) in BROKEN {
        vectors.push(refused(rule, &tasks[task], field, changed)?);
    }
    Ok(vectors)
}

/// A task of [`TASKS`], and its encoded fields: the hand-written ones, then its digest.
fn written<'a>([vdaf, noise, noise_fields, trust_fields]: &[&'a str; 4]) -> Outcome<Written<'a>> {
    let noise = noise.replace("}, ", "}\n");
    let task = Task::from_toml(format!(
        "version = 2\nname = \"a task\"\nvdaf = {vdaf}\n{noise}\n\
         batch = {{ min_reports = 1000, max_reports = 100000 }}\n"
    ))?;
    let start = if trust_fields.contains("reports_per_client") { START_2 } else { START };
    let fields = [start, noise_fields, trust_fields, BATCH].into_iter();
    let fields =
        fields.flat_map(|fields| fields.split(' ')).filter_map(|field| field.split_once('='));
    let mut fields: Vec<_> = fields.map(|(name, digits)| (name, digits.to_owned())).collect();
    fields.push(("digest", task.digest().to_string()));
    Ok((task, fields))
}

/// The test vector of a task; `Err` if its fields are not what `dp_task` encodes and accepts.
fn accepted((task, fields): &Written<'_>) -> Outcome<Vector> {
    let document = serde_json::to_value(task)?;
    let bytes: String = fields.iter().map(|field| field.1.as_str()).collect();
    let encoded = hexadecimal(&DpExtension::of(task).get_encoded()?);
    if encoded != bytes || is_refused(task, &bytes) {
        return Err(format!("{document}: {encoded} is not {bytes}").into());
    }
    let parameters = task.policy().parameters().into_iter();
    let filled = parameters.filter(|(name, _)| matches!(*name, "chunk_length" | "max_weight"));
    let filled: Map<String, Value> =
        filled.map(|(name, value)| (name.to_owned(), value.into())).collect();
    let fields: Vec<Value> = fields.iter().map(|(name, digits)| json!([name, digits])).collect();
    Ok(Vector {
        name: task.policy_name().name.to_owned(),
        input: json!({ "document": document, "filled_in": filled }),
        figures: vec![
            Figure::exact("digest", task.digest().to_string()),
            Figure::exact("fields", fields),
            Figure::exact("bytes", bytes),
        ],
    })
}

/// The test vector of a task whose `field` becomes the hexadecimal digits `changed`, which breaks
/// the rule; `Err` if `dp_task` accepts it.
fn refused(
    rule: &str,
    (task, fields): &Written<'_>,
    field: &str,
    changed: &str,
) -> Outcome<Vector> {
    let bytes: String = fields
        .iter()
        .map(|(name, digits)| if *name == field { changed } else { digits.as_str() })
        .collect();
    if !is_refused(task, &bytes) {
        return Err(format!("{rule}: {field} {changed} is accepted").into());
    }
    Ok(Vector {
        name: format!("refused: {rule}, {field} {changed}"),
        input: json!({ "bytes": bytes, "document": task }),
        figures: vec![Figure::exact("refused_by_rule", rule)],
    })
}

/// Whether `dp_task` refuses these encoded bytes, as hexadecimal digits, for the name and the VDAF
/// of a task.
fn is_refused(task: &Task, digits: &str) -> bool {
    let byte =
        |place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..digits.len() / 2).map(byte).collect();
    let document = task.document();
    let read = DpExtension::get_decoded(&bytes);
    !read.is_ok_and(|read| read.task(&document.name, document.vdaf.clone()).is_ok())
}
