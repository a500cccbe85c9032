//! The record for machines: an entry of OpenDP's Differential Privacy Deployments Registry, valid
//! by [one version](SCHEMA) of its schema, of tier 3.

use dp_calibration::{Adjacency, Query, TrustModel};
use dp_exact::{Rational, Rounding, grouped};
use dp_planner::PairGuarantee;
use serde::Serialize;
use toml::{Table, Value};

use super::Statement;
use super::markdown::with_full_stop;
use crate::guarantee::{is_weak, weakness};
use crate::text::counted;

/// The version of the registry's schema by which a record is valid, in its repository
/// `opendp/deployments-registry-data`.
pub const SCHEMA: &str = "2026-07-15, commit 3e9c812a924c";

const DIGITS: usize = 12;

/// The most characters of a name in an address.
const LONGEST_SLUG: usize = 80;

/// How the guarantees of releases add up.
const COMPOSITION: &str = "The releases of a person are composed sequentially, by the distribution of their privacy losses, by \
                           their zero-concentrated privacy or by optimal composition of pairs, whichever bounds epsilon best \
                           at the same delta. Reports of different people are not composed. Other tasks about the same people \
                           are not counted; calibrate compose counts several, and one ledger limits them.";

/// Quantities that no noise hides.
const UNPROTECTED: [&str; 5] = [
    "that a person takes part, and when",
    "the number of reports in each release",
    "the network addresses from which reports come",
    "what the results say about people in general",
    "that a report is missing",
];

/// A record for the registry. It can be written, not read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RegistryRecord(Value);

/// A table of these fields, in this order.
macro_rules! map {
    ($($name:ident: $value:expr,)+) => {
        Value::Table([$((stringify!($name).to_owned(), Value::from($value))),+].into_iter().collect())
    };
}

/// A Markdown list in one text, as the registry stores lists.
fn bullets(items: impl IntoIterator<Item = String>) -> String {
    let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}

/// A decimal of at most twelve significant digits, rounded up.
fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

/// `value`, rounded up to twelve significant digits: a float that prints so, or text if no float
/// can, as for a tiny δ.
fn number(value: &Rational) -> Value {
    let decimal = decimal(value);
    match decimal.parse::<f64>() {
        Ok(float) if float.is_normal() || value.is_zero() => Value::Float(float),
        _ => Value::String(decimal),
    }
}

/// The record in YAML.
fn yaml(record: &RegistryRecord) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: true };
    let mut yaml = String::new();
    serde_saphyr::to_fmt_writer_with_options(&mut yaml, record, options)
        .expect("a record has texts, numbers, lists and tables");
    yaml
}

impl Statement {
    /// The record for machines.
    #[must_use]
    pub fn record(&self) -> RegistryRecord {
        RegistryRecord(map! {
            url_slug: self.slug(),
            status: "Draft",
            tier: 3,
            deployment: self.entry(),
        })
    }

