//! An audit of a policy: each guarantee against the adversary that it is about.

use dp_exact::{Delta, ParameterError, Rational};
use dp_prio3::{Circumstances, Policy, TrustModel};
use serde::Serialize;

use crate::Error;
use crate::audit::{Audit, Generator, Input, LowerBound};
use crate::neighbours::OwnedMeasurement;

/// A guarantee (ε, δ) beside the lower bound on ε of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The trust model of the guarantee.
    pub trust_model: TrustModel,
    /// The guaranteed ε, to the nearest double.
    pub epsilon: f64,
    /// The lower bound on ε. Its δ is the guaranteed one, to the nearest double.
    #[serde(flatten)]
    pub bound: LowerBound,
}

impl Finding {
    /// Whether the guarantee is broken: the lower bound exceeds the guaranteed ε. If the guarantee
    /// holds, that happens with probability at most [`LowerBound::error`].
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.bound.epsilon > self.epsilon
    }
}

/// The guarantees of a policy that are audited, and the runs that audit them.
///
/// The clients' randomization and the aggregators' noise run as in a deployment; the rest of Prio3
/// reveals nothing, and is left out. The adversary of a trust model sees
///
/// - **OC**: the report of the client, which all aggregators together can read;
/// - **OAOC**: the totals with the noise of one aggregator alone. The adversary has subtracted the
///   known reports of all other clients, and the shares and noise of the malicious aggregators;
/// - **OAMC**: these totals plus the reports of the other honest clients, all of whom have the
///   measurement of the second input;
///
/// each time with the number of reports, so that a dropped report shows.
#[derive(Clone, Debug)]
pub struct PolicyAudit {
    /// The settings of each lower bound.
    pub audit: Audit,
    /// Number of honest clients where a model counts on them. Each of them is run.
    pub honest_clients: u64,
    /// The δ of the guarantees.
    pub deltas: Vec<Delta>,
}

impl PolicyAudit {
    /// Audits the guarantees of `policy` in OC, OAOC and OAMC, between the farthest measurements of
    /// its query.
    ///
    /// # Errors
    /// If the policy does not run, or has no two different measurements.
    pub fn findings(&self, policy: &Policy) -> Result<Vec<Finding>, Error> {
        let [first, second] = OwnedMeasurement::farthest_pair(policy.query())?;
        let width = 1 + policy.query().totals();
        let mut findings = Vec::new();
        for trust_model in TrustModel::ALL {
            // The smallest proved ε at each δ, and its δ, which is 0 for a pure guarantee.
            let mut pairs: Vec<[f64; 2]> = Vec::new();
            for delta in &self.deltas {
                let circumstances = Circumstances::new(self.honest_clients, delta.clone());
                let Ok(pair) = policy.pair(trust_model, &circumstances) else { continue };
                let pair = [pair.epsilon.value(), pair.delta.value()].map(Rational::to_f64);
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            if pairs.is_empty() {
                continue;
            }
            // Reports of others without randomization would only add to what is known.
            let is_hidden =
                policy.parts().client_noise.is_some() && trust_model.needs_other_clients();
            let others = if is_hidden { self.honest_clients.saturating_sub(1) } else { 0 };
            let run = |input, generator: &mut Generator, output: &mut [i64]| {
                let own = if input == Input::First { &first } else { &second };
                let others = (0..others).map(|_| &second);
                observe(policy, trust_model, std::iter::once(own).chain(others), generator, output)
            };
            let deltas: Vec<f64> = pairs.iter().map(|[_, delta]| *delta).collect();
            let bounds = self.audit.lower_bounds(width, &deltas, &run)?.into_iter();
            let finding =
                |([epsilon, _], bound): ([f64; 2], _)| Finding { trust_model, epsilon, bound };
            findings.extend(pairs.into_iter().zip(bounds).map(finding));
        }
        Ok(findings)
    }
}

/// Writes to `output` what the adversary of `model` sees: the number of reports, the least of a
/// batch plus those that clients with `measurements` send, then the totals of the latter, with the
/// noise of one aggregator if the model has an honest one.
fn observe<'a>(
    policy: &Policy,
    model: TrustModel,
    measurements: impl Iterator<Item = &'a OwnedMeasurement>,
    generator: &mut Generator,
    output: &mut [i64],
) -> Result<(), Error> {
    let mut totals = vec![0; policy.query().totals()];
    let mut add = |entries: Vec<i128>| {
        totals.iter_mut().zip(entries).for_each(|(total, entry)| *total += entry);
    };
    // Known reports fill a batch up to the smallest that is released.
    let mut reports = policy.min_reports();
    for measurement in measurements {
        match policy.randomized_entries(measurement.measurement(policy.query()), generator) {
            Ok(entries) => {
                add(entries);
                reports += 1;
            }
            // A report that is too heavy to be sent.
            Err(dp_prio3::Error::Dropped { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if model.honest_aggregators() > 0 {
        add(policy.noise(reports, generator)?);
    }
    for (entry, value) in output.iter_mut().zip([i128::from(reports)].into_iter().chain(totals)) {
        let accepted = "an integer of at most 63 bits";
        let integer = i64::try_from(value);
        *entry = integer.map_err(|_| ParameterError::new("a total", value, accepted))?;
    }
    Ok(())
}
