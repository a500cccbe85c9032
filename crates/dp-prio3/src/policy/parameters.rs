//! Every parameter of a policy by name, as the exact string.

use dp_calibration::{Budget, Query};

use super::{AggregatorNoise, Policy, Vdaf};
use crate::randomizers::Randomizer;

type Parameters = Vec<(&'static str, String)>;

impl Policy {
    /// Every parameter by name, as the exact string.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let mut all = self.of_vdaf();
        let clients = self.checked.randomizer.as_ref().map(of_clients);
        let noise = self.of_noise();
        // Epsilon by itself is the guarantee of the aggregators' noise.
        let own = |name| match name {
            "epsilon" if !noise.is_empty() => "local_epsilon",
            name => name,
        };
        all.extend(clients.into_iter().flatten().map(|(name, value)| (own(name), value)));
        all.extend(noise);
        all.push(("min_reports", self.min_reports().to_string()));
        all.push(("max_reports", self.max_reports().to_string()));
        if let Some(AggregatorNoise::Compensation {
            target_honest_clients: target,
            assumed_malicious_clients: malicious,
        }) = &self.parts().aggregator_noise
        {
            all.push(("target_honest_clients", target.to_string()));
            all.push(("assumed_malicious_clients", malicious.to_string()));
        }
        all
    }

    /// The parameters of the VDAF, and the strategy matrix if there is one. Length, largest weight
    /// or measurement and chunk length are there only where the VDAF has them.
    fn of_vdaf(&self) -> Parameters {
        let mut all = vec![("aggregators", self.aggregators().to_string())];
        if !matches!(self.query(), Query::Count | Query::Sum { .. } | Query::Average { .. }) {
            all.push(("length", self.query().totals().to_string()));
        }
        match (&self.parts().vdaf, self.query()) {
            (_, Query::HistogramRanges { family, .. }) => {
                all.push(("strategy_matrix", family.to_string()));
            }
            (Vdaf::MultihotCountVec { .. }, _) => {
                all.push(("max_weight", self.max_weight().to_string()));
            }
            (Vdaf::Count { .. } | Vdaf::Histogram { .. }, _) => {}
            (vdaf, _) => all.push(("max_measurement", vdaf.size().max_measurement.to_string())),
        }
        all.extend(self.chunk_length().map(|length| ("chunk_length", length.to_string())));
        all
    }

    /// The parameters of the aggregators' noise: its budget, and its scale or variance. None
    /// without noise, and none for compensation.
    fn of_noise(&self) -> Parameters {
        let Some(noise) = self.mechanism() else {
            return Vec::new();
        };
        let mut all = match noise.budget() {
            Budget::Pure { epsilon } => vec![("epsilon", epsilon.to_string())],
            Budget::Approximate { epsilon, delta } => {
                vec![("epsilon", epsilon.to_string()), ("delta", delta.to_string())]
            }
            Budget::ZeroConcentrated { rho } => vec![("rho", rho.to_string())],
            Budget::Renyi { .. } => unreachable!("no noise is calibrated to a Rényi budget"),
        };
        let (name, value) = noise.distribution().parameter();
        all.push((name, value.to_string()));
        all
    }
}

/// The parameters of the clients' randomizer. An `epsilon` is the ε of one report.
fn of_clients(randomizer: &Randomizer) -> Parameters {
    match randomizer {
        Randomizer::RandomizedResponse(response) => {
            vec![("epsilon", response.epsilon0().to_string())]
        }
        Randomizer::Kary(response) => vec![("epsilon", response.epsilon().to_string())],
        Randomizer::CoinFlip(_) => vec![("ratio", dp_rappor::CoinFlip::RATIO.to_string())],
        Randomizer::Rappor(rappor) => vec![
            ("input_weight", rappor.input_weight.to_string()),
            ("one_hot", rappor.is_one_hot.to_string()),
            ("epsilon0", rappor.bits.epsilon0().to_string()),
            ("false_positive_rate", rappor.false_positive_rate.to_string()),
        ],
    }
}
