//! The record for machines: an entry of OpenDP's Differential Privacy Deployments Registry, and beside it
//! every figure exactly.
//!
//! The part `url_slug` and `deployment` has the fields of the registry's schema (its repository
//! `opendp/deployments-registry-data`, tier 3) and no others. The part `prio3` is this crate's own: the registry has
//! one pair of privacy parameters, and a promise under Prio3 has one for each trust model. The registry's
//! schema admits no further part: leave `prio3`, which comes last, out of what is submitted there.

mod entry;
mod exact;
mod registry;

use serde::Serialize;

use crate::Error;
use crate::statement::Statement;

pub(crate) use registry::decimal;

/// How a record begins, by which it is known again.
pub(crate) const BEGINNING: &str = "# Privacy statement, made by dp-statement";

/// A record. It is written, and not read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    url_slug: String,
    deployment: registry::Entry,
    prio3: exact::Exact,
}

impl Statement {
    /// The record for machines.
    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            url_slug: entry::slug(self),
            deployment: entry::of(self),
            prio3: exact::Exact::of(self),
        }
    }

    /// The record for machines, in YAML.
    ///
    /// # Errors
    /// None in practice: a record has what YAML has.
    pub fn to_yaml(&self) -> Result<String, Error> {
        to_yaml(&self.record())
    }
}

/// As YAML that readers of version 1.1 and of version 1.2 read alike.
fn to_yaml(record: &Record) -> Result<String, Error> {
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: true,
    };
    let mut yaml = format!(
        "{BEGINNING} {}.\n# url_slug and deployment are an entry of the registry of OpenDP; prio3 is not part of \
         it.\n",
        env!("CARGO_PKG_VERSION")
    );
    let written = serde_saphyr::to_fmt_writer_with_options(&mut yaml, record, options);
    written.map_err(|error| Error::Yaml {
        reason: error.to_string(),
    })?;
    Ok(yaml)
}
