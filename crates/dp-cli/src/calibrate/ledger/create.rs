//! `calibrate ledger create`: the limit, and the rule by which releases count.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, ParameterError};
use dp_ledger::{Journal, LedgerError, Rule, Terms};

use super::{BudgetOptions, GuaranteeOptions, state};
use crate::calibrate::figures::Figures;
use crate::failure::Failure;
use crate::values::refuse;

#[derive(Args, Debug)]
pub(super) struct CreateOptions {
    /// The ledger's file
    pub(super) file: PathBuf,
    #[command(flatten)]
    limit: BudgetOptions,
    #[command(flatten)]
    guarantee: GuaranteeOptions,
    /// How releases count: basic (sums of epsilon and delta, or of rho) or zcdp (the sum of rho,
    /// converted once) [default: zcdp with --rho or a delta, else basic]
    #[arg(id = "rule", long = "rule", value_name = "RULE", value_parser = is_basic)]
    is_basic: Option<bool>,
    /// With zcdp: the part of the limit's delta for the deltas of releases; the rest converts rho
    /// [default: a tenth of it, or 0 with --rho]
    #[arg(long)]
    delta_for_releases: Option<Delta>,
}

/// A parser for clap: whether the rule is basic composition; otherwise `zcdp`.
fn is_basic(text: &str) -> Result<bool, ParameterError> {
    match text {
        "basic" => Ok(true),
        "zcdp" => Ok(false),
        other => Err(ParameterError::new("rule", other, "basic or zcdp")),
    }
}

pub(super) fn answer(options: &CreateOptions) -> Result<Figures, Failure> {
    let adjacency = options.guarantee.adjacency.unwrap_or_default();
    let trust_model = options.guarantee.trust_model.unwrap_or(TrustModel::OneAggregatorOneClient);
    let limit = options.limit.budget()?;
    let rule = options.rule(&limit)?;
    let terms =
        Terms::new(limit).with_rule(rule).with_adjacency(adjacency).with_trust_model(trust_model);
    let journal = Journal::create(&options.file, terms)?;
    state::figures(&options.file, journal.ledger(), journal.head(), None)
}

impl CreateOptions {
    fn rule(&self, limit: &Budget) -> Result<Rule, Failure> {
        let delta = &self.delta_for_releases;
        let by_default = matches!((limit, delta), (Budget::Pure { .. }, None));
        if self.is_basic.unwrap_or(by_default) {
            refuse("delta-for-releases", delta, "with the rule basic")?;
            return Ok(Rule::Basic);
        }
        let Some(delta) = delta else {
            return Ok(Rule::zero_concentrated(limit)?);
        };
        Ok(Rule::zero_concentrated_with(limit, delta.clone()).map_err(|error| match error {
            LedgerError::Parameter(error) if error.name() == "releases_delta" => {
                LedgerError::Parameter(error.renamed("delta-for-releases"))
            }
            other => other,
        })?)
    }
}
