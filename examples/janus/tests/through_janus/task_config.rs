//! The policy of a task goes through Janus's task configuration: its printer, its parser, and back.

use dp_libprio::Strategy;
use dp_task::Task;
use janus_example::task_config::{CODE_POINT, dp_config, strategy_of, task_of};
use janus_messages::taskprov::{
    DpConfig, DpMechanism, Query, QueryConfig, TaskConfig, VdafConfig, VdafType,
};
use janus_messages::{Duration, Time};
use prio_of_janus::codec::{Decode, Encode};

/// A histogram of 512 buckets, with Laplace noise for ε = 0.01.
fn task() -> Task {
    Task::from_toml(
        r#"version = 2
           name = "heights"
           vdaf = { type = "Prio3Histogram", aggregators = 2, length = 512, chunk_length = 32 }
           aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "0.01" } } }
           trust = { model = "OAOC" }
           batch = { min_reports = 3, max_reports = 100000 }"#,
    )
    .expect("a task")
}

fn config(name: &str, min_batch_size: u32, dp_config: DpConfig, length: u32) -> TaskConfig {
    let query =
        QueryConfig::new(Duration::from_seconds(3600), 1, min_batch_size, Query::TimeInterval);
    let vdaf = VdafType::Prio3Histogram { length, chunk_length: 32 };
    let vdaf = VdafConfig::new(dp_config, vdaf).expect("a VDAF");
    let url = |text: &str| text.as_bytes().try_into().expect("a URL");
    let (leader, helper) = (url("https://leader.example/"), url("https://helper.example/"));
    let end = Time::from_seconds_since_epoch(2_000_000_000);
    TaskConfig::new(name.into(), leader, helper, query, end, vdaf).expect("a configuration")
}

/// What a party receives.
fn sent(config: &TaskConfig) -> TaskConfig {
    let bytes = config.get_encoded().expect("bytes");
    let received = TaskConfig::get_decoded(&bytes).expect("a configuration");
    assert_eq!(received.get_encoded().expect("bytes"), bytes);
    received
}

/// The strategy of a server that has received the task's configuration.
pub(crate) fn strategy() -> Strategy {
    let sender = config("heights", 3, dp_config(&task()).expect("a policy"), 512);
    let received = task_of(&sent(&sender)).expect("the task");
    assert_eq!(received, task());
    strategy_of(&received).expect("noise")
}

#[test]
fn a_server_reads_the_noise_from_the_task_configuration() {
    let epsilon: dp_exact::Epsilon = "0.01".parse().expect("a number");
    assert_eq!(strategy(), Strategy::discrete_laplace(epsilon).expect("in range"));
}

#[test]
fn a_configuration_that_does_not_fit_its_policy_is_refused() {
    let right = dp_config(&task()).expect("a policy");
    let DpMechanism::Unrecognized { payload, .. } = right.dp_mechanism().clone() else {
        panic!("an own code point");
    };
    let other =
        |codepoint, payload| DpConfig::new(DpMechanism::Unrecognized { codepoint, payload });
    let mut stronger = payload.clone();
    *stronger.last_mut().expect("a digest") ^= 1;
    for (config, name) in [
        (config("weights", 3, right.clone(), 512), "digest"),
        (config("heights", 3, right.clone(), 511), "digest"),
        (config("heights", 3, other(CODE_POINT, stronger), 512), "digest"),
        (config("heights", 2, right, 512), "min_batch_size"),
        (config("heights", 3, other(CODE_POINT, payload[1..].to_vec()), 512), "adjacency"),
        (config("heights", 3, other(2, payload), 512), "dp_mechanism"),
        (config("heights", 3, DpConfig::new(DpMechanism::None), 512), "dp_mechanism"),
    ] {
        let refusal = task_of(&sent(&config)).expect_err(name).to_string();
        assert!(refusal.contains(name), "{name}: {refusal}");
    }
}
