//! `calibrate rappor`: the guarantee of the sum of many clients' randomized one-hot vectors.

use clap::Args;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{Adjacency, TrustModel};
use dp_exact::{Delta, Epsilon, grouped};
use dp_rappor::SymmetricRappor;

use super::certificate::{Candidates, CertifiedMechanism, PrivacyClaim};
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{about, adjacency, clients};

/// Epsilon of a sum of randomized one-hot vectors, whatever the other clients hold
#[derive(Args, Debug)]
pub(super) struct Options {
    /// RAPPOR's parameter: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Epsilon,
    /// Honest clients, the protected one among them
    #[arg(long, alias = "n", value_parser = clients)]
    clients: u64,
    /// Delta of the guarantee
    #[arg(long)]
    delta: Delta,
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { epsilon0, clients, delta, adjacency } = options;
    let sum = AggregatedRappor::new(epsilon0.clone(), *clients)?;
    let title = format!(
        "Sum of {} honest clients' one-hot vectors under symmetric RAPPOR with epsilon0 \
         {epsilon0}, at delta {delta} under {adjacency}",
        grouped(clients)
    );
    let bounds = sum.epsilon(delta, *adjacency)?;
    let std = about(SymmetricRappor::new(epsilon0.clone())?.standard_deviation(*clients))?;
    let mechanism = CertifiedMechanism::AggregatedRappor {
        epsilon0: epsilon0.clone(),
        clients: *clients,
        noise: None,
    };
    let claim = PrivacyClaim::new(
        (&bounds.upper, delta.value()),
        *adjacency,
        TrustModel::OneAggregatorMostClients,
        vec![(mechanism, 1)],
    );
    let neither = "other clients that hold any other value";
    Ok(Figures::titled(title)
        .at_delta(delta)
        .bounds_of_aggregation(&bounds.upper, &bounds.lower, &bounds.attained_by, neither)
        .figure("std", std, "standard deviation of every debiased count")
        .local_epsilon(&sum.local_epsilon(*adjacency))
        .because(sum.certificate(&bounds, delta))
        .certified_by(Candidates::of(&claim)))
}
