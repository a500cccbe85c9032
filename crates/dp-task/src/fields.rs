//! Which fields a document must have, and which contradict the others.

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::TrustModel;

use crate::catalogue::{POLICIES, PolicyName};
use crate::document::{
    AggregatorNoise, Batch, BudgetKind, ClientNoise, Document, Mechanism, Randomizer, Trust,
    VERSION, Vdaf, VdafType,
};
use crate::error::{refused, required};
use crate::exact::Exact;
use crate::{Error, compensation};

/// The longest name of a task, in bytes.
const MAX_NAME: usize = 256;

/// Refuses what can be refused before a policy is built.
pub(crate) fn check(document: &Document) -> Result<(), Error> {
    let version = required("version", document.version.as_ref(), "the integer 1")?;
    if version != VERSION {
        return Err(ParameterError::new("version", version, "the integer 1").into());
    }
    let accepted = "a text of 1 to 256 bytes without control characters";
    let name = required("name", document.name.as_ref(), accepted)?;
    if !(1..=MAX_NAME).contains(&name.len()) || name.chars().any(char::is_control) {
        return Err(ParameterError::new("name", name, accepted).into());
    }
    document.vdaf.required_type()?;
    document.measured()?.check()?;
    check_policy(document)?;
    if let Some(noise) = &document.client_noise {
        noise.check()?;
    }
    if let Some(noise) = &document.aggregator_noise {
        noise.check()?;
    }
    document.batch.check()?;
    compensation::check_batch(document)?;
    document.trust.check(document)?;
    Ok(())
}

/// Refuses noise that does not go with the VDAF.
fn check_policy(document: &Document) -> Result<(), Error> {
    let vdaf = document.vdaf.required_type()?;
    if let Some(noise) = &document.client_noise {
        noise.required_mechanism()?;
    }
    if let Some(noise) = &document.aggregator_noise {
        noise.required_mechanism()?;
    }
    if PolicyName::of(document).is_some() {
        return Ok(());
    }
    let there_are = |policy: &&PolicyName| policy.vdaf == vdaf;
    let named: Vec<&str> = POLICIES
        .iter()
        .filter(there_are)
        .map(|policy| policy.name)
        .collect();
    let accepted = format!("noise that makes one of the policies {}", named.join(", "));
    let (field, value) = match (&document.client_noise, &document.aggregator_noise) {
        (Some(noise), _) => ("client_noise.mechanism", noise.required_mechanism()?.name()),
        (None, Some(noise)) => (
            "aggregator_noise.mechanism",
            noise.required_mechanism()?.name(),
        ),
        (None, None) => ("aggregator_noise", "missing, and client_noise too"),
    };
    Err(ParameterError::new(field, value, accepted).into())
}

impl Vdaf {
    fn check(&self) -> Result<(), ParameterError> {
        let kind = self.required_type()?;
        self.required_aggregators()?;
        let because = format!("with {kind}");
        let is_vector = !matches!(kind, VdafType::Count | VdafType::Sum | VdafType::Average);
        if is_vector {
            self.required_length()?;
        } else {
            refused("vdaf.length", self.length.as_ref(), &because)?;
            refused("vdaf.chunk_length", self.chunk_length.as_ref(), &because)?;
        }
        if matches!(
            kind,
            VdafType::Count | VdafType::Histogram | VdafType::MultihotCountVec
        ) {
            refused(
                "vdaf.max_measurement",
                self.max_measurement.as_ref(),
                &because,
            )?;
        } else {
            self.required_max_measurement()?;
        }
        if kind != VdafType::MultihotCountVec {
            refused("vdaf.max_weight", self.max_weight.as_ref(), &because)?;
        }
        Ok(())
    }

