//! Compensation in a document: aggregators add the reports that a batch lacks, of clients that hold
//! nothing.
//!
//! With n reports, f of them assumed malicious and H honest ones wanted, M = max(0, H − (n − f)) are
//! added. H is `aggregator_noise.wanted_honest_clients`, f is
//! `aggregator_noise.assumed_malicious_clients`.

use dp_exact::ParameterError;
use dp_prio3::{CompensatedRappor, MultihotRappor, PolicyDescription as _};

use crate::Error;
use crate::build::at;
use crate::document::{AggregatorNoise, Document, Mechanism};
use crate::error::{refused, required};

/// The paths of the fields.
const WANTED: &str = "aggregator_noise.wanted_honest_clients";
const MALICIOUS: &str = "aggregator_noise.assumed_malicious_clients";

/// The clients' policy, made up for by the aggregators. The largest batch has a plan, hence every
/// smaller one that is released.
pub(crate) fn compensated(
    clients: MultihotRappor,
    noise: &AggregatorNoise,
) -> Result<CompensatedRappor, Error> {
    let (wanted, malicious) = (noise.required_wanted()?, noise.required_malicious()?);
    let failed = |error| at("aggregator_noise", None, error);
    let policy = CompensatedRappor::new(clients, wanted, malicious).map_err(failed)?;
    policy.plan(policy.max_reports()).map_err(failed)?;
    Ok(policy)
}

impl AggregatorNoise {
    /// The fields of compensation, where that is the mechanism, and no others.
    pub(crate) fn check_compensation(&self) -> Result<(), ParameterError> {
        self.required_wanted()?;
        self.required_malicious()?;
        let because = "with mechanism compensation";
        refused("aggregator_noise.budget", self.budget.as_ref(), because)?;
        refused("aggregator_noise.epsilon", self.epsilon.as_ref(), because)?;
        refused("aggregator_noise.delta", self.delta.as_ref(), because)?;
        refused("aggregator_noise.rho", self.rho.as_ref(), because)
    }

    /// None of the fields of compensation, where another mechanism is asked for.
    pub(crate) fn check_no_compensation(&self) -> Result<(), ParameterError> {
        let because = "unless the mechanism is compensation";
        refused(WANTED, self.wanted_honest_clients.as_ref(), because)?;
        refused(MALICIOUS, self.assumed_malicious_clients.as_ref(), because)
    }

    fn required_wanted(&self) -> Result<u64, ParameterError> {
        let accepted = "how many honest clients a batch is made up to, from 1 to 10000000000";
        required(WANTED, self.wanted_honest_clients.as_ref(), accepted)
    }

    fn required_malicious(&self) -> Result<u64, ParameterError> {
        let accepted = "how many clients of a batch may be malicious, from 0";
        required(MALICIOUS, self.assumed_malicious_clients.as_ref(), accepted)
    }
}

/// A batch of the fewest reports has an honest one among them.
pub(crate) fn check_batch(document: &Document) -> Result<(), ParameterError> {
    let Some(malicious) = malicious(document) else {
        return Ok(());
    };
    let least = document.batch.required_min_reports()?;
    if malicious >= least {
        let accepted = format!("below batch.min_reports, {least}");
        return Err(ParameterError::new(MALICIOUS, malicious, accepted));
    }
    Ok(())
}

fn malicious(document: &Document) -> Option<u64> {
    let noise = document.aggregator_noise.as_ref()?;
    let compensates = noise.mechanism == Some(Mechanism::Compensation);
    noise.assumed_malicious_clients.filter(|_| compensates)
}
