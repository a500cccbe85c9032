//! A checked task: a policy with a guarantee in its trust model.

use dp_exact::{Delta, ParameterError};
use dp_prio3::{Amount, Circumstances, Guarantee, Policy, PrivacyBound, WEAK};
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::catalogue::{POLICIES, PolicyName};
use crate::document::{TaskDocument, Trust};

/// The δ at which guarantees are reported if neither the document's trust nor its noise states a δ.
const DEFAULT_DELTA: &str = "1e-9";

/// A task whose policy has a guarantee in its trust model.
#[derive(Clone, Debug)]
pub struct Task {
    document: TaskDocument,
    policy: Policy,
    circumstances: Circumstances,
    guarantee: Guarantee,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

impl Task {
    /// Checks a document as a whole.
    ///
    /// # Errors
    /// The first field that is wrong, by its path.
    pub fn new(document: TaskDocument) -> Result<Self, Error> {
        let policy = Policy::new(document.parts())?;
        document.trust.check(&policy, document.client_noise.is_some())?;
        let circumstances = circumstances(&document)?;
        let guarantee = policy.guarantee(document.trust.model, &circumstances);
        check(&document.trust, &guarantee)?;
        Ok(Self { document, policy, circumstances, guarantee })
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// As [`TaskDocument::from_toml`] and [`Self::new`].
    pub fn from_toml(text: impl AsRef<str>) -> Result<Self, Error> {
        Self::new(TaskDocument::from_toml(text.as_ref())?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// As [`TaskDocument::from_json`] and [`Self::new`].
    pub fn from_json(text: impl AsRef<str>) -> Result<Self, Error> {
        Self::new(TaskDocument::from_json(text.as_ref())?)
    }

    /// The document as TOML.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_toml(&self) -> Result<String, Error> {
        self.document.to_toml()
    }

    /// The document as JSON.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> Result<String, Error> {
        self.document.to_json()
    }

    /// The query that the policy answers.
    #[must_use]
    pub fn query(&self) -> &dp_calibration::Query {
        self.policy.query()
    }

    /// The policy by name.
    ///
    /// # Errors
    /// If the catalogue has no such combination.
    pub fn policy_name(&self) -> PolicyName {
        let same = |policy: &&PolicyName| PolicyName::of(&self.document).is_ok_and(|own| own == **policy);
        POLICIES.iter().find(same).copied().unwrap_or(POLICIES[0])
    }

    /// All parameters of the policy by name.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        self.policy.parameters()
    }

    /// The number of releases in which one person takes part.
    #[must_use]
    pub fn releases(&self) -> u32 {
        u32::try_from(self.document.trust.releases.unwrap_or(1)).unwrap_or(u32::MAX)
    }

    /// The document.
    #[must_use]
    pub const fn document(&self) -> &TaskDocument {
        &self.document
    }

    /// The policy, from which every party is made.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The number of honest clients and the δ at which guarantees are reported.
    #[must_use]
    pub const fn circumstances(&self) -> &Circumstances {
        &self.circumstances
    }

    /// The proved guarantee in the trust model of the document.
    #[must_use]
    pub const fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The digest, by which parties know that they hold the same task: SHA-256 of its canonical bytes.
    /// Format, order, notation of numbers and spelled-out defaults do not change it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut bytes = b"dp-task 3".to_vec();
        bytes.extend((self.document.name.len() as u64).to_be_bytes());
        bytes.extend(self.document.name.as_bytes());
        self.policy.encode(&mut bytes);
        let Trust { model, honest_clients, delta, releases, accept_weak_guarantee } =
            &self.document.trust;
        bytes.extend([model.honest_aggregators(), model.needs_other_clients().into()]);
        bytes.extend(honest_clients.unwrap_or(0).to_be_bytes());
        let delta = delta.as_ref().map_or_else(String::new, |delta| format!("{}/{}", delta.value().numerator(), delta.value().denominator()));
        bytes.extend((delta.len() as u64).to_be_bytes());
        bytes.extend(delta.as_bytes());
        bytes.extend(releases.unwrap_or(1).to_be_bytes());
        bytes.push(accept_weak_guarantee.unwrap_or(false).into());
        Sha256::digest(bytes).into()
    }
}

impl Trust {
    /// `Err`, with the field's name, for a contradiction with the policy.
    fn check(&self, policy: &Policy, clients_randomize: bool) -> Result<(), ParameterError> {
        let most = policy.aggregators();
        if usize::from(self.model.honest_aggregators()) > most {
            let accepted = format!(
                "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
            );
            return Err(ParameterError::new("trust.model", self.model.abbreviation(), accepted));
        }
        let counts = self.model.needs_other_clients();
        let accepted = match (counts, self.honest_clients) {
            (false, None) => None,
            (true, Some(honest)) if (1..=policy.min_reports()).contains(&honest) => None,
            (true, _) => Some(format!("an integer from 1 to batch.min_reports, {}", policy.min_reports())),
            (false, Some(_)) => Some(format!("no such field in {}", self.model.abbreviation())),
        };
        if let Some(accepted) = accepted {
            let value = self.honest_clients.map_or("missing".to_owned(), |honest| honest.to_string());
            return Err(ParameterError::new("trust.honest_clients", value, accepted));
        }
        if counts && clients_randomize && self.delta.as_ref().is_none_or(|delta| delta.value().is_zero()) {
            let accepted = "above 0: clients hide each other only except for some delta";
            let value = self.delta.as_ref().map_or("missing".to_owned(), Delta::to_string);
            return Err(ParameterError::new("trust.delta", value, accepted));
        }
        Ok(())
    }
}

/// `Err` if the trust model has no guarantee, or the document does not accept a weak guarantee,
/// or accepts one that is not weak.
fn check(trust: &Trust, guarantee: &Guarantee) -> Result<(), ParameterError> {
    let model = trust.model.abbreviation();
    let bound = &guarantee.bound;
    if let PrivacyBound::Absent { reason } = bound {
        let accepted = format!("a trust model in which the policy guarantees something: {reason}");
        return Err(ParameterError::new("trust.model", model, accepted));
    }
    let (value, accepted) = match (guarantee.is_weak, trust.accept_weak_guarantee.unwrap_or(false)) {
        (true, false) => {
            let weak = WEAK.trim_end_matches('.');
            ("missing", format!("true, as the task guarantees {bound} in {model}. {weak}"))
        }
        (false, true) => ("true", format!("no such field with {bound}, which is no weak guarantee")),
        (true, true) | (false, false) => return Ok(()),
    };
    Err(ParameterError::new("trust.accept_weak_guarantee", value, accepted))
}

/// The δ is in the document's trust, else in its noise, else [`DEFAULT_DELTA`].
fn circumstances(document: &TaskDocument) -> Result<Circumstances, ParameterError> {
    let amount = document.aggregator_noise.as_ref().and_then(|noise| Some(noise.law()?.2));
    let delta = match (&document.trust.delta, amount) {
        (Some(delta), _) | (None, Some(Amount::Approximate { delta, .. })) => delta.clone(),
        _ => DEFAULT_DELTA.parse::<Delta>()?,
    };
    Ok(Circumstances::new(document.trust.honest_clients.unwrap_or(1), delta))
}
