//! What honest clients hide for each other, with and without noise of aggregators.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_amplification::compensation::{Batch, Compensation};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, NoiseLaw};

use crate::Error;
use crate::answers::Answers;

const CROWDS: [(&str, u64); 5] = [
    ("0.3", 20),
    ("2", 300),
    ("5", 1_000),
    ("5", 100_000),
    ("3", 1_000_000),
];

/// Sums of randomized bits and of k-ary answers.
pub(crate) fn bits(answers: &mut Answers) -> Result<(), Error> {
    for (epsilon0, clients) in CROWDS {
        let crowd = AggregatedRappor::new(epsilon0.parse()?, clients)?;
        for delta_text in ["1e-6", "1e-9"] {
            let delta = delta_text.parse()?;
            for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
                let question = |of: &str| {
                    format!("{of} of {clients} at {epsilon0}, {delta_text}, {adjacency:?}")
                };
                let bounds = crowd.epsilon(&delta, adjacency)?;
                answers.add(question("epsilon"), format_args!("{bounds:?}"))?;
                let attained = crowd.attained_epsilon(&delta, adjacency)?;
                answers.add(question("attained"), format_args!("{attained:?}"))?;
            }
            let question = |of: &str| format!("{of} of {clients} at {epsilon0}, {delta_text}");
            let several = crowd.epsilon_of_counts(&delta, 5)?;
            answers.add(question("epsilon of 5 counts"), several)?;
            let response = AggregatedResponse::new(epsilon0.parse()?, 7, clients)?;
            let bounds = response.epsilon(&delta)?;
            answers.add(question("epsilon of answers"), format_args!("{bounds:?}"))?;
        }
        let bounds = crowd.delta(&"0.25".parse()?, Adjacency::Replacement)?;
        answers.add(
            format_args!("delta of {clients} at {epsilon0}"),
            format_args!("{bounds:?}"),
        )?;
    }
    Ok(())
}

/// Clients and aggregators together, and added reports.
pub(crate) fn noisy(answers: &mut Answers) -> Result<(), Error> {
    let delta = "1e-9".parse()?;
    let laws = [
        NoiseLaw::DiscreteGaussian {
            variance: "400".parse()?,
        },
        NoiseLaw::DiscreteLaplace {
            scale: "12".parse()?,
        },
    ];
    for (epsilon0, clients) in &CROWDS[..4] {
        for law in &laws {
            let hedged = Hedged::new(epsilon0.parse()?, *clients, law.clone(), 1)?;
            let bounds = hedged.epsilon(&delta, Adjacency::Replacement)?;
            let question = format!("epsilon of {clients} at {epsilon0} with {law:?}");
            answers.add(question, format_args!("{bounds:?}"))?;
        }
        let batch = Batch {
            reports: *clients,
            malicious: clients / 10,
        };
        let plan = Compensation::new(epsilon0.parse()?, batch, clients + 5, 2)?;
        let bounds = plan.epsilon(&delta, Adjacency::Replacement)?;
        let question = |of: &str| format!("{of} of {clients} compensated at {epsilon0}");
        answers.add(question("epsilon"), format_args!("{bounds:?}"))?;
        answers.add_float(question("error"), plan.standard_error())?;
        answers.add_float(question("bias"), plan.bias(1, *clients))?;
    }
    Ok(())
}
