//! The fields of an entry of the registry, by the names and the values of its schema.

use dp_exact::{Rational, Rounding};
use serde::Serialize;

/// Digits of a figure.
const DIGITS: usize = 12;

/// An entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Entry {
    pub(super) basic: Basic,
    pub(super) dp_variant: Variant,
    pub(super) privacy_loss: PrivacyLoss,
    pub(super) deployment_model: Model,
    pub(super) implementation: Implementation,
    pub(super) administrative: Administrative,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Basic {
    pub(super) name: String,
    pub(super) data_curators: [Curator; 1],
    pub(super) description: String,
    pub(super) intended_use: String,
    pub(super) data_product_type: &'static str,
    pub(super) data_product_region: String,
    pub(super) data_product_sector: String,
    pub(super) publication_date: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Curator {
    pub(super) data_curator_name: String,
    pub(super) data_curator_type: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Variant {
    pub(super) variant_name: &'static str,
    pub(super) data_domain: String,
    pub(super) unprotected_quantities: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PrivacyLoss {
    pub(super) privacy_unit: &'static str,
    pub(super) privacy_unit_details: String,
    pub(super) number_of_privacy_units: u64,
    pub(super) privacy_parameters: Parameters,
    pub(super) privacy_parameters_details: String,
}

/// The registry has numbers here, of which a δ may be a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Parameters {
    pub(super) epsilon: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delta: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rho: Option<Number>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Model {
    pub(super) model_name: &'static str,
    pub(super) model_name_details: String,
    pub(super) trust_assumptions: String,
    pub(super) actors: String,
    pub(super) release_type: &'static str,
    pub(super) release_type_details: String,
    pub(super) data_source_type: String,
    pub(super) access_type: &'static str,
    pub(super) access_type_details: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Implementation {
    pub(super) preprocessing_and_hyperparameter_tuning: String,
    pub(super) mechanisms: String,
    pub(super) composition: String,
    pub(super) post_processing: String,
    pub(super) justification: String,
    pub(super) additional_information: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Administrative {
    pub(super) status: &'static str,
    pub(super) registry_authors: Vec<String>,
    pub(super) tier: u8,
}

/// A decimal of at most twelve digits, rounded up. As a float it prints as these digits; where a float has no
/// room for it, it is text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Number {
    Float(f64),
    Text(String),
}

impl Number {
    pub(super) fn of(value: &Rational) -> Self {
        let decimal = decimal(value);
        match decimal.parse::<f64>() {
            // A float of so many digits prints as them.
            Ok(float) if float.is_normal() || value.is_zero() => Self::Float(float),
            _ => Self::Text(decimal),
        }
    }
}

/// A decimal of at most twelve digits, rounded up.
pub(crate) fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}