    /// The record for machines, in YAML that readers of version 1.1 and of version 1.2 both read.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let record = yaml(&self.record());
        format!(
            "# Privacy statement, made by dp-report {version}.\n# An entry of the registry of OpenDP, schema of {SCHEMA}.\n{record}"
        )
    }

    /// A name for an address, of lower-case letters, digits and hyphens: of the product, its
    /// curator and its year, or of the task's digest if little of them is left.
    fn slug(&self) -> String {
        let deployment = &self.deployment;
        let year = deployment.text("product.first_published").get(..4);
        let parts = [
            deployment.text("product.name"),
            deployment.text("curator.name"),
            year.expect("a day begins with its year"),
        ];
        let mut slug = String::new();
        for character in parts.join(" ").chars().take(LONGEST_SLUG) {
            if character.is_ascii_alphanumeric() {
                slug.push(character.to_ascii_lowercase());
            } else if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
        }
        // Little is left of names in other letters.
        match slug.trim_matches('-') {
            name if name.len() > 8 => name.to_owned(),
            _ => format!("prio3-{:.12}", self.task.digest().to_string()),
        }
    }

    /// The fields of the registry on this deployment, with all their parts.
    fn entry(&self) -> Value {
        let deployment = &self.deployment;
        let field = |path: &str| deployment.text(path);
        map! {
            basic: map! {
                name: field("product.name"),
                data_curators: vec![field("curator.name")],
                description: field("product.description"),
                intended_use: field("product.purpose"),
                data_product_type: "Summary statistics",
                data_product_region: field("product.region"),
                data_product_sector: field("product.sector"),
                publication_date: field("product.first_published"),
            },
            dp_variant: self.variant(),
            privacy_loss: self.privacy_loss(),
            deployment_model: self.model(),
            accounting: map! {
                post_processing: field("choices.post_processing"),
                composition: COMPOSITION,
            },
            implementation: self.implementation(),
            administrative: map! {
                notes: self.notes(),
                registry_authors: deployment.value("record.authors").clone(),
            },
        }
    }

    /// The query that one measurement answers: the histogram where the task has a strategy matrix,
    /// else the task's query.
    fn measured(&self) -> Query {
        match *self.task.query() {
            Query::HistogramRanges { length, .. } => Query::Histogram { length },
            ref query => query.clone(),
        }
    }

    /// Fields of the registry: the definition of privacy, the domain of the data, and what is not
    /// protected.
    fn variant(&self) -> Value {
        let variant_name = match &self.relied().all {
            PairGuarantee::Kept { rho: Some(_), .. } => "Zero-concentrated DP",
            PairGuarantee::Kept { delta, .. } if delta.is_zero() => "Pure DP",
            _ => "Approximate DP",
        };
        let reports = match self.reports() {
            1 => "one".to_owned(),
            most => format!("at most {most}"),
        };
        let domain = format!(
            "Batches of {} to {} reports, {reports} of each person: {}, which is a measurement of {}.",
            self.task.policy().min_reports(),
            self.task.policy().max_reports(),
            self.deployment.text("product.collected"),
            self.measured()
        );
        map! {
            variant_name: variant_name,
            data_domain: domain,
            unprotected_quantities: bullets(UNPROTECTED.map(str::to_owned)),
        }
    }

    /// Fields of the registry: the unit of privacy, and parameters, which are upper bounds, rounded
    /// up, for all releases of a person together in the trust model that the task relies on; no
    /// parameters without a guarantee.
    fn privacy_loss(&self) -> Value {
        let releases = self.releases;
        let mut parameters = Table::new();
        if let PairGuarantee::Kept { epsilon, delta, rho, .. } = &self.relied().all {
            let delta = Some(delta).filter(|delta| !delta.is_zero());
            for (name, value) in
                [("epsilon", Some(epsilon)), ("delta", delta), ("rho", rho.as_ref())]
            {
                parameters.extend(value.map(|value| (name.to_owned(), number(value))));
            }
        }
        let (replaced, reports) = match self.reports() {
            1 => ("one report is".to_owned(), "one report".to_owned()),
            most => (
                format!("the reports of one person, at most {most}, are"),
                format!("at most {most} reports"),
            ),
        };
        let by = match (self.task.circumstances().adjacency, self.reports()) {
            (Adjacency::Deletion, _) => "what counts nothing",
            (Adjacency::OneCoordinate, 1) => "one that differs in one answer",
            (Adjacency::OneCoordinate, _) => "others, each of which differs in one answer",
            (Adjacency::Replacement, 1) => "any other",
            (Adjacency::Replacement, _) => "any others",
        };
        let all = match releases {
            1 => "in total".to_owned(),
            several => format!("all {} releases", grouped(several)),
        };
        let releases = counted(releases.into(), "release");
        let people = self.deployment.value("record.people");
        let unit = format!(
            "Two batches are adjacent if {replaced} replaced by {by}. The person has {reports} in each of at most {releases}; \
             the parameters are for all of them together, in the trust model {}. About {people} persons take part.",
            self.task.trust_model().abbreviation()
        );
        let details = self.totals.iter().map(|totals| {
            let guarantee = &totals.guarantee;
            let otherwise = match guarantee.budget() {
                Some(_) => format!(" Otherwise: {}.", guarantee.fallback),
                None => String::new(),
            };
            format!(
                "{} (honest: {}): one release {}; {all} {}.{otherwise}",
                guarantee.trust_model.abbreviation(),
                guarantee.trust_model.must_be_honest(),
                in_words(&totals.once),
                in_words(&totals.all),
            )
        });
        let warnings = self.warnings().map(|words| format!("Warning: {words}"));
        let protected = match self.task.circumstances().adjacency {
            Adjacency::OneCoordinate => "one answer of a person at a time",
            Adjacency::Replacement | Adjacency::Deletion => "person",
        };
        map! {
            privacy_unit: protected,
            privacy_unit_details: unit,
            privacy_parameters: parameters,
            privacy_parameters_details: bullets(details.chain(warnings)),
        }
    }

    /// Fields of the registry: the trust models, the parties, and how often results are released.
    fn model(&self) -> Value {
        let deployment = &self.deployment;
        let aggregators = deployment.aggregators().count();
        let (name, how) = match self.task.trust_model() {
            TrustModel::OneClient => ("Local", "Clients randomize their measurements."),
            _ => (
                "Varies",
                "The registry has no name for noise that each of several aggregators adds to its share.",
            ),
        };
        let operators = deployment.aggregators().map(|(operator, trust)| {
            format!(
                "{operator}: runs one of {aggregators} aggregators and sees one share of each report. Why it keeps it \
                 to itself: {trust}"
            )
        });
        let others = [
            format!(
                "{}: the collector, sees noisy totals and the number of reports",
                deployment.text("collector.operator")
            ),
            format!("{}: sees the results", deployment.text("collector.audience")),
        ];
        let trust = self.totals.iter().map(|totals| {
            let guarantee = &totals.guarantee;
            format!(
                "{}: {} must be honest; holds against {}.{}",
                guarantee.trust_model.abbreviation(),
                guarantee.trust_model.must_be_honest(),
                guarantee.trust_model.adversary(),
                guarantee.provisos(),
            )
        });
        let details =
            format!("Reports are secret-shared among {aggregators} aggregators by Prio3. {how}");
        let kind = if self.releases == 1 { "One release" } else { "Many releases" };
        let releases = format!(
            "{} One person takes part in at most {}.",
            with_full_stop(deployment.text("product.schedule")),
            counted(self.releases.into(), "release")
        );
        map! {
            model_name: name,
            model_name_details: details,
            actors: bullets(operators.chain(others).chain(trust)),
            release_type: kind,
            release_type_details: releases,
            data_source_type: deployment.text("product.data_source"),
            access_type: "Non-interactive",
            access_type_details: "The task fixes what is computed; each batch is released once.",
        }
    }

    /// Fields of the registry: the mechanisms, their parameters, the composition, and the choices
    /// of the deployer.
    fn implementation(&self) -> Value {
        let field = |path: &str| self.deployment.text(path);
        let task = &self.task;
        let parameters = task.policy().parameters().into_iter();
        let parameters: Vec<String> =
            parameters.map(|(name, value)| format!("{name} {value}")).collect();
        let version = env!("CARGO_PKG_VERSION");
        let matrix = task.query().strategy_matrix();
        let released = matrix.map(|matrix| {
            format!(
                "What is released: the {length} totals multiplied by a public strategy matrix ({family}, {length} by {length} \
                 integers), with independent noise of each aggregator in each of the {length} products. One person changes \
                 the products, not single totals: the noise is calibrated to the largest norm of that change. Buckets, \
                 percentiles and ranges are solved for by least squares.",
                length = matrix.length(),
                family = matrix.family()
            )
        });
        let mechanisms = released.into_iter().chain([
            format!("{}: {}.", task.policy().name(), parameters.join(", ")),
            format!("Implemented by dp-prio3 {version}, task digest {}.", task.digest()),
            "Noise is drawn exactly, from integers; every parameter is rational, and every bound is rounded to \
             the safe side. No floating-point number decides a privacy outcome."
                .to_owned(),
        ]);
        map! {
            preprocessing_and_hyperparameter_tuning: field("choices.tuning"),
            mechanisms: bullets(mechanisms),
            justification: field("choices.justification"),
        }
    }

    /// What the registry has no field for: what kind of organisation publishes the results, whom to
    /// ask, and how a person stops taking part.
    fn notes(&self) -> String {
        let field = |path: &str| self.deployment.text(path);
        format!(
            "{} ({}) publishes the results. Contact: {}, {}. How to stop taking part: {}",
            field("curator.name"),
            field("curator.type"),
            field("contact.name"),
            field("contact.address"),
            field("contact.opt_out")
        )
    }
}

/// ε, δ and, if there is one, ρ of a guarantee, rounded up, with a remark if it protects nobody;
/// the reason if there is none.
fn in_words(total: &PairGuarantee) -> String {
    let (epsilon, delta, rho) = match total {
        PairGuarantee::Kept { epsilon, delta, rho, .. } => (epsilon, delta, rho),
        PairGuarantee::Absent { reason } => return format!("nothing is guaranteed ({reason})"),
    };
    let rho = rho.iter().map(|rho| format!(", rho {}", decimal(rho))).collect::<String>();
    let weak = weakness(is_weak(total));
    format!("epsilon {}, delta {}{rho}{weak}", decimal(epsilon), decimal(delta))
}