    pub(crate) fn required_type(&self) -> Result<VdafType, ParameterError> {
        required("vdaf.type", self.r#type.as_ref(), VdafType::ACCEPTED)
    }

    pub(crate) fn required_aggregators(&self) -> Result<usize, ParameterError> {
        required(
            "vdaf.aggregators",
            self.aggregators.as_ref(),
            "an integer from 2 to 254",
        )
    }

    pub(crate) fn required_length(&self) -> Result<usize, ParameterError> {
        required(
            "vdaf.length",
            self.length.as_ref(),
            "how many entries a measurement has",
        )
    }

    pub(crate) fn required_max_measurement(&self) -> Result<u128, ParameterError> {
        let accepted = "the largest measurement, an integer of at least 1";
        required(
            "vdaf.max_measurement",
            self.max_measurement.as_ref(),
            accepted,
        )
    }

    pub(crate) fn required_max_weight(&self) -> Result<usize, ParameterError> {
        let accepted = "the most ones in a measurement, an integer from 1 to vdaf.length";
        required("vdaf.max_weight", self.max_weight.as_ref(), accepted)
    }
}

impl ClientNoise {
    fn check(&self) -> Result<(), ParameterError> {
        use Randomizer::{
            BasicRappor, CoinFlip, KaryRandomizedResponse, OneHotRappor, RandomizedResponse,
            SymmetricRappor,
        };
        let mechanism = self.required_mechanism()?;
        let because = format!("with mechanism {mechanism}");
        match mechanism {
            RandomizedResponse | KaryRandomizedResponse | BasicRappor => {
                self.required_epsilon()?;
                refused("client_noise.epsilon0", self.epsilon0.as_ref(), &because)?;
            }
            SymmetricRappor | OneHotRappor => {
                self.required_epsilon0()?;
                refused("client_noise.epsilon", self.epsilon.as_ref(), &because)?;
            }
            CoinFlip => {
                refused("client_noise.epsilon", self.epsilon.as_ref(), &because)?;
                refused("client_noise.epsilon0", self.epsilon0.as_ref(), &because)?;
            }
        }
        let (weight, rate) = (
            self.input_weight.as_ref(),
            self.false_positive_rate.as_ref(),
        );
        if mechanism == SymmetricRappor {
            self.required_input_weight()?;
        } else {
            refused("client_noise.input_weight", weight, &because)?;
        }
        if matches!(mechanism, SymmetricRappor | OneHotRappor | BasicRappor) {
            self.required_rate()?;
        } else {
            refused("client_noise.false_positive_rate", rate, &because)?;
        }
        Ok(())
    }

    pub(crate) fn required_mechanism(&self) -> Result<Randomizer, ParameterError> {
        required(
            "client_noise.mechanism",
            self.mechanism.as_ref(),
            Randomizer::ACCEPTED,
        )
    }

    pub(crate) fn required_epsilon(&self) -> Result<Epsilon, ParameterError> {
        required(
            "client_noise.epsilon",
            self.epsilon.as_ref(),
            Epsilon::ACCEPTED,
        )
    }

    pub(crate) fn required_epsilon0(&self) -> Result<Epsilon, ParameterError> {
        required(
            "client_noise.epsilon0",
            self.epsilon0.as_ref(),
            Epsilon::ACCEPTED,
        )
    }

    pub(crate) fn required_input_weight(&self) -> Result<usize, ParameterError> {
        let accepted = "the most ones in a measurement before it is randomized";
        required(
            "client_noise.input_weight",
            self.input_weight.as_ref(),
            accepted,
        )
    }

    pub(crate) fn required_rate(&self) -> Result<Rational, ParameterError> {
        let accepted = "the fraction of honest reports that may be lost, such as \"1e-9\"";
        let field = "client_noise.false_positive_rate";
        required(field, self.false_positive_rate.as_ref(), accepted)
    }
}

impl AggregatorNoise {
    fn check(&self) -> Result<(), ParameterError> {
        if self.required_mechanism()? == Mechanism::Compensation {
            return self.check_compensation();
        }
        self.check_no_compensation()?;
        let kind = self.required_budget()?;
        let because = format!("with budget {kind}");
        let (epsilon, delta, rho) = (
            self.epsilon.as_ref(),
            self.delta.as_ref(),
            self.rho.as_ref(),
        );
        match kind {
            BudgetKind::Pure => {
                self.required_epsilon()?;
                refused("aggregator_noise.delta", delta, &because)?;
                refused("aggregator_noise.rho", rho, &because)
            }
            BudgetKind::Approximate => {
                self.epsilon_delta()?;
                refused("aggregator_noise.rho", rho, &because)
            }
            BudgetKind::ZeroConcentrated => {
                self.required_rho()?;
                refused("aggregator_noise.epsilon", epsilon, &because)?;
                refused("aggregator_noise.delta", delta, &because)
            }
        }
    }

