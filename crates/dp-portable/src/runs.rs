//! Runs of every policy with fixed seeds: totals and noise are drawn, estimates made.

use std::sync::Arc;

use dp_simulation::dp_prio3::DpPolicy;
use dp_simulation::dp_task::{Measured, POLICIES, PolicyName, PolicyVisitor, Size, Task, VdafType};
use dp_simulation::{Measurements, Outcome, Population, Simulation};

use crate::Error;
use crate::answers::Answers;

const LENGTH: usize = 4;

/// The small task of a policy.
fn task(policy: &PolicyName) -> Result<Task, Error> {
    let mut document = policy.example()?;
    document.vdaf = policy.vdaf.of_size(Size {
        aggregators: 2,
        length: LENGTH,
        max_measurement: 10,
        max_weight: policy.client_noise.is_none().then_some(2),
    });
    Ok(Task::new(document)?)
}

/// Of each policy what its task says.
pub(crate) fn tasks(answers: &mut Answers) -> Result<(), Error> {
    for policy in POLICIES {
        let question = |of: &str| format!("{of} of {}", policy.name);
        let task = task(policy)?;
        answers.add(question("digest"), task.digest())?;
        let guarantee = one_line(&task.guarantee().to_string());
        answers.add(question("guarantee"), guarantee)?;
        for (name, value) in task.parameters() {
            answers.add(question(name), value)?;
        }
    }
    Ok(())
}

/// Of each policy a run without Prio3, whose reports nobody can repeat: the estimates of its first trial, and the
/// digest of those of all trials. It needs threads.
pub(crate) fn outcomes(answers: &mut Answers) -> Result<(), Error> {
    for policy in POLICIES {
        let question = |of: &str| format!("{of} of {}", policy.name);
        let outcome = task(policy)?.with_policy(Run(measurements(policy)?))?;
        let first = outcome.trials.first().ok_or("no trial")?;
        let estimates = first.coordinates.iter();
        let estimates = estimates.map(|one| (one.estimate, one.standard_error));
        let estimates: Vec<_> = estimates.collect();
        answers.add(question("estimates"), format_args!("{estimates:?}"))?;
        let summary = &outcome.summary;
        answers.add(
            question("results"),
            format_args!("{:?}", summary.results_digest),
        )?;
        answers.add_float(question("predicted error"), summary.predicted_std)?;
        answers.add_float(question("observed error"), summary.observed_std)?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// 60 clients.
fn measurements(policy: &PolicyName) -> Result<Measurements, Error> {
    let place = |client: usize| client % 3;
    let one_hot = move |client| (0..LENGTH).map(move |at| at == place(client));
    let clients = 0..60_usize;
    Ok(match policy.vdaf {
        VdafType::Count => clients
            .map(|client| client % 3 == 0)
            .collect::<Vec<_>>()
            .into(),
        VdafType::Sum | VdafType::Average => (0..60_u128)
            .map(|client| client % 11)
            .collect::<Vec<_>>()
            .into(),
        VdafType::Histogram => clients.map(place).collect::<Vec<_>>().into(),
        VdafType::MultihotCountVec => {
            Measurements::bit_vectors(clients.map(|client| one_hot(client).collect::<Vec<_>>()))?
        }
        VdafType::SumVec | VdafType::L1BoundSum => {
            let entries = |client| one_hot(client).map(u128::from).collect::<Vec<_>>();
            Measurements::integer_vectors(clients.map(entries))?
        }
    })
}

struct Run(Measurements);

impl PolicyVisitor for Run {
    type Output = Result<Outcome, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let population = Population::each_once(self.0)?;
        let simulation = Simulation::new(Arc::new(policy), population, 3, 17, 1)?;
        Ok(simulation.run_ideal(&|_| ())?)
    }
}
