//! `calibrate ledger create`: the limit and the rule by which it is counted.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::Budget;
use dp_exact::{Delta, ParameterError};
use dp_ledger::{Journal, LedgerError, Rule, Terms};

use super::shown::shown;
use super::{Amount, Counted};
use crate::calibrate::answer::Answer;
use crate::failure::Failure;
use crate::typed;

#[derive(Args, Debug)]
pub(super) struct Create {
    /// The file
    pub(super) file: PathBuf,
    #[command(flatten)]
    limit: Amount,
    #[command(flatten)]
    counted: Counted,
    /// How it counts: basic (sums of epsilon and delta, or of rho) or zcdp (rho of every release, converted
    /// once) [default: zcdp with --rho or a delta, else basic]
    #[arg(long)]
    rule: Option<String>,
    /// With zcdp: what the deltas of releases may come to; the rest of the limit's delta converts rho
    /// [default: a tenth of it, or 0 with --rho]
    #[arg(long)]
    delta_for_releases: Option<String>,
}

pub(super) fn answer(options: &Create) -> Result<Answer, Failure> {
    let (adjacency, trust_model) = options.counted.parsed()?;
    let (limit, rule) = options.limit_and_rule()?;
    let mut terms = Terms::new(limit).with_rule(rule);
    if let Some(adjacency) = adjacency {
        terms = terms.with_adjacency(adjacency);
    }
    if let Some(trust_model) = trust_model {
        terms = terms.with_trust_model(trust_model);
    }
    let journal = Journal::create(&options.file, terms)?;
    shown(&options.file, journal.ledger(), journal.head(), None)
}

impl Create {
    fn limit_and_rule(&self) -> Result<(Budget, Rule), Failure> {
        let for_releases = ("delta-for-releases", self.delta_for_releases.as_ref());
        let limit = self.limit.budget()?;
        let has_slack = !matches!(limit, Budget::Pure { .. });
        let is_concentrated = match self.rule.as_deref() {
            Some("basic") => false,
            Some("zcdp") => true,
            None => has_slack || self.delta_for_releases.is_some(),
            Some(other) => {
                let accepted = "basic or zcdp";
                return Err(ParameterError::new("rule", other, accepted).into());
            }
        };
        if is_concentrated {
            let rule = self.zero_concentrated(&limit)?;
            return Ok((limit, rule));
        }
        typed::refuse_all("with the rule basic", [for_releases])?;
        Ok((limit, Rule::Basic))
    }

    fn zero_concentrated(&self, limit: &Budget) -> Result<Rule, Failure> {
        let delta: Option<Delta> =
            typed::optional("delta-for-releases", self.delta_for_releases.as_ref())?;
        Ok(match delta {
            None => Rule::zero_concentrated(limit)?,
            Some(delta) => {
                Rule::zero_concentrated_with(limit, delta).map_err(|error| match error {
                    LedgerError::Parameter(error) if error.name() == "releases_delta" => {
                        LedgerError::Parameter(error.renamed("delta-for-releases"))
                    }
                    other => other,
                })?
            }
        })
    }
}