    pub(crate) fn required_mechanism(&self) -> Result<Mechanism, ParameterError> {
        required(
            "aggregator_noise.mechanism",
            self.mechanism.as_ref(),
            Mechanism::ACCEPTED,
        )
    }

    pub(crate) fn required_budget(&self) -> Result<BudgetKind, ParameterError> {
        required(
            "aggregator_noise.budget",
            self.budget.as_ref(),
            BudgetKind::ACCEPTED,
        )
    }

    pub(crate) fn required_epsilon(&self) -> Result<Epsilon, ParameterError> {
        required(
            "aggregator_noise.epsilon",
            self.epsilon.as_ref(),
            Epsilon::ACCEPTED,
        )
    }

    pub(crate) fn required_rho(&self) -> Result<Rho, ParameterError> {
        required("aggregator_noise.rho", self.rho.as_ref(), Rho::ACCEPTED)
    }

    pub(crate) fn epsilon_delta(&self) -> Result<Budget, ParameterError> {
        let delta = required(
            "aggregator_noise.delta",
            self.delta.as_ref(),
            Delta::ACCEPTED,
        )?;
        Ok(Budget::approximate(self.required_epsilon()?, delta))
    }

    /// The field that sets how much noise there is, with its value.
    pub(crate) fn dial(&self) -> Option<(&'static str, String)> {
        let epsilon = self.epsilon.as_ref().map(Epsilon::to_string);
        let rho = self.rho.as_ref().map(Rho::to_string);
        epsilon
            .map(|value| ("aggregator_noise.epsilon", value))
            .or_else(|| rho.map(|value| ("aggregator_noise.rho", value)))
    }
}

impl Batch {
    fn check(&self) -> Result<(), ParameterError> {
        let min = self.required_min_reports()?;
        if min == 0 {
            return Err(ParameterError::new(
                "batch.min_reports",
                min,
                "an integer of at least 1",
            ));
        }
        match self.max_reports {
            Some(max) if max < min => {
                let accepted = format!("at least batch.min_reports, {min}");
                Err(ParameterError::new("batch.max_reports", max, accepted))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn required_min_reports(&self) -> Result<u64, ParameterError> {
        let accepted = "the fewest reports in a batch, an integer of at least 1";
        required("batch.min_reports", self.min_reports.as_ref(), accepted)
    }
}

impl Trust {
    fn check(&self, document: &Document) -> Result<(), ParameterError> {
        let model = self.required_model()?;
        let clients = self.honest_clients;
        let because = format!(
            "in trust model {}, which counts on none",
            model.abbreviation()
        );
        let counts_on_clients = model.needs_other_clients();
        let most = document.vdaf.required_aggregators()?;
        if usize::from(model.honest_aggregators()) > most {
            let accepted = format!(
                "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
            );
            let model = model.abbreviation();
            return Err(ParameterError::new("trust.model", model, accepted));
        }
        if counts_on_clients {
            let accepted = "how many clients of a batch are honest";
            let honest = required("trust.honest_clients", clients.as_ref(), accepted)?;
            let least = document.batch.required_min_reports()?;
            if !(1..=least).contains(&honest) {
                let accepted = format!("an integer from 1 to batch.min_reports, {least}");
                return Err(ParameterError::new(
                    "trust.honest_clients",
                    honest,
                    accepted,
                ));
            }
        } else {
            refused("trust.honest_clients", clients.as_ref(), &because)?;
        }
        if counts_on_clients && document.client_noise.is_some() {
            let delta = required("trust.delta", self.delta.as_ref(), Delta::ACCEPTED)?;
            if delta.value().is_zero() {
                let accepted = "above 0: clients hide each other only but for some delta";
                return Err(ParameterError::new("trust.delta", delta, accepted));
            }
            return Ok(());
        }
        let because =
            "unless clients add noise and the trust model counts on most clients, as OAMC does";
        refused("trust.delta", self.delta.as_ref(), because)
    }

    pub(crate) fn required_model(&self) -> Result<TrustModel, ParameterError> {
        required("trust.model", self.model.as_ref(), TrustModel::ACCEPTED)
    }
}
