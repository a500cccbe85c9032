//! What an entry of the registry says of a statement.

use dp_calibration::TrustModel;
use dp_exact::Rational;

use super::exact::UNPROTECTED;
use super::registry::{
    Administrative, Basic, Curator, Entry, Implementation, Model, Number, Parameters, PrivacyLoss,
    Variant, decimal,
};
use crate::statement::{Stated, Statement};
use crate::total::Total;

/// The longest name in an address.
const LONGEST_SLUG: usize = 80;

/// Lower-case letters, digits and hyphens.
pub(super) fn slug(statement: &Statement) -> String {
    let deployment = statement.deployment();
    let year = deployment.product.first_published.get(..4);
    let digest = statement.task().digest().to_string();
    let parts = [
        deployment.product.name.as_str(),
        &deployment.curator.name,
        year.unwrap_or_default(),
    ];
    let mut slug = String::new();
    for character in parts.join(" ").chars().take(LONGEST_SLUG) {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    // Names in other letters leave little.
    let beginning = digest.get(..12).unwrap_or(&digest);
    match slug.trim_matches('-') {
        name if name.len() > 8 => name.to_owned(),
        _ => format!("prio3-{beginning}"),
    }
}

pub(super) fn of(statement: &Statement) -> Entry {
    let deployment = statement.deployment();
    let product = &deployment.product;
    Entry {
        basic: Basic {
            name: product.name.clone(),
            data_curators: [Curator {
                data_curator_name: deployment.curator.name.clone(),
                data_curator_type: deployment.curator.kind.clone(),
            }],
            description: product.description.clone(),
            intended_use: product.purpose.clone(),
            data_product_type: "Summary statistics",
            data_product_region: product.region.clone(),
            data_product_sector: product.sector.clone(),
            publication_date: product.first_published.clone(),
        },
        dp_variant: variant(statement),
        privacy_loss: privacy_loss(statement),
        deployment_model: model(statement),
        implementation: implementation(statement),
        administrative: Administrative {
            status: "Draft",
            registry_authors: deployment.record.authors.clone(),
            tier: 3,
        },
    }
}

/// What the task relies on.
fn relied(statement: &Statement) -> Option<&Stated> {
    statement.in_model(statement.task().trust_model())
}

fn variant(statement: &Statement) -> Variant {
    let variant_name = match relied(statement).map(|stated| &stated.all) {
        Some(Total::Kept { rho: Some(_), .. }) => "Zero-concentrated DP",
        Some(Total::Kept { delta, .. }) if delta.is_zero() => "Pure DP",
        _ => "Approximate DP",
    };
    let task = statement.task();
    Variant {
        variant_name,
        data_domain: format!(
            "Batches of {} to {} reports, one of each person: {}, which is a measurement of {}.",
            task.min_reports(),
            task.max_reports(),
            statement.deployment().product.collected,
            task.query()
        ),
        unprotected_quantities: list(UNPROTECTED.iter().map(|one| (*one).to_owned())),
    }
}

fn privacy_loss(statement: &Statement) -> PrivacyLoss {
    let releases = statement.releases();
    let zero = Rational::zero();
    let (epsilon, delta, rho) = match relied(statement).map(|stated| &stated.all) {
        Some(Total::Kept {
            epsilon,
            delta,
            rho,
        }) => (epsilon, delta, rho.as_ref()),
        // A task is refused that promises nothing in its trust model.
        _ => (&zero, &zero, None),
    };
    PrivacyLoss {
        privacy_unit: "person",
        privacy_unit_details: format!(
            "Two batches are adjacent if one report is replaced by any other. The person has one report in each of \
             at most {releases} releases; the parameters are those of all {releases} together."
        ),
        number_of_privacy_units: statement.deployment().record.people,
        privacy_parameters: Parameters {
            epsilon: Number::of(epsilon),
            delta: (!delta.is_zero()).then(|| Number::of(delta)),
            rho: rho.map(Number::of),
        },
        privacy_parameters_details: list(statement.stated().iter().map(|stated| {
            let guarantee = &stated.guarantee;
            let otherwise = match guarantee.budget() {
                Some(_) => format!(" Otherwise: {}.", guarantee.otherwise),
                None => String::new(),
            };
            format!(
                "{} (honest: {}): one release {}; all {releases} releases {}.{otherwise}",
                guarantee.trust_model.abbreviation(),
                guarantee.trust_model.must_be_honest(),
                in_words(&stated.once),
                in_words(&stated.all),
            )
        })),
    }
}

fn in_words(total: &Total) -> String {
    match total {
        Total::Kept {
            epsilon,
            delta,
            rho,
        } => {
            let rho = rho.as_ref();
            let rho = rho.map_or_else(String::new, |rho| format!(", rho {}", decimal(rho)));
            let weak = match total.protects_nobody() {
                true => ", which protects nobody",
                false => "",
            };
            format!(
                "epsilon {}, delta {}{rho}{weak}",
                decimal(epsilon),
                decimal(delta)
            )
        }
        Total::Absent { reason } => format!("nothing is promised ({reason})"),
    }
}

fn model(statement: &Statement) -> Model {
    let deployment = statement.deployment();
    let task = statement.task();
    let is_local = task.trust_model() == TrustModel::OneClient;
    let aggregators = deployment.aggregators.len();
    let operators = deployment.aggregators.iter().map(|one| {
        format!(
            "{}: runs one of {aggregators} aggregators and sees one share of each report. Why it keeps it to \
             itself: {}",
            one.operator, one.trust
        )
    });
    let others = [
        format!(
            "{}: the collector, sees noisy totals and the number of reports",
            deployment.collector.operator
        ),
        format!("{}: sees the results", deployment.collector.audience),
    ];
    Model {
        model_name: if is_local { "Local" } else { "Varies" },
        model_name_details: format!(
            "Reports are secret-shared among {aggregators} aggregators by Prio3. {}",
            if is_local {
                "Clients randomize their measurements."
            } else {
                "The registry has no name for noise that each of several aggregators adds to its share."
            }
        ),
        trust_assumptions: list(statement.stated().iter().map(|stated| {
            let guarantee = &stated.guarantee;
            let assumptions = match guarantee.assumptions.as_slice() {
                [] => String::new(),
                some => format!(" Provided that: {}.", some.join("; ")),
            };
            format!(
                "{}: must be honest are {}; holds against {}.{assumptions}",
                guarantee.trust_model.abbreviation(),
                guarantee.trust_model.must_be_honest(),
                guarantee.trust_model.adversary(),
            )
        })),
        actors: list(operators.chain(others)),
        release_type: match statement.releases() {
            1 => "One release",
            _ => "Many releases",
        },
        release_type_details: format!(
            "{} One person takes part in at most {} releases.",
            deployment.product.schedule,
            statement.releases()
        ),
        data_source_type: deployment.product.data_source.clone(),
        access_type: "Non-interactive",
        access_type_details: "The task fixes what is computed; each batch is released once.",
    }
}

fn implementation(statement: &Statement) -> Implementation {
    let choices = &statement.deployment().choices;
    let task = statement.task();
    let parameters = task.parameters().iter();
    let parameters: Vec<String> = parameters
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    Implementation {
        preprocessing_and_hyperparameter_tuning: choices.tuning.clone(),
        mechanisms: list([
            format!("{}: {}.", task.description(), parameters.join(", ")),
            format!("Implemented by dp-prio3 {version}, task digest {}.", task.digest()),
            "Noise is drawn exactly, from integers; every parameter is rational, and every bound is rounded to \
             the safe side. No floating-point number decides a privacy outcome."
                .to_owned(),
        ]),
        composition: format!(
            "The releases of a person are composed sequentially, by the law of their privacy losses, by their \
             zero-concentrated privacy or by optimal composition of pairs, whichever bounds epsilon best at the \
             same delta. Reports of different people are not composed. {}",
            relied(statement).map_or_else(String::new, |stated| {
                format!("A release a day for a year: {}.", in_words(&stated.year))
            })
        ),
        post_processing: choices.post_processing.clone(),
        justification: choices.justification.clone(),
        additional_information: format!(
            "Contact: {}, {}. How to stop taking part: {}",
            statement.deployment().contact.name,
            statement.deployment().contact.address,
            statement.deployment().contact.opt_out
        ),
    }
}

/// A list of Markdown, as the registry shows it.
fn list(items: impl IntoIterator<Item = String>) -> String {
    let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}
