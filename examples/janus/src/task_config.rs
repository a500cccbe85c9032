//! The policy of a task inside Janus's task configuration, and back.
//!
//! The [`TaskConfig`] of a released Janus (DAP-09) has no task extensions. It has a field for a
//! mechanism of differential privacy, and keeps the bytes of a mechanism that it does not know:
//! they carry the policy, as `docs/dap-dp-extension.md` specifies it. The identifier of a task is
//! the hash of its configuration, so that no party can be given another policy for it.

use dp_exact::ParameterError;
use dp_libprio::Strategy;
use dp_task::{DpExtension, MeasurementRange, Task, Vdaf};
use janus_messages::taskprov::{DpConfig, DpMechanism, TaskConfig, VdafType};
use prio::codec::{Decode, Encode};

use crate::Error;

/// The mechanism's code point. None is registered: the parties agree on this one.
pub const CODE_POINT: u8 = 0xff;

/// The field of a task configuration that carries the policy of `task`.
///
/// # Errors
/// [`Error::Codec`] if the task has a parameter of more than 2048 bits.
pub fn dp_config(task: &Task) -> Result<DpConfig, Error> {
    let payload = DpExtension::of(task).get_encoded()?;
    Ok(DpConfig::new(DpMechanism::Unrecognized { codepoint: CODE_POINT, payload }))
}

/// The task of a configuration: the policy that it carries, with its name and its VDAF.
///
/// # Errors
/// [`Error`] if there is no policy, or its digest is not the one of this name and VDAF, or
/// its smallest batch is not Janus's.
pub fn task_of(config: &TaskConfig) -> Result<Task, Error> {
    let payload = match config.vdaf_config().dp_config().dp_mechanism() {
        DpMechanism::Unrecognized { codepoint: CODE_POINT, payload } => payload,
        other => {
            let accepted = format!("a policy, at code point {CODE_POINT}");
            return Err(ParameterError::new("dp_mechanism", format!("{other:?}"), accepted).into());
        }
    };
    let policy = DpExtension::get_decoded(payload)?;
    let smallest = config.query_config().min_batch_size();
    if u64::from(smallest) != policy.min_reports {
        let accepted = format!("{}, the policy's min_reports", policy.min_reports);
        return Err(ParameterError::new("min_batch_size", smallest, accepted).into());
    }
    let name = String::from_utf8_lossy(config.task_info());
    Ok(policy.task(&name, vdaf(config.vdaf_config().vdaf_type())?)?)
}

/// The noise that each aggregator adds to its share.
///
/// # Errors
/// [`Error::Parameter`] for a policy whose aggregators draw no noise, or draw it behind a strategy
/// matrix, which this crate's collector does not solve.
pub fn strategy_of(task: &Task) -> Result<Strategy, Error> {
    let plain = Strategy::of(task.policy()).filter(|_| task.query().strategy_matrix().is_none());
    plain.ok_or_else(|| {
        let accepted = "a policy with discrete Laplace or Gaussian noise of the aggregators";
        ParameterError::new("policy", task.policy_name().name, accepted).into()
    })
}

/// The VDAF of a task document: Janus states the bits of the largest measurement.
fn vdaf(vdaf: &VdafType) -> Result<Vdaf, ParameterError> {
    let range = |bits: u8| {
        let largest = 1_u128.checked_shl(bits.into()).map_or(u128::MAX, |above| above - 1);
        MeasurementRange::MaxMeasurement(largest)
    };
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let aggregators = 2;
    Ok(match *vdaf {
        VdafType::Prio3Count => Vdaf::Count { aggregators },
        VdafType::Prio3Sum { bits } => Vdaf::Sum { aggregators, range: range(bits) },
        VdafType::Prio3SumVec { length, bits, chunk_length } => Vdaf::SumVec {
            aggregators,
            length: number(length),
            range: range(bits),
            chunk_length: Some(number(chunk_length)),
        },
        VdafType::Prio3Histogram { length, chunk_length } => Vdaf::Histogram {
            aggregators,
            length: number(length),
            chunk_length: Some(number(chunk_length)),
        },
        ref other => {
            let accepted = "Prio3Count, Prio3Sum, Prio3SumVec or Prio3Histogram";
            return Err(ParameterError::new("vdaf_type", format!("{other:?}"), accepted));
        }
    })
}
